"""Simulate the error rates of tests under their null hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from evidence.queries import Floats, Queries, real_queries
from evidence.tables import Table, percent
from gainful import inference as inf

ALPHA = 0.05
RESAMPLES = 999

Draw = Callable[[], Floats]
Wrong = Callable[[Floats], float]


@dataclass(frozen=True)
class Rate:
    """An error rate, and the limits within which it is consistent with alpha."""

    what: str
    where: str
    queries: int
    found: float
    most: float
    least: float | None = None

    @property
    def passed(self) -> bool:
        """Whether the rate is within its limits."""
        return (self.least or 0.0) <= self.found <= self.most

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        least = f"{percent(self.least, 2)} to " if self.least is not None else ""
        limits = f"{least}{percent(self.most, 2)}"
        return self.what, self.where, str(self.queries), percent(self.found, 2), limits


def study(simulations: int, queries: Queries | None = None) -> Table:
    """Return the error rates of all tests, with their limits."""
    rates = list(_rates(queries or real_queries(), simulations))
    headings = ("test", "data", "queries", "error rate", "at most")
    return Table(
        headings,
        [rate.cells() for rate in rates],
        [
            f"{rate.what}, {rate.where}, {rate.queries} queries: {percent(rate.found, 2)}"
            for rate in rates
            if not rate.passed
        ],
    )


def _rates(queries: Queries, simulations: int) -> Iterator[Rate]:
    random = np.random.default_rng(20_031_121)
    error = sqrt(ALPHA * (1 - ALPHA) / simulations)

    def rate(
        what: str, where: str, n: int, draw: Draw, wrong: Wrong, *, both: bool = False
    ) -> Rate:
        found = sum(float(wrong(draw())) for _ in range(simulations)) / simulations
        return Rate(what, where, n, found, ALPHA + 4 * error, ALPHA - 4 * error if both else None)

    yield from _symmetric(queries, random, rate)
    yield from _gaussian(random, rate)
    yield from _many(queries, random, rate)


def _symmetric(
    queries: Queries, random: np.random.Generator, rate: Callable[..., Rate]
) -> Iterator[Rate]:
    """Yield the rates of tests of symmetry, on real differences with random signs."""
    pool = queries.differences().ravel()
    where = "real differences, random signs"

    def random_signs(n: int) -> Draw:
        return lambda: random.choice(pool, n) * random.choice([-1.0, 1.0], n)

    def smooth(n: int) -> Draw:
        return lambda: random.standard_t(3, n)

    def clustered() -> Floats:
        signs = np.repeat(random.choice([-1.0, 1.0], 24), 3)
        return np.asarray(abs(random.choice(pool, 72)) * signs)

    clusters = inf.Design(72, clusters=np.repeat(np.arange(24), 3))
    weights = inf.Design(50, weights=1.0 / np.arange(1, 51))

    def flips(design: inf.Design | None = None, **options: object) -> Wrong:
        return lambda d: (
            inf.randomization_test(d, design, resamples=RESAMPLES, seed=seed(), **options).p
            <= ALPHA
        )

    def seed() -> int:
        return int(random.integers(1 << 62))

    yield rate("randomization test, all sign patterns", where, 12, random_signs(12), flips())
    yield rate("randomization test, sampled sign patterns", where, 50, random_signs(50), flips())
    greater = flips(alternative="greater")
    yield rate("randomization test, one-sided", where, 50, random_signs(50), greater)
    yield rate("randomization test, weighted", where, 50, random_signs(50), flips(weights))
    of_clusters = f"{where} for three queries at a time"
    yield rate("randomization test, 24 clusters", of_clusters, 72, clustered, flips(clusters))
    for n in (8, 50):
        above = lambda d: inf.randomization_bound(d, resamples=RESAMPLES, seed=seed()) > 0  # noqa: E731
        yield rate("lower randomization bound above the mean", where, n, random_signs(n), above)
    for n in (20, 50):
        yield rate("sign test", where, n, random_signs(n), lambda d: inf.sign_test(d) <= ALPHA)
    ranks = lambda d: inf.wilcoxon_test(d).p <= ALPHA  # noqa: E731
    yield rate("Wilcoxon, exact, with ties", where, 15, random_signs(15), ranks)
    for n in (20, 50):
        yield rate("Wilcoxon, exact", "Student's t with 3 df", n, smooth(n), ranks)


def _gaussian(random: np.random.Generator, rate: Callable[..., Rate]) -> Iterator[Rate]:
    """Yield the rates of t tests, equivalence and false discoveries on normal differences."""
    for n in (5, 20, 100):
        draw = lambda n=n: random.normal(0.0, 0.1, n)  # noqa: E731
        rejects = lambda d: inf.paired_t(d).p <= ALPHA  # noqa: E731
        yield rate("paired t", "normal differences", n, draw, rejects, both=True)
    for n in (20, 100):
        margin = 3 * 0.1 / sqrt(n)
        draw = lambda n=n, margin=margin: random.normal(margin, 0.1, n)  # noqa: E731
        equal = lambda d, margin=margin: inf.tost(d, margin) <= ALPHA  # noqa: E731
        yield rate("equivalence (TOST)", "normal, mean equal to the margin", n, draw, equal)

    # Ten pairs, of which five differ by one standard deviation and five not at all.
    true = np.repeat([0.0, 0.1], 5)

    def false_discoveries(table: Floats) -> float:
        found = np.array(inf.benjamini_hochberg([inf.paired_t(d).p for d in table.T])) <= ALPHA
        return float(found[true == 0].sum()) / max(int(found.sum()), 1)

    draw = lambda: random.normal(true, 0.1, (20, 10))  # noqa: E731
    what = "false discovery rate (Benjamini-Hochberg of t)"
    yield rate(what, "normal, 5 of 10 pairs equal", 20, draw, false_discoveries)


def _many(
    queries: Queries, random: np.random.Generator, rate: Callable[..., Rate]
) -> Iterator[Rate]:
    """Yield the family-wise error rates of corrections for multiple comparisons."""
    n = 50
    systems = min(5, queries.first.shape[1])
    both = np.stack([queries.first[:, :systems], queries.second[:, :systems]])
    where = f"real scores of {systems} systems in random order"

    def seed() -> int:
        return int(random.integers(1 << 62))

    def shuffled() -> Floats:
        drawn = both[:, random.integers(0, both.shape[1], n)]
        orders = random.permuted(np.tile(np.arange(systems), (n, 1)), axis=1)
        return np.take_along_axis(drawn, orders[None], axis=2)

    def any_pair(tables: Floats) -> bool:
        found = inf.randomized_tukey(tables[0], resamples=RESAMPLES, seed=seed())
        return bool((found.p <= ALPHA).any())

    def any_pair_but_the_best(tables: Floats) -> bool:
        scores = tables[0].copy()
        scores[:, 0] = scores.max(axis=1) + 0.1
        found = inf.randomized_tukey(scores, resamples=RESAMPLES, seed=seed())
        return bool((found.p[1:, 1:] <= ALPHA).any())

    def any_pair_of_either(tables: Floats) -> bool:
        found = inf.joint_tukey(list(tables), resamples=RESAMPLES, seed=seed())
        return any(bool((one.p <= ALPHA).any()) for one in found)

    family = "family-wise error: "
    yield rate(f"{family}randomized Tukey HSD", where, n, shuffled, any_pair)
    better = f"{where}, plus one much better system"
    yield rate(f"{family}randomized Tukey HSD", better, n, shuffled, any_pair_but_the_best)
    either = f"{where}, two measures"
    yield rate(f"{family}randomized Tukey HSD, jointly", either, n, shuffled, any_pair_of_either)

    pairs = queries.differences()
    pairs = pairs[:, : min(4, pairs.shape[1])]
    where = f"real differences of {pairs.shape[1]} pairs, random signs per query"

    def random_signs() -> Floats:
        signs = random.choice([-1.0, 1.0], (n, 1))
        return np.asarray(pairs[random.integers(0, len(pairs), n)] * signs)

    def any_column(table: Floats) -> bool:
        return bool((inf.max_t(table, resamples=RESAMPLES, seed=seed()).p <= ALPHA).any())

    def any_by_holm(table: Floats) -> bool:
        # The first pair does differ, and is no false finding.
        table = table + np.eye(1, table.shape[1]) * 0.2
        tests = [inf.randomization_test(d, resamples=RESAMPLES, seed=seed()) for d in table.T]
        return any(p <= ALPHA for p in inf.holm([test.p for test in tests])[1:])

    yield rate(f"{family}max-T", where, n, random_signs, any_column)
    yield rate(f"{family}Holm", f"{where}, one pair differs", n, random_signs, any_by_holm)

    # A separate generator, so that the other studies do not depend on this one.
    own = np.random.default_rng(20_031_122)

    def unlike() -> Floats:
        return own.normal(0.5, [0.3, *[0.03] * 9], (n, 10))

    def alike() -> Floats:
        return own.normal(0.5, 0.1, (n, 5))

    def any_by_max_t(scores: Floats) -> bool:
        drawn = int(own.integers(1 << 62))
        (found,) = inf.max_t_pairs([scores], resamples=RESAMPLES, seed=drawn)
        return bool((found.p <= ALPHA).any())

    where = "normal scores of 10 systems, nine of them variants of each other"
    yield rate(f"{family}max-T of all pairs", where, n, unlike, any_by_max_t)
    where = "normal scores of 5 systems"
    yield rate(f"{family}max-T of all pairs", where, n, alike, any_by_max_t)
