"""A contrast for terminals, notebooks, pages and programs."""

from __future__ import annotations

from textwrap import wrap

from gainful.contrasts.tables import account_tables, query_table, ranking_table
from gainful.formats.console import drawn as draw
from gainful.formats.json import text
from gainful.formats.markdown import markdown as written
from gainful.formats.table import TextTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.contrasts.result import Contrast

__all__ = ["drawn", "json", "markdown", "plain", "query_rows", "step_rows", "tables"]

WIDTH = 100
#: Queries that are shown where not all are asked for.
QUERIES = 10

STEP_COLUMNS = (
    "system",
    "step",
    "policies",
    "from",
    "to",
    "before",
    "after",
    "difference",
    "queries_before",
    "queries_after",
)


def tables(contrast: Contrast, *, queries: int | None = QUERIES) -> list[TextTable]:
    """Return the account as tables of text.

    Parameters
    ----------
    contrast : Contrast
        What to show.
    queries : int or None
        How many of the queries that move are listed; ``None`` for all.

    Examples
    --------
    >>> import gainful
    >>> told = gainful.contrast("qrels.txt", "bm25.run", "trec_eval", "gainful")
    >>> [table.headers[0] for table in tables(told)]
    ['step']
    """
    found = []
    if len(contrast.accounts) > 1:
        found.append(ranking_table(contrast))
    found += account_tables(contrast, WIDTH)
    moving = query_table(contrast, queries, WIDTH)
    return [*found, moving] if moving is not None else found


def plain(contrast: Contrast, *, queries: int | None = QUERIES) -> str:
    """Return the account as text of 100 columns.

    Parameters
    ----------
    contrast, queries
        As `tables` has them.

    Examples
    --------
    >>> import gainful
    >>> from gainful import Convention
    >>> other = Convention(name="ours", missing="skip", defaults={"nDCG": {"gain": "exponential"}})
    >>> print(plain(gainful.contrast("qrels.txt", "bm25.run", "gainful", other)))
    bm25, nDCG@10
    A  gainful-1
    B  ours
    <BLANKLINE>
    step                         mean  change  queries
    ──────────────────────────────────────────────────────
    A                           .7193          6 count
    gain: linear → exponential  .7441  +.0248  4 move
    B                           .7441  +.0248  4 of 6 move
    <BLANKLINE>
    Nothing changes here with missing (empty → skip).
    ...
    """
    lines = list(_heading(contrast))
    for table in tables(contrast, queries=queries):
        lines += ["", table.plain(WIDTH)]
    lines.append("")
    for convention in (contrast.a, contrast.b):
        lines.extend(_wrapped(str(convention)))
    return "\n".join(lines)


def drawn(contrast: Contrast, *, queries: int | None = QUERIES) -> str:
    """Return the account as a terminal shows it, with its codes for colours, drawn by Rich."""
    return draw(*for_pages(contrast, queries))


def markdown(contrast: Contrast, *, queries: int | None = QUERIES) -> str:
    """Return the account as Markdown."""
    return "\n".join(map(written, for_pages(contrast, queries)))


def json(contrast: Contrast, *, per_query: bool = False) -> str:
    """Return the account as JSON: the contract ``gainful.contrast/1``, in full precision."""
    return text(contrast.to_dict(per_query=per_query), indent=2)


def step_rows(contrast: Contrast) -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    """Return headers and a row a system and step, in full precision, for CSV."""

    def rows() -> Iterator[Sequence[object]]:
        for account in contrast.accounts:
            for at, step in enumerate(contrast.steps):
                yield (
                    account.system,
                    at + 1,
                    step.names,
                    *step.sides,
                    account.means[at],
                    account.means[at + 1],
                    account.step(at),
                    account.counted(at),
                    account.counted(at + 1),
                )

    return STEP_COLUMNS, rows()


def query_rows(contrast: Contrast) -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    """Return headers and a row a system, query and step, in full precision, for CSV."""
    return contrast.columns, contrast.rows()


def _heading(contrast: Contrast) -> Iterator[str]:
    who = (
        contrast.systems[0] if len(contrast.accounts) == 1 else f"{len(contrast.accounts)} systems"
    )
    weighted = ", weighted means" if contrast.weighted else ""
    yield from _wrapped(f"{who}, {contrast.measure!r}{weighted}")
    for letter, convention in (("A", contrast.a), ("B", contrast.b)):
        yield from _wrapped(f"{letter}  {convention.label}", "   ")


def for_pages(contrast: Contrast, queries: int | None = QUERIES) -> list[TextTable]:
    """The tables with the heading above the first and the conventions below the last."""
    first, *others = tables(contrast, queries=queries)
    who, *conventions = (" ".join(line.split()) for line in _heading(contrast))
    title = "; ".join(part for part in (f"{who}: {', '.join(conventions)}", first.title) if part)
    found = [_with(first, title, first.notes), *others]
    last = found.pop()
    ends = [str(contrast.a), str(contrast.b)]
    return [*found, _with(last, last.title, [*last.notes, *ends])]


def _with(table: TextTable, title: str, notes: Sequence[str]) -> TextTable:
    return table.told(title=title, notes=notes)


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    return wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
