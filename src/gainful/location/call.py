"""Locate quotes in the texts of documents, and the result."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from gainful.data.paths import as_paths, stem
from gainful.errors import FormatError, ParameterError
from gainful.formats.table import Column, Note, Table
from gainful.keywords import suggest_keywords
from gainful.location.reading import Kind, read_quotes
from gainful.location.searching import search_quotes
from gainful.quoting import shown
from gainful.records import Record, as_columns, field
from gainful.records.tables import table_of
from gainful.references import refer
from gainful.results import Records, Result
from gainful.vocabulary import AMBIGUOUS, OFFSET_UNITS, PROBLEMS, QUOTE_KINDS, WAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal, TypeAlias

    from gainful.data.corpus import TextsLike
    from gainful.location.reading import Quote, Quotes
    from gainful.location.searching import Corpus, Place

    Way: TypeAlias = Literal[
        "exact", "normalized", "given", "order", "first", "alternative", "corrected"
    ]
    Wrong: TypeAlias = Literal["missing", "ambiguous", "wrong offsets", "unknown document"]

__all__ = ["Location", "Problem", "Span", "locate"]

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

#: A number as given, which can be negative.
_ANY = {"type": ["integer", "null"]}


class Span(Record):
    """The place of a quote or chunk."""

    query: str | None = field(key="query_id")
    """The id of the query, or its text; None for a list of chunks."""
    document: str = field(key="document_id")
    """The id of the document."""
    start: int
    """The first character, counted from 0 in code points."""
    end: int
    """The character after the last."""
    group: str | None
    """The alternatives it belongs to; None if there are no groups."""
    weight: float | None
    """The weight of its group, if the quotes have weights."""
    tokens: int | None
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
    places: int = field(tables="problems")
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
        tables="problems", label="given", show="{:,}".format, if_any=True, json=_ANY
    )
    """The given start, in the given unit."""
    given_end: int | None = field(json=_ANY)
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
    quotes: int
    """The number of quotes."""
    queries: int
    """The number of queries."""
    empty: int
    """The number of queries without quotes."""
    documents: int
    """The number of documents that were searched."""
    repeated_documents: int
    """The number of documents with the id of an earlier one, which were not searched."""
    unknown_documents: int
    """The number of named documents that the corpus lacks, so that all documents were searched."""
    repeated: int
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


@suggest_keywords
def locate(
    corpus: TextsLike,
    quotes: object,
    *,
    kind: Literal["qrels", "run", "chunks"] | None = None,
    columns: Mapping[str, str] | None = None,
    ambiguous: Literal["skip", "first", "all", "error"] = "skip",
    unit: Literal["characters", "utf16", "bytes"] = "characters",
) -> Location:
    r"""Find the places of quotes in the texts of documents.

    A quote is first searched as it is. If it occurs nowhere, it is searched with white space
    collapsed and in Unicode's form NFC, both in the quote and in the texts. Given offsets are
    verified.

    Parameters
    ----------
    corpus : path, several paths, mapping or Texts
        The documents: JSON lines, CSV, TSV, TREC markup, a BEIR folder, ``{id: text}``, or a folder
        of text files, whose ids are their paths in the folder.
    quotes : path, records or table
        A golden set with quotes for each query (``reference_contexts``, ``references``, ``quote``),
        what a system returned (``retrieved_contexts``, ``results`` with texts), or chunks without
        queries; JSON, JSON lines, CSV, TSV, a data frame, or a list of dicts or objects, such as
        documents of LangChain and nodes of LlamaIndex. Nested lists are groups of alternatives.
    kind : {"qrels", "run", "chunks"}, optional
        What the quotes are. Default: by the names of the fields.
    columns : mapping of str to str, optional
        Names of fields that are not known, as in ``{"quote": "passage", "doc": "file"}``; the other
        words are ``query``, ``results``, ``text``, ``start``, ``end``, ``group``, ``weight``,
        ``rank``, ``score``, ``tokens`` and ``chunk``. ``"hits[].body"`` is a field of the objects
        in a list.
    ambiguous : {"skip", "first", "all", "error"}
        What happens to a quote that occurs several times: it is listed and left out; its first
        place is used; all places are used, as alternatives (only for ``"qrels"``); or an error.
        Repeated chunks of a list in the order of its documents are placed one after the other.
    unit : {"characters", "utf16", "bytes"}
        The unit of given offsets: code points, as in Python; UTF-16 code units, as in JavaScript,
        Java and C#; or bytes of UTF-8, as in Rust and Go.

    Returns
    -------
    Location
        The places as 0-based, half-open ranges of code points, and the quotes without a place.

    Raises
    ------
    FormatError
        For quotes that cannot be read, a named field that is not there, or an ambiguous one with
        ``ambiguous="error"``.
    SourceError
        If a file cannot be read.
    ParameterError
        For an unknown option.

    Examples
    --------
    >>> import gainful
    >>> corpus = {"soup.md": "Fry the onions.\nAdd lentils.", "dal.md": "Add lentils. Add salt."}
    >>> golden = [
    ...     {"question": "What is fried?", "reference_contexts": ["Fry the onions. Add"]},
    ...     {"question": "What is added?", "reference_contexts": ["Add lentils.", "Add salt."]},
    ... ]
    >>> location = gainful.locate(corpus, golden)
    >>> [(span.document, span.start, span.end, span.match) for span in location.spans]
    [('soup.md', 0, 19, 'normalized'), ('dal.md', 13, 22, 'exact')]
    >>> [(problem.quote, problem.problem, problem.places) for problem in location.problems]
    [('Add lentils.', 'ambiguous', 2)]
    """
    _check("ambiguous", ambiguous, AMBIGUOUS)
    _check("unit", unit, OFFSET_UNITS)
    if kind is not None:
        _check("kind", kind, QUOTE_KINDS)
    read = read_quotes(quotes, None if kind is None else Kind(kind), columns)
    if ambiguous == "all" and read.kind is not Kind.QRELS:
        raise ParameterError(
            where="ambiguous",
            found="'all' for what a system returned",
            expected="skip, first or error",
            hint="a returned chunk has one place; alternatives are for evidence",
        )
    corpus_found = search_quotes(corpus, (entry.sought for entry in read.entries), unit)
    resolving = _Resolving(read, corpus_found, ambiguous)
    spans = resolving.spans()
    paths = as_paths(corpus)
    return Location(
        kind=read.kind.value,
        quotes=len(read.entries),
        queries=len(read.queries),
        empty=len(read.queries) - len({entry.query for entry in read.entries} - {None}),
        documents=corpus_found.documents,
        repeated_documents=corpus_found.duplicates,
        unknown_documents=len(corpus_found.unknown),
        repeated=resolving.repeated,
        ambiguous=ambiguous,
        unit=unit,
        outcomes=dict(resolving.outcomes),
        spans=spans,
        problems=resolving.problems,
        source=read.name,
        corpus=stem(paths[0]) if paths else "corpus",
    )


def _check(name: str, value: object, words: Sequence[str]) -> None:
    if value not in words:
        expected = f"one of {', '.join(words)}"
        raise ParameterError(where=name, found=shown(value), expected=expected)


class _Resolving:
    """Chooses the place of each quote."""

    def __init__(self, quotes: Quotes, corpus: Corpus, ambiguous: str) -> None:
        self._quotes = quotes
        self._corpus = corpus
        self._ambiguous = ambiguous
        self._is_ordered = quotes.kind is Kind.CHUNKS and self._in_order()
        #: The last chunk of each document, and the last of all.
        self._last: dict[str | None, Place] = {}
        self.problems: list[Problem] = []
        self.outcomes: Counter[str] = Counter()
        self.repeated = 0

    def spans(self) -> list[Span]:
        """Return the places that were chosen."""
        chosen = [(entry, *self._choose(entry)) for entry in self._quotes.entries]
        groups = self._groups([(entry, places) for entry, places, _ in chosen])
        spans: dict[object, Span] = {}
        for (entry, places, way), group in zip(chosen, groups, strict=True):
            for place in places:
                key: object = len(spans)
                if self._quotes.kind is Kind.QRELS:
                    key = (entry.query, *place[:3], group)
                    self.repeated += key in spans
                spans.setdefault(key, _span(entry, place, way, group))
        return list(spans.values())

    def _choose(self, entry: Quote) -> tuple[Sequence[Place], Way]:
        """Return the places of a quote, and how they were found; note what is wrong with it."""
        places = self._corpus.places[entry.sought]
        verified = [place for place in places if place.is_given]
        if self._is_ordered and len(places) > 1:
            # Splitters that search a repeated chunk from the start give it an earlier place.
            verified = [place for place in verified if self._follows(place)]
        is_wrong = entry.sought.start is not None and not verified
        places = verified or places
        place = places[0] if len(places) == 1 else None
        if place is None and self._is_ordered:
            place = self._following(places)
        if place is not None:
            self._last[place.document] = self._last[None] = place
            if is_wrong:
                self._note(entry, "wrong offsets", place)
                return self._use("corrected", [place])
            return self._use(
                "given" if verified else _way(place) if len(places) == 1 else "order", [place]
            )
        if not places:
            is_unknown = entry.sought.document in self._corpus.unknown
            has_text = entry.sought.text is not None
            return self._leave(
                entry,
                "unknown document" if is_unknown else "missing" if has_text else "wrong offsets",
                places,
            )
        if self._ambiguous == "error":
            raise FormatError(
                f"{shown(entry.sought.text)} occurs {len(places):,} times, first in"
                f" {places[0].document!r} at {places[0].start:,}",
                file=self._quotes.name,
                query=entry.query,
                hint="name its document and its offsets, or quote more",
            )
        if self._ambiguous == "skip":
            return self._leave(entry, "wrong offsets" if is_wrong else "ambiguous", places)
        if is_wrong:
            self._note(entry, "wrong offsets", places[0])
        is_first = self._ambiguous == "first"
        return self._use("first", places[:1]) if is_first else self._use("alternative", places)

    def _use(self, way: Way, places: Sequence[Place]) -> tuple[Sequence[Place], Way]:
        self.outcomes[way] += 1
        return places, way

    def _leave(
        self, entry: Quote, problem: Wrong, places: Sequence[Place]
    ) -> tuple[Sequence[Place], Way]:
        self.outcomes[problem] += 1
        self._note(entry, problem, places[0] if places else None)
        return [], "exact"

    def _note(self, entry: Quote, problem: Wrong, place: Place | None) -> None:
        self.problems.append(
            Problem(
                query=entry.query,
                chunk=entry.chunk,
                problem=problem,
                places=len(self._corpus.places[entry.sought]),
                document=place.document if place else entry.sought.document,
                start=place.start if place else None,
                end=place.end if place else None,
                given_start=entry.sought.start,
                given_end=entry.sought.end,
                quote=entry.sought.text,
            )
        )

    def _groups(self, chosen: Sequence[tuple[Quote, Sequence[Place]]]) -> list[str | None]:
        """Return the group of each quote: the named one, or else its number."""
        named = any(entry.group is not None for entry, _ in chosen)
        items = Counter((entry.query, entry.item) for entry, places in chosen for _ in places)
        listed = Counter((entry.query, entry.item) for entry, _ in chosen)
        has_several = any(number > 1 for number in (*items.values(), *listed.values()))
        if self._quotes.kind is not Kind.QRELS or not (named or has_several):
            return [None] * len(chosen)
        prefix = "quote " if named else ""
        return [entry.group or f"{prefix}{entry.item}" for entry, _ in chosen]

    # --- chunks in the order of their document ----------------------------------------------------

    def _in_order(self) -> bool:
        """Return whether the chunks with one place follow each other in their documents.

        In a document without such a chunk, the given places must not go back.
        """
        certain: dict[str, list[tuple[int, int]]] = {}
        stated: dict[str, list[int]] = {}
        for entry in self._quotes.entries:
            places = self._corpus.places[entry.sought]
            if len(places) == 1:
                certain.setdefault(places[0].document, []).append(places[0][1:3])
            for place in places:
                if place.is_given:
                    stated.setdefault(place.document, []).append(place.start)
        starts = (sequence for document, sequence in stated.items() if document not in certain)
        return all(map(_is_sequence, certain.values())) and all(
            sequence == sorted(sequence) for sequence in starts
        )

    def _follows(self, place: Place) -> bool:
        """Return whether a place is not before or within that of the chunk before."""
        last = self._last.get(place.document)
        return last is None or (place.start > last.start and place.end > last.end)

    def _following(self, places: Sequence[Place]) -> Place | None:
        """Return the first place after the chunk before, which it may overlap but not be within.

        The last place is repeated if there is none after it. A document begins with its first
        chunk.
        """
        before = self._last.get(None)
        if len({place.document for place in places}) > 1:
            places = [place for place in places if before and place.document == before.document]
        last = self._last.get(places[0].document) if places else None
        if last is None:
            return next((place for place in places if place.start == 0), None)
        after = (place for place in places if self._follows(place))
        same = (place for place in places if place.start >= last.start and place.end >= last.end)
        return next(after, None) or next(same, None)


def _is_sequence(places: Sequence[tuple[int, int]]) -> bool:
    """Return whether chunks follow each other, overlapping or not.

    In a hierarchy of chunks, one contains the next. Only the last may be within the one before:
    windows end with the text.

    Examples
    --------
    >>> _is_sequence([(0, 4), (2, 6), (4, 6)]), _is_sequence([(0, 6), (0, 2), (2, 6)])
    (True, False)
    """
    last = len(places) - 1
    return all(
        after[0] >= before[0] and (after == before or after[1] > before[1] or number == last)
        for number, (before, after) in enumerate(pairwise(places), start=1)
    )


def _span(entry: Quote, place: Place, way: Way, group: str | None) -> Span:
    return Span(
        query=entry.query,
        chunk=entry.chunk,
        document=place.document,
        start=place.start,
        end=place.end,
        group=group,
        weight=entry.weight,
        tokens=entry.tokens,
        rank=entry.rank,
        score=entry.score,
        grade=entry.grade,
        match=way,
    )


def _way(place: Place) -> Way:
    return "exact" if place.is_exact else "normalized"
