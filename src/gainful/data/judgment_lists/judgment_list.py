"""What a judgment list holds: judgments, queries, and how much of it is neither."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from gainful.data.memory import rows_in_memory
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful import _kernel
    from gainful.data.judgment_lists.list_format import ListFormat

__all__ = ["JudgmentList", "ListedQuery"]


class ListedQuery(NamedTuple):
    """A query of a judgment list.

    Attributes
    ----------
    id : str
        What the judgments call it; its text where the list has nothing else.
    text : str or None
        What is typed; None where the list does not say.
    fields : mapping of str to object
        What else the list says of it: parameters, notes, a weight.
    """

    id: str
    text: str | None
    fields: Mapping[str, object] = {}


@dataclass(frozen=True)
class JudgmentList:
    r"""A judgment list that was read; `Qrels` and `evaluate` take it as judgments.

    Attributes
    ----------
    source : str
        The files.
    format : ListFormat
        What it was read as.
    queries : tuple of ListedQuery
        All of its queries, also those of which no document is rated.
    rows : sequence of (str, str, float)
        Query, document and grade of each rating.
    entries : int
        Its rows, or rows of rows: the places where a rating can stand.
    unrated : int
        Those without a rating. They are unjudged, which is not a grade of 0.
    repeated : int
        Those that said again what another had said.
    decided : str
        How several grades became one, or labels grades; empty where nothing had to be decided.
    duplicates : str
        What to do with a document that is rated twice under a query.

    Examples
    --------
    >>> import gainful
    >>> from gainful.data.judgment_lists import read_judgment_list
    >>> with open("list.csv", "w") as file:
    ...     _ = file.write("query,docid,rating\nsoup,r01,3\nsoup,r02,\nstew,r07,\n")
    >>> held = read_judgment_list("list.csv")
    >>> gainful.Qrels(held).to_dict(), [query.id for query in held.queries]
    ({'soup': {'r01': 3}}, ['soup', 'stew'])
    >>> held.note[:52]
    'list.csv, read as quepid: 1 of 3 rows is a judgment;'
    >>> held.entries, held.unrated, held.repeated
    (3, 2, 0)
    """

    source: str
    format: ListFormat
    queries: tuple[ListedQuery, ...]
    rows: Sequence[tuple[str, str, float]]
    _: KW_ONLY
    entries: int
    unrated: int
    repeated: int
    decided: str = ""
    duplicates: str = "error"

    def __repr__(self) -> str:
        return (
            f"<JudgmentList {self.source!r}: {len(self.queries):,} queries,"
            f" {len(self.rows):,} judgments>"
        )

    def listed_rows(self) -> _kernel.Rows:
        """Return the judgments, as `Qrels` take them.

        Raises
        ------
        FormatError
            If there is none.
        """
        if not self.rows:
            raise FormatError(
                f"no ratings ({count(len(self.queries), 'query', 'queries')})", file=self.source
            )
        return rows_in_memory(self.rows, "qrels", None, self.duplicates)

    @property
    def judged(self) -> frozenset[str]:
        """The ids of the queries of which something is judged."""
        return frozenset(query for query, _, _ in self.rows)

    @property
    def note(self) -> str:
        """How it was read and what was left out, in a sentence."""
        # Under a policy that keeps one of several grades, the others are there, too.
        rows = len({(query, document) for query, document, _ in self.rows})
        repeated = self.repeated + len(self.rows) - rows
        whole = rows == self.entries
        verb = "is a judgment" if rows == 1 else "are judgments"
        summary = (
            count(rows, "judgment", "judgments")
            if whole or not self.entries
            else f"{rows:,} of {count(self.entries, 'row', 'rows')} {verb}"
        )
        parts = [summary]
        if self.unrated:
            verb = "has no rating and is" if self.unrated == 1 else "have no rating and are"
            parts.append(f"{self.unrated:,} {verb} unjudged")
        if repeated:
            verb = "repeats another" if repeated == 1 else "repeat another"
            parts.append(f"{repeated:,} {verb}")
        without = len({query.id for query in self.queries} - self.judged)
        if without:
            queries = count(len(self.queries), "query", "queries")
            parts.append(f"of {without:,} of {queries} nothing is judged")
        if self.decided:
            parts.append(self.decided)
        return f"{self.source}, read as {self.format.name}: {'; '.join(parts)}."


def count(number: int, one: str, many: str) -> str:
    """Return a number with its noun.

    >>> count(1, "query", "queries"), count(1200, "query", "queries")
    ('1 query', '1,200 queries')
    """
    return f"{number:,} {one if number == 1 else many}"
