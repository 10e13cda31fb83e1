"""Choose the best point of a sweep and estimate its value on other queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gainful.inference.choice import ChosenBest, chosen_best

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.comparison import Comparison
    from gainful.comparison.scores import Mask

__all__ = ["Choice", "choose_best"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The choice of the best point by the first measure.

    Attributes
    ----------
    best : str
        The point with the best mean; the first of equal ones.
    by : str
        The measure.
    estimates : mapping of str to ChosenBest
        By measure, the cross-validated estimate for the point chosen by `by`.
    improvements : mapping of str to ChosenBest
        The same for the difference from the baseline; empty without one.
    shares : mapping of str to float
        By point, the share of cross-validation folds in which it was the best, from 0 to 1.
    queries, left_out : int
        Number of queries for which all points have a value, and for which only some have one; the
        latter are ignored.
    """

    best: str
    by: str
    estimates: Mapping[str, ChosenBest]
    improvements: Mapping[str, ChosenBest]
    shares: Mapping[str, float]
    queries: int
    left_out: int

    def to_dict(self) -> dict[str, Any]:
        """Return the choice for the JSON contract ``gainful.sweep/1``."""
        first = self.estimates[self.by]
        return {
            "best": self.best,
            "by": self.by,
            "queries": self.queries,
            "left_out": self.left_out,
            "folds": first.folds,
            "repeats": first.repeats,
            "resamples": first.resamples,
            "estimates": {name: _figures(each) for name, each in self.estimates.items()},
            "improvements": {name: _figures(each) for name, each in self.improvements.items()},
            "shares": dict(self.shares),
        }


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
    options = {"folds": folds, "seed": seed, "level": 1 - comparison.alpha}
    estimates = {
        name: chosen_best(values[0], design, scored=own, **options)  # type: ignore[arg-type]
        for name, own in zip(names, values, strict=True)
    }
    improvements = {}
    if baseline is not None:
        at = scores.systems.index(baseline)
        improvements = {
            name: chosen_best(values[0], design, scored=own - own[:, [at]], **options)  # type: ignore[arg-type]
            for name, own in zip(names, values, strict=True)
        }
    first = estimates[names[0]]
    return Choice(
        best=scores.systems[first.best],
        by=names[0],
        estimates=estimates,
        improvements=improvements,
        shares=dict(zip(scores.systems, first.chosen.tolist(), strict=True)),
        queries=int(complete.sum()),
        left_out=int((partial & ~complete).sum()),
    )


def _figures(found: ChosenBest) -> dict[str, object]:
    return {
        "measured": found.measured,
        "expected": found.expected,
        "low": found.low,
        "high": found.high,
    }
