"""In process: find the convention behind a number.

Usage: reconcile.py QRELS RUN REPORTED [MEASURE]
"""

from __future__ import annotations

import sys

import gainful_calls
import worker


def main(qrels: str, run: str, reported: str, measure: str | None = None) -> None:
    """Read the files, then serve the calls; the answer is the number of combinations searched."""
    judgments, ranking = gainful_calls.read(qrels, run)
    worker.serve(lambda: [gainful_calls.reconcile(judgments, ranking, reported, measure)])


if __name__ == "__main__":
    main(*sys.argv[1:])
