"""Families of measures under their headings: what each is, its formula, and where it comes from."""

from __future__ import annotations

from gainful.formats.table import TextTable, width
from gainful.measures.groups import grouped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.measures.family import Family

    Piece = tuple[str, str]

__all__ = ["drawn", "plain", "tables"]

WIDTH = 100
_NOTE = "`gainful measures NAME` tells the parameters and all names of one."


def plain(families: Iterable[Family], columns: int = WIDTH) -> str:
    """Return the listing as text.

    Parameters
    ----------
    families : iterable of Family
        What to list.
    columns : int
        How wide a line may be.

    Examples
    --------
    >>> from gainful.measures import describe
    >>> print(plain([describe("NumQ"), describe("RR")], 60), end="")
    The first relevant document
    <BLANKLINE>
      RR    One divided by the rank of the first relevant
            document
            = 1 / the least rank r <= k of a relevant document;
              0 if there is none
            P. Kantor, E. Voorhees: The TREC-5 confusion track.
            Information Retrieval 2(2-3), 2000
    <BLANKLINE>
    Counts
    <BLANKLINE>
      NumQ  The number of queries
            = 1 for each query
            trec_eval, measures num_q, num_ret, num_rel,
            num_rel_ret and num_nonrel_judged_ret
    <BLANKLINE>
    `gainful measures NAME` tells the parameters and all names of one.
    """
    lines = ("".join(text for text, _ in line).rstrip() for line in _layout(families, columns))
    return "\n".join(lines) + "\n"


def drawn(families: Iterable[Family], columns: int | None = None) -> str:
    """Return the listing as a terminal shows it, with its codes for colours, drawn by Rich.

    Parameters
    ----------
    families : iterable of Family
        What to list.
    columns : int, optional
        Columns of the terminal; asked for without it, and no more than can be read with ease.
    """
    from io import StringIO
    from shutil import get_terminal_size

    from rich.console import Console
    from rich.text import Text

    wide = columns or max(40, min(WIDTH, get_terminal_size().columns))
    into = StringIO()
    console = Console(file=into, force_terminal=True, width=max(wide, WIDTH), highlight=False)
    for line in _layout(families, wide):
        console.print(Text.assemble(*line), soft_wrap=True)
    return into.getvalue()


def tables(families: Iterable[Family]) -> list[TextTable]:
    """Return a table a heading, with formula and source, for pages."""
    return [
        TextTable(
            ["measure", "what it is", "formula", "written", "source"],
            [[f.name, f.summary, f.formula, f.example, f.source] for f in members],
            title=heading,
        )
        for heading, members in grouped(families).items()
    ]


def _layout(families: Iterable[Family], columns: int) -> Iterator[list[Piece]]:
    """Yield lines of pieces of text, each with its style in Rich's words."""
    groups = grouped(families)
    names = [family.name for members in groups.values() for family in members]
    indent = 4 + max(map(width, names), default=0)
    for heading, members in groups.items():
        yield [(heading, "bold")]
        yield []
        for family in members:
            first, *others = _wrapped(family.summary, columns - indent)
            yield [(f"  {family.name}".ljust(indent), "cyan"), (first, "bold")]
            for line in others:
                yield [(" " * indent + line, "bold")]
            for at, line in enumerate(_wrapped(family.formula, columns - indent - 2)):
                yield [(" " * indent + (" " if at else "=") + " " + line, "")]
            for line in _wrapped(family.source, columns - indent):
                yield [(" " * indent + line, "dim")]
            yield []
    yield [(_NOTE, "dim")]


def _wrapped(text: str, columns: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, max(20, columns), break_long_words=False, break_on_hyphens=False)
