"""Places of systems: the leaderboard, groups and ranks, risk, and the main result in words."""

from __future__ import annotations

from numbers import Real

import numpy as np

from gainful.comparison.pair import mirrored
from gainful.errors import ParameterError
from gainful.evaluation.summary import MeanEstimate
from gainful.formats.numbers import digits, short, span, with_sign
from gainful.inference import geometric_interval, mean_interval
from gainful.inference.letters import compact_letters, rank_intervals
from gainful.inference.risk import geo_risk, t_risk, u_risk
from gainful.records import Interval, Record, field
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.comparison.pair import Pair
    from gainful.comparison.result import Comparison
    from gainful.comparison.scores import Floats
    from gainful.inference.design import Design
    from gainful.measures import Measure

__all__ = [
    "PosteriorRank",
    "Rank",
    "Risk",
    "Standing",
    "check_all_pairs",
    "compute_letters",
    "compute_ranks",
    "compute_risks",
    "describe_significance",
    "describe_unranked",
    "headlines",
    "highest_of",
    "list_tied_for_first",
    "rank_systems",
]


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
                vs_top=comparison.pair(system, top, measure=measure, segment=segment)
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


_RANK = {"minimum": 1}


class Rank(Record):
    """The rank of a system with its simultaneous confidence interval."""

    rank: int = field(json=_RANK)
    """The rank of its mean, counted from 1 and shared by equal means."""
    low: int = field(json=_RANK)
    """The lowest rank that the comparison of all pairs does not exclude."""
    high: int = field(json=_RANK)
    """The highest."""


class PosteriorRank(Record):
    """The posterior probability of rank 1, and a set of ranks."""

    first: float = field(json={"minimum": 0, "maximum": 1})
    """The probability that the system has the highest mean."""
    low: int = field(json=_RANK)
    """The lowest rank of the set. The sets of all systems contain their ranks at once with a
    probability of 1 - alpha."""
    high: int = field(json=_RANK)
    """The highest."""


def compute_letters(means: Mapping[str, float], pairs: Iterable[Pair]) -> dict[str, str]:
    """Return the compact letter display from the systems' means and all their pairs."""
    apart = [(pair.system, pair.baseline) for pair in pairs if pair.verdict in SIGNIFICANT]
    return compact_letters(list(means), means, apart)


def compute_ranks(means: Mapping[str, float], pairs: Iterable[Pair]) -> dict[str, Rank]:
    """Return ranks with their intervals, best first, from means and the pairs of all systems.

    Two systems are in a known order if the verdict of their pair is better or worse.
    `gainful.inference.letters.rank_intervals` documents the formula.
    """
    better = []
    for pair in pairs:
        if pair.verdict == "better":
            better.append((pair.system, pair.baseline))
        elif pair.verdict == "worse":
            better.append((pair.baseline, pair.system))
    ends = rank_intervals(list(means), better)
    return {
        system: Rank(
            rank=1 + sum(mean > means[system] for mean in means.values()),
            low=ends[system][0],
            high=ends[system][1],
        )
        for system in sorted(means, key=lambda system: -means[system])
    }


def list_tied_for_first(ranks: Mapping[str, Rank]) -> tuple[str, ...]:
    """Return the systems whose interval of ranks contains 1, best mean first."""
    return tuple(system for system, rank in ranks.items() if rank.low == 1)


def check_all_pairs(baselines: Sequence[str], what: str) -> None:
    """Reject letters or ranks unless all pairs were compared."""
    if baselines:
        raise ParameterError(
            f"{what} need all pairs, but systems were only compared with {', '.join(baselines)}",
            where=what,
            hint="leave out ⟪baseline⟫",
        )


#: Above this, losses outweigh wins so far that sums lose their precision.
_HIGHEST_AVERSION = 1_000_000


class Risk(Record):
    """The risk of a system vs. a baseline, with losses counting 1 + aversion times."""

    system: str = field(tables="risk")
    """The system."""
    baseline: str = field(tables="risk", label="vs.")
    """The system that it is compared with."""
    measure: str
    """The measure."""
    aversion: float
    """How much more a loss counts than a win."""
    u_risk: float = field(tables="risk", label="URisk", show=with_sign)
    """The mean difference with weighted losses; below 0 the losses outweigh the wins."""
    t_risk: float | None = field(
        tables="risk", label="TRisk", show=lambda value: with_sign(value, 2)
    )
    """The same over its standard error: below -2 the risk is significant, above 2 the improvement
    is, even with weighted losses."""
    geo_risk: float | None = field(tables="risk", label="GeoRisk")
    """The risk of the system among all compared systems; higher is better. None if systems have
    values for different queries, or negative values."""
    losses: int = field(tables="risk")
    """Number of queries with a loss above the tie margin."""
    worst: str | None = field(tables="risk", label="worst query")
    """The query with the largest loss."""
    worst_difference: float = field(tables="risk", label="difference", show=with_sign)
    """The difference on that query; 0 without losses."""


def compute_risks(comparison: Comparison, measure: Measure, aversion: float) -> tuple[Risk, ...]:
    """Return a `Risk` for each pair of a measure, on all queries.

    Raises
    ------
    ParameterError
        If the aversion is below 0 or above a million.
    """
    if not isinstance(aversion, Real) or not 0 <= aversion <= _HIGHEST_AVERSION:
        raise ParameterError(
            where="aversion",
            found=repr(aversion),
            expected=f"a number from 0 to {_HIGHEST_AVERSION:,}",
        )
    geometric = _geo_risks(comparison, measure, aversion)
    return tuple(
        _risk(comparison, pair, geometric.get(pair.system), aversion)
        for pair in comparison.pairs
        if pair.measure == repr(measure)
    )


def _risk(comparison: Comparison, pair: Pair, geometric: float | None, aversion: float) -> Risk:
    rows, one, two = comparison.common_values(pair, scaled=True)
    design, values = comparison.scores.design(rows), one - two
    worst = comparison.worst(pair, 1)
    return Risk(
        system=pair.system,
        baseline=pair.baseline,
        measure=pair.measure,
        aversion=aversion,
        u_risk=u_risk(values, aversion, design),
        t_risk=t_risk(values, aversion, design),
        geo_risk=geometric,
        losses=pair.losses,
        worst=worst[0][0] if worst else None,
        worst_difference=worst[0][1] - worst[0][2] if worst else 0.0,
    )


def _geo_risks(comparison: Comparison, measure: Measure, aversion: float) -> dict[str, float]:
    scores = comparison.scores
    index = comparison.measures.index(measure)
    values = scores.values[index][scores.has_values(index).any(axis=1)]
    if np.isnan(values).any() or (values < 0).any():
        return {}
    risks = geo_risk(values, aversion)
    return {system: float(risk) for system, risk in zip(comparison.systems, risks, strict=True)}


#: The most measures with a sentence.
_SENTENCES = 3


def headlines(comparison: Comparison) -> list[str]:
    """Return one text per measure: the best mean, its lead and whether it is significant.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
    >>> headlines(found)
    ['dense has the highest nDCG@10 (.7581). Its lead over bm25 (+.0388, 95% CI ...']
    """
    return [_headline(comparison, measure) for measure in comparison.measures[:_SENTENCES]]


def highest_of(measure: Measure) -> str:
    """Return the word for the best mean of a measure."""
    return "highest" if measure.higher_is_better else "lowest"


def describe_unranked(comparison: Comparison, measure: str) -> str:
    """Return why systems cannot be ranked by their means; empty if they can."""
    pairs = [pair for pair in comparison.pairs if pair.measure == measure]
    baselines = ", ".join(comparison.baselines)
    if baselines and any(pair.left_out for pair in pairs):
        return (
            f"The systems have {measure} for different queries, so their means do not rank them."
            f" Each is compared with {baselines} on common queries."
        )
    if all(pair.n == 1 for pair in pairs):
        return (
            f"One query proves nothing: the systems differ in {measure}, but no test can be"
            " significant. Add queries."
            if any(pair.difference for pair in pairs)
            else f"One query proves nothing: the systems have the same {measure}. Add queries."
        )
    if all(pair.mean == pair.baseline_mean == 0 == pair.wins + pair.losses for pair in pairs):
        return f"There is no winner: {measure} is 0 for every system and query."
    return ""


def _headline(comparison: Comparison, measure: Measure) -> str:
    unranked = describe_unranked(comparison, repr(measure))
    if unranked:
        return unranked
    means = comparison.means(measure)
    systems = sorted(means, key=lambda system: -measure.direction * means[system])
    top, value = systems[0], means[systems[0]]
    if value != value:
        return f"The mean {measure!r} of {top} is not defined (NaN)."
    # A comparison with baselines has no pairs of other systems.
    known = [system for system in systems[1:] if not _is_apart(comparison, top, system)]
    pair = comparison.pair(top, known[0], measure=measure)
    if pair.system != top:
        pair = mirrored(pair)
    baseline = "The baseline " if top in comparison.baselines else ""
    other = f"{'the baseline ' * (pair.baseline in comparison.baselines)}{pair.baseline}"
    highest = highest_of(measure)
    opening = f"{baseline}{top} has the {highest} {measure!r} ({digits(value)})."
    if pair.verdict == "identical":
        return f"{opening} {pair.baseline} has the same score on every query."
    if pair.withheld is not None:
        return f"{opening} It is not comparable with {pair.baseline}: {pair.withheld}."
    interval = ""
    if pair.interval is not None:
        level = f"{100 * (1 - comparison.alpha):g}% CI"
        interval = f", {level} {span(*pair.interval, with_sign)}"
    lead = f"Its lead over {other} ({with_sign(pair.difference)}{interval})"
    rest = [comparison.pair(top, system, measure=measure) for system in known[1:]]
    return f"{opening} {lead} {describe_significance(comparison, pair)}.{_others(rest)}"


def _is_apart(comparison: Comparison, one: str, other: str) -> bool:
    """Return whether two systems were not compared."""
    baselines = comparison.baselines
    return bool(baselines) and one not in baselines and other not in baselines


def _others(pairs: Sequence[Pair]) -> str:
    """Return a sentence on the systems after the second."""
    if not pairs:
        return ""
    count = sum(pair.verdict in SIGNIFICANT for pair in pairs)
    which = f"the {len(pairs)} other systems" if len(pairs) > 1 else "the other system"
    if len(pairs) == 1:
        return f" Its lead over {which} is {'' if count else 'not '}significant."
    number = "all" if count == len(pairs) else str(count) if count else "none"
    return f" Its lead is significant over {number} of {which}."


def describe_significance(comparison: Comparison, pair: Pair) -> str:
    """Return whether a difference is significant, and smaller than the margin."""
    if comparison.margin is None or not pair.within_margin:
        is_not = "" if pair.verdict in SIGNIFICANT else "not "
        return f"is {is_not}statistically significant"
    margin = f"the margin of {short(comparison.margin)}"
    if pair.verdict in SIGNIFICANT:
        return f"is statistically significant, but smaller than {margin}"
    return f"is not statistically significant, and smaller than {margin}: the two are equivalent"
