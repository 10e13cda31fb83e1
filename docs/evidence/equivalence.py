"""Simulate how often unequal systems are called equivalent, and how often equal ones are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from evidence.queries import Floats, real_queries
from evidence.tables import Table, monte_carlo_error, percent
from gainful import inference as inf
from gainful.comparison.families import decide_verdict
from gainful.gates.gated_measure import bounds_of
from gainful.inference.design import Design

ALPHA = 0.05
SIZES = (25, 50, 100, 200)
SEED = 20_031_124

#: Draws differences of n queries and the margin.
Draw = Callable[[np.random.Generator, int], tuple[Floats, float]]


def errors_study(simulations: int) -> Table:
    """Return how often systems are called equivalent that differ by exactly the margin."""
    headings = ("differences", "queries", "t tests", "Gainful", "gate", "at most")
    rows, failures = [], []
    for what, draw, sizes, most in at_the_margin():
        for queries in sizes:
            rates = _rates(draw, queries, simulations)
            limit = most + monte_carlo_error(most, simulations)
            rows.append([what, str(queries), *map(percent, (*rates, limit))])
            if max(rates[1:]) > limit:
                failures.append(f"{what}, {queries} queries: {percent(max(rates[1:]))}")
    return Table(headings, rows, failures)


def power_study(simulations: int) -> Table:
    """Return how often systems with the same mean are called equivalent."""
    headings = ("differences", "queries", "margin", "t tests", "Gainful")
    rows, failures = [], []
    for what, deviation, draw in _equal_systems():
        for queries in (50, 100, 200):
            margin = 3 * deviation / queries**0.5
            drawn = lambda random, n, draw=draw, margin=margin: (draw(random, n), margin)  # noqa: E731
            plain, found, _ = _rates(drawn, queries, simulations)
            rows.append([what, str(queries), f"{margin:.3f}"[1:], percent(plain), percent(found)])
            if found < plain - 0.15 - monte_carlo_error(0.5, simulations):
                failures.append(f"{what}, {queries} queries: {percent(found)} of {percent(plain)}")
    return Table(headings, rows, failures)


def families_study(simulations: int) -> Table:
    """Return how often a family of pairs has a wrong verdict of either kind."""
    headings = ("pairs", "wrongly better or worse", "wrongly equivalent", "either")
    rows, failures = [], []
    for equal, unequal in ((1, 0), (0, 1), (2, 2), (5, 5)):
        random = np.random.default_rng(SEED)
        true = np.repeat([0.0, 0.1], [equal, unequal])
        counts = np.zeros(3)
        for _ in range(simulations):
            table = random.normal(true, 0.2, (50, len(true)))
            verdicts = _verdicts(table, margin=0.1)
            different = any(verdict in ("better", "worse") for verdict in verdicts[:equal])
            different |= "worse" in verdicts[equal:]
            equivalent = "equivalent" in verdicts[equal:]
            counts += (different, equivalent, different or equivalent)
        rates = counts / simulations
        rows.append([f"{equal} equal, {unequal} differ by the margin", *map(percent, rates)])
        for rate, most in zip(rates, (ALPHA, ALPHA, 2 * ALPHA), strict=True):
            if rate > most + monte_carlo_error(most, simulations):
                failures.append(f"{equal} equal, {unequal} unequal: {percent(rate)}")
    return Table(headings, rows, failures)


def _verdicts(table: Floats, margin: float) -> list[str]:
    p = inf.holm([inf.paired_t(column).p for column in table.T])
    within = inf.holm([inf.tost(column, margin) for column in table.T])
    return [
        decide_verdict(
            float(column.mean()), own, ALPHA, identical=False, equivalent=equivalence <= ALPHA
        )
        for column, own, equivalence in zip(table.T, p, within, strict=True)
    ]


def _rates(draw: Draw, queries: int, simulations: int) -> tuple[float, float, float]:
    """Return the shares called equivalent by t tests and by `tost`, and passed by a gate."""
    random = np.random.default_rng(SEED)
    plain = equivalent = passed = 0
    for _ in range(simulations):
        differences, margin = draw(random, queries)
        above = inf.paired_t(differences + margin, alternative="greater").p
        below = inf.paired_t(differences - margin, alternative="less").p
        plain += max(above, below) <= ALPHA
        equivalent += inf.tost(differences, margin) <= ALPHA
        bounds = bounds_of(differences, Design(queries), ALPHA, ALPHA)
        passed += bounds.changed > 0 and bounds.low > -margin
    return plain / simulations, equivalent / simulations, passed / simulations


def at_the_margin() -> Iterator[tuple[str, Draw, tuple[int, ...], float]]:
    """Yield data, their numbers of queries, and the highest acceptable rate."""
    for rate in (0.1, 0.2, 0.4):
        drawn = lambda random, n, rate=rate: (-0.5 * (random.random(n) < rate), 0.5 * rate)  # noqa: E731
        yield f"{percent(rate, 0)} of the queries lose .5", drawn, SIZES, 0.06

    def both_signs(random: np.random.Generator, n: int) -> tuple[Floats, float]:
        return random.choice([0.0, -0.5, 0.1], n, p=[0.5, 0.2, 0.3]), 0.07

    yield "20% lose .5, 30% win .1", both_signs, SIZES, 0.06
    losses = lambda random, n: (-1.0 * (random.random(n) < 0.1) * random.exponential(0.5, n), 0.05)  # noqa: E731
    yield "10% of the queries lose .5 on average (exponential)", losses, SIZES, 0.08

    columns = real_queries().differences()
    columns = -columns * np.sign(columns.mean(axis=0))
    columns = columns[:, columns.mean(axis=0) < -0.01]

    def real(random: np.random.Generator, n: int) -> tuple[Floats, float]:
        column = columns[:, random.integers(columns.shape[1])]
        return random.choice(column, n), -float(column.mean())

    yield "real differences of all pairs", real, SIZES, 0.06
    normal = lambda random, n: (random.normal(-0.05, 0.1, n), 0.05)  # noqa: E731
    yield "normal, standard deviation .1", normal, SIZES, 0.06
    skewed = lambda random, n: (-0.1 * random.exponential(size=n), 0.1)  # noqa: E731
    yield "minus exponential, mean .1", skewed, SIZES, 0.08

    def rare(random: np.random.Generator, n: int) -> tuple[Floats, float]:
        return random.normal(0.0, 0.02, n) - 0.5 * (random.random(n) < 0.05), 0.025

    yield "5% lose .5, the others differ by about .02", rare, (50, 100, 200), 0.09


def _equal_systems() -> Iterator[tuple[str, float, Callable[[np.random.Generator, int], Floats]]]:
    """Yield differences with mean 0 and their standard deviation."""
    yield "normal, standard deviation .02", 0.02, lambda random, n: random.normal(0, 0.02, n)
    yield "normal, standard deviation .2", 0.2, lambda random, n: random.normal(0, 0.2, n)

    def few_changed(random: np.random.Generator, n: int) -> Floats:
        return np.where(random.random(n) < 0.4, random.normal(0, 0.15, n), 0.0)

    yield "40% of the queries differ", 0.15 * 0.4**0.5, few_changed
    columns = real_queries().differences()
    centered = columns - columns.mean(axis=0)
    # One pair, so that the margin is three standard errors.
    column = centered[:, int(np.argsort(centered.std(axis=0))[centered.shape[1] // 2])]
    yield (
        "real differences, centered",
        float(column.std()),
        lambda random, n: random.choice(column, n),
    )
