"""Compare standard errors of prediction-powered means if a model predicts the spread of values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evidence.model_judges import QUERIES, judges
from evidence.queries import Floats
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import mean_interval, predicted_mean
from gainful.inference.prediction_powered import LEAST_VARIANCE

SIZES = (15, 25, 50)
SEED = 20_261_128
POPULATION = 20_000
BOOTSTRAPS = 199
LEAST = 0.93
#: Judges of `model_judges` for comparison.
LEVEL_JUDGES = ("20% of the labels random", "as willia-umbrela1")

Interval = tuple[float, float]


class Spread(NamedTuple):
    """Values of people and of a model that predicts their spread, and their lowest value."""

    people: Floats
    model: Floats
    low: float = 0.0


class Estimates(NamedTuple):
    """Combined estimates of samples, (samples,), and what their standard errors follow from."""

    mean: Floats
    spread: Floats
    by_slope: Floats
    by_model: Floats
    jackknife: Floats
    is_used: Floats


def study(simulations: int) -> Table:
    """Return the coverage of 95% intervals by standard error, and their width vs. people only."""
    rows, failures = [], []
    every = []
    for name, spread in _populations():
        for n in SIZES:
            random = np.random.default_rng((SEED, n))
            covered, widths = np.zeros(5), np.zeros(5)
            for _ in range(simulations):
                drawn = random.integers(0, len(spread.people), QUERIES * n)
                ends = np.array(_intervals(spread, drawn, n, random))
                true = spread.people.mean()
                covered += (ends[:, 0] <= true) & (true <= ends[:, 1])
                widths += ends[:, 1] - ends[:, 0]
            rates = covered / simulations
            every.append((rates, widths / widths[0]))
            rows.append([name, str(n), *_cells(*every[-1])])
            if rates[-1] < LEAST - monte_carlo_error(LEAST, simulations):
                failures.append(f"{name}, {n} queries: {percent(rates[-1])}")
    lowest, widest = np.min([rates for rates, _ in every], axis=0), [row for _, row in every]
    rows.append(
        ["lowest coverage, median width", "all", *_cells(lowest, np.median(widest, axis=0))]
    )
    methods = ("people only", "residuals", "jackknife", "bootstrap t", "HC3")
    return Table(["the model predicts", "n", *methods], rows, failures)


def _cells(rates: Floats, widths: Floats) -> list[str]:
    return [f"{percent(rate)} ({width:.2f})" for rate, width in zip(rates, widths, strict=True)]


def _intervals(
    spread: Spread, drawn: np.ndarray, n: int, random: np.random.Generator
) -> list[Interval]:
    """Return the intervals of people and of the combined estimate by standard error."""
    y, f = spread.people[drawn], spread.model[drawn]
    values = np.where(np.arange(len(y)) < n, y, np.nan)
    chosen = predicted_mean(values, f)
    people = chosen.people_interval(0.95, spread.low, 1.0)
    combined = chosen.interval(0.95, spread.low, 1.0)
    assert people is not None
    assert combined is not None
    estimate = Estimates(*(column[0] for column in _estimate(y[None, :n], f[None])))
    if not estimate.is_used or chosen.reason not in {"", "no-gain"}:
        return [people, people, people, people, combined]
    residuals = float(np.hypot(np.hypot(estimate.spread, estimate.by_slope), estimate.by_model))
    jackknife = float(np.hypot(estimate.jackknife, estimate.by_model))

    def by_t(error: float) -> Interval:
        deviation = error * n**0.5
        ends = mean_interval(float(estimate.mean), deviation, n, 0.95, spread.low, 1.0, df=n - 2)
        assert ends is not None
        return ends

    again = np.hstack(
        [
            random.integers(0, n, (BOOTSTRAPS, n)),
            random.integers(n, len(y), (BOOTSTRAPS, len(y) - n)),
        ]
    )
    means = _estimate(y[again[:, :n]], f[again])
    errors = np.hypot(np.hypot(means.spread, means.by_slope), means.by_model)
    t = (means.mean - estimate.mean) / np.maximum(errors, 1e-9)
    high, low = estimate.mean - residuals * np.quantile(t, (0.025, 0.975))
    bootstrap = max(float(low), spread.low), min(float(high), 1.0)
    return [people, by_t(residuals), by_t(jackknife), bootstrap, combined]


def _estimate(y: Floats, f: Floats) -> Estimates:
    """Return the estimates of `predicted_mean` from y, (samples, n), and f, (samples, N)."""
    n, size = y.shape[1], f.shape[1]
    rest = 1 - n / size
    least = LEAST_VARIANCE * f.var(axis=1, keepdims=True) * (n - 1)
    f, every = f[:, :n] - f[:, n:].mean(axis=1, keepdims=True), f.std(axis=1, ddof=1)
    a, b = (values - values.mean(axis=1, keepdims=True) for values in (y, f))
    aa, ab, bb = ((one * two).sum(axis=1, keepdims=True) for one, two in ((a, a), (a, b), (b, b)))

    def shrunk(aa: Floats, ab: Floats, bb: Floats, count: int, least: Floats) -> Floats:
        r2 = np.clip(ab**2 / np.maximum(aa * bb, 1e-14), 1e-14, 1.0)
        kept = np.maximum(1 - 2 * (1 - r2) / (r2 * (count - 2)), 0.0)
        return np.where(bb > 1e-14, kept * ab / np.maximum(np.maximum(bb, least), 1e-14), 0.0)

    whole = shrunk(aa, ab, bb, n, least)[:, 0]
    up = n / (n - 1)
    rates = shrunk(
        aa - up * a * a, ab - up * a * b, bb - up * b * b, n - 1, least * (n - 2) / (n - 1)
    )
    e, residuals = y - rest * rates * f, y - rates * f
    slope = residuals.var(axis=1, ddof=1) * (n - 1) / (n - 2) / np.maximum(bb + 1e-14, least)[:, 0]
    without = (a / (1 - n) + y.mean(axis=1, keepdims=True)) - rest * rates * (
        b / (1 - n) + f.mean(axis=1, keepdims=True)
    )
    return Estimates(
        mean=e.mean(axis=1),
        spread=e.std(axis=1, ddof=1) / n**0.5,
        by_slope=rest * abs(f.mean(axis=1)) * slope**0.5,
        by_model=rest * abs(rates.mean(axis=1)) * every / (size - n) ** 0.5,
        jackknife=without.std(axis=1) * (n - 1) ** 0.5,
        is_used=(whole != 0.0) & (rates != 0.0).any(axis=1),
    )


def _populations() -> Iterator[tuple[str, Spread]]:
    """Yield the populations: what the model predicts, and its values with those of people."""
    random = np.random.default_rng(SEED)
    sign, normal = random.uniform(-1, 1, POPULATION), random.normal(size=POPULATION)
    model = random.random(POPULATION)
    yield "distance from the middle", Spread(0.5 + 0.5 * model * sign, model)
    yield "the square root of the distance", Spread(0.5 + 0.5 * model**2 * sign, model)
    yield "level and spread", Spread(0.3 + 0.2 * model + 0.4 * model * sign, model)
    rare = random.random(POPULATION) < 0.2
    yield (
        "where 20% of the queries differ",
        Spread(0.5 + np.where(rare, 0.5, 0.05) * sign, rare * 1.0),
    )
    model = random.beta(0.5, 1.5, POPULATION)
    yield "distance from the middle, skewed", Spread(0.5 + 0.5 * model * np.sign(sign), model)
    model = random.exponential(1.0, POPULATION)
    differences = (0.2 * model * normal).clip(-1, 1)
    yield "size of a difference", Spread(differences, model, -1.0)
    differences = (0.05 * (model - 1) + 0.15 * model * normal).clip(-1, 1)
    yield "a difference and its size", Spread(differences, model, -1.0)
    for judge in judges():
        if judge.name in LEVEL_JUDGES:
            people, labels, low = next(judge.columns())
            yield f"level ({judge.name})", Spread(people, labels, low)
