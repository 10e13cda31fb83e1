"""The slices of a page: one table per measure, with a row per slice and a column per system."""

from __future__ import annotations

from html import escape

from gainful.comparison.pair import mirrored
from gainful.comparison.rendering import describe_segment_family, describe_slice_differences
from gainful.formats.numbers import digits, span
from gainful.report.appendix import render_notes
from gainful.report.leaderboard import signed
from gainful.report.names import render_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison import Comparison, Pair
    from gainful.measures import Measure
    from gainful.report.leaderboard import Board

__all__ = ["describe_slices", "render_slices"]

#: With more compared systems, intervals are shown only when the pointer is on a cell.
_WITH_INTERVALS = 3


def render_slices(board: Board) -> str:
    """Return the table of one measure as HTML; the system compared with comes first."""
    comparison = board.report.comparison
    assert comparison is not None
    measure = board.report.evaluation.measures[board.measure]
    order = [line.system for line in board.lines]
    order.sort(key=lambda system: system != board.reference)
    by = escape(comparison.attribute or "slice")
    head = _heading(by, "text", "slice") + _heading("queries", "number", "count")
    for system in order:
        more = "" if system != board.reference else "mean"
        name = render_name(comparison.systems, system)
        head += _heading(name, "number", "value", more or "mean, difference")
    rows = "\n".join(
        _row(comparison, measure, name, order, board.reference) for name in comparison.segments
    )
    return (
        f'<table class="slices sortable"><caption class="hidden">{escape(board.name)} by {by}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    )


def describe_slices(board: Board) -> str:
    """Return the notes below the table of one measure as HTML."""
    comparison = board.report.comparison
    assert comparison is not None
    measure = repr(board.report.evaluation.measures[board.measure])
    tests = [test for test in comparison.slice_differences if test.measure == measure]
    return render_notes(
        [
            *describe_slice_differences(tests, comparison.alpha),
            f"Differences are from {board.reference}, with a verdict if they are statistically"
            " significant. Sorting by a system sorts by its difference.",
            *describe_segment_family(comparison),
        ]
    )


def _heading(label: str, kind: str, name: str, more: str = "") -> str:
    return (
        f'<th scope="col" class="{name}"><button type="button" data-sort="{kind}">'
        f"<span>{label}</span>{more and f'<small>{more}</small>'}</button></th>"
    )


def _row(
    comparison: Comparison, measure: Measure, name: str, order: list[str], reference: str | None
) -> str:
    standings = {standing.system: standing for standing in comparison.leaderboard(measure, name)}
    count = max((standing.n for standing in standings.values()), default=0)
    cells = [
        f'<th scope="row" class="slice" data-value="{escape(name)}"><span>'
        f"{escape(name)}</span></th>",
        f'<td class="count" data-value="{count}">{count:,}</td>',
    ]
    pairs = {
        (pair.system, pair.baseline): pair
        for pair in comparison.segments[name]
        if pair.measure == repr(measure)
    }
    for system in order:
        standing = standings.get(system)
        if standing is None:
            cells.append('<td class="value" data-value="-Infinity">–</td>')
        elif system == reference:
            mean = standing.mean
            cells.append(f'<td class="value" data-value="{mean!r}"><b>{digits(mean)}</b></td>')
        else:
            pair = pairs.get((system, str(reference)))
            if pair is None and (other := pairs.get((str(reference), system))) is not None:
                pair = mirrored(other)
            cells.append(_cell(comparison, standing.mean, pair, len(order) - 1))
    return f"<tr>{''.join(cells)}</tr>"


def _cell(comparison: Comparison, mean: float, pair: Pair | None, compared: int) -> str:
    if pair is None:
        return f'<td class="value" data-value="-Infinity"><b>{digits(mean)}</b></td>'
    interval = ""
    if pair.interval is not None:
        interval = span(*pair.interval, signed)
    title = f"{100 * (1 - comparison.alpha):g}% CI {interval}" if interval else ""
    shown = ""
    if interval and compared <= _WITH_INTERVALS:
        shown, title = f"<small>{interval}</small>", ""
    verdict = ""
    if pair.verdict != "inconclusive":
        verdict = f' <span class="verdict-{pair.verdict}">{escape(pair.verdict_text)}</span>'
    hover = f' title="{title}"' if title else ""
    return (
        f'<td class="value" data-value="{pair.difference!r}"{hover}>'
        f"<b>{digits(mean)}</b><small>{signed(pair.difference)}{verdict}</small>{shown}</td>"
    )
