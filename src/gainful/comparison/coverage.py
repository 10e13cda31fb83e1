"""Coverage over budgets as one table, instead of one per budget."""

from __future__ import annotations

from itertools import pairwise

from gainful.comparison.pair import mirrored
from gainful.formats.numbers import digits, span, with_sign
from gainful.formats.table import Column, Table
from gainful.measures.budgets import budget_of
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.comparison.pair import Pair
    from gainful.comparison.result import Comparison
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure
    from gainful.records import Interval

__all__ = ["coverage_rows", "coverage_table", "describe_crossings", "is_over_budgets"]

#: From so many budgets on, a table has them as rows.
_FEW = 3
#: With more pairs, the table has the means only.
_PAIRS = 3


def is_over_budgets(measures: Sequence[Measure]) -> bool:
    """Return whether the measures are one coverage at several budgets."""
    others = {
        tuple((name, value) for name, value in measure.params.items() if name != "budget")
        for measure in measures
    }
    budgets = [budget_of(measure) for measure in measures]
    return len(budgets) >= _FEW and None not in budgets and len(others) == 1


def coverage_table(comparison: Comparison) -> Table:
    """Return one row per budget: the mean of each system, and differences with verdicts."""
    couples = _couples(comparison)
    shown = couples if len(couples) <= _PAIRS else []
    columns = [
        Column("budget", show=lambda budget: f"{budget:,}"),
        *(Column(system, show=digits) for system in comparison.systems),
    ]
    for system, baseline in shown:
        name = f"{system} - {baseline}"
        columns += [
            Column(f"{name} difference", f"{system} − {baseline}", with_sign),
            Column(f"{name} interval", f"{100 * (1 - comparison.alpha):g}% CI", _ends),
            Column(f"{name} verdict", "verdict"),
        ]
    rows = []
    for measure in comparison.measures:
        means = comparison.means(measure)
        row: list[object] = [budget_of(measure), *(means[name] for name in comparison.systems)]
        for couple in shown:
            pair = comparison.pair(*couple, measure)
            row += [pair.difference, pair.interval or "", pair.verdict_text]
        rows.append(row)
    unit = comparison.measures[0].params.get("unit") or "units"
    return Table(columns, rows, title=f"Coverage of the relevant text by {unit} read")


def coverage_rows(evaluations: Sequence[Evaluation]) -> list[dict[str, object]]:
    """Return the mean of each system at each budget with its interval, for a picture."""
    rows: list[dict[str, object]] = []
    for measure in evaluations[0].measures:
        for evaluation in evaluations:
            for system in evaluation.systems:
                summary = evaluation.summary(measure, system)
                low, high = summary.ends
                rows.append(
                    {
                        "system": system,
                        "at": budget_of(measure),
                        "value": summary.mean,
                        "low": low,
                        "high": high,
                    }
                )
    return rows


def describe_crossings(comparison: Comparison) -> Iterator[str]:
    """Yield where the better system of a pair changes with the budget."""
    for couple in _couples(comparison):
        pairs = [comparison.pair(*couple, measure) for measure in comparison.measures]
        pairs = [pair if pair.system == couple[0] else mirrored(pair) for pair in pairs]
        decided = [
            (budget_of(measure), pair)
            for measure, pair in zip(comparison.measures, pairs, strict=True)
            if pair.verdict in SIGNIFICANT
        ]
        crossings = [
            (before, after)
            for before, after in pairwise(decided)
            if before[1].verdict != after[1].verdict
        ]
        for (last, before), (first, _) in crossings:
            leader, other = couple if before.verdict == "better" else couple[::-1]
            yield (
                f"The winner depends on the budget: {leader} covers more up to {last:,}, {other}"
                f" from {first:,}."
            )
        signs = _changes_of_sign(comparison, pairs)
        if not crossings and signs:
            yield (
                f"The means of {' and '.join(couple)} cross between {signs[0][0]:,} and"
                f" {signs[0][1]:,}."
            )


def _changes_of_sign(
    comparison: Comparison, pairs: Sequence[Pair]
) -> list[tuple[int | None, int | None]]:
    """Return the budgets between which a difference changes its sign."""
    known = [
        (budget_of(measure), pair.difference)
        for measure, pair in zip(comparison.measures, pairs, strict=True)
        if pair.difference
    ]
    return [
        (before, after)
        for (before, one), (after, other) in pairwise(known)
        if (one > 0) != (other > 0)
    ]


def _couples(comparison: Comparison) -> list[tuple[str, str]]:
    return list(dict.fromkeys((pair.system, pair.baseline) for pair in comparison.pairs))


def _ends(ends: Interval | str) -> str:
    return ends if isinstance(ends, str) else span(ends.low, ends.high, with_sign)
