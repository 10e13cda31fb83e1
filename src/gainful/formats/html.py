"""Tables as a fragment of HTML, for notebooks and pages.

A fragment has no scripts and no external files. It takes its text color from the page and is
transparent, so it fits light and dark themes.
"""

from __future__ import annotations

from html import escape

from gainful.formats.markup import Figure, best_places, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.formats.table import Column, Note, Table

__all__ = ["html", "page"]

_WIN, _LOSS, _EVEN = "#2b7bd1", "#d2660f", "#7a8594"

#: The width of an interval's bar in pixels, in its own column and next to a number.
_WIDE, _NARROW = 120, 56
_HEIGHT = 14

_ALIGN = {"l": "text-align:left", "r": "text-align:right"}

#: Rules are repeated with !important where notebooks style all tables.
_STYLE = (
    "<style>"
    ".gainful{font-size:13px;line-height:1.5;max-width:100%;color:inherit}"
    ".gainful>div{overflow-x:auto}"
    ".gainful table{border-collapse:collapse;border:0!important;margin:.3em 0 .6em!important;"
    "font-size:13px!important;font-variant-numeric:tabular-nums;width:auto!important;"
    "display:table!important;color:inherit!important}"
    ".gainful caption{caption-side:top;text-align:left;font-weight:600;padding:.3em 0;"
    "color:inherit!important;white-space:nowrap}"
    ".gainful th,.gainful td{padding:.2em .5em!important;border:0!important;white-space:nowrap;"
    "background:none!important;vertical-align:baseline!important;max-width:none;"
    "color:inherit!important}"
    ".gainful th{white-space:normal}"
    ".gainful td:first-child,.gainful th:first-child{padding-left:0!important}"
    ".gainful th{font-weight:600!important}"
    ".gainful tr{background:none!important;border:0!important}"
    ".gainful thead th{border-bottom:1px solid rgba(128,128,128,.5)!important}"
    ".gainful tbody tr:hover td{background:rgba(128,128,128,.12)!important}"
    ".gainful th[title]{text-decoration:underline dotted rgba(128,128,128,.9);"
    "text-underline-offset:3px;cursor:help}"
    ".gainful .cut{display:inline-block;max-width:22em;overflow:hidden;text-overflow:ellipsis;"
    "vertical-align:bottom}"
    ".gainful td.wrap{white-space:normal!important;min-width:14em;max-width:36em}"
    ".gainful .bar{display:flex;justify-content:space-between;align-items:baseline;gap:.6em}"
    ".gainful .bar svg{flex:none;margin:0!important;position:relative;top:3px}"
    ".gainful .lead{margin:.2em 0 .5em;font-size:14px;max-width:60em}"
    ".gainful .notes{font-size:12px;opacity:.78;max-width:70em;margin-bottom:.6em}"
    ".gainful summary{cursor:pointer}"
    "</style>"
)


def page(
    tables: Sequence[Table], heading: Sequence[str] = (), *, explaining: Sequence[Note] = ()
) -> str:
    """Return tables as one fragment, with sentences above and notes below.

    Parameters
    ----------
    tables : sequence of Table
        The tables.
    heading : sequence of str
        The sentences above them.
    explaining : sequence of Note
        Notes that were left out; those of a column appear when the pointer is over its heading.
    """
    lead = "".join(f'<p class="lead">{escape(line)}</p>' for line in heading)
    help_of: dict[str, str] = {}
    for note in explaining:
        help_of[note.key] = f"{help_of.get(note.key, '')} {note}".strip()
    return f'<div class="gainful">{_STYLE}{lead}{"".join(html(t, help_of) for t in tables)}</div>'


def html(table: Table, help_of: dict[str, str] | None = None) -> str:
    """Return a table with its title as the caption and its notes below."""
    cells = table.cells()
    columns = []
    for index, column in enumerate(cells.columns):
        texts = [row[index] for row in cells.rows]
        values = [row[index] for row in table.rows]
        columns.append(_column(table, column, texts, values))
    side_of = cells.align

    def heading(at: int, label: str) -> str:
        text = (help_of or {}).get(cells.columns[at].key, "")
        title = f' title="{escape(text)}"' if text else ""
        return f'<th style="{_ALIGN[side_of[at]]}"{title}>{escape(label)}</th>'

    head = "".join(heading(at, label) for at, label in enumerate(cells.headers))
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*columns, strict=True))
    title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    shown = f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div>{shown}</div>{_notes(table.notes)}"


def _notes(notes: Sequence[Note]) -> str:
    """Return the notes; the convention and explanations are folded."""
    folded = [note for note in notes if note.explains or note.key == "convention"]
    shown = "".join(f"<div>{escape(note)}</div>" for note in notes if note not in folded)
    if folded:
        lines = "".join(f"<div>{escape(note)}</div>" for note in folded)
        what = "Convention and notes" if any(not note.explains for note in folded) else "Notes"
        shown += f"<details><summary>{what}</summary>{lines}</details>"
    return f'<div class="notes">{shown}</div>' if shown else ""


def _column(
    table: Table, column: Column, texts: Sequence[str], values: Sequence[object]
) -> list[str]:
    """Return the cells of a column."""
    figures = [value if isinstance(value, Figure) else None for value in values]
    wide = _NARROW
    if column.around:
        index = table.keys.index(column.around) if column.around in table.keys else None
        middles = [None if index is None else row[index] for row in table.rows]
        figures = [
            _around(text, ends, middle)
            for text, ends, middle in zip(texts, values, middles, strict=True)
        ]
        wide = _WIDE
    bars = _bars(figures, wide, zero=column.zero)
    best = best_places(values, texts, column.best)
    style = f' style="{_ALIGN[column.align]}"'
    kind = ' class="wrap"' if column.fit == "wrap" else ""
    places = []
    for index, (text, figure, bar) in enumerate(zip(texts, figures, bars, strict=True)):
        shown = escape(text)
        title = figure.title if figure is not None else ""
        if column.align == "l" and column.fit == "middle" and len(text) > 32:
            shown, title = f'<span class="cut">{shown}</span>', text
        if index in best:
            shown = f"<b>{shown}</b>"
        more = f' title="{escape(title)}"' if title else ""
        if bar:
            shown = f'<div class="bar">{bar}<span>{shown}</span></div>'
        places.append(f"<td{kind}{style}{more}>{shown}</td>")
    return places


def _around(text: str, ends: object, middle: object) -> Figure | None:
    """Return an interval and the value inside it; a pair of means stands for its difference."""
    if not isinstance(ends, tuple) or len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    if isinstance(middle, tuple):
        middle = middle[1] - middle[0]
    return Figure(text, number(middle), ends[0], ends[1])


def _bars(figures: Sequence[Figure | None], wide: int, *, zero: bool) -> list[str]:
    """Return one drawing per interval, all on the same scale."""
    known = [figure for figure in figures if figure is not None]
    ends = [
        end for value in known for end in (number(value.low), number(value.high)) if end is not None
    ]
    ends += [0.0] if zero and ends else []
    if not ends or min(ends) == max(ends):
        return [""] * len(figures)
    return [_bar(figure, min(ends), max(ends), wide, zero=zero) for figure in figures]


def _bar(figure: Figure | None, low: float, high: float, wide: int, *, zero: bool) -> str:
    if figure is None or figure.low is None or figure.high is None:
        return ""

    def x(value: float) -> str:
        return f"{4 + (wide - 8) * (value - low) / (high - low):.1f}"

    color = _WIN
    if zero:
        color = _WIN if figure.low > 0 else _LOSS if figure.high < 0 else _EVEN
    middle = _HEIGHT // 2
    marks = []
    if zero:
        marks.append(
            f'<path d="M{x(0.0)} 0V{_HEIGHT}" stroke="currentColor" stroke-opacity=".45"/>'
        )
    marks.append(
        f'<path d="M{x(figure.low)} {middle}H{x(figure.high)}" stroke="{color}" stroke-width="2"/>'
    )
    if figure.value is not None:
        marks.append(f'<circle cx="{x(figure.value)}" cy="{middle}" r="3.2" fill="{color}"/>')
    return (
        f'<svg width="{wide}" height="{_HEIGHT}" viewBox="0 0 {wide} {_HEIGHT}" aria-hidden="true">'
        f"{''.join(marks)}</svg>"
    )
