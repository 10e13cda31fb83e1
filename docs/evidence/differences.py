"""Simulate the verdict's test and the interval of the difference of two systems on real scores."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, pair_differences, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful import inference as inf
from gainful.inference.interval import quantile

ALPHA = 0.05
RESAMPLES = 399
MEASURES = ("nDCG@10", "AP", "RR", "P@10")
SIZES = (10, 16, 25, 50)
SEED = 20_031_130
#: In standard errors, the difference that a t test detects with a power of 80% for many queries.
DETECTABLE = 2.8
#: The limits of error rates and coverage, but for reciprocal ranks, and of the lengths of arms.
MOST, LEAST, LONGEST = 0.065, 0.93, 1.5


def study(simulations: int) -> Table:
    """Return error rates, power, coverage, and the lengths of intervals relative to Student's t."""
    headings = (
        "values",
        "n",
        "error",
        "error of sign flips",
        "power",
        "power of sign flips",
        "coverage",
        "longer arm / t, median",
        "90th percentile",
    )
    rows, failures = [], []
    for origin, values in scores_by_measure(MEASURES).items():
        for measure, scores in values.items():
            columns, where = pair_differences(scores), f"{measure}, {origin}"
            for n in SIZES:
                rates, arms = _rates(columns - columns.mean(axis=0), n, simulations)
                numbers = (f"{arm:.2f}" for arm in arms)
                rows.append([where, str(n), *(percent(rate) for rate in rates), *numbers])
                failures += _failures(f"{where}, {n} queries", rates, arms, simulations, measure)
    return Table(headings, rows, failures)


def _failures(where: str, rates: Floats, arms: Floats, simulations: int, measure: str) -> list[str]:
    error, _, _, _, coverage = rates
    failures = []
    # Most systems of the demo have the same first hit: a sample of few queries shows no variance.
    if measure != "RR" and error > MOST + monte_carlo_error(MOST, simulations):
        failures.append(f"{where}: error {percent(error)}")
    if measure != "RR" and coverage < LEAST - monte_carlo_error(LEAST, simulations):
        failures.append(f"{where}: coverage {percent(coverage)}")
    # The quantile of few samples errs by about as much as one of them.
    if arms[1] > LONGEST * (1 + 1 / simulations):
        failures.append(f"{where}: an arm {arms[1]:.2f} times as long as that of t")
    return failures


def _rates(columns: Floats, n: int, simulations: int) -> tuple[Floats, Floats]:
    """Return the rates of the table, and the quantiles of lengths relative to Student's t."""
    random = np.random.default_rng(SEED)
    deviations, of_student = columns.std(axis=0), -quantile(ALPHA / 2, n - 1)
    counts, arms = np.zeros(5), []
    for _ in range(simulations):
        pair = random.integers(columns.shape[1])
        sample = columns[random.integers(0, len(columns), n), pair]
        effect = random.choice([-1, 1]) * DETECTABLE * deviations[pair] / n**0.5
        seed = int(random.integers(1 << 62))
        options = {"resamples": RESAMPLES, "seed": seed}
        test = inf.max_t(sample[:, None], **options)
        counts += (
            test.p[0] <= ALPHA,
            inf.randomization_test(sample, **options).p <= ALPHA,
            inf.max_t(sample[:, None] + effect, **options).p[0] <= ALPHA,
            inf.randomization_test(sample + effect, **options).p <= ALPHA,
            test.low[0] <= 0.0 <= test.high[0],
        )
        mean, half = sample.mean(), of_student * sample.std(ddof=1) / n**0.5
        if half > 0.0:
            arms.append(max(test.high[0] - mean, mean - test.low[0]) / half)
    return counts / simulations, np.quantile(arms, [0.5, 0.9])
