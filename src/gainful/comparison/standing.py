"""The leaderboard: each system's mean and its comparison with the best system."""

from __future__ import annotations

from gainful.evaluation.summary import MeanEstimate
from gainful.inference import geometric_interval, mean_interval
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison.groups import Rank
    from gainful.comparison.pair import Pair
    from gainful.comparison.result import Comparison
    from gainful.comparison.scores import Floats
    from gainful.inference.design import Design
    from gainful.measures import Measure

__all__ = ["Standing", "rank_systems"]


class Standing(MeanEstimate):
    """One line of a leaderboard."""

    place: int
    """The rank, counted from 1 and shared by equal means."""
    system: str
    """Its name."""
    n: int
    """The number of queries."""
    mean: float
    """The mean over these queries."""
    interval: Interval | None
    """The confidence interval at 1 - alpha for the mean of this system alone, by
    `gainful.inference.mean_interval`. Clusters widen it."""
    ranks: Rank | None
    """The rank with its simultaneous confidence interval over all systems; None unless all pairs
    were compared."""
    letters: str
    """Systems that share a letter do not differ significantly; empty unless all pairs were
    compared."""
    vs_top: Pair | None
    """The comparison with the system that has the best mean; None for that one, and if the two were
    not compared."""


def rank_systems(
    comparison: Comparison, measure: Measure, segment: str | None = None
) -> tuple[Standing, ...]:
    """Return the systems, the best mean first."""
    scores, place = comparison.scores, comparison.measures.index(measure)
    there = scores.has_values(place, segment)
    means = comparison.means(measure, segment)
    sign = measure.direction
    order = sorted(means, key=lambda system: -sign * means[system])
    ranks = {} if comparison.baselines else comparison.ranks(measure, segment)
    letters = {} if comparison.baselines else comparison.letters(measure, segment)
    top = order[0]
    compared = {
        pair.baseline if pair.system == top else pair.system
        for pair in comparison._pairs(place, segment)
        if top in (pair.system, pair.baseline)
    }
    standings = []
    for system in order:
        column = comparison.systems.index(system)
        rows = there[:, column]
        values, design = scores.scaled(place)[rows, column], scores.design(rows)
        predictions = comparison.predictions
        combined = None if predictions is None else predictions.mean(place, column, segment)
        if combined is not None:
            values, design = combined.values, combined.design
        standings.append(
            Standing(
                place=1 + sum(sign * mean > sign * means[system] for mean in means.values()),
                system=system,
                n=len(values),
                mean=means[system],
                interval=_interval(comparison, measure, system, values, design, means[system]),
                ranks=ranks.get(system),
                letters=letters.get(system, ""),
                vs_top=comparison.pair(system, top, measure, segment)
                if system in compared
                else None,
            )
        )
    return tuple(standings)


def _interval(
    comparison: Comparison,
    measure: Measure,
    system: str,
    values: Floats,
    design: Design,
    mean: float,
) -> Interval | None:
    if design.df < 1:
        return None
    deviation, n, df = design.spread(values)
    least, greatest = next(
        evaluation for evaluation in comparison.evaluations if system in evaluation.systems
    ).range_on_data(measure, system)
    interval_of = geometric_interval if measure.aggregate == "geometric" else mean_interval
    ends = interval_of(
        mean,
        deviation,
        n,
        level=1 - comparison.alpha,
        low=least,
        high=greatest,
        df=df,
    )
    return None if ends is None else Interval(*ends)
