"""Simulate error rates and power of max-T and randomized Tukey on all pairs of real systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evidence.queries import Floats, Systems, compared_systems
from evidence.tables import Table, monte_carlo_error, percent
from gainful import inference as inf

ALPHA = 0.05
#: The family-wise error rate that max-T may not exceed, apart from Monte Carlo error.
MOST = 0.055
RESAMPLES = 499
SIZES = (25, 50, 80)
SEED = 20_031_123

Test = Callable[[Floats, int], Floats]


@dataclass(frozen=True)
class Comparison:
    """Family-wise error rate and share of true differences detected, by test."""

    systems: str
    queries: int
    errors: dict[str, float]
    found: dict[str, float]


def study(simulations: int, every: list[Systems] | None = None) -> Table:
    """Return the family-wise error rates and the power of both tests."""
    found = list(_comparisons(every or compared_systems(), simulations))
    headings = [
        "systems",
        "queries",
        *(f"family-wise error: {name}" for name in TESTS),
        *(f"true differences detected: {name}" for name in TESTS),
    ]
    rows = []
    failures = []
    for each in found:
        rates = [*each.errors.values(), *each.found.values()]
        rows.append([each.systems, str(each.queries), *(percent(rate, 2) for rate in rates)])
        where = f"{each.systems}, {each.queries} queries"
        if each.found["max-T"] < each.found["Tukey"]:
            failures.append(f"{where}: max-T detects less than Tukey")
        if each.errors["max-T"] > MOST + monte_carlo_error(MOST, simulations):
            failures.append(f"{where}: family-wise error {percent(each.errors['max-T'], 2)}")
    return Table(headings, rows, failures)


def _comparisons(every: list[Systems], simulations: int) -> Iterator[Comparison]:
    """Yield the rates for each set of systems and each number of queries.

    Errors are counted on centered scores, where all systems have the same mean. Detected
    differences are counted on the original scores. All tests see the same samples.
    """
    for systems in every:
        # A separate generator, so that adding systems does not change the results of others.
        random = np.random.default_rng(SEED)
        equal = systems.scores - systems.scores.mean(axis=0)
        means = systems.scores.mean(axis=0)
        for queries in SIZES:
            errors = dict.fromkeys(TESTS, 0)
            found = dict.fromkeys(TESTS, 0)
            for _ in range(simulations):
                drawn = random.integers(0, len(equal), queries)
                seed = int(random.integers(1 << 62))
                for name, test in TESTS.items():
                    errors[name] += bool((test(equal[drawn], seed) <= ALPHA).any())
                    found[name] += _found(test, systems.scores[drawn], means, seed)
            pairs = len(means) * (len(means) - 1) // 2
            yield Comparison(
                systems.origin,
                queries,
                {name: count / simulations for name, count in errors.items()},
                {name: count / simulations / pairs for name, count in found.items()},
            )


def _found(test: Test, scores: Floats, means: Floats, seed: int) -> int:
    """Return the number of pairs that differ significantly in the true direction."""
    p = test(scores, seed)
    own = scores.mean(axis=0)
    right = np.sign(own[:, None] - own) == np.sign(means[:, None] - means)
    return int(np.triu((p <= ALPHA) & right, 1).sum())


def _max_t(scores: Floats, seed: int) -> Floats:
    return inf.max_t_pairs([scores], resamples=RESAMPLES, seed=seed)[0].p


def _tukey(scores: Floats, seed: int) -> Floats:
    """Return the p-values that `compare` reports: at least those of the pairs alone."""
    p = inf.randomized_tukey(scores, resamples=RESAMPLES, seed=seed).p.copy()
    for one, two in combinations(range(len(p)), 2):
        if p[one, two] <= ALPHA:
            differences = scores[:, [one]] - scores[:, [two]]
            alone = inf.max_t(differences, resamples=RESAMPLES, seed=seed)
            p[one, two] = p[two, one] = max(p[one, two], alone.p[0])
    return p


TESTS: dict[str, Test] = {"max-T": _max_t, "Tukey": _tukey}
