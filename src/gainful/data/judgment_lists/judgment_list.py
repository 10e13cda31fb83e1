"""A judgment list: judgments, queries, and counts of skipped rows."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from gainful.data.memory import rows_in_memory
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful import _kernel
    from gainful.data.layouts import ListFormat

__all__ = ["JudgmentList", "ListedQuery", "count"]


class ListedQuery(NamedTuple):
    """A query of a judgment list.

    Attributes
    ----------
    id : str
        Its id in the judgments; its text if the list has no ids.
    text : str or None
        The text of the query, if known.
    fields : mapping of str to object
        Other attributes: parameters, notes, a weight.
    """

    id: str
    text: str | None
    fields: Mapping[str, object] = {}


@dataclass(frozen=True)
class JudgmentList:
    r"""A judgment list, which `Qrels` and `evaluate` accept as judgments.

    Attributes
    ----------
    source : str
        The files.
    format : ListFormat
        Its format.
    queries : tuple of ListedQuery
        All queries, including those without ratings.
    rows : sequence of (str, str, float)
        The query, document and grade of each rating.
    entries : int
        The number of rows, with or without a rating.
    unrated : int
        The number of rows without a rating. They are unjudged, not of grade 0.
    repeated : int
        The number of identical duplicates.
    decided : str
        How several grades, or labels, were converted to grades; empty if not needed.
    duplicates : str
        How duplicate documents of a query are handled.
    groups : sequence of str
        The group of each row, with its weight: the subtopics of the judgments. Empty without
        groups.

    Examples
    --------
    >>> import gainful
    >>> from gainful.data.judgment_lists import read_judgment_list
    >>> with open("list.csv", "w") as file:
    ...     _ = file.write("query,docid,rating\nsoup,r01,3\nsoup,r02,\nstew,r07,\n")
    >>> judged = read_judgment_list("list.csv")
    >>> gainful.Qrels(judged).to_dict(), [query.id for query in judged.queries]
    ({'soup': {'r01': 3}}, ['soup', 'stew'])
    >>> judged.note[:52]
    'list.csv, read as quepid: 1 of 3 rows is a judgment;'
    >>> judged.entries, judged.unrated, judged.repeated
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
    groups: Sequence[str] = ()

    def __repr__(self) -> str:
        return (
            f"<JudgmentList {self.source!r}: {len(self.queries):,} queries,"
            f" {len(self.rows):,} judgments>"
        )

    def listed_rows(self, *, subtopics: bool = False) -> _kernel.Rows:
        """Return the judgments in the form for `Qrels`.

        Parameters
        ----------
        subtopics : bool
            Whether judgments are per group. Otherwise a document has its highest grade.

        Raises
        ------
        FormatError
            If there are none.
        """
        if not self.rows:
            raise FormatError(
                f"no ratings ({count(len(self.queries), 'query', 'queries')})", file=self.source
            )
        if not self.groups:
            return rows_in_memory(self.rows, "qrels", None, self.duplicates)
        if subtopics:
            grouped = [
                (query, group, document, grade)
                for (query, document, grade), group in zip(self.rows, self.groups, strict=True)
            ]
            return rows_in_memory(grouped, "qrels", None, self.duplicates, subtopics=True)
        best: dict[tuple[str, str], float] = {}
        for query, document, grade in self.rows:
            best[query, document] = max(grade, best.get((query, document), grade))
        merged = [(query, document, grade) for (query, document), grade in best.items()]
        return rows_in_memory(merged, "qrels", None, self.duplicates)

    @property
    def judged(self) -> frozenset[str]:
        """The ids of the queries with judgments."""
        return frozenset(query for query, _, _ in self.rows)

    @property
    def note(self) -> str:
        """How it was read and what was skipped, in a sentence."""
        # If the policy keeps one of several grades, rows still contain the others.
        groups = self.groups or [""] * len(self.rows)
        pairs = zip(self.rows, groups, strict=True)
        rows = len({(query, group, document) for (query, document, _), group in pairs})
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
            parts.append(f"{self.unrated:,} without a rating (unjudged)")
        if repeated:
            parts.append(f"{repeated:,} {'duplicate' if repeated == 1 else 'duplicates'}")
        without = len({query.id for query in self.queries} - self.judged)
        if without:
            queries = count(len(self.queries), "query", "queries")
            parts.append(f"{without:,} of {queries} without judgments")
        if self.decided:
            parts.append(self.decided)
        return f"{self.source}, read as {self.format.name}: {'; '.join(parts)}."


def count(number: int, one: str, many: str) -> str:
    """Return a number with its noun.

    >>> count(1, "query", "queries"), count(1200, "query", "queries")
    ('1 query', '1,200 queries')
    """
    return f"{number:,} {one if number == 1 else many}"
