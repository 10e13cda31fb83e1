"""Whole process: files to every measure of `all_trec` with pytrec_eval, NAME and mean on each line.

Usage: files_pytrec_eval_all.py QRELS RUN
"""

import sys

import pytrec_eval

with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
results = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(run)
for name in sorted(next(iter(results.values()))):
    values = [query[name] for query in results.values()]
    print(name, pytrec_eval.compute_aggregated_measure(name, values))
