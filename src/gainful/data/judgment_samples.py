"""Read samples of documents to judge, with their inclusion probabilities."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import isfinite
from os import fspath
from os.path import splitext

from gainful.data.records import finite, read_records
from gainful.errors import FormatError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from gainful.data.records import Record, Records

__all__ = [
    "RANKS",
    "JudgmentSample",
    "Stratum",
    "frame_of",
    "read_judgment_sample",
    "strata_of",
]

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


def _text(table: Records, row: Record, column: str) -> str:
    value = row.cells.get(column)
    if value is None or isinstance(value, (dict, list, bool)):
        if column == "stratum":
            raise _wrong(
                table, row, "the document has no stratum; only a sample has strata and estimates"
            )
        raise _wrong(table, row, f"{column}: found {shown(value)}, expected an id")
    return str(value)


def _number(table: Records, row: Record, column: str) -> float:
    number = finite(table.name, row, column, expected="a number above 0", least=0.0)
    if not number:
        raise _wrong(table, row, f"{column}: found {shown(number)}, expected a number above 0")
    return number


def _wrong(table: Records, row: Record, text: str) -> FormatError:
    return FormatError(text, file=table.name, line=row.line)
