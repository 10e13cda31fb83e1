"""Differences in other collections than those of a suite."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan

import numpy as np

from gainful.comparison.pair_statistics import find_couples
from gainful.inference.meta_analysis import random_effects
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


@dataclass(frozen=True, slots=True)
class CollectionEffect:
    """The difference of two systems over collections like those of a suite.

    Attributes
    ----------
    system, baseline, measure : str
        The two systems and the measure.
    difference : float
        The difference of their macro-averages.
    low, high : float or None
        The confidence interval of the mean difference over collections like these, simultaneous for
        all pairs. None like `tau` and the prediction for fewer than three collections, and if all
        have the same difference.
    tau : float or None
        The standard deviation of the true differences between collections.
    prediction_low, prediction_high : float or None
        The prediction interval of the difference in a new collection, of each pair alone.
    """

    system: str
    baseline: str
    measure: str
    difference: float
    low: float | None = None
    high: float | None = None
    tau: float | None = None
    prediction_low: float | None = None
    prediction_high: float | None = None

    @property
    def verdict(self) -> str | None:
        """Better or worse if the confidence interval excludes 0, else inconclusive."""
        if self.low is None or self.high is None:
            return None
        return "better" if self.low > 0 else "worse" if self.high < 0 else "inconclusive"

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return {**asdict(self), "verdict": self.verdict}


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
        _combine(pair, parts, choices.alpha, family, limits)
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
) -> CollectionEffect:
    names = pair.system, pair.baseline, pair.measure, pair.difference
    effects, errors = zip(*parts, strict=True)
    simultaneous = random_effects(effects, errors, level=1 - alpha / family)
    alone = random_effects(effects, errors, level=1 - alpha)
    if simultaneous is None or alone is None:
        return CollectionEffect(*names)
    ends = simultaneous.low, simultaneous.high, alone.prediction_low, alone.prediction_high
    low, high, *prediction = np.clip(ends, *limits).tolist()
    # A single query has no standard error, so that tau is not known.
    tau = None if isnan(alone.tau) else alone.tau
    return CollectionEffect(*names, low, high, tau, *prediction)
