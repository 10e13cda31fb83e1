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
#: Measures without a limit, with the measure whose highest value over the sampled queries is used.
SUMS = {"DCG@10": "IDCG@10", "CG@10": "IDCG(discount='none')@10"}
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


@dataclass(frozen=True, eq=False)
class Population:
    """The values of queries, and the highest values that each query allows."""

    values: Floats
    limits: Floats


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
            rates = [
                _coverage(population, n, simulations, random, geometric)
                for population in populations
            ]
            worst = min(rates, key=lambda rate: rate.adjusted)
            cells.append(f"{percent(worst.adjusted)} ({percent(worst.student)})")
            if worst.adjusted < LEAST_COVERAGE - tolerance:
                failures.append(f"{name}, {n} queries: coverage {percent(worst.adjusted)}")
            if min(rate.narrowest for rate in rates) <= 0.0:
                failures.append(f"{name}, {n} queries: an interval without width")
        fair = [rate.width for rate in rates if rate.student >= GOOD]
        cells.append(f"{max(fair):.3f}" if fair else "")
        if fair and max(fair) > WIDEST and not geometric:
            failures.append(f"{name}: {max(fair):.3f} times as wide as Student's t")
        rows.append(cells)
    headings = ["values", *(f"n = {n}" for n in SIZES), "width at 200"]
    return Table(headings, rows, failures)


def _populations() -> Iterator[tuple[str, list[Population]]]:
    for mean in SUCCESS:
        successes = round(100 * mean)
        values = np.repeat([0.0, 1.0], [100 - successes, successes])
        yield f"Success, mean {mean:.2f}", [Population(values, np.ones(100))]
    systems = scores_by_measure((*MEASURES, *SUMS, *SUMS.values()))
    scores = next(iter(systems.values()))
    for measure in ("RR", "DCG@10"):
        positive = scores[measure] > 0.0
        values, limits = scores[measure][positive], _limits(measure, scores)[positive]
        for zeros in ZEROS:
            padding = round(len(values) * zeros / (1 - zeros))
            padded = Population(
                np.append(values, np.zeros(padding)), np.append(limits, np.resize(limits, padding))
            )
            yield f"{measure} with {percent(zeros, 0)} zeros", [padded]
    for origin, scores in systems.items():
        for name in (*MEASURES, *SUMS, "GMAP"):
            measure = "AP" if name == "GMAP" else name
            columns = zip(scores[measure].T, _limits(measure, scores).T, strict=True)
            yield f"{name}, {origin}", [Population(*pair) for pair in columns]


def _limits(measure: str, scores: dict[str, Floats]) -> Floats:
    """Return the highest values that queries allow, (n, m)."""
    return scores[SUMS[measure]] if measure in SUMS else np.ones_like(scores[measure])


def rare_study(simulations: int) -> Table:
    """Return the coverage of two 95% intervals of means that rare values decide, and a width."""
    random = np.random.default_rng(20_051_123)
    rows, failures = [], []
    for name, share, values in _rare_values():
        cells = [name]
        for n in RARE_SIZES:
            usual, gaffke, width = _rare_coverage(values, n, simulations, random)
            cells.append(f"{percent(usual)}, {percent(gaffke)} ({width:.2f})")
            for kind, rate, least in (
                ("mean_interval", usual, LEAST_RARE if n * share >= EXPECTED else 0.0),
                ("gaffke_interval", gaffke, LEAST_COVERAGE),
            ):
                if rate < least - monte_carlo_error(least, simulations):
                    failures.append(f"{name}, {n} queries: coverage {percent(rate)} of {kind}")
        rows.append(cells)
    return Table(["values", *(f"n = {n}" for n in RARE_SIZES)], rows, failures)


def _rare_values() -> Iterator[tuple[str, float, Floats]]:
    """Yield the share of rare values that decide the mean, and the values."""
    yield "97% from .95 to 1, 3% 0", 0.03, np.append(np.linspace(0.95, 1.0, 97), np.zeros(3))
    yield "50% 0, 45% .1, 5% 1", 0.05, np.repeat([0.0, 0.1, 1.0], [50, 45, 5])
    yield "90% near .3, 10% 1", 0.1, np.append(np.linspace(0.28, 0.32, 90), np.ones(10))


def _rare_coverage(
    values: Floats, n: int, simulations: int, random: np.random.Generator
) -> tuple[float, float, float]:
    """Return the coverage of both intervals, and the ratio of their mean widths."""
    samples = values[random.integers(0, len(values), (simulations, n))]
    usual = [
        mean_interval(sample.mean(), sample.std(ddof=1), n, low=0.0, high=1.0) for sample in samples
    ]
    gaffke = [gaffke_interval(sample, resamples=RESAMPLES) for sample in samples]
    ends, once = np.array([usual, gaffke]), np.ones(simulations)
    widths = np.diff(ends).mean(axis=(1, 2))
    true = values.mean()
    return _share(ends[0], true, once), _share(ends[1], true, once), float(widths[1] / widths[0])


def _coverage(
    population: Population, n: int, simulations: int, random: np.random.Generator, geometric: bool
) -> Coverage:
    values = population.values
    if geometric:
        values = np.log(np.maximum(values, LEAST))
    true = values.mean()
    drawn = random.integers(0, len(values), (simulations, n))
    samples, highest = values[drawn], population.limits[drawn].max(axis=1)
    moments = np.stack([samples.mean(axis=1), samples.std(axis=1, ddof=1), highest], axis=1)
    # Samples of discrete values often have the same mean and deviation.
    different, counts = np.unique(moments.round(12), axis=0, return_counts=True)
    # Equal values have no interval: one without width.
    student = np.array(
        [mean_interval(mean, sd, n) or (mean, mean) for mean, sd, _ in different.tolist()]
    )
    if geometric:
        different[:, 0] = np.exp(different[:, 0])
        adjusted = np.log(_ends(geometric_interval, different, n))
        student = student.clip(float(np.log(LEAST)), 0.0)
    else:
        adjusted = _ends(mean_interval, different, n)
        student = student.clip(0.0, different[:, 2:])
    widths = np.diff(adjusted)[:, 0]
    usual = counts @ np.diff(student)[:, 0]
    return Coverage(
        adjusted=_share(adjusted, true, counts),
        student=_share(student, true, counts),
        width=float(counts @ widths / usual) if usual else np.inf,
        narrowest=float(widths.min()),
    )


def _ends(interval: Callable[..., object], moments: Floats, n: int) -> Floats:
    return np.array(
        [interval(mean, sd, n, low=0.0, high=highest) for mean, sd, highest in moments.tolist()]
    )


def _share(ends: Floats, true: float, counts: Floats) -> float:
    inside = (ends[:, 0] <= true + 1e-9) & (true - 1e-9 <= ends[:, 1])
    return float(counts @ inside / counts.sum())
