"""Whole process: files to nDCG@10 with ranx.

Usage: files_ranx.py QRELS RUN
"""

import sys

from ranx import Qrels, Run, evaluate

qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
print(float(evaluate(qrels, run, "ndcg@10")))
