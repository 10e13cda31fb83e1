"""Choose the best point of a sweep and estimate its value on other queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gainful.inference.choice import ChosenBest, chosen_best

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.comparison import Comparison
    from gainful.comparison.scores import Mask

__all__ = ["Choice", "chosen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The choice of the best point by the first measure.

    Attributes
    ----------
    best : str
        The point with the best mean; the first of equal ones.
    by : str
        The measure.
    worth : mapping of str to ChosenBest
        By measure, the cross-validated estimate for the point chosen by `by`.
    gain : mapping of str to ChosenBest
        The same for the difference from the baseline; empty without one.
    shares : mapping of str to float
        How often each point was the best when some queries were left out.
    queries, left_out : int
        Number of queries for which all points have a value, and of those for which only some have
        one, which are ignored.
    """

    best: str
    by: str
    worth: Mapping[str, ChosenBest]
    gain: Mapping[str, ChosenBest]
    shares: Mapping[str, float]
    queries: int
    left_out: int

    def to_dict(self) -> dict[str, object]:
        """Return the choice for the JSON contract ``gainful.sweep/1``."""
        first = self.worth[self.by]
        return {
            "best": self.best,
            "by": self.by,
            "queries": self.queries,
            "left_out": self.left_out,
            "folds": first.folds,
            "repeats": first.repeats,
            "resamples": first.resamples,
            "worth": {name: _figures(each) for name, each in self.worth.items()},
            "gain": {name: _figures(each) for name, each in self.gain.items()},
            "shares": dict(self.shares),
        }


def chosen(comparison: Comparison, baseline: str | None, *, folds: int, seed: int) -> Choice | None:
    """Choose the best point by the first measure; None without common queries."""
    scores = comparison.scores
    absent = np.isnan(scores.values)
    there: Mask = np.asarray(~absent.any(axis=(0, 2)))
    if not scores.has_weight(there):
        return None
    some: Mask = np.asarray(~absent.all(axis=(0, 2)))
    design = scores.design(there)
    values = scores.values[:, there]
    names = [repr(measure) for measure in scores.measures]
    options = {"folds": folds, "seed": seed, "level": 1 - comparison.alpha}
    worth = {
        name: chosen_best(values[0], design, scored=own, **options)  # type: ignore[arg-type]
        for name, own in zip(names, values, strict=True)
    }
    gain = {}
    if baseline is not None:
        at = scores.systems.index(baseline)
        gain = {
            name: chosen_best(values[0], design, scored=own - own[:, [at]], **options)  # type: ignore[arg-type]
            for name, own in zip(names, values, strict=True)
        }
    first = worth[names[0]]
    return Choice(
        best=scores.systems[first.best],
        by=names[0],
        worth=worth,
        gain=gain,
        shares=dict(zip(scores.systems, first.chosen.tolist(), strict=True)),
        queries=int(there.sum()),
        left_out=int((some & ~there).sum()),
    )


def _figures(found: ChosenBest) -> dict[str, object]:
    return {
        "measured": found.measured,
        "expected": found.expected,
        "low": found.low,
        "high": found.high,
    }
