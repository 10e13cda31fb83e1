"""The result of `locate`: spans, quotes without a place, and their tables."""

from __future__ import annotations

from collections import Counter

from gainful.formats.table import Column, Note, Table
from gainful.records import Record, as_columns, field
from gainful.records.tables import table_of
from gainful.references import refer
from gainful.results import Records, Result
from gainful.vocabulary import PROBLEMS, WAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

__all__ = ["Location", "Problem", "Span"]

_COUNT = {"minimum": 0}
#: The most quotes that the table of problems lists.
_MOST = 20

#: The columns of the spans by kind; those in parentheses only if there are any.
_COLUMNS = {
    "qrels": "query_id document_id start end (group) (weight) grade match",
    "run": "query_id document_id start end (tokens) (rank) (score) (chunk_id) match",
    "chunks": "(chunk_id) document_id start end (tokens) match",
}

_WORDS = {
    "exact": "found as they are",
    "normalized": "found after normalization of white space and Unicode",
    "given": "at the given offsets",
    "order": "repeated, placed in the order of the chunks",
    "first": "at several places, of which the first is used",
    "alternative": "at several places, which are alternatives",
    "corrected": "at other offsets than the given ones",
    "missing": "not in the texts",
    "ambiguous": "at several places",
    "wrong offsets": "with wrong offsets",
    "unknown document": "not in the texts, of documents that the corpus lacks",
}


class Span(Record):
    """The place of a quote or chunk."""

    query: str | None = field(key="query_id")
    """The id of the query, or its text; None for a list of chunks."""
    document: str = field(key="document_id")
    """The id of the document."""
    start: int = field(json=_COUNT)
    """The first character, counted from 0 in code points."""
    end: int = field(json=_COUNT)
    """The character after the last."""
    group: str | None
    """The alternatives it belongs to; None if there are no groups."""
    weight: float | None
    """The weight of its group, if the quotes have weights."""
    tokens: int | None = field(json=_COUNT)
    """The number of tokens of the chunk, if the run or the list has it."""
    rank: int | None
    """Its rank in the run."""
    score: float | None
    """Its score in the run."""
    chunk: str | None = field(key="chunk_id")
    """The id of the chunk."""
    grade: float
    """The grade of the evidence: 1, unless the quote has one."""
    match: Literal["exact", "normalized", "given", "order", "first", "alternative", "corrected"]
    """How it was found: the text as it is; after normalization; at the given offsets; a repeated
    chunk by the order of the chunks; the first or one of several places; or where the text is,
    which is not where the offsets say."""


class Problem(Record):
    """A quote that has no place, or another one than given."""

    query: str | None = field(key="query_id", tables="problems", label="query_id", if_any=True)
    """The id of the query, or its text."""
    chunk: str | None = field(key="chunk_id", tables="problems", label="chunk_id", if_any=True)
    """The id of the chunk."""
    problem: Literal["missing", "ambiguous", "wrong offsets", "unknown document"] = field(
        tables="problems"
    )
    """What is wrong."""
    places: int = field(tables="problems", show=str, json=_COUNT)
    """The number of places where its text occurs."""
    document: str | None = field(
        key="document_id", tables="problems", label="first in", if_any=True
    )
    """The document of the first of them, or the named one."""
    start: int | None = field(tables="problems", label="at", show="{:,}".format, if_any=True)
    """The start of the first of them."""
    end: int | None
    """The end of the first of them."""
    given_start: int | None = field(
        tables="problems", label="given", show="{:,}".format, if_any=True
    )
    """The given start, in the given unit."""
    given_end: int | None
    """The given end, in the given unit."""
    quote: str | None = field(
        tables="problems", fit="end", cell=lambda problem: " ".join((problem.quote or "").split())
    )
    """The quote; None if only offsets are given."""


class Location(Result):
    """The places of quotes in the texts of documents.

    Examples
    --------
    >>> import gainful
    >>> golden = [{"query": "q1", "quote": "lentils", "document": "a"}]
    >>> location = gainful.locate({"a": "Red lentils."}, golden)
    >>> location
    <Location: 1 of 1 quotes>
    >>> location.records()["start"], location.is_complete
    ([4], True)
    """

    SCHEMA = "gainful.location/1"
    COMMAND = "locate"
    RECORDS = {"spans": None, "problems": Problem}

    kind: Literal["qrels", "run", "chunks"]
    """What the quotes are: evidence for queries, what a system returned, or chunks of documents."""
    source: str
    """The file of the quotes."""
    corpus: str
    """The name of the corpus."""
    quotes: int = field(json=_COUNT)
    """The number of quotes."""
    queries: int = field(json=_COUNT)
    """The number of queries."""
    empty: int = field(json=_COUNT)
    """The number of queries without quotes."""
    documents: int = field(json=_COUNT)
    """The number of documents that were searched."""
    repeated_documents: int = field(json=_COUNT)
    """The number of documents with the id of an earlier one, which were not searched."""
    unknown_documents: int = field(json=_COUNT)
    """The number of named documents that the corpus lacks, so that all documents were searched."""
    repeated: int = field(json=_COUNT)
    """The number of quotes at the place of an earlier one of their query, which are one span."""
    ambiguous: Literal["skip", "first", "all", "error"]
    """What happened to quotes that occur several times."""
    unit: Literal["characters", "utf16", "bytes"]
    """The unit of the given offsets. Spans are always in characters, which are code points."""
    outcomes: dict[str, int]
    """The number of quotes by how they were found (`Span.match`), or by why they have no place
    (`Problem.problem`)."""
    spans: list[Span]
    """The places, in the order of the quotes."""
    problems: list[Problem]
    """The quotes that have no place, or another one than given."""

    @property
    def is_complete(self) -> bool:
        """Whether every quote has one place, and given offsets are right."""
        return not self.problems

    @property
    def located(self) -> int:
        """The number of quotes with a place."""
        return sum(self.outcomes.get(way, 0) for way in WAYS)

    def tables(self) -> list[Table]:
        """Return the numbers of quotes by how they were found, and those with a problem."""
        columns = [Column("outcome", self.source), Column("quotes", show="{:,}".format)]
        known = [key for key in (*WAYS, *PROBLEMS) if key in self.outcomes]
        rows = [(_WORDS[key], self.outcomes[key]) for key in known]
        notes = _notes(self)
        if not self.problems:
            return [Table(columns, rows, notes=notes)]
        more = len(self.problems) - _MOST
        title = "Quotes to check" + (f" ({_MOST} of {len(self.problems):,})" if more > 0 else "")
        problems = table_of(self.problems[:_MOST], "problems", title=title, notes=notes)
        return [Table(columns, rows), problems]

    def summary(self) -> str:
        """Return in one sentence how many quotes have a place."""
        counts: Counter[str] = Counter(problem.problem for problem in self.problems)
        parts = [f"{counts[key]:,} {key}" for key in PROBLEMS if counts[key]]
        what = "quotes" if self.kind == "qrels" else "chunks"
        documents = f"{self.documents:,} {'document' if self.documents == 1 else 'documents'}"
        located = f"{self.located:,} of {self.quotes:,} {what} located in {documents}"
        return f"{self.source}: {'; '.join([located, *parts])}."

    def _records(self, name: str) -> Records:
        if name != "spans":
            return super()._records(name)
        spans = as_columns(Span, self.spans)
        columns = {}
        for column in _COLUMNS[self.kind].split():
            key = column.strip("()")
            values = spans[key]
            if key == "weight" and any(value is not None for value in values):
                values = [1.0 if value is None else value for value in values]
            if key == column or any(value is not None for value in values):
                columns[key] = values
        return columns

    def __repr__(self) -> str:
        return f"<Location: {self.located:,} of {self.quotes:,} quotes>"


def _notes(location: Location) -> list[Note]:
    notes = [location.summary()]
    if "ambiguous" in location.outcomes:
        policy = refer("ambiguous", "first", python="ambiguous='first'")
        notes.append(f"Ambiguous quotes are left out; {policy} uses their first place.")
    counts = (
        (location.empty, f"of {location.queries:,} queries have no quotes"),
        (location.repeated, "quotes are at the place of an earlier one of their query"),
        (location.unknown_documents, "named documents are not in the corpus; all were searched"),
        (location.repeated_documents, "documents repeat an id, and were not searched"),
    )
    notes += [f"{number:,} {what}." for number, what in counts if number]
    return [Note("location", note) for note in notes]
