"""Render an explanation as text, the ranking next to the ideal, and as tables."""

from __future__ import annotations

from io import StringIO
from shutil import get_terminal_size

from gainful.explanation.sentences import (
    columns,
    describe_query,
    groups,
    headline,
    misplaced,
    remarks,
    sum_,
    summary,
    title,
    words,
)
from gainful.formats.table import Column, Note, Table, cut, noted, shown, width
from gainful.formats.text import wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.explanation.data import ExplainedRank, ExplanationData

    #: Text and its style: "", "strong", "quiet", "loss" or "gain".
    Segment = tuple[str, str]
    Line = list[Segment]

__all__ = ["drawn", "plain", "tables"]

_BAR = "│"

# Shorter ids are not recognizable.
_SHORTEST_ID = 8

# A longer series of ranks without contributions is shown on one line, even with contributions of
# the ideal beyond the first ranks.
_IDLE = 3

_FIRST = 20


def layout(explanation: ExplanationData, columns_wide: int = 100) -> Iterator[Line]:
    """Yield the lines of an explanation."""
    name = describe_query(explanation)
    if name:
        yield [(cut(name, columns_wide), "strong")]
    yield from _wrapped(headline(explanation), columns_wide, "strong")
    yield []
    if explanation.ranks:
        yield from _Ranks(explanation, columns_wide).lines()
        yield []
    for rows in (list(_groups(explanation)), list(_misplaced(explanation, columns_wide))):
        if rows:
            yield from rows
            yield []
    yield from _wrapped(summary(explanation), columns_wide, "strong")
    for remark in remarks(explanation):
        yield from _wrapped(remark, columns_wide, "")
    yield from _wrapped(str(explanation.convention), columns_wide, "quiet")


class _Ranks:
    """The table of ranks: two panels, each with the text of a document below its numbers."""

    def __init__(self, explanation: ExplanationData, columns_wide: int) -> None:
        self.explanation = explanation
        self.columns = columns(explanation)
        self.with_words = bool(explanation.texts)
        self.headers = [column.header for column in self.columns]
        self._measure()
        if self._total_width(1) > columns_wide:
            self.headers = [column.short for column in self.columns]
            self._measure()
        self.gap = 2 if self._total_width(2) <= columns_wide else 1
        self._fit(columns_wide)

    def _measure(self) -> None:
        self.widths = [
            max(map(width, [header, *column.cells]))
            for header, column in zip(self.headers, self.columns, strict=True)
        ]

    def _total_width(self, gap: int) -> int:
        bars = len({column.panel for column in self.columns} & {"ideal", "cost"})
        return sum(self.widths) + gap * (len(self.widths) - 1) + bars * (1 + gap)

    def _fit(self, columns_wide: int) -> None:
        """Shorten the ids if the lines are too long, longer ones first; widen them for texts."""
        with_ids = [index for index, column in enumerate(self.columns) if column.ids is not None]
        spare = columns_wide - self._total_width(self.gap)
        while spare < 0:
            longest = max(with_ids, key=lambda place: self.widths[place])
            if self.widths[longest] <= _SHORTEST_ID:
                break
            self.widths[longest] -= 1
            spare += 1
        if self.with_words:
            for column_index in with_ids:
                self.widths[column_index] += max(0, spare) // len(with_ids)

    def lines(self) -> Iterator[Line]:
        yield [(self._line(self.headers), "strong")]
        yield [("─" * self._total_width(self.gap), "quiet")]
        ranks, cutoff = self.explanation.ranks, self.explanation.resolved.cutoff
        place = 0
        while place < len(ranks):
            if place == cutoff:
                yield [(f"┄┄┄ cutoff {'┄' * (self._total_width(self.gap) - 11)}", "quiet")]
            idle = self._idle(place)
            if idle > _IDLE:
                yield [(_skipped(ranks[place : place + idle]), "quiet")]
                place += idle
                continue
            yield self._rank(place)
            if self.with_words:
                below = self._words(place)
                if below.strip(f" {_BAR}"):
                    yield [(below, "quiet")]
            place += 1

    def _idle(self, index: int) -> int:
        """Count the ranks from here, up to the cutoff, that can share one line."""
        explanation = self.explanation
        end = len(explanation.ranks)
        if explanation.resolved.cutoff is not None and index < explanation.resolved.cutoff:
            end = min(end, explanation.resolved.cutoff)
        count = 0
        for rank in explanation.ranks[index:end]:
            hits = explanation.dcg is None
            adds = rank.relevant if hits else rank.contribution
            if adds or (rank.rank <= _FIRST and (hits or rank.ideal_contribution)):
                break
            count += 1
        return count

    def _rank(self, index: int) -> Line:
        cells = []
        for column, wide in zip(self.columns, self.widths, strict=True):
            cell = column.cells[index]
            cells.append(cut(cell, wide, middle=True) if column.ids is not None else cell)
        text = self._line(cells)
        cost = self.explanation.ranks[index].cost
        if not cost or self.columns[-1].panel != "cost":
            relevant = self.explanation.ranks[index].relevant
            return [(text, "gain" if relevant else "")]
        head, bar, tail = text.rpartition(_BAR)
        return [(head + bar, ""), (tail, "loss" if cost > 0 else "gain")]

    def _line(self, cells: list[str]) -> str:
        gap = " " * self.gap
        parts: list[str] = []
        panel = ""
        for cell, column, wide in zip(cells, self.columns, self.widths, strict=True):
            if column.panel != panel and column.panel in ("ideal", "cost"):
                parts.append(_BAR)
            panel = column.panel
            parts.append(_padded(cell, wide, column.align))
        return gap.join(parts).rstrip()

    def _words(self, index: int) -> str:
        """Return the texts of the two documents, each below its panel."""
        text = " " * (self.widths[0] + self.gap)
        for panel in ("ranking", "ideal"):
            shown_in = [column for column in self.columns if column.panel == panel]
            if not shown_in:
                continue
            wide = self._panel(panel)
            documents = next((column for column in shown_in if column.ids is not None), None)
            snippet = ""
            if documents is not None and documents.ids is not None:
                snippet = words(self.explanation, documents.ids[index])
            if panel == "ideal":
                text += f"{' ' * self.gap}{_BAR}{' ' * self.gap}"
            text += _padded(cut(snippet, wide), wide, "l")
        if self.columns[-1].panel == "cost":
            text += f"{' ' * self.gap}{_BAR}"
        return text

    def _panel(self, panel: str) -> int:
        widths = [
            wide
            for column, wide in zip(self.columns, self.widths, strict=True)
            if column.panel == panel
        ]
        return sum(widths) + self.gap * (len(widths) - 1)


def _skipped(ranks: Sequence[ExplainedRank]) -> str:
    text = f"   ⋮ ranks {ranks[0].rank} to {ranks[-1].rank}"
    if ranks[0].cost is None:
        return text if ranks[0].relevant is None else f"{text}: no relevant documents"
    text += " contribute 0"
    missed = sum(rank.ideal_contribution or 0.0 for rank in ranks)
    return f"{text}, the ideal ranking's {sum_(missed)}" if missed else text


def _groups(explanation: ExplanationData) -> Iterator[Line]:
    headers, rows = groups(explanation)
    if not rows:
        return
    widths = [max(map(width, column)) for column in zip(headers, *rows, strict=True)]
    for number, row in enumerate([headers, *rows]):
        cells = [
            _padded(cell, wide, "r" if name == "weight" else "l")
            for name, cell, wide in zip(headers, row, widths, strict=True)
        ]
        yield [("  ".join(cells).rstrip(), "" if number else "strong")]


def _misplaced(explanation: ExplanationData, columns_wide: int) -> Iterator[Line]:
    headers, rows, ids = misplaced(explanation)
    if not rows:
        return
    yield [(_heading(explanation), "strong")]
    aligns = "lrllr"[: len(headers)]
    widths = [max(map(width, column)) for column in zip(headers, *rows, strict=True)]
    widths[0] = min(widths[0], 30)
    room = columns_wide - sum(widths) - 2 * len(widths)
    snippets = [words(explanation, name) for name in ids]
    wide = min(room, max(map(width, snippets), default=0))
    for number, row in enumerate([headers, *rows]):
        cells = [
            _padded(cut(cell, room, middle=True), room, side)
            for cell, room, side in zip(row, widths, aligns, strict=True)
        ]
        if wide >= _SHORTEST_ID:
            snippet = snippets[number - 1] if 0 < number <= len(snippets) else ""
            cells.insert(1, _padded(cut(snippet, wide), wide, "l"))
        text = "  ".join(cells).rstrip()
        if number == len(rows) and len(headers) == 5:
            yield [("─" * width(text), "quiet")]
        yield [(text, "strong" if number in (0, len(rows)) and len(headers) == 5 else "")]


def _heading(explanation: ExplanationData) -> str:
    if explanation.dcg is not None:
        return "Misplaced documents"
    cut_ = explanation.resolved.cutoff is not None
    missing = "not covered" if explanation.has_spans else "not retrieved"
    return f"Relevant, but {'below the cutoff or ' if cut_ else ''}{missing}"


def _padded(text: str, wide: int, side: str) -> str:
    space = " " * (wide - width(text))
    return space + text if side == "r" else text + space


def _wrapped(text: str, columns_wide: int, style: str) -> Iterator[Line]:
    for line in wrapped(shown(text), columns_wide, indent=""):
        yield [(line, style)]


#: Maximum length of a title in tables with one line per row.
_TITLE = 40

_STYLES = {"": "", "strong": "bold", "quiet": "dim", "loss": "red", "gain": "green"}


def plain(explanation: ExplanationData, width: int = 100) -> str:
    """Return an explanation as text: the tables, a summary and remarks.

    Parameters
    ----------
    explanation : ExplanationData
        The explanation.
    width : int
        Maximum width; ids and titles are shortened to fit.

    Examples
    --------
    >>> from gainful.explanation import Explanation
    >>> print(plain(Explanation.of_grades([2, 3, 0])))
    nDCG = .9134 = 3.8928 / 4.2619 (DCG / IDCG)
    <BLANKLINE>
    rank  document  grade  discount  discounted     DCG  │  ideal  grade  ...
    ...
    """
    return "\n".join(
        "".join(text for text, _ in line).rstrip() for line in layout(explanation, width)
    )


def drawn(explanation: ExplanationData, width: int | None = None) -> str:
    """Return an explanation for a terminal, with colors, rendered by Rich."""
    from rich.text import Text

    from gainful.formats.console import open_console

    wide = width or max(60, get_terminal_size().columns)
    into = StringIO()
    console = open_console(into, wide, soft_wrap=True)
    for line in layout(explanation, wide):
        console.print(Text.assemble(*((text, _STYLES[style]) for text, style in line)))
    return into.getvalue()


def tables(explanation: ExplanationData) -> list[Table]:
    """Return the ranks and the misplaced documents as tables.

    Examples
    --------
    >>> from gainful.explanation import Explanation
    >>> [table.headers[0] for table in tables(Explanation.of_grades([2, 3, 0]))]
    ['rank', 'document']
    """
    heads: list[Column] = []
    cells = []
    for column in columns(explanation):
        header = column.header.strip()
        heads.append(Column(f"{column.panel}.{header}", header, align=column.align))
        cells.append(column.cells)
        if column.ids is not None and explanation.texts:
            heads.append(Column(f"{column.panel}.title", "title", fit="end"))
            cells.append([_title(explanation, name) for name in column.ids])
    account = Table(
        heads,
        zip(*cells, strict=True),
        title=" – ".join(
            part for part in (describe_query(explanation), headline(explanation)) if part
        ),
        notes=[
            Note("summary", summary(explanation)),
            *noted("remark", remarks(explanation)),
            Note("convention", str(explanation.convention)),
        ],
    )
    listed = [account]
    names, rows = groups(explanation)
    if rows:
        heads = [Column(name, align="r" if name == "weight" else "l") for name in names]
        listed.append(Table(heads, rows, title="Groups"))
    names, rows, ids = misplaced(explanation)
    if not rows:
        return listed
    sides = "lrllr"
    heads = [Column(name, align=side) for name, side in zip(names, sides, strict=False)]
    if explanation.texts:
        heads.insert(1, Column("title", fit="end"))
        words = [_title(explanation, name) for name in ids]
        words += [""] * (len(rows) - len(words))
        rows = [[row[0], text, *row[1:]] for row, text in zip(rows, words, strict=True)]
    title = "Misplaced documents" if explanation.dcg is not None else "Relevant, but not counted"
    return [*listed, Table(heads, rows, title=title)]


def _title(explanation: ExplanationData, document: str) -> str:
    return cut(title(explanation, document), _TITLE) if document else ""
