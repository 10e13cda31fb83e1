"""In process: evaluate a run with judgments in memory, and report the memory of the result.

Usage: results_held.py QRELS RUN

The answer is the mean nDCG@10.
"""

from __future__ import annotations

import gc
import sys

import gainful_calls
import process_tree
import worker


def main(qrels_path: str, run_path: str) -> None:
    """Read the judgments, then serve the calls."""
    qrels = gainful_calls.read_qrels(qrels_path)
    gc.collect()
    results: list[object] = []
    before = process_tree.resident_bytes()

    def job() -> object:
        return gainful_calls.evaluated(qrels, run_path)

    def answers(result: object) -> list[float]:
        results[:] = [result]
        return [gainful_calls.mean_of(result)]

    def extras() -> dict[str, float]:
        gc.collect()
        return {"held_bytes": process_tree.resident_bytes() - before}

    worker.serve(job, answers, extras_of=extras)


if __name__ == "__main__":
    main(*sys.argv[1:])
