"""Samples of queries, and the examples in prompts."""

from __future__ import annotations

import json
from random import Random

from gainful.byte_order import in_byte_order
from gainful.data.paths import uncompressed
from gainful.data.records import read_records
from gainful.data.text_files import opened
from gainful.errors import FormatError, ParameterError
from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any, TypeAlias

    #: ``"random"``, a `gainful.pooling.Pool` with a sample of queries, or its file.
    Sampled: TypeAlias = str | PathLike[str] | Any

    Pair = tuple[str, str]

__all__ = ["QuerySample", "example_pairs", "read_examples", "read_query_sample"]


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
        """Check that the judged ones of all queries are the drawn ones.

        Raises
        ------
        ParameterError
            If they are not.
        """
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
    """Read the draw of queries that a pool records.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        If it records none, or several.
    """
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

    Parameters
    ----------
    path : str or None
        The file. Only JSON lines, as `gainful.judge_llm` writes them, name examples.

    Raises
    ------
    SourceError
        If the file cannot be read.

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
