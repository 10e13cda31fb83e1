"""In process: p-values by resampling.

Usage: resampling.py gainful|scipy|numpy signs|tukey|pairs ROWS COLUMNS RESAMPLES

Gainful serves calls; a peer takes a minute, runs the job once and prints its p-values. The columns
are systems; `signs` uses the differences of the first two.
"""

from __future__ import annotations

import sys

import gainful_calls
import numpy as np

BATCH = 100


def scores(rows: int, columns: int) -> np.ndarray:
    """Return scores whose first and last system have a p-value near the significance level."""
    # The legacy generator returns the same numbers in every version of NumPy.
    random = np.random.RandomState(20_160_713)
    table = random.random_sample((rows, 1)) + 0.2 * random.standard_normal((rows, columns))
    # In standard errors of a mean; larger for fifty systems, whose best and worst differ more.
    apart = 3.0 if columns == 2 else 5.5
    table -= table.mean(axis=0)
    table[:, -1] += apart * 0.2 / rows**0.5
    return np.asarray(table)


def scipy_signs(differences: np.ndarray, resamples: int) -> list[float]:
    from scipy.stats import permutation_test

    found = permutation_test(
        (differences,),
        lambda values, axis: values.mean(axis=axis),
        permutation_type="samples",
        n_resamples=resamples,
        batch=BATCH,
        rng=np.random.default_rng(1),
    )
    return [float(found.pvalue)]


def numpy_signs(differences: np.ndarray, resamples: int) -> list[float]:
    random = np.random.default_rng(1)
    observed = abs(differences.sum()) * (1 - 1e-12)
    count = 0
    for _ in range(resamples // BATCH):
        signs = random.integers(0, 2, (BATCH, len(differences)), dtype=np.int8) * 2.0 - 1.0
        count += int((abs(signs @ differences) >= observed).sum())
    return [(count + 1) / (resamples + 1)]


def numpy_tukey(table: np.ndarray, resamples: int) -> list[float]:
    random = np.random.default_rng(1)
    means = table.mean(axis=0)
    ranges = np.array(
        [np.ptp(random.permuted(table, axis=1).mean(axis=0)) for _ in range(resamples)]
    )
    observed = abs(means[1:] - means[0]) * (1 - 1e-12)
    return [(int((ranges >= one).sum()) + 1) / (resamples + 1) for one in observed[::-1]]


def numpy_pairs(table: np.ndarray, resamples: int) -> list[float]:
    """Return step-down p-values of the statistics of `corrected`."""
    random = np.random.default_rng(1)
    one, two = np.triu_indices(table.shape[1], 1)
    blocks = np.array_split(np.arange(len(one)), -(-len(one) // BATCH))
    parts = [corrected(table[:, one[block]] - table[:, two[block]]) for block in blocks]
    observed, student = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(observed, kind="stable")
    one, two, observed = one[order], two[order], observed[order]
    squares = table.T @ table
    own = np.diag(squares)
    scales = np.sqrt(own[one] + own[two] - 2.0 * squares[one, two])
    count = np.zeros(len(observed))
    for _ in range(resamples // BATCH):
        signs = random.integers(0, 2, (BATCH, len(table)), dtype=np.int8) * 2.0 - 1.0
        flipped = signs @ table
        # Of each pair and all that are less significant.
        maxima = np.maximum.accumulate(abs(flipped[:, one] - flipped[:, two]) / scales, axis=1)
        count += (maxima >= observed * (1 - 1e-10)).sum(axis=0)
    p = np.maximum((count + 1) / (resamples + 1), student[order])
    p[::-1] = np.maximum.accumulate(p[::-1])
    of_first = dict(zip(two[one == 0].tolist(), p[one == 0].tolist(), strict=True))
    return [of_first[other] for other in range(table.shape[1] - 1, 0, -1)]


def corrected(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return statistics corrected for skewed differences, and their p-values by Student's t.

    The correction is that of the documentation of `gainful.inference.max_t`.
    """
    from scipy.stats import skew, t

    n, means = len(differences), differences.mean(axis=0)
    squared = (differences - means) ** 2
    variance = (squared.sum(axis=0) + squared.max(axis=0) / 3) / (n * (n - 1))
    student = abs(means) / np.sqrt(variance)
    g = 1.5 * skew(differences, axis=0, bias=False) * np.sign(means) / np.sqrt(n)
    # Without skewness, t is unchanged.
    factor = np.where(g == 0.0, 1.0, g)
    moved = ((1 + factor * student / 3) ** 3 - 1) / factor + factor / 6
    student = np.where(g == 0.0, student, np.clip(moved, 0.0, student))
    plain = abs(differences.sum(axis=0)) / np.sqrt((differences**2).sum(axis=0))
    observed = np.minimum(np.sqrt(n * student**2 / (n - 1 + student**2)), plain)
    return observed, 2 * t.sf(student, n - 1)


def main(subject: str, kind: str, rows: str, columns: str, resamples: str) -> None:
    """Generate the scores, then serve the calls or print the p-values."""
    data = scores(int(rows), int(columns))
    if kind == "signs":
        data = data[:, 0] - data[:, 1]
    calls = {
        ("scipy", "signs"): scipy_signs,
        ("numpy", "signs"): numpy_signs,
        ("numpy", "tukey"): numpy_tukey,
        ("numpy", "pairs"): numpy_pairs,
        ("gainful", "signs"): gainful_calls.randomization_test,
        ("gainful", "tukey"): gainful_calls.randomized_tukey,
        ("gainful", "pairs"): gainful_calls.max_t_pairs,
    }
    call = calls[subject, kind]
    if subject == "gainful":
        # It takes standard output for itself.
        import worker

        worker.serve(lambda: call(data, int(resamples)))
    else:
        print(*call(data, int(resamples)), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
