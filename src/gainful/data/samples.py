"""Samples of queries and of documents to judge, with their inclusion probabilities."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from math import isfinite
from os import fspath
from os.path import splitext
from random import Random

from gainful.byte_order import in_byte_order
from gainful.data.paths import uncompressed
from gainful.data.records import finite, read_records
from gainful.data.text_files import opened
from gainful.errors import FormatError, ParameterError
from gainful.quoting import shown
from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike
    from typing import Any, TypeAlias

    from gainful.data.records import Record as InputRecord
    from gainful.data.records import Records

    #: ``"random"``, a `gainful.pooling.Pool` with a sample of queries, or its file.
    Sampled: TypeAlias = str | PathLike[str] | Any
    Pair = tuple[str, str]

__all__ = [
    "RANKS",
    "JudgmentSample",
    "QuerySample",
    "Stratum",
    "example_pairs",
    "frame_of",
    "read_examples",
    "read_judgment_sample",
    "read_query_sample",
    "strata_of",
]


class QuerySample(Record):
    """A simple random sample of queries, which its numbers and the queries determine."""

    drawn: int = field(json={"minimum": 1})
    """The number of drawn queries."""
    queries: int = field(json={"minimum": 1})
    """The number of queries that they were drawn from."""
    seed: int = field(json={"minimum": 0})
    """The random seed."""

    def draw(self, queries: Iterable[str]) -> frozenset[str]:
        """Return the drawn ones of all queries.

        Examples
        --------
        >>> sorted(QuerySample(drawn=2, queries=4, seed=0).draw(["q1", "q2", "q3", "q4"]))
        ['q1', 'q2']
        """
        # Not the generator of the documents, so that it does not depend on them.
        return frozenset(Random(f"queries {self.seed}").sample(in_byte_order(queries), self.drawn))

    def check(self, queries: Iterable[str], judged: frozenset[str]) -> None:
        """Check that the judged ones of all queries are the drawn ones."""
        known = set(queries)
        if len(known) != self.queries:
            raise ParameterError(
                f"the sample was drawn from {self.queries} queries, but the model judged"
                f" {len(known)}",
                where="sampled",
                hint="the runs of the pool and the judgments of the model need the same queries",
            )
        drawn = self.draw(known)
        for others, text in (
            (drawn - judged, "was drawn, but people did not judge it"),
            (judged - drawn, "was judged by people, but not drawn"),
        ):
            if others:
                more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
                raise ParameterError(f"the query{more} {text}", where="sampled", query=min(others))


def read_query_sample(path: str | PathLike[str]) -> QuerySample:
    """Read the draw of queries that a pool records."""
    table = read_records(path)
    draws = [record.cells.get("query_sample") for record in table.rows]
    draw = draws[0] if draws else None
    names = list(QuerySample.FIELDS)
    numbers = [draw.get(name) for name in names] if isinstance(draw, dict) else []
    whole = [number for number in numbers if type(number) is int]
    if len(whole) != len(names) or any(other != draw for other in draws):
        raise FormatError(
            "no record of a random sample of queries",
            file=table.name,
            hint="⟪pool()=--queries N -o FILE.jsonl⟫ draws and records one",
        )
    return QuerySample(**dict(zip(names, whole, strict=True)))


#: The key of a line with examples, as `gainful.judge_llm` writes it.
_KEY = b'"examples"'


def read_examples(path: str | None) -> set[Pair]:
    """Return the queries and documents whose grades a model saw, from a file of its labels.

    Examples
    --------
    >>> read_examples("qrels.txt")
    set()
    """
    if path is None or not uncompressed(path.lower()).endswith(".jsonl"):
        return set()
    pairs: set[Pair] = set()
    last = b""
    with opened(path) as (_, stream):
        for line in stream:
            place = line.rfind(_KEY)
            # The labels of a prompt all name the same examples.
            if place < 0 or line[place:] == last:
                continue
            last = line[place:]
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                pairs.update(example_pairs(row.get("examples")))
    return pairs


def example_pairs(value: object) -> Iterator[Pair]:
    """Yield the queries and documents of a list of pairs; anything else has none.

    Examples
    --------
    >>> list(example_pairs([["q1", "d1"], "q2"]))
    [('q1', 'd1')]
    """
    for pair in value if isinstance(value, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            yield str(pair[0]), str(pair[1])


#: The suffix of the file of systems and ranks, next to a pool.
RANKS = ".ranks.tsv"

# n / probability is a number of documents, up to the rounding of the probability.
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class Stratum:
    """A simple random sample without replacement, from `size` documents."""

    size: int
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgmentSample:
    """A stratified random sample of the documents of each query, down to a rank.

    `frame` has the best rank of all documents it was drawn from by query, if they are known.
    """

    depth: int
    strata: Mapping[str, tuple[Stratum, ...]]
    frame: Mapping[str, Mapping[str, int]] | None


def read_judgment_sample(path: str | PathLike[str]) -> JudgmentSample:
    """Read a sample that `gainful.pool` wrote as JSON lines.

    The file may also be TSV or CSV. The documents that it was drawn from are read from the file of
    systems and ranks next to it, if there is one.
    """
    table = read_records(path)
    for column in ("query_id", "doc_id", "stratum", "probability", "depth"):
        if column not in table.columns:
            raise FormatError(
                f"no column {column!r}, expected a sample of documents to judge",
                file=table.name,
                hint="⟪pool()=--strategy sample -o FILE⟫ writes one",
            )
    depths: set[int] = set()
    drawn: dict[str, dict[str, tuple[str, float]]] = {}
    for row in table.rows:
        query, document, stratum = (
            _text(table, row, column) for column in ("query_id", "doc_id", "stratum")
        )
        probability = _number(table, row, "probability")
        depths.add(int(_number(table, row, "depth")))
        if not 0.0 < probability <= 1.0:
            raise _wrong(table, row, f"probability: found {probability!r}, expected at most 1")
        documents = drawn.setdefault(query, {})
        if document in documents:
            raise _wrong(table, row, f"query {query!r}: document {document!r} appears twice")
        documents[document] = stratum, probability
    if len(depths) != 1:
        raise FormatError(f"found depths {sorted(depths)}, expected one", file=table.name)
    strata = {
        query: strata_of(documents_drawn, table.name, query)
        for query, documents_drawn in drawn.items()
    }
    ranks = splitext(fspath(path))[0] + RANKS
    frame = None
    if fspath(path) != "-" and os.path.exists(ranks):
        frame = _read_frame(ranks)
        _check_sizes(strata, frame, table.name, ranks)
    return JudgmentSample(depths.pop(), strata, frame)


def _check_sizes(
    strata: Mapping[str, tuple[Stratum, ...]],
    frame: Mapping[str, Mapping[str, int]],
    name: str,
    ranks: str,
) -> None:
    """Check that the strata of each query have all documents that they were drawn from."""
    for query in {**frame, **strata}:
        size = sum(stratum.size for stratum in strata.get(query, ()))
        if size != len(frame.get(query, ())):
            raise FormatError(
                f"by its probabilities, the sample was drawn from {size} documents, but {ranks} has"
                f" {len(frame.get(query, ()))}",
                file=name,
                query=query,
                hint="keep all rows of a sample and their probabilities, and the file of ranks that"
                " was written with them",
            )


def strata_of(
    drawn: Mapping[str, tuple[object, float]], name: str, query: str
) -> tuple[Stratum, ...]:
    """Return the strata of the drawn documents of a query.

    Examples
    --------
    >>> strata_of({"a": (1, 1.0), "b": (2, 0.5), "c": (2, 0.5)}, "pool.jsonl", "q1")
    (Stratum(size=1, documents=('a',)), Stratum(size=4, documents=('b', 'c')))
    """
    by_stratum: dict[object, list[str]] = {}
    for document, (stratum, _) in drawn.items():
        by_stratum.setdefault(stratum, []).append(document)
    strata = []
    for stratum, documents in by_stratum.items():
        probabilities = {drawn[document][1] for document in documents}
        size = len(documents) / min(probabilities)
        whole = isfinite(size) and abs(size - round(size)) <= _ROUNDING * size
        if len(probabilities) > 1 or not whole:
            raise FormatError(
                f"found {len(documents)} documents with the probability"
                f" {' and '.join(map(repr, sorted(probabilities)))} in stratum {stratum},"
                " expected n / N for a number N of documents",
                file=name,
                query=query,
                hint="only simple random samples of strata can be read, not unequal probabilities"
                " as those of statAP"
                if len(probabilities) > 1
                else "keep all documents of a sample in the file, also those without a judgment",
            )
        strata.append(Stratum(round(size), tuple(documents)))
    return tuple(strata)


def frame_of(rows: Iterable[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    """Return the best rank of each document by query.

    Examples
    --------
    >>> frame_of([("q1", "a", 2), ("q1", "a", 1), ("q2", "b", 1)])
    {'q1': {'a': 1}, 'q2': {'b': 1}}
    """
    frame: dict[str, dict[str, int]] = {}
    for query, document, rank in rows:
        best = frame.setdefault(query, {})
        best[document] = min(rank, best.get(document, rank))
    return frame


def _read_frame(path: str) -> dict[str, dict[str, int]]:
    table = read_records(path)
    return frame_of(
        (
            _text(table, row, "query_id"),
            _text(table, row, "doc_id"),
            int(_number(table, row, "rank")),
        )
        for row in table.rows
    )


def _text(table: Records, row: InputRecord, column: str) -> str:
    value = row.cells.get(column)
    if value is None or isinstance(value, (dict, list, bool)):
        if column == "stratum":
            raise _wrong(
                table, row, "the document has no stratum; only a sample has strata and estimates"
            )
        raise _wrong(table, row, f"{column}: found {shown(value)}, expected an id")
    return str(value)


def _number(table: Records, row: InputRecord, column: str) -> float:
    number = finite(table.name, row, column, expected="a number above 0", least=0.0)
    if not number:
        raise _wrong(table, row, f"{column}: found {shown(number)}, expected a number above 0")
    return number


def _wrong(table: Records, row: InputRecord, text: str) -> FormatError:
    return FormatError(text, file=table.name, line=row.line)
