"""Differences in other collections than those of a suite."""

from __future__ import annotations

from math import isnan

import numpy as np

from gainful.comparison.pair_statistics import find_couples
from gainful.formats.numbers import digits, with_sign
from gainful.inference.meta_analysis import random_effects
from gainful.records import Interval, Record, derived, field
from gainful.suite.predictions import StrataPredictions
from gainful.suite.strata import build_strata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from gainful.comparison.pair import Pair
    from gainful.comparison.pair_statistics import Couple
    from gainful.comparison.scores import Floats
    from gainful.inference.design import Design
    from gainful.suite.comparison import SuiteComparison

__all__ = ["CollectionEffect", "estimate_effects"]


class CollectionEffect(Record):
    """The difference of two systems over collections like those of a suite."""

    system: str = field(tables="effects")
    """The system."""
    baseline: str = field(tables="effects", label="vs.")
    """The system that it is compared with."""
    measure: str
    """The measure."""
    difference: float = field(tables="effects", show=with_sign)
    """The difference of their macro-averages."""
    interval: Interval | None = field(
        default=None,
        tables="effects",
        label="{level} CI",
        show=with_sign,
        around="difference",
        zero=True,
    )
    """The confidence interval of the mean difference over collections like these, at level
    1 - alpha, simultaneous for all pairs. None for fewer than three collections, and if all have
    the same difference."""
    tau: float | None = field(default=None, tables="effects", show=digits, json={"minimum": 0})
    """The standard deviation of the true differences between collections; None like the interval,
    and if a collection has a single query."""
    prediction_interval: Interval | None = field(
        default=None, tables="effects", label="{level} prediction", show=with_sign
    )
    """The prediction interval of the difference in a new collection, of each pair alone; None like
    the interval."""
    verdict: str | None = derived(
        lambda effect: _verdict(effect.interval, effect.direction),
        tables="effects",
        json={"enum": ["better", "worse", "inconclusive", None]},
    )
    """Better or worse if the confidence interval excludes 0, else inconclusive; None without an
    interval."""
    direction: int = field(default=1, key="")
    """1 if a higher value of the measure is better, else -1."""


def _verdict(interval: Interval | None, direction: int) -> str | None:
    if interval is None:
        return None
    if interval.low <= 0 <= interval.high:
        return "inconclusive"
    return "better" if direction * interval.low > 0 else "worse"


def estimate_effects(
    comparison: SuiteComparison, pairs: Sequence[Pair]
) -> tuple[CollectionEffect, ...]:
    """Return the differences of pairs of one measure over collections, in their order."""
    if not pairs:
        return ()
    suite, choices = comparison.suite, comparison.choices
    measure = pairs[0].measure
    scores = build_strata(
        suite, [suite.measure(measure)], suite.complete, suite.over, ranked=not comparison.baselines
    )
    index = scores.systems.index
    names = [(index(pair.system), index(pair.baseline)) for pair in pairs]
    estimates = []
    for collection in suite.over:
        couples: Iterable[Couple] = find_couples(scores, 0, collection, names)
        if suite.predictions:
            couples = map(StrataPredictions(suite, scores).combine, couples)
        estimates.append([_estimate(couple.differences, couple.design) for couple in couples])
    family = sum(choices.family == "all" or pair.measure == measure for pair in comparison.pairs)
    limits = scores.limits(0)
    return tuple(
        _combine(pair, parts, choices.alpha, family, limits, suite.measure(measure).direction)
        for pair, parts in zip(pairs, zip(*estimates, strict=True), strict=True)
    )


def _estimate(differences: Floats, design: Design) -> tuple[float, float]:
    """Return the mean difference on a collection and its standard error."""
    return float(design.mean(differences)), float(design.standard_error(differences))


def _combine(
    pair: Pair,
    parts: Sequence[tuple[float, float]],
    alpha: float,
    family: int,
    limits: tuple[float, float],
    direction: int,
) -> CollectionEffect:
    effects, errors = zip(*parts, strict=True)
    simultaneous = random_effects(effects, errors, level=1 - alpha / family)
    alone = random_effects(effects, errors, level=1 - alpha)
    known: dict[str, Any] = {}
    if simultaneous is not None and alone is not None:
        ends = simultaneous.low, simultaneous.high, alone.prediction_low, alone.prediction_high
        low, high, *prediction = np.clip(ends, *limits).tolist()
        known = {
            "interval": Interval(low, high),
            # A single query has no standard error, so that tau is not known.
            "tau": None if isnan(alone.tau) else alone.tau,
            "prediction_interval": Interval(*prediction),
        }
    return CollectionEffect(
        system=pair.system,
        baseline=pair.baseline,
        measure=pair.measure,
        difference=pair.difference,
        direction=direction,
        **known,
    )
