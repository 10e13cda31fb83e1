"""Show a comparison as tables."""

from __future__ import annotations

from gainful.comparison.coverage import coverage_table, describe_crossings, is_over_budgets
from gainful.comparison.notes import POSTERIOR_RANKS, notes
from gainful.comparison.pair import Pair
from gainful.comparison.slice_differences import describe_slice_differences
from gainful.comparison.tables import (
    bayes_table,
    detail_table,
    leaderboard_table,
    pair_table,
    posterior_ranks_table,
    risk_table,
    segment_tables,
    worst_table,
)
from gainful.formats.table import Note, noted
from gainful.references import refer
from gainful.vocabulary import CORRECTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.comparison.paired_result import PairedResult
    from gainful.comparison.result import Comparison
    from gainful.formats.table import Table
    from gainful.measures import Measure

__all__ = [
    "MOST_PAIRS",
    "describe_segment_family",
    "tables",
]

#: With more pairs, only the leaderboard and its groups are shown.
MOST_PAIRS = 45

_RISK = "TRisk below -2: the risk is significant. Above 2: the system is better despite the risk."


def tables(
    comparison: Comparison,
    *,
    details: bool = False,
    risk: float | None = None,
    worst: int = 0,
) -> list[Table]:
    """Return the comparison as tables; the notes are below the last.

    Parameters
    ----------
    comparison : Comparison
        What to show.
    details : bool
        Whether to add a table with further tests, bootstrap interval, effect size and power of each
        pair.
    risk : float, optional
        How much more a loss counts than a win in the table of risk. Default: no such table.
    worst : int
        Number of queries to list where each system loses most.
    """
    if is_over_budgets(comparison.measures) and not comparison.segments:
        below = [
            *noted("crossings", describe_crossings(comparison)),
            *notes(comparison, comparison.pairs),
        ]
        return [coverage_table(comparison).replace(notes=below)]
    listed: list[Table] = []
    shown: list[Pair] = []
    winning: list[Pair] = []
    chances = comparison.posterior_ranks
    for measure in comparison.measures:
        pairs = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
        shown += pairs
        if not comparison.baselines and len(comparison.systems) > 2:
            listed.append(leaderboard_table(comparison, measure))
            if repr(measure) in chances:
                listed.append(posterior_ranks_table(comparison, chances[repr(measure)], measure))
            if worst or len(pairs) <= MOST_PAIRS:
                pairs = _list_by_rank(comparison, measure)
        # Only a table of all pairs is longer than one of the systems.
        if comparison.baselines or len(pairs) <= MOST_PAIRS:
            for group in _group_by_table(comparison, pairs):
                listed.append(pair_table(comparison, group))
            if comparison.choices.bayes:
                listed.append(bayes_table(comparison, pairs))
            if details:
                listed.append(detail_table(comparison, pairs))
        listed += further_tables(comparison, measure, pairs, risk=risk, worst=worst)
        if worst:
            winning += [pair for pair in pairs if not comparison.worst(pair, 1)]
    below = notes(comparison, shown)
    if not comparison.baselines and len(shown) > MOST_PAIRS * len(comparison.measures):
        all_pairs = refer("records", "tsv", python="Comparison.pairs")
        text = f"Export all {len(shown):,} pairs with {all_pairs}."
        below.insert(0, Note("pairs", text))
    if chances:
        below[1:1] = noted("posterior_ranks", [POSTERIOR_RANKS])
    if comparison.segments:
        below[1:1] = noted("segments", describe_segment_family(comparison))
        differing = describe_slice_differences(comparison.slice_differences, comparison.alpha)
        below[1:1] = noted("slice_differences", differing)
    if risk is not None:
        below.insert(1, Note("risk", _RISK, explains=True))
    if winning:
        below.insert(1, Note("worst", _describe_no_losses(winning)))
    return [*listed[:-1], listed[-1].replace(notes=below)]


def further_tables(
    comparison: Comparison,
    measure: Measure,
    pairs: Sequence[Pair],
    *,
    risk: float | None = None,
    worst: int = 0,
) -> list[Table]:
    """Return the requested tables of slices, risk and largest losses for a measure."""
    listed: list[Table] = []
    if comparison.segments:
        listed += segment_tables(comparison, measure)
    if risk is not None:
        listed.append(risk_table(comparison, measure, risk))
    if worst:
        losses = (worst_table(comparison, pair, worst) for pair in pairs)
        listed += [table for table in losses if table.rows]
    return listed


def _describe_no_losses(pairs: Sequence[Pair]) -> str:
    """Return a note that names pairs without losses."""
    named = [f"{pair.system} vs. {pair.baseline} ({pair.measure})" for pair in pairs[:3]]
    more = f", and {len(pairs) - 3:,} more" if len(pairs) > 3 else ""
    return f"No losses: {', '.join(named)}{more}."


def _list_by_rank(comparison: Comparison, measure: Measure) -> list[Pair]:
    """Return all pairs in leaderboard order, the better system first."""
    order = [standing.system for standing in comparison.leaderboard(measure)]
    return [
        comparison.pair(system, other, measure)
        for index, system in enumerate(order)
        for other in order[index + 1 :]
    ]


def _group_by_table(comparison: Comparison, pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Group pairs by the table that shows them: one per baseline, or all in one."""
    if not comparison.baselines:
        return [list(pairs)]
    groups = [[pair for pair in pairs if pair.baseline == name] for name in comparison.baselines]
    return [group for group in groups if group]


def describe_segment_family(comparison: PairedResult) -> list[str]:
    """Return a sentence about the correction over the slices; empty without one."""
    pairs = [pair for segment in comparison.segments.values() for pair in segment]
    if not pairs or pairs[0].correction == "none":
        return []
    family = pairs if comparison.choices.family == "all" else pairs[: _count_first_measure(pairs)]
    correction = pairs[0].correction
    if correction == "tukey":
        blocks = len({(pair.measure, pair.segment) for pair in family})
        corrected = f"one randomized Tukey HSD over all {blocks} of them"
    else:
        corrected = (
            f"p corrected by {CORRECTIONS[correction]} over {len(family)} pairs and for skewness"
        )
    return [
        f"The slices are a separate family: {corrected}; simultaneous"
        f" {100 * (1 - comparison.alpha):g}% confidence intervals."
    ]


def _count_first_measure(pairs: Sequence[Pair]) -> int:
    return sum(pair.measure == pairs[0].measure for pair in pairs)
