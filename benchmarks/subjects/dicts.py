"""In process: dicts of dicts to the mean nDCG@10.

Usage: dicts.py gainful|pytrec_eval|ranx QRELS RUN
"""

from __future__ import annotations

import sys

import gainful_calls
import trec_text
import worker


def main(subject: str, qrels_path: str, run_path: str) -> None:
    """Read the files, then serve the calls."""
    qrels, run = trec_text.read_qrels(qrels_path), trec_text.read_run(run_path)

    def with_gainful() -> list[float]:
        return [gainful_calls.evaluate(qrels, run)]

    def with_pytrec_eval() -> list[float]:
        import pytrec_eval

        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
        values = [query["ndcg_cut_10"] for query in evaluator.evaluate(run).values()]
        return [sum(values) / len(values)]

    def with_ranx() -> list[float]:
        import ranx

        return [float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "ndcg@10"))]

    jobs = {"gainful": with_gainful, "pytrec_eval": with_pytrec_eval, "ranx": with_ranx}
    worker.serve(jobs[subject])


if __name__ == "__main__":
    main(*sys.argv[1:])
