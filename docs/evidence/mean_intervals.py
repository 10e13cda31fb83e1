"""Simulate the coverage of confidence intervals of means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from evidence.queries import Floats, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import gaffke_interval, geometric_interval, mean_interval

SIZES = (10, 25, 50, 100, 200)
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "P@100", "Success@10")
SUCCESS = (0.5, 0.7, 0.9, 0.96, 0.99)
ZEROS = (0.5, 0.6, 0.7, 0.8, 0.9)
LEAST_COVERAGE = 0.93
#: At 200 queries, where Student's t covers at least 94%. Geometric means have no such limit.
WIDEST = 1.05
GOOD = 0.94
RARE_SIZES = (10, 25, 50, 100, 200, 400)
#: With so many rare values in a sample, intervals cover this.
EXPECTED, LEAST_RARE = 10, 0.92
RESAMPLES = 1_000
#: The value that replaces 0 in a geometric mean.
LEAST = 0.00001


@dataclass(frozen=True)
class Coverage:
    """The coverage of an interval and of Student's t, and the ratio of their mean widths."""

    adjusted: float
    student: float
    width: float
    narrowest: float


def study(simulations: int) -> Table:
    """Return the coverage of 95% intervals of means, with that of Student's t."""
    random = np.random.default_rng(20_031_123)
    tolerance = monte_carlo_error(0.95, simulations) / 2
    rows, failures = [], []
    for name, populations in _populations():
        cells = [name]
        for n in SIZES:
            geometric = name.startswith("GMAP")
            found = [_coverage(each, n, simulations, random, geometric) for each in populations]
            worst = min(found, key=lambda each: each.adjusted)
            cells.append(f"{percent(worst.adjusted)} ({percent(worst.student)})")
            if worst.adjusted < LEAST_COVERAGE - tolerance:
                failures.append(f"{name}, {n} queries: coverage {percent(worst.adjusted)}")
            if min(each.narrowest for each in found) <= 0.0:
                failures.append(f"{name}, {n} queries: an interval without width")
        fair = [each.width for each in found if each.student >= GOOD]
        cells.append(f"{max(fair):.3f}" if fair else "")
        if fair and max(fair) > WIDEST and not geometric:
            failures.append(f"{name}: {max(fair):.3f} times as wide as Student's t")
        rows.append(cells)
    headings = ["values", *(f"n = {n}" for n in SIZES), "width at 200"]
    return Table(headings, rows, failures)


def _populations() -> Iterator[tuple[str, list[Floats]]]:
    for mean in SUCCESS:
        successes = round(100 * mean)
        yield f"Success, mean {mean:.2f}", [np.repeat([0.0, 1.0], [100 - successes, successes])]
    systems = scores_by_measure(MEASURES)
    first = next(iter(systems.values()))["RR"].ravel()
    first = first[first > 0.0]
    for zeros in ZEROS:
        padding = np.zeros(round(len(first) * zeros / (1 - zeros)))
        yield f"RR with {percent(zeros, 0)} zeros", [np.concatenate([padding, first])]
    for origin, scores in systems.items():
        for measure in MEASURES:
            yield f"{measure}, {origin}", list(scores[measure].T)
        yield f"GMAP, {origin}", list(scores["AP"].T)


def rare_study(simulations: int) -> Table:
    """Return the coverage of two 95% intervals of means that rare values decide, and a width."""
    random = np.random.default_rng(20_051_123)
    rows, failures = [], []
    for name, share, values, most in _rare_values():
        cells = [name]
        for n in RARE_SIZES:
            usual, gaffke, width = _rare_coverage(values, most, n, simulations, random)
            cells.append(f"{percent(usual)}, {percent(gaffke)} ({width:.2f})")
            for kind, rate, least in (
                ("mean_interval", usual, LEAST_RARE if n * share >= EXPECTED else 0.0),
                ("gaffke_interval", gaffke, LEAST_COVERAGE),
            ):
                if rate < least - monte_carlo_error(least, simulations):
                    failures.append(f"{name}, {n} queries: coverage {percent(rate)} of {kind}")
        rows.append(cells)
    return Table(["values", *(f"n = {n}" for n in RARE_SIZES)], rows, failures)


def _rare_values() -> Iterator[tuple[str, float, Floats, float | None]]:
    """Yield the share of rare values that decide the mean, the values, and their upper limit."""
    yield "97% from .95 to 1, 3% 0", 0.03, np.append(np.linspace(0.95, 1.0, 97), np.zeros(3)), 1.0
    yield "50% 0, 45% .1, 5% 1", 0.05, np.repeat([0.0, 0.1, 1.0], [50, 45, 5]), 1.0
    yield "90% near .3, 10% 1", 0.1, np.append(np.linspace(0.28, 0.32, 90), np.ones(10)), 1.0
    measures = ("DCG@10", "IDCG@10")
    sums, ideal = next(iter(scores_by_measure(measures).values())).values()
    values = sums[sums > 0.0] / ideal.max()
    # Without a limit there is no promise.
    yield "DCG@10 with 90% zeros", 0.0, np.append(values, np.zeros(9 * len(values))), None


def _rare_coverage(
    values: Floats, most: float | None, n: int, simulations: int, random: np.random.Generator
) -> tuple[float, float, float]:
    """Return the coverage of both intervals, and the ratio of their mean widths."""
    samples = values[random.integers(0, len(values), (simulations, n))]
    usual = [
        mean_interval(sample.mean(), sample.std(ddof=1), n, low=0.0, high=most) or (2.0, 2.0)
        for sample in samples
    ]
    gaffke = [gaffke_interval(sample, resamples=RESAMPLES) for sample in samples]
    ends, once = np.array([usual, gaffke]), np.ones(simulations)
    widths = np.diff(ends).mean(axis=(1, 2))
    true = values.mean()
    return _share(ends[0], true, once), _share(ends[1], true, once), float(widths[1] / widths[0])


def _coverage(
    population: Floats, n: int, simulations: int, random: np.random.Generator, geometric: bool
) -> Coverage:
    if geometric:
        population = np.log(np.maximum(population, LEAST))
    true = population.mean()
    samples = population[random.integers(0, len(population), (simulations, n))]
    moments = np.stack([samples.mean(axis=1), samples.std(axis=1, ddof=1)], axis=1)
    # Samples of discrete values often have the same mean and deviation.
    different, counts = np.unique(moments.round(12), axis=0, return_counts=True)
    bounds = (0.0, 1.0)
    # Equal values have no interval: one without width.
    student = np.array(
        [mean_interval(mean, sd, n) or (mean, mean) for mean, sd in different.tolist()]
    )
    if geometric:
        different[:, 0] = np.exp(different[:, 0])
        adjusted = np.log(_ends(geometric_interval, different, n))
        bounds = (float(np.log(LEAST)), 0.0)
    else:
        adjusted = _ends(mean_interval, different, n)
    widths = np.diff(adjusted)[:, 0]
    usual = counts @ np.diff(student.clip(*bounds))[:, 0]
    return Coverage(
        adjusted=_share(adjusted, true, counts),
        student=_share(student, true, counts),
        width=float(counts @ widths / usual) if usual else np.inf,
        narrowest=float(widths.min()),
    )


def _ends(interval: Callable[..., object], moments: Floats, n: int) -> Floats:
    return np.array([interval(mean, sd, n, low=0.0, high=1.0) for mean, sd in moments.tolist()])


def _share(ends: Floats, true: float, counts: Floats) -> float:
    inside = (ends[:, 0] <= true + 1e-9) & (true - 1e-9 <= ends[:, 1])
    return float(counts @ inside / counts.sum())
