"""The leaderboard of a page: one table a measure, drawn whole, so that it needs no program."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from gainful.evaluation.columns import cutoffs_of
from gainful.formats.numbers import digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.comparison import Comparison, Pair
    from gainful.comparison.standing import Standing
    from gainful.evaluation import Evaluation, Summary
    from gainful.report.report import Report

__all__ = ["Board", "Line", "leaderboard"]

#: Letters that still stand in columns of their own.
_MOST_LETTERS = 12


@dataclass(frozen=True)
class Line:
    """One system of a leaderboard.

    Attributes
    ----------
    place : int
        Counted from 1.
    system : str
        Its name.
    summary : Summary
        Of the measure.
    letters : str
        Systems that share one cannot be told apart.
    pair : Pair or None
        The system beside the one that all are compared with.
    """

    place: int
    system: str
    summary: Summary
    letters: str = ""
    pair: Pair | None = None


class Board:
    """The systems in the order of their means on one measure.

    With a baseline all are compared with it, otherwise with the system with the highest mean.

    Attributes
    ----------
    report : Report
        Of what.
    measure : int
        Which of its measures.
    name : str
        The measure, as it was asked for.
    beside : str or None
        The system that the others are compared with; None for a single system.
    lines : list of Line
        The best first.
    """

    def __init__(self, report: Report, measure: int) -> None:
        evaluation, comparison = report.evaluation, report.comparison
        self.report, self.measure = report, measure
        asked = evaluation.measures[measure]
        self.name = repr(asked)
        self.beside: str | None = None
        if comparison is None:
            summaries = {system: evaluation.summary(asked, system) for system in evaluation.systems}
            self.lines = [Line(1, system, summary) for system, summary in summaries.items()]
            return
        board = comparison.leaderboard(asked)
        beside = comparison.baselines[0] if comparison.baselines else board[0].system
        self.beside = beside
        self.lines = [_line(evaluation, comparison, each, measure, beside) for each in board]


def _line(
    evaluation: Evaluation, comparison: Comparison, standing: Standing, measure: int, beside: str
) -> Line:
    name = evaluation.measures[measure]
    pair = standing.vs_top
    if comparison.baselines:
        same = standing.system == beside
        pair = None if same else comparison.pair(standing.system, beside, name)
    summary = evaluation.summary(name, standing.system)
    return Line(standing.place, standing.system, summary, standing.letters, pair)


def leaderboard(board: Board) -> str:
    """Return the table of one measure."""
    report, measure, beside, lines = board.report, board.measure, board.beside, board.lines
    evaluation = report.evaluation
    name = escape(board.name)
    letters = "".join(sorted({letter for line in lines for letter in line.letters}))
    compared = beside is not None
    shares = {system: _judged(evaluation, measure, system) for system in evaluation.systems}
    judged = any(share is not None for share in shares.values())
    reach = Reach([line.pair for line in lines if line.pair is not None])
    headers = [("#", "", "place", "number"), ("system", "", "system", "text")]
    if letters:
        headers.append(("group", "", "letters", "text"))
    headers.append((name, "95% CI", "mean", "number"))
    if compared:
        headers += [
            ("difference", f"to {escape(str(beside))}", "difference", "number"),
            ("", "", "forest", ""),
            ("verdict", "", "verdict", "text"),
            ("queries", "won · tied · lost", "wins", "number"),
        ]
    if judged:
        headers.append((_judged_name(evaluation, measure), "", "judged", "number"))
    head = "".join(_header(*header, reach=reach) for header in headers)
    body = "\n".join(
        _row(report, line, beside, letters, reach, shares if judged else None) for line in lines
    )
    return (
        f'<table class="board sortable"><caption class="hidden">Systems by {name}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"
    )


def _header(label: str, more: str, name: str, kind: str, *, reach: Reach) -> str:
    if name == "forest":
        return (
            '<th scope="col" class="forest"><span class="hidden">difference, drawn</span>'
            f'<span class="scale" aria-hidden="true">{reach.ends()}</span></th>'
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
    beside: str | None,
    letters: str,
    reach: Reach,
    shares: dict[str, float | None] | None,
) -> str:
    at = report.evaluation.systems.index(line.system)
    summary, pair = line.summary, line.pair
    places = 0 if summary.aggregate == "sum" else 4
    cells = [
        f'<td class="place" data-value="{line.place}">{line.place}</td>',
        f'<th scope="row" class="system" data-value="{escape(line.system)}">'
        f'<label><input type="checkbox" data-shows="{at}"><span class="swatch" aria-hidden="true">'
        f"</span><span>{escape(line.system)}</span></label></th>",
    ]
    if letters:
        cells.append(_letters(line.letters, letters))
    interval = ""
    if summary.low is not None and summary.aggregate != "sum":
        interval = f"<small>{digits(summary.low)} to {digits(summary.high)}</small>"
    cells.append(
        f'<td class="mean" data-value="{summary.value!r}"><b>{digits(summary.value, places)}</b>'
        f"{interval}</td>"
    )
    if beside is not None:
        cells += _beside(reach) if pair is None else _compared(pair, reach)
    if shares is not None:
        share = shares[line.system]
        told = "–" if share is None else f"{share:.1%}"
        cells.append(
            f'<td class="judged" data-value="{share if share is not None else -1}">{told}</td>'
        )
    top = ' class="beside"' if line.system == beside else ""
    return f"<tr{top}>{''.join(cells)}</tr>"


def _beside(reach: Reach) -> list[str]:
    return [
        '<td class="difference" data-value="0">–</td>',
        f'<td class="forest">{_forest(None, reach)}</td>',
        '<td class="verdict" data-value=""></td>',
        '<td class="wins" data-value="-1"></td>',
    ]


def _compared(pair: Pair, reach: Reach) -> list[str]:
    interval = ""
    if pair.low is not None and pair.high is not None:
        interval = f"<small>{signed(pair.low)} to {signed(pair.high)}</small>"
    return [
        f'<td class="difference" data-value="{pair.difference!r}"><b>{signed(pair.difference)}</b>'
        f"{interval}</td>",
        f'<td class="forest">{_forest(pair, reach)}</td>',
        f'<td class="verdict" data-value="{escape(pair.words)}">'
        f'<span class="verdict-{pair.verdict}">{escape(pair.words)}</span></td>',
        f'<td class="wins" data-value="{pair.wins}">{_won(pair)}</td>',
    ]


def _letters(own: str, letters: str) -> str:
    if len(letters) > _MOST_LETTERS:
        return f'<td class="letters" data-value="{own}">{own}</td>'
    # The letters are stacked in columns, so that a group is a line down the table.
    cells = "".join(f"<b>{letter}</b>" if letter in own else "<i></i>" for letter in letters)
    return (
        f'<td class="letters" data-value="{own}"><span class="hidden">{" ".join(own)}</span>'
        f'<span class="stack" aria-hidden="true">{cells}</span></td>'
    )


class Reach:
    """From where to where differences are drawn: 0 and all ends of intervals are within."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        ends = [
            end
            for pair in pairs
            for end in (pair.difference, pair.low, pair.high)
            if end is not None and end - end == 0
        ]
        self.low, self.high = min([0.0, *ends]), max([0.0, *ends])
        if self.low == self.high:
            self.low, self.high = -1.0, 1.0

    def at(self, value: float) -> str:
        """Return where a difference is drawn."""
        return f"{9 + 87 * (value - self.low) / (self.high - self.low):.2f}%"

    def ends(self) -> str:
        """Return the scale over the drawings: its ends that are not 0, and 0."""
        told = [(end, signed(end, 2)) for end in (self.low, self.high) if end]
        marks = [*told, (0.0, "0")]
        return "".join(f'<span style="left:{self.at(end)}">{text}</span>' for end, text in marks)


def _zero(reach: Reach) -> str:
    return f'<line class="zero" x1="{reach.at(0)}" x2="{reach.at(0)}" y1="0" y2="20"/>'


def _forest(pair: Pair | None, reach: Reach) -> str:
    drawn, kind = _zero(reach), "top"
    if pair is not None:
        kind = pair.verdict
        if pair.low is not None and pair.high is not None:
            ends = f'x1="{reach.at(pair.low)}" x2="{reach.at(pair.high)}"'
            drawn += f'<line class="interval" {ends} y1="10" y2="10"/>'
        drawn += f'<circle cx="{reach.at(pair.difference)}" cy="10" r="4.5"/>'
    return f'<svg class="verdict-{kind}" width="100%" height="20" aria-hidden="true">{drawn}</svg>'


def _won(pair: Pair) -> str:
    n = max(pair.n, 1)
    drawn, start = "", 0.0
    for name, count in (("win", pair.wins), ("tie", pair.ties), ("loss", pair.losses)):
        wide = 100 * count / n
        drawn += f'<rect class="{name}" x="{start:.2f}%" width="{wide:.2f}%" height="6"/>'
        start += wide
    return (
        f"<span>{pair.wins} · {pair.ties} · {pair.losses}</span>"
        f'<svg width="100%" height="6" aria-hidden="true">{drawn}</svg>'
    )


def _judged_name(evaluation: Evaluation, measure: int) -> str:
    return f"judged@{_cutoff(evaluation, measure)}"


def _cutoff(evaluation: Evaluation, measure: int) -> int | None:
    own = evaluation.resolved[measure].cutoff
    cutoffs = cutoffs_of(evaluation.resolved)
    return own if own is not None else (cutoffs[0] if cutoffs else None)


def _judged(evaluation: Evaluation, measure: int, system: str) -> float | None:
    cutoff = _cutoff(evaluation, measure)
    if cutoff is None:
        return None
    shares = evaluation.counts(system)["judged_at_cutoff"]
    assert isinstance(shares, dict)
    share = shares.get(str(cutoff))
    return share if isinstance(share, float) else None


def signed(value: float | None, places: int = 4) -> str:
    """Return a difference with its sign.

    >>> signed(0.0388), signed(-0.5), signed(0.0), signed(None)
    ('+.0388', '−.5000', '.0000', '–')
    """
    if value is None:
        return "–"
    text = digits(value, places)
    if text.startswith("-"):
        return "−" + text[1:]
    return f"+{text}" if value else text
