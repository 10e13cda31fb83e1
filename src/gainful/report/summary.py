"""The summary at the top of a page: the main result, and the counts of the data."""

from __future__ import annotations

from html import escape

from gainful.comparison.pair import mirrored
from gainful.comparison.standing import describe_significance, describe_unranked, highest_of
from gainful.formats.numbers import digits, span
from gainful.measures.budgets import budget_of
from gainful.report.leaderboard import Board, Line, signed
from gainful.report.names import render_name
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.comparison import Comparison, Pair
    from gainful.report.report import Report

__all__ = ["render_budgets", "render_data_line", "render_headline"]


#: The most leads that a headline names.
_MOST_LEADS = 3


def render_headline(board: Board) -> str:
    """Return the main result for one measure as HTML.

    At most three systems are named; the others are counted.
    """
    comparison, (top, *others) = board.report.comparison, board.lines
    highest = highest_of(board.report.evaluation.measures[board.measure])
    measure, value = f"<b>{escape(board.name)}</b>", _format_value(top)
    if comparison is None:
        summary, interval = top.summary, ""
        if summary.interval is not None and summary.aggregate != "sum":
            interval = f" (95% CI {span(*summary.interval)})"
        aggregate = {"sum": "total", "geometric": "geometric mean"}.get(summary.aggregate, "mean")
        alone = " One query proves nothing: add queries." if summary.n == 1 else ""
        return (
            f"The {aggregate} {measure} of {_format_name(board, top)} is {value}{interval}.{alone}"
        )
    if top.summary.value != top.summary.value:
        # Under some conventions a query can have the value NaN, which makes the mean NaN.
        undefined = [line for line in board.lines if line.summary.value != line.summary.value]
        systems = _format_name(board, top) if len(undefined) == 1 else f"{len(undefined)} systems"
        return f"The mean {measure} of {systems} is not defined (NaN)."
    unranked = describe_unranked(comparison, board.name)
    if unranked:
        return escape(unranked)
    compared = [line for line in others if line.system != board.reference]
    first = top if top.pair is not None else compared[0]
    rest = [line for line in compared if line is not first]
    assert first.pair is not None
    lead = first.pair if first is top else mirrored(first.pair)
    is_baseline = top.system == board.reference and bool(comparison.baselines)
    subject = f"{'The baseline ' * is_baseline}{_format_name(board, top)}"
    baseline = render_name(board.report.evaluation.systems, lead.baseline)
    over = f"{'the baseline ' * (lead.baseline == board.reference)}<b>{baseline}</b>"
    effect, interval = _effect(comparison, lead, top)
    if lead.verdict == "identical":
        opening = f"{subject} and {over} have the {highest} {measure} ({value})."
        last = "Their scores are the same on every query."
    elif lead.withheld is not None:
        opening = f"{subject} has the {highest} {measure} ({value})."
        last = f"It is not comparable with {over}: {escape(lead.withheld)}."
    else:
        opening = f"{subject} has the {highest} {measure} ({value})."
        shown = f"{effect}, {interval}" if interval else effect
        last = f"Its lead over {over} ({shown}) {describe_significance(comparison, lead)}."
    if not rest:
        return f"{opening} {last}"
    lines = [first, *rest]
    lead_alone = f"Its lead over {over} is {effect}{f' ({interval})' if interval else ''}."
    if not any(_is_significant(line) for line in lines):
        if lead.withheld is not None:
            return f"{opening} {last}"
        if lead.verdict == "inconclusive":
            last = lead_alone
        return f"{opening} {last} {_no_difference(board, comparison)}"
    if comparison.baselines:
        return f"{opening} {last} {_versus_baseline(board, rest)}"
    if all(_is_significant(line) for line in lines):
        return f"{opening} It is significantly better than every other system. {lead_alone}"
    if lead.verdict == "identical":
        return f"{opening} {last} They are {_better_than(board, rest)}."
    return f"{opening} It is {_better_than(board, lines)}. {last}"


def _no_difference(board: Board, comparison: Comparison) -> str:
    if comparison.baselines:
        return "No difference from the baseline is statistically significant."
    pairs = [pair for pair in comparison.pairs if pair.measure == board.name]
    if any(pair.verdict in SIGNIFICANT for pair in pairs):
        return "No lead over any other system is statistically significant."
    return "No difference is statistically significant."


def _better_than(board: Board, lines: Sequence[Line]) -> str:
    worse = [line for line in lines if _is_significant(line)]
    if len(worse) == len(lines):
        than = "every other system"
    elif len(worse) == 1:
        than = _format_name(board, worse[0])
    else:
        than = f"{len(worse)} of the {len(lines)} other systems"
    return f"significantly better than {than}"


def _versus_baseline(board: Board, rest: Sequence[Line]) -> str:
    verdicts = [line.pair.verdict for line in rest if line.pair is not None]
    kinds = [
        (verdicts.count("better"), "significantly better"),
        (verdicts.count("worse"), "significantly worse"),
        (sum(verdict not in SIGNIFICANT for verdict in verdicts), "not significantly different"),
    ]
    counts = [(count, text) for count, text in kinds if count]
    if len(rest) == 1:
        than = "from" if verdicts[0] not in SIGNIFICANT else "than"
        return f"{_format_name(board, rest[0])} is {counts[0][1]} {than} the baseline."
    if len(counts) == 1:
        return f"Compared with the baseline, all {len(rest)} other systems are {counts[0][1]}."
    parts = [f"{count} {'is' if count == 1 else 'are'} {text}" for count, text in counts]
    parts[0] = f"{counts[0][0]} of the {len(rest)} other systems {parts[0].partition(' ')[2]}"
    return f"Compared with the baseline, {_join(parts)}."


def _is_significant(line: Line) -> bool:
    return line.pair is not None and line.pair.verdict in SIGNIFICANT


def _effect(comparison: Comparison, pair: Pair, line: Line) -> tuple[str, str]:
    """Return a difference and its interval: ``+.055`` and ``95% CI −.007 to +.118``."""
    unit = " per query" if line.summary.aggregate == "sum" else ""
    effect = f"{_format_difference(pair.difference)}{unit}"
    if pair.interval is None:
        return effect, ""
    level = f"{100 * (1 - comparison.alpha):g}%"
    return effect, f"{level} CI {span(*pair.interval, _format_difference)}"


def _format_difference(value: float) -> str:
    # Show three digits, or four if three would show a difference as 0.
    return signed(value, 3 if abs(value) >= 0.0005 or not value else 4)


def _format_value(line: Line) -> str:
    return digits(line.summary.value, 0 if line.summary.aggregate == "sum" else 4)


def _format_name(board: Board, line: Line) -> str:
    return f"<b>{render_name(board.report.evaluation.systems, line.system)}</b>"


def _join(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _format_range(ends: Iterable[str]) -> str:
    return " to ".join(dict.fromkeys(ends))


def render_budgets(report: Report) -> str:
    """Return which system covers most at which budgets, and where the winner changes, as HTML."""
    evaluation = report.evaluation
    names = evaluation.systems
    unit = str(evaluation.measures[0].params.get("unit") or "units")
    if report.comparison is None:
        first, last = (
            f"{digits(evaluation.mean(measure, names[0]))} in {budget_of(measure):,} {unit}"
            for measure in (evaluation.measures[0], evaluation.measures[-1])
        )
        return f"<b>{render_name(names, names[0])}</b> covers {first} and {last}."
    parts: list[tuple[str, list[int]]] = []
    for measure in evaluation.measures:
        top = report.comparison.leaderboard(measure)[0].system
        if not parts or parts[-1][0] != top:
            parts.append((top, []))
        parts[-1][1].append(budget_of(measure) or 0)
    if len(parts) == 1:
        covers = f"<b>{render_name(names, parts[0][0])}</b> covers most at every budget"
    else:
        covers = _join(
            [
                f"<b>{render_name(names, system)}</b>{' covers most' * (not place)}"
                f" at {_format_range(f'{end:,}' for end in (budgets[0], budgets[-1]))}"
                for place, (system, budgets) in enumerate(parts)
            ]
        )
    return f"{covers}{f' {unit}' if len(parts) > 1 else ''}. {_significant_leads(report)}"


def _significant_leads(report: Report) -> str:
    """Return at which budgets the winner is significantly better than which systems."""
    assert report.comparison is not None
    names, leads = report.evaluation.systems, dict[tuple[str, str], list[str]]()
    for measure in report.evaluation.measures:
        top, *others = report.comparison.leaderboard(measure)
        for other in others:
            if other.vs_top is not None and other.vs_top.verdict in SIGNIFICANT:
                budget = f"{budget_of(measure):,}"
                leads.setdefault((top.system, other.system), []).append(budget)
    if not leads:
        return "No lead is statistically significant."
    described = [
        f"{render_name(names, top)} over {render_name(names, other)} at {_join(budgets)}"
        for (top, other), budgets in list(leads.items())[:_MOST_LEADS]
    ]
    more = f"; and {len(leads) - _MOST_LEADS:,} more" if len(leads) > _MOST_LEADS else ""
    return f"Statistically significant: {'; '.join(described)}{more}."


def render_data_line(report: Report) -> str:
    """Return the counts of the data, and what does not count, as one line of HTML."""
    evaluation, measure = report.evaluation, report.evaluation.measures[0]
    counts = [evaluation.counts(system) for system in evaluation.systems]
    parts = [
        _count(int(counts[0]["queries"]), "query", "queries"),
        _count(len(evaluation.systems), "system"),
    ]
    if report.predicted is not None:
        parts[0] = f"{report.predicted.judged:,} of {report.predicted.queries:,} queries by people"
    # Values that were computed elsewhere have no judgments.
    parts += [_count(source.rows, "judgment") for source in report.sources[:1]]
    shares: dict[str, list[float]] = {}
    for one in counts:
        for cutoff, share in one["judged_at_cutoff"].items():
            if share is not None:
                shares.setdefault(cutoff, []).append(share)
    for cutoff, values in list(shares.items())[:1]:
        ends = _format_range(f"{100 * end:.0f}%" for end in (min(values), max(values)))
        parts.append(f"{ends} of the top {cutoff} judged")
    empty = counts[0]["no_relevant"].get(repr(measure))
    if empty:
        parts.append(f"{_count(empty, 'query', 'queries')} without relevant documents")
    missing = max(int(one["missing"]) for one in counts)
    if missing:
        parts.append(f"{'up to ' * (len(counts) > 1)}{missing:,} without results")
    if report.comparison is not None and report.comparison.scores.ranked:
        left_out = report.comparison.scores.left_out(0)
        if left_out:
            parts.append(f"{left_out:,} left out (a system has no value)")
    return "".join(f"<li>{escape(part)}</li>" for part in parts)


def _count(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
