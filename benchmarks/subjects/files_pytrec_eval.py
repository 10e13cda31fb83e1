"""Whole process: files to nDCG@10 with pytrec_eval, one mean per line.

Usage: files_pytrec_eval.py QRELS RUN...
"""

import sys

import pytrec_eval

with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
for path in sys.argv[2:]:
    with open(path) as file:
        run = pytrec_eval.parse_run(file)
    values = [query["ndcg_cut_10"] for query in evaluator.evaluate(run).values()]
    print(sum(values) / len(values))
