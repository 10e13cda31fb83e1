"""The leaderboard of a page: one static table per measure, which needs no JavaScript."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from gainful.comparison.pair import places_of
from gainful.comparison.tables import show_rank_interval
from gainful.evaluation.columns import cutoffs_of
from gainful.formats.numbers import digits, span
from gainful.published import select_published
from gainful.report.names import render_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.comparison import Comparison, Pair, Rank
    from gainful.comparison.standing import Standing
    from gainful.evaluation import Evaluation, Summary
    from gainful.published import PublishedScore
    from gainful.report.report import Report

__all__ = ["Board", "Line", "render_leaderboard", "signed"]

#: The maximum number of letters to show in one column each.
_MOST_LETTERS = 12
#: Longer names are not in headings.
_SHORT_NAME = 24


@dataclass(frozen=True)
class Line:
    """One system of a leaderboard.

    Attributes
    ----------
    place : int
        The rank, counted from 1.
    system : str
        The name of the system.
    summary : Summary
        The mean of the system, with its interval.
    letters : str
        The letters of the compact letter display: systems that share a letter do not differ
        significantly. Empty if not all pairs were compared.
    ranks : Rank or None
        The rank with its simultaneous confidence interval; None if not all pairs were compared.
    pair : Pair or None
        The comparison with the board's reference; None for the reference itself.
    people : Summary or None
        With the judgments of a model, the mean by people only.
    """

    place: int
    system: str
    summary: Summary
    letters: str = ""
    ranks: Rank | None = None
    pair: Pair | None = None
    people: Summary | None = None


class Board:
    """The systems by descending mean of one measure.

    They are compared with the first baseline or, if there is none, with the system that has the
    highest mean.

    Attributes
    ----------
    report : Report
        The report.
    measure : int
        The index of the measure in the report.
    name : str
        The measure as it was requested.
    reference : str or None
        The system that the others are compared with; None for a single system.
    lines : list of Line
        One line per system, the best first.
    """

    def __init__(self, report: Report, measure: int) -> None:
        evaluation, comparison = report.evaluation, report.comparison
        self.report, self.measure = report, measure
        requested = evaluation.measures[measure]
        self.name = repr(requested)
        self.reference: str | None = None
        if comparison is None:
            self.lines = [
                Line(1, system, report.summary(requested, system), people=self._people(system))
                for system in evaluation.systems
            ]
            return
        standings = comparison.leaderboard(requested)
        reference = comparison.baselines[0] if comparison.baselines else standings[0].system
        self.reference = reference
        self.lines = [self._line(comparison, standing, reference) for standing in standings]

    def _people(self, system: str) -> Summary | None:
        if self.report.predicted is None:
            return None
        evaluation = self.report.evaluation
        return evaluation.summary(evaluation.measures[self.measure], system)

    def _line(self, comparison: Comparison, standing: Standing, reference: str) -> Line:
        name = self.report.evaluation.measures[self.measure]
        pair = standing.vs_top
        if comparison.baselines:
            same = standing.system == reference
            pair = None if same else comparison.pair(standing.system, reference, name)
        summary = self.report.summary(name, standing.system)
        if standing.ranks is not None and standing.n < summary.n and summary.mean == summary.mean:
            # The rank is by the mean over the queries with a value of every system.
            summary = summary.replace(mean=standing.mean, interval=standing.interval)
        return Line(
            standing.place,
            standing.system,
            summary,
            standing.letters,
            standing.ranks,
            pair,
            self._people(standing.system),
        )


def render_leaderboard(board: Board) -> str:
    """Return the table of one measure as HTML."""
    report, measure, reference, lines = board.report, board.measure, board.reference, board.lines
    evaluation, comparison = report.evaluation, report.comparison
    name = escape(board.name)
    letters = "".join(sorted({letter for line in lines for letter in line.letters}))
    shares = {system: _judged_share(evaluation, measure, system) for system in evaluation.systems}
    judged = any(share is not None for share in shares.values())
    scale = Scale([line.pair for line in lines if line.pair is not None])
    places = places_of([line.pair for line in lines if line.pair is not None])
    ranked = any(line.ranks is not None for line in lines)
    level = "" if comparison is None else f"{100 * (1 - comparison.alpha):g}% CI"
    headers = [
        ("rank" if ranked else "#", level if ranked else "", "place", "number"),
        ("system", "", "system", "text"),
    ]
    if letters:
        headers.append(("group", "", "letters", "text"))
    combined = report.predicted is not None
    headers.append((name, "people and model, 95% CI" if combined else "95% CI", "mean", "number"))
    if combined:
        queries = f"{report.predicted.judged:,} queries, 95% CI" if report.predicted else ""
        headers.append(("people only", queries, "people", "number"))
    if comparison is not None:
        compared_with = render_name(evaluation.systems, str(reference))
        if len(str(reference)) > _SHORT_NAME:
            compared_with = "baseline" if comparison.baselines else "rank 1"
        headers += [
            (f"vs. {compared_with}", f"difference, {level}", "difference", "number"),
            ("", "", "forest", ""),
            ("verdict", "", "verdict", "text"),
            ("queries", "wins / ties / losses", "wins", "number"),
        ]
    if judged:
        headers.append(
            (f"top {_cutoff(evaluation, measure)} judged", "of all queries", "judged", "number")
        )
    head = "".join(_header(*header, scale=scale) for header in headers)
    shown = shares if judged else None
    rows = [
        (line.summary.value, _row(report, line, reference, letters, scale, shown, places))
        for line in lines
    ]
    rows += [
        (score.mean, _published_row(score, headers))
        for score in select_published(report.published, evaluation.measures[measure])
    ]
    # The sort is stable: the systems keep their order, and NaN is last.
    rows.sort(key=lambda row: -row[0] if row[0] == row[0] else float("inf"))
    body = "\n".join(row for _, row in rows)
    return (
        f'<table class="board sortable"><caption class="hidden">Systems by {name}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"
    )


def _header(label: str, more: str, name: str, kind: str, *, scale: Scale) -> str:
    if name == "forest":
        return (
            '<th scope="col" class="forest"><span class="hidden">difference (chart)</span>'
            f'<span class="scale" aria-hidden="true">{scale.ends()}</span></th>'
        )
    order = ' aria-sort="ascending"' if name == "place" else ""
    return (
        f'<th scope="col" class="{name}"{order}>'
        f'<button type="button" data-sort="{kind}"><span>{label}</span>'
        f"{more and f'<small>{more}</small>'}</button></th>"
    )


def _row(
    report: Report,
    line: Line,
    reference: str | None,
    letters: str,
    scale: Scale,
    shares: dict[str, float | None] | None,
    places: int,
) -> str:
    index = report.evaluation.systems.index(line.system)
    summary, pair = line.summary, line.pair
    name = render_name(report.evaluation.systems, line.system)
    cells = [
        f'<td class="place" data-value="{line.place}">{line.place}{_rank_interval(line)}</td>',
        f'<th scope="row" class="system" data-value="{escape(line.system)}">'
        f'<label><input type="checkbox" data-toggles="{index}"><span class="swatch"'
        f' aria-hidden="true"></span><span>{name}</span></label></th>',
    ]
    if letters:
        cells.append(_letters(line.letters, letters))
    cells.append(_mean_cell(summary, "mean", places))
    if line.people is not None:
        cells.append(_mean_cell(line.people, "people", places))
    if reference is not None:
        cells += _reference_cells(scale) if pair is None else _pair_cells(pair, scale, places)
    if shares is not None:
        share = shares[line.system]
        text = "–" if share is None else f"{share:.1%}"
        cells.append(
            f'<td class="judged" data-value="{share if share is not None else -1}">{text}</td>'
        )
    is_reference = ' class="reference"' if line.system == reference else ""
    return f"<tr{is_reference}>{''.join(cells)}</tr>"


def _mean_cell(summary: Summary, name: str, places: int) -> str:
    interval = ""
    if summary.interval is not None and summary.aggregate != "sum":
        interval = f"<small>{span(*summary.interval)}</small>"
    mean = digits(summary.value, 0 if summary.aggregate == "sum" else places)
    return f'<td class="{name}" data-value="{summary.value!r}"><b>{mean}</b>{interval}</td>'


def _published_row(score: PublishedScore, headers: Sequence[tuple[str, str, str, str]]) -> str:
    """Return the row of a published score: its mean and its convention, without tests."""
    interval = ""
    if score.low is not None and score.high is not None:
        interval = f"<small>{digits(score.low)} to {digits(score.high)}</small>"
    source = "" if score.source is None else f' title="{escape(score.source)}"'
    name, about = escape(score.system), escape(score.convention or "unknown convention")
    cells = {
        "system": f'<th scope="row" class="system" data-value="{name}"{source}>{name}'
        f"<small>published, {about}</small></th>",
        "mean": f'<td class="mean" data-value="{score.mean!r}"><b>{digits(score.mean)}</b>'
        f"{interval}</td>",
        "place": '<td class="place" data-value="Infinity">–</td>',
    }
    # Where it has no value, it is sorted last.
    row = "".join(
        cells.get(
            key, f'<td class="{key}" data-value="{"" if kind == "text" else "-Infinity"}"></td>'
        )
        for _, _, key, kind in headers
    )
    return f'<tr class="published">{row}</tr>'


def _reference_cells(scale: Scale) -> list[str]:
    return [
        '<td class="difference" data-value="0">–</td>',
        f'<td class="forest">{_draw_interval(None, scale)}</td>',
        '<td class="verdict" data-value=""></td>',
        '<td class="wins" data-value="-1"></td>',
    ]


def _pair_cells(pair: Pair, scale: Scale, places: int) -> list[str]:
    interval = ""
    if pair.interval is not None:
        interval = f"<small>{span(*pair.interval, signed)}</small>"
    difference = signed(pair.difference, places)
    verdict, reason = escape(pair.verdict_text), ""
    if pair.withheld is not None:
        verdict, reason = escape(pair.verdict), f"<small>{escape(pair.withheld)}</small>"
    return [
        f'<td class="difference" data-value="{pair.difference!r}"><b>{difference}</b>'
        f"{interval}</td>",
        f'<td class="forest">{_draw_interval(pair, scale)}</td>',
        f'<td class="verdict" data-value="{escape(pair.verdict_text)}">'
        f'<span class="verdict-{_class_of(pair)}">{verdict}</span>{reason}</td>',
        f'<td class="wins" data-value="{pair.wins}">{_draw_counts(pair)}</td>',
    ]


def _class_of(pair: Pair) -> str:
    """Return the verdict as part of a class of the style sheet."""
    return pair.verdict.replace(" ", "-")


def _rank_interval(line: Line) -> str:
    if line.ranks is None:
        return ""
    return f"<small>{show_rank_interval((line.ranks.low, line.ranks.high))}</small>"


def _letters(own: str, letters: str) -> str:
    if len(letters) > _MOST_LETTERS:
        return f'<td class="letters" data-value="{own}">{own}</td>'
    # One column per letter makes each group a vertical line.
    cells = "".join(f"<b>{letter}</b>" if letter in own else "<i></i>" for letter in letters)
    return (
        f'<td class="letters" data-value="{own}"><span class="hidden">{" ".join(own)}</span>'
        f'<span class="stack" aria-hidden="true">{cells}</span></td>'
    )


class Scale:
    """The horizontal scale of the drawn intervals, which includes 0."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        ends = [
            end
            for pair in pairs
            for end in (pair.difference, *(pair.interval or ()))
            if end - end == 0
        ]
        self.low, self.high = min([0.0, *ends]), max([0.0, *ends])
        if self.low == self.high:
            self.low, self.high = -1.0, 1.0

    def at(self, value: float) -> str:
        """Return the horizontal position of a difference as a percentage of the width."""
        return f"{14 + 72 * (value - self.low) / (self.high - self.low):.2f}%"

    def ends(self) -> str:
        """Return the labels of 0 and of the ends as HTML."""
        # A label close to that of 0 would overlap it.
        near = 0.3 * (self.high - self.low)
        ends = [(end, signed(end, 2)) for end in (self.low, self.high) if abs(end) > near]
        marks = [*ends, (0.0, "0")]
        return "".join(f'<span style="left:{self.at(end)}">{text}</span>' for end, text in marks)


def _draw_zero(scale: Scale) -> str:
    return f'<line class="zero" x1="{scale.at(0)}" x2="{scale.at(0)}" y1="0" y2="20"/>'


def _draw_interval(pair: Pair | None, scale: Scale) -> str:
    drawn, kind = _draw_zero(scale), "top"
    if pair is not None:
        kind = _class_of(pair)
        if pair.interval is not None:
            ends = f'x1="{scale.at(pair.interval.low)}" x2="{scale.at(pair.interval.high)}"'
            drawn += f'<line class="interval" {ends} y1="10" y2="10"/>'
        drawn += f'<circle cx="{scale.at(pair.difference)}" cy="10" r="4.5"/>'
    return f'<svg class="verdict-{kind}" width="100%" height="20" aria-hidden="true">{drawn}</svg>'


def _draw_counts(pair: Pair) -> str:
    n = max(pair.n, 1)
    drawn, start = "", 0.0
    for name, count in (("win", pair.wins), ("tie", pair.ties), ("loss", pair.losses)):
        wide = 100 * count / n
        drawn += f'<rect class="{name}" x="{start:.2f}%" width="{wide:.2f}%" height="6"/>'
        start += wide
    return (
        f"<span>{pair.wins} / {pair.ties} / {pair.losses}</span>"
        f'<svg width="100%" height="6" aria-hidden="true">{drawn}</svg>'
    )


def _cutoff(evaluation: Evaluation, measure: int) -> int | None:
    cutoff = evaluation.resolved[measure].cutoff
    cutoffs = cutoffs_of(evaluation.resolved)
    return cutoff if cutoff is not None else (cutoffs[0] if cutoffs else None)


def _judged_share(evaluation: Evaluation, measure: int, system: str) -> float | None:
    cutoff = _cutoff(evaluation, measure)
    if cutoff is None:
        return None
    shares = evaluation.counts(system)["judged_at_cutoff"]
    assert isinstance(shares, dict)
    share = shares.get(str(cutoff))
    return share if isinstance(share, float) else None


def signed(value: float | None, places: int = 4) -> str:
    """Format a difference with its sign.

    >>> signed(0.0388), signed(-0.5), signed(0.0), signed(None)
    ('+.0388', '−.5000', '.0000', '–')
    """
    if value is None:
        return "–"
    text = digits(value, places)
    if text.startswith("-"):
        return "−" + text[1:]
    return f"+{text}" if value else text
