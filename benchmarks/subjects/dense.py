"""In process: arrays of labels and scores to nDCG@10 of each row.

Usage: dense.py gainful|scikit-learn|ignoring-ties ROWS COLUMNS

The answers are the mean, and the values of the first rows. Scores have two decimals, so nearly
every row has ties among its first ten.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import gainful_calls
import numpy as np
import worker

ROWS_CHECKED = 20


def arrays(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels 0-4, most of them 0, and correlated scores 0.00-1.00 with ties."""
    # The legacy generator returns the same numbers in every version of NumPy.
    random = np.random.RandomState(20_160_713)
    draw = random.random_sample((rows, columns))
    labels = sum((draw > bound).astype(np.int64) for bound in (0.9, 0.94, 0.97, 0.99))
    scores = np.round(random.random_sample((rows, columns)) * 0.8 + labels * 0.05, 2)
    return np.asarray(labels), scores


def main(subject: str, rows: str, columns: str) -> None:
    """Generate the arrays, then serve the calls."""
    labels, scores = arrays(int(rows), int(columns))
    job: Callable[[], Sequence[float]]
    if subject == "gainful":

        def job() -> Sequence[float]:
            values = gainful_calls.ndcg_of_rows(labels, scores)
            return [np.asarray(values).mean(), *values[:ROWS_CHECKED]]

    else:
        from sklearn.metrics import ndcg_score

        ignore = subject == "ignoring-ties"
        singles = [
            ndcg_score(labels[i : i + 1], scores[i : i + 1], k=10, ignore_ties=ignore)
            for i in range(ROWS_CHECKED)
        ]

        def job() -> Sequence[float]:
            return [ndcg_score(labels, scores, k=10, ignore_ties=ignore), *singles]

    worker.serve(job)


if __name__ == "__main__":
    main(*sys.argv[1:])
