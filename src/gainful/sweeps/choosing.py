"""Choose the best point of a sweep and estimate its value on other queries."""

from __future__ import annotations

import numpy as np

from gainful.inference.choice import ChosenBest, chosen_best
from gainful.records import Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.comparison import Comparison
    from gainful.comparison.scores import Mask

__all__ = ["Choice", "choose_best"]


class Choice(Record):
    """The choice of the best point by the first measure."""

    best: str
    """The point with the best mean; the first of equal ones."""
    by: str
    """The measure that chooses the point."""
    queries: int = field(json={"minimum": 1})
    """The number of queries for which all points have a value."""
    left_out: int = field(json={"minimum": 0})
    """The number of queries for which only some points have a value; they are ignored."""
    folds: int = derived(lambda choice: choice.estimates[choice.by].folds, json={"minimum": 0})
    """The number of cross-validation folds; 0 for a single query."""
    repeats: int = derived(lambda choice: choice.estimates[choice.by].repeats, json={"minimum": 0})
    """The number of random divisions into folds."""
    resamples: int = derived(
        lambda choice: choice.estimates[choice.by].resamples, json={"minimum": 0}
    )
    """The number of bootstrap resamples for the intervals."""
    estimates: Mapping[str, ChosenBest]
    """By measure, the value of the chosen point on these queries and its cross-validated estimate
    for others."""
    improvements: Mapping[str, ChosenBest]
    """The same for the difference from the baseline; empty without one."""
    shares: Mapping[str, float]
    """The share of cross-validation folds in which each point was the best, from 0 to 1."""


def choose_best(
    comparison: Comparison, baseline: str | None, *, folds: int, seed: int
) -> Choice | None:
    """Choose the best point by the first measure; None without common queries."""
    scores = comparison.scores
    absent = np.isnan(scores.values)
    complete: Mask = np.asarray(~absent.any(axis=(0, 2)))
    if not scores.has_weight(complete):
        return None
    partial: Mask = np.asarray(~absent.all(axis=(0, 2)))
    design = scores.design(complete)
    values = scores.values[:, complete]
    names = [repr(measure) for measure in scores.measures]
    deciding = scores.measures[0].direction * values[0]
    options = {"folds": folds, "seed": seed, "level": 1 - comparison.alpha}
    estimates = {
        name: chosen_best(deciding, design, scored=own, **options)  # type: ignore[arg-type]
        for name, own in zip(names, values, strict=True)
    }
    improvements = {}
    if baseline is not None:
        at = scores.systems.index(baseline)
        improvements = {
            name: chosen_best(deciding, design, scored=own - own[:, [at]], **options)  # type: ignore[arg-type]
            for name, own in zip(names, values, strict=True)
        }
    first = estimates[names[0]]
    return Choice(
        best=scores.systems[first.best],
        by=names[0],
        estimates=estimates,
        improvements=improvements,
        shares=dict(zip(scores.systems, first.chosen, strict=True)),
        queries=int(complete.sum()),
        left_out=int((partial & ~complete).sum()),
    )
