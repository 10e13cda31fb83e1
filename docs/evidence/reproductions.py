"""Simulate how often a rerun with a smaller improvement, or other scores, is called reproduced."""

from __future__ import annotations

from collections import Counter

import numpy as np

from evidence.equivalence import at_the_margin
from evidence.queries import real_queries
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import paired_t
from gainful.reproduction.call import (
    decide_on_improvement,
    decide_on_scores,
    difference,
    effect_ratio,
    has_few_changes,
)

LEVEL = 0.95
LEAST_RATIO = 0.9
#: The rate of wrong successes, one of the two tails of an interval, and what skewness may add.
ALLOWED, SKEWED = (1 - LEVEL) / 2, 0.01
SIZES = (25, 50, 100)
#: True effect ratios.
RATIOS = (0.5, 0.9, 1.0)
SEED = 20_200_725
VERDICTS = ("reproduced", "partly reproduced", "not reproduced", "inconclusive")
#: Of this share of the original's standard deviation, the improvements of queries vary in a rerun.
NOISE = 0.25


def improvements_study(simulations: int) -> Table:
    """Return the verdicts on improvements by their true effect ratio."""
    headings = ("rerun on", "true effect ratio", "queries", *VERDICTS, "ratio not below .9")
    rows, failures = [], []
    for where, paired in (("the same queries", True), ("other queries", False)):
        for true in RATIOS:
            for queries in SIZES:
                rates = _improvement_rates(true, queries, simulations, paired=paired)
                shown = (percent(rates[name]) for name in (*VERDICTS, "not below"))
                rows.append([where, f"{true:g}", str(queries), *shown])
                most = ALLOWED + SKEWED + monte_carlo_error(ALLOWED, simulations)
                if true <= LEAST_RATIO and rates["reproduced"] > most:
                    rate = percent(rates["reproduced"])
                    failures.append(f"{where}, ratio {true:g}, {queries} queries: {rate}")
    return Table(headings, rows, failures)


def _improvement_rates(
    true: float, queries: int, simulations: int, *, paired: bool
) -> Counter[str]:
    """Return the shares of verdicts, and of significant ratios that are not below .9."""
    random = np.random.default_rng(SEED)
    columns = real_queries().differences()
    columns = columns * np.sign(columns.mean(axis=0))
    noise = columns - columns.mean(axis=0)
    gains = columns[:, columns.mean(axis=0) > 0.3 * columns.std(axis=0)]
    counts: Counter[str] = Counter()
    for _ in range(simulations):
        gain = gains[:, random.integers(gains.shape[1])]
        other = NOISE * noise[:, random.integers(noise.shape[1])]
        first = random.integers(len(gain), size=queries)
        second = first if paired else random.integers(len(gain), size=queries)
        # The noise is that of other queries, so that it does not depend on the gain.
        rerun = true * gain[second] + random.choice(other, queries)
        original = gain[first]
        estimates = [
            difference(np.zeros(queries), values, paired=True, level=LEVEL)
            for values in (original, rerun)
        ]
        ratio = effect_ratio(original, rerun, paired=paired, level=LEVEL)
        few = has_few_changes(original, rerun, paired=paired)
        verdict = decide_on_improvement(*estimates, ratio, LEAST_RATIO, alpha=1 - LEVEL, few=few)
        counts[verdict] += 1
        both = all(each.p is not None and each.p <= 1 - LEVEL for each in estimates)
        is_below = ratio is None or (
            ratio.interval is not None and ratio.interval.high < LEAST_RATIO
        )
        counts["not below"] += both and not is_below
    return Counter({name: count / simulations for name, count in counts.items()})


def scores_study(simulations: int) -> Table:
    """Return how often scores that differ by exactly the margin are called reproduced."""
    headings = ("changes of the rerun", "queries", "t interval", "Gainful", "at most")
    rows, failures = [], []
    for what, draw, sizes, at_5_percent in at_the_margin():
        # Skewness may add to one tail of 2.5% what it may add to one of 5%.
        allowed = at_5_percent - ALLOWED
        most = allowed + monte_carlo_error(allowed, simulations)
        for queries in sizes:
            random = np.random.default_rng(SEED)
            plain = reproduced = 0
            for _ in range(simulations):
                changes, margin = draw(random, queries)
                original = np.zeros(queries)
                few = has_few_changes(original, changes, paired=True)
                estimate = difference(original, changes, paired=True, level=LEVEL)
                verdict = decide_on_scores(estimate, margin, few=few)
                # Without any change it is reproduced exactly, which no test is needed for.
                reproduced += verdict == "reproduced" and bool(changes.any())
                above = paired_t(changes + margin, alternative="greater").p
                below = paired_t(changes - margin, alternative="less").p
                plain += max(above, below) <= ALLOWED
            rates = plain / simulations, reproduced / simulations
            rows.append([what, str(queries), *map(percent, (*rates, most))])
            if rates[1] > most:
                failures.append(f"{what}, {queries} queries: {percent(rates[1])}")
    return Table(headings, rows, failures)
