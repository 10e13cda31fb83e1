"""List the conventions by field, with their policies."""

from __future__ import annotations

from io import StringIO
from shutil import get_terminal_size
from textwrap import wrap

from gainful.conventions.convention import Convention, preset_convention
from gainful.conventions.description import describe_measures
from gainful.conventions.presets import FIELDS, Preset
from gainful.formats.table import Column, Table, width
from gainful.measures import nDCG
from gainful.measures.parameters import format_value
from gainful.policies import POLICIES, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Piece = tuple[str, str]

__all__ = ["drawn", "group_by_field", "plain", "tables"]

WIDTH = 120

# Columns by importance: narrow terminals leave out the last ones. For each its heading, the one on
# pages, and its legend.
_COLUMNS = (
    (
        "gain",
        "gain",
        "linear: grade; exp: 2^grade - 1; exp+1: 2^(grade + 1) - 1; binary: 1 if above 0; "
        "judged: 1 if judged; table: custom",
    ),
    (
        "discount",
        "discount",
        "log2, ln: 1/log(r + 1); JK: 1 up to rank b, then 1/log_b(r), b is 2 by default; 1/r; "
        "table: custom",
    ),
    (
        "ideal",
        "ideal",
        "judged: all judged documents, cut at k; uncut: not cut; depth: also cut at the number "
        "returned; list: returned documents; list-cut: the top k of them; given: judgments in "
        "their order; ones: gain 1 per relevant document; max: the largest grade at every rank; "
        "own: given grades",
    ),
    (
        "ties",
        "ties",
        "id: by document id; given, reverse: order of the run; expected: mean over all orders; "
        "avg rank: mean rank, avg down: rounded down; best, worst: by grade",
    ),
    (
        "no rel.",
        "no relevant",
        "value of queries with no relevant documents; skip: left out; agree: 1 if nothing was "
        "returned, else 0",
    ),
    (
        "missing",
        "missing",
        "judged queries missing from the run; empty: counted as an empty ranking; skip: left out",
    ),
    (
        "dupl.",
        "duplicates",
        "documents listed twice; first, last, best: that one counts; blank: the first counts, "
        "the others gain nothing; count: each counts; copies: each counts, also in the ideal",
    ),
    (
        "mean",
        "aggregation",
        "to D: rounded to D digits; values, terms: rounded before averaging; *: queries with no "
        "relevant documents are unweighted",
    ),
    (
        "evidence",
        "evidence",
        "how it was verified; run: against the tool; rewritten: against a reimplementation; "
        "read: from its source code",
    ),
)
_HEADERS = tuple(header for header, _, _ in _COLUMNS)
#: What is rounded, in short and in full.
_AGGREGATIONS = {
    "none": ("mean", "mean"),
    "mean": ("to {}", "mean to {} digits"),
    "query": ("values to {}", "values to {} digits, mean"),
    "term": ("terms to {}", "terms to {} digits, mean"),
    "term-down": ("terms ↓ {}", "terms down to {} digits, mean"),
}

# Abbreviations of values that are too long for a column.
_SHORT: dict[str, dict[str, str]] = {
    "gain": {"exponential": "exp", "exponential+1": "exp+1"},
    "discount": {"jarvelin-kekalainen": "JK", "reciprocal": "1/r"},
    "ideal": {
        "judged-uncut": "uncut",
        "judged-to-depth": "depth",
        "given-order": "given",
        "max-grade": "max",
    },
    "ties": POLICIES["ties"].short,
    "evidence": {"re-expressed": "rewritten"},
}

_NOTE = (
    "`gainful conventions NAME` shows all policies and verified measures of a convention. "
    "`gainful conventions diff A B` compares two conventions."
)


def group_by_field(presets: Iterable[Preset]) -> dict[str, list[Preset]]:
    """Return presets by field, in the order of the fields.

    Examples
    --------
    >>> from gainful.conventions import presets
    >>> [preset.name for preset in group_by_field(presets())["retrieval"]][0]
    'gainful-1'
    """
    groups: dict[str, list[Preset]] = {field: [] for field in FIELDS}
    for preset in presets:
        groups[preset.field].append(preset)
    return {field: members for field, members in groups.items() if members}


def plain(presets: Iterable[Preset], columns: int = WIDTH) -> str:
    """Return the listing as text.

    Parameters
    ----------
    presets : iterable of Preset
        The presets to list.
    columns : int
        The width of a line: columns that do not fit are left out from the right; a wide line also
        shows the summaries.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> print(plain([describe("gainful-1")], 80))
    retrieval  gain    discount  ideal   ties     no rel.  missing  dupl.  mean
    ───────────────────────────────────────────────────────────────────────────
    gainful-1  linear  log2      judged  id desc  0        empty    error  mean
    ...
    """
    lines = ("".join(text for text, _ in line).rstrip() for line in _layout(presets, columns))
    return "\n".join(lines) + "\n"


def drawn(presets: Iterable[Preset], columns: int | None = None) -> str:
    """Return the listing with terminal colors, rendered by Rich.

    Parameters
    ----------
    presets : iterable of Preset
        The presets to list.
    columns : int, optional
        Columns of the terminal. Default: its width.
    """
    from rich.text import Text

    from gainful.formats.console import open_console

    wide = columns or max(40, get_terminal_size().columns)
    into = StringIO()
    console = open_console(into, wide)
    for line in _layout(presets, wide):
        console.print(Text.assemble(*line), soft_wrap=True)
    return into.getvalue()


def tables(presets: Iterable[Preset]) -> list[Table]:
    """Return one table per field, with full values and summaries, for pages."""
    return [
        Table(
            [
                *map(
                    Column,
                    ("convention", *(full for _, full, _ in _COLUMNS), "measures", "summary"),
                )
            ],
            [
                [
                    preset.name,
                    *_cells(preset, short=False),
                    describe_measures(preset, 8),
                    preset.summary,
                ]
                for preset in members
            ],
            title=field.capitalize(),
        )
        for field, members in group_by_field(presets).items()
    ]


def describe_aggregation(convention: Convention) -> str:
    """Describe how the values of queries are aggregated.

    Examples
    --------
    >>> from gainful import Convention
    >>> describe_aggregation(Convention(rounding="mean:5"))
    'mean to 5 digits'
    >>> describe_aggregation(Convention(rounding="query:2"))
    'values to 2 digits, mean'
    """
    return _describe_aggregation(convention, short=False)


def _describe_aggregation(convention: Convention, *, short: bool) -> str:
    what, digits = split(convention.rounding)
    text = _AGGREGATIONS[what][0 if short else 1].format(digits)
    if convention.unweighted == "nothing":
        return text
    return f"{text} *" if short else f"{text}, queries with no relevant documents unweighted"


def _cells(preset: Preset, *, short: bool) -> list[str]:
    convention = preset_convention(preset)
    gains = nDCG.resolve(convention).params

    def word(policy: str, value: object) -> str:
        text = format_value(value)
        if not short:
            return text
        if isinstance(value, tuple):
            return "table" if policy != "ideal" else "own"
        return _SHORT.get(policy, {}).get(text, text.partition("(")[0])

    cells = [word(name, gains[name]) for name in ("gain", "discount", "ideal")]
    cells.append(word("ties", convention.ties))
    cells.append(word("no_relevant", convention.no_relevant))
    cells.append(convention.missing)
    cells.append(convention.duplicates)
    cells.append(_describe_aggregation(convention, short=short))
    cells.append(word("evidence", preset.evidence))
    return cells


def _layout(presets: Iterable[Preset], columns: int) -> Iterator[list[Piece]]:
    """Yield lines of text pieces, each with its Rich style."""
    groups = group_by_field(presets)
    rows = {preset.name: _cells(preset, short=True) for each in groups.values() for preset in each}
    table = [
        ["", *_HEADERS],
        *([name, *cells] for name, cells in rows.items()),
        *([field] for field in groups),
    ]
    widths = [
        max(width(row[at]) for row in table if at < len(row)) for at in range(len(_HEADERS) + 1)
    ]
    kept = len(widths)
    while kept > 2 and sum(widths[:kept]) + 2 * (kept - 1) > columns:
        kept -= 1
    wide = sum(widths[:kept]) + 2 * (kept - 1)
    summaries = [preset.summary for each in groups.values() for preset in each]
    room = wide + 2 + max(map(width, summaries), default=0) <= columns
    for field, members in groups.items():
        headers = [*_HEADERS[: kept - 1], *(["summary"] if room else [])]
        yield [(_row([field, *headers], widths), "bold")]
        yield [("─" * (wide + (2 + max(map(width, summaries)) if room else 0)), "dim")]
        for preset in members:
            cells = [*rows[preset.name][: kept - 1], *([preset.summary] if room else [])]
            start = _row([preset.name], widths)
            whole = _row([preset.name, *cells], widths)
            yield [(start, "cyan"), (whole[len(start) :], "")]
        yield []
    shown = ("", *_HEADERS[: kept - 1])
    for header, _, text in _COLUMNS:
        if header in shown:
            yield from _wrap(f"{header}: {text}", columns)
    if kept <= len(_HEADERS):
        left = ", ".join(_HEADERS[kept - 1 :])
        yield from _wrap(f"A wider terminal also shows: {left}", columns)
    yield []
    yield from _wrap(_NOTE, columns)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    wide = [*widths, *([0] * len(cells))]
    padded = (
        cell + " " * (column - width(cell)) for cell, column in zip(cells, wide, strict=False)
    )
    return "  ".join(padded).rstrip()


def _wrap(text: str, columns: int) -> Iterator[list[Piece]]:
    lines = wrap(text, columns, subsequent_indent="  ", break_on_hyphens=False)
    yield from ([(line, "dim")] for line in lines)
