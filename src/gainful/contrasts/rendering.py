"""Show a contrast as tables and rows."""

from __future__ import annotations

from gainful.contrasts.tables import account_table, query_table, ranking_table
from gainful.formats.table import noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.contrasts import Contrast
    from gainful.formats.table import Table

__all__ = ["heading", "query_rows", "step_rows", "tables"]

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


def tables(contrast: Contrast, *, queries: int | None) -> list[Table]:
    """Return the contrast as tables; the conventions are below the last.

    Parameters
    ----------
    contrast : Contrast
        The contrast.
    queries : int or None
        Number of changed queries to list; ``None`` for all.

    Examples
    --------
    >>> import gainful
    >>> contrast = gainful.contrast("qrels.txt", "bm25.run", "trec_eval", "gainful")
    >>> [table.keys[0] for table in tables(contrast, queries=10)]
    ['step']
    """
    found = []
    if len(contrast.accounts) > 1:
        found.append(ranking_table(contrast))
    found.append(account_table(contrast))
    moving = query_table(contrast, queries)
    *found, last = [*found, moving] if moving is not None else found
    ends = noted("convention", (str(contrast.a), str(contrast.b)))
    return [*found, last.replace(notes=[*last.notes, *ends])]


def step_rows(contrast: Contrast) -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    """Return headers and one row per system and step, in full precision, for CSV."""

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
    """Return headers and one row per system, query and step, for CSV."""
    return contrast.columns, contrast.rows()


def heading(contrast: Contrast) -> list[str]:
    """Return the systems, the measure and both conventions as a heading."""
    who = (
        contrast.systems[0] if len(contrast.accounts) == 1 else f"{len(contrast.accounts)} systems"
    )
    weighted = ", weighted means" if contrast.weighted else ""
    return [
        f"{who}, {contrast.measure!r}{weighted}",
        f"A  {contrast.a.label}",
        f"B  {contrast.b.label}",
    ]
