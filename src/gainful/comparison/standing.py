"""The leaderboard: each system with its mean, and how it stands beside the top one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison.pair import Pair
    from gainful.comparison.result import Comparison
    from gainful.measures import Measure

__all__ = ["Standing", "standings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of a leaderboard.

    Attributes
    ----------
    place, n : int
        The place, counted from 1, which equal means share; and the queries that it has a value for.
    system : str
        Its name.
    mean : float
        Over these queries.
    low, high : float or None
        The interval at 1 - alpha for the mean of this system alone: Student's t, clipped to the
        measure's range. Clusters widen it.
    letters : str
        Systems that share a letter are not told apart; empty where not all pairs were compared.
    beside_top : Pair or None
        The system beside the one with the best mean; None for that one, and where the two were
        not compared.
    """

    place: int
    system: str
    n: int
    mean: float
    low: float | None
    high: float | None
    letters: str
    beside_top: Pair | None


def standings(
    comparison: Comparison, measure: Measure, segment: str | None = None
) -> tuple[Standing, ...]:
    """Return the systems of a comparison, the best mean first."""
    means = comparison.means(measure, segment)
    order = sorted(means, key=lambda system: -means[system])
    letters = {} if comparison.baselines else comparison.letters(measure, segment)
    top = order[0]
    found = []
    for system in order:
        values = comparison.values(system, measure, segment)
        low, high = _interval(comparison, measure, values, means[system])
        found.append(
            Standing(
                place=1 + sum(mean > means[system] for mean in means.values()),
                system=system,
                n=len(values),
                mean=means[system],
                low=low,
                high=high,
                letters=letters.get(system, ""),
                beside_top=_beside(comparison, system, top, measure, segment),
            )
        )
    return tuple(found)


def _interval(
    comparison: Comparison, measure: Measure, values: dict[str, float], mean: float
) -> tuple[float | None, float | None]:
    from gainful.inference import mean_interval

    scores = comparison._scores
    design = scores.design(np.array([query in values for query in scores.queries]))
    if design.df < 1:
        return None, None
    error = float(design.standard_error(np.array(list(values.values()))))
    least, greatest = measure.range(comparison.convention)
    # The degrees of freedom are those of the units that vary.
    ends = mean_interval(
        mean,
        error * (design.df + 1) ** 0.5,
        design.df + 1,
        level=1 - comparison.alpha,
        low=least,
        high=greatest,
    )
    return ends or (None, None)


def _beside(
    comparison: Comparison, system: str, top: str, measure: Measure, segment: str | None
) -> Pair | None:
    if system == top:
        return None
    own = comparison.pairs if segment is None else comparison.segments[segment]
    compared = any(
        {pair.system, pair.baseline} == {system, top} and pair.measure == repr(measure)
        for pair in own
    )
    return comparison.pair(system, top, measure, segment) if compared else None
