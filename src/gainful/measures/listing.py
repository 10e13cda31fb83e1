"""List families of measures under headings, and describe one family."""

from __future__ import annotations

from io import StringIO
from shutil import get_terminal_size
from textwrap import wrap

from gainful.formats.table import Column, Table, width
from gainful.formats.text import WIDTH, definitions
from gainful.measures.algebra import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.measures.family import Family

    Piece = tuple[str, str]

__all__ = ["GROUPS", "described", "drawn", "grouped", "plain", "tables"]

#: From the group of a declaration to its heading, in listing order.
GROUPS = {
    "cumulated-gain": "Cumulated gain",
    "precision-recall": "Precision and recall",
    "averaged-precision": "Average precision",
    "first-hit": "The first relevant document",
    "user-models": "User models",
    "incomplete-judgments": "Incomplete judgments",
    "diversity": "Diversity and groups of judgments",
    "spans": "Spans of text",
    "preferences": "Preferences",
    "counts": "Counts",
    "own": "Your own",
}
_NOTE = "`gainful measures NAME` shows formula, source, parameters and all names of a measure."


def grouped(families: Iterable[Family]) -> dict[str, list[Family]]:
    """Return families under their headings; empty headings are left out.

    Examples
    --------
    >>> from gainful.measures import families
    >>> [family.name for family in grouped(families())["The first relevant document"]]
    ['RR', 'OMeasure', 'PPlus', 'Success']
    """
    groups: dict[str, list[Family]] = {heading: [] for heading in GROUPS.values()}
    for family in families:
        groups[GROUPS[family.group]].append(family)
    return {heading: members for heading, members in groups.items() if members}


def plain(families: Iterable[Family], columns: int = WIDTH, *, formulas: bool = False) -> str:
    """Return the listing as text.

    Parameters
    ----------
    families : iterable of Family
        The families to list.
    columns : int
        The maximum width of a line.
    formulas : bool
        Whether to list formulas and sources, too.

    Examples
    --------
    >>> from gainful.measures import describe
    >>> print(plain([describe("NumQ"), describe("RR")], 60), end="")
    The first relevant document
      RR    Reciprocal rank of the first relevant document; its
            mean is MRR
    <BLANKLINE>
    Counts
      NumQ  The number of queries
    <BLANKLINE>
    `gainful measures NAME` shows formula, source, parameters and all names of a measure.
    >>> print(plain([describe("RR")], 60, formulas=True), end="")
    The first relevant document
    <BLANKLINE>
      RR  Reciprocal rank of the first relevant document; its
          mean is MRR
          = 1 / rank of the first relevant document, if at most
            k; otherwise 0
          P. Kantor, E. Voorhees: The TREC-5 confusion track.
          Information Retrieval 2(2-3), 2000
    <BLANKLINE>
    `gainful measures NAME` shows formula, source, parameters and all names of a measure.
    """
    laid_out = _layout(families, columns, formulas=formulas)
    lines = ("".join(text for text, _ in line).rstrip() for line in laid_out)
    return "\n".join(lines) + "\n"


def drawn(families: Iterable[Family], columns: int | None = None, *, formulas: bool = False) -> str:
    """Return the listing with terminal colors, rendered by Rich."""
    from rich.text import Text

    from gainful.formats.console import open_console

    wide = columns or max(40, min(WIDTH, get_terminal_size().columns))
    into = StringIO()
    console = open_console(into, max(wide, WIDTH))
    for line in _layout(families, wide, formulas=formulas):
        console.print(Text.assemble(*line), soft_wrap=True)
    return into.getvalue()


def tables(families: Iterable[Family]) -> list[Table]:
    """Return one table per heading, with formula and source, for pages."""
    return [
        Table(
            [*map(Column, ("measure", "summary", "formula", "example", "source"))],
            [[f.name, f.summary, f.formula, f.example, f.source] for f in members],
            title=heading,
        )
        for heading, members in grouped(families).items()
    ]


def _layout(families: Iterable[Family], columns: int, *, formulas: bool) -> Iterator[list[Piece]]:
    """Yield lines of text pieces, each with its Rich style."""
    groups = grouped(families)
    names = [family.name for members in groups.values() for family in members]
    indent = 4 + max(map(width, names), default=0)
    for heading, members in groups.items():
        yield [(heading, "bold")]
        if formulas:
            yield []
        for family in members:
            first, *others = _wrapped(family.summary, columns - indent)
            style = "bold" if formulas else ""
            yield [(f"  {family.name}".ljust(indent), "cyan"), (first, style)]
            for line in others:
                yield [(" " * indent + line, style)]
            if not formulas:
                continue
            for index, line in enumerate(_wrapped(family.formula, columns - indent - 2)):
                yield [(" " * indent + (" " if index else "=") + " " + line, "")]
            for line in _wrapped(family.source, columns - indent):
                yield [(" " * indent + line, "dim")]
            yield []
        if not formulas:
            yield []
    yield [(_NOTE, "dim")]


def _wrapped(text: str, columns: int) -> list[str]:
    return wrap(text, max(20, columns), break_long_words=False, break_on_hyphens=False)


def described(family: Family, columns: int = WIDTH) -> str:
    """Return the formula, source, parameters and names of a family."""
    known = [("formula", family.formula), ("source", family.source), ("example", family.example)]
    known.append(("range", _range(family)))
    if not family.takes_cutoff and family.at is None:
        known.append(("cutoff", "none"))
    if family.judgments != "grades":
        known.append(("judgments", f"with {family.judgments} (subtopics=True)"))
    if family.aggregate == "sum":
        known.append(("queries", "summed, not averaged"))
    elif family.aggregate == "geometric":
        known.append(("queries", "averaged by the geometric mean"))
    if family.trec_names:
        known.append(("trec_eval", ", ".join(family.trec_names)))
    everyday = [alias for alias in family.aliases if alias != family.name.lower()]
    if everyday:
        known.append(("aliases", ", ".join(_alias(family, alias) for alias in everyday)))
    parameters = []
    for parameter in family.parameters:
        default = "" if parameter.default is None else f" Default: {parameter.default!r}."
        parameters.append(
            (parameter.name, f"{parameter.meaning}. Values: {parameter.legal}.{default}")
        )
    title = "\n  ".join(_wrapped(f"{family.name}: {family.summary}", columns - 2))
    return definitions(title, known, parameters, width=columns)


def _alias(family: Family, name: str) -> str:
    if name not in family.variants:
        return name
    return f"{name} as {Measure(family.name, family.variants[name])}"


def _range(family: Family) -> str:
    if family.high is None:
        return "any number" if family.low is None else f"{family.low:g} or more"
    return f"{family.low:g} to {family.high:g}" if family.low is not None else f"to {family.high:g}"
