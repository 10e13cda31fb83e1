"""A pool of documents to judge: their order, its files and its summary."""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush
from itertools import chain, islice, zip_longest
from json import dumps
from json.encoder import encode_basestring
from os import fspath
from os.path import splitext
from random import Random

from gainful.data.samples import RANKS
from gainful.errors import FormatError, ParameterError
from gainful.formats.delimited import WRITERS
from gainful.formats.table import Column, Note, Table
from gainful.records import Record, derived, field
from gainful.results import Records, Result, as_records
from gainful.vocabulary import POOL_FORMATS
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Any, Self

    from gainful.data import Run
    from gainful.data.samples import QuerySample

    Rankings = Sequence[Sequence[str]]

    Grades = Mapping[str, float]

    Order = Callable[[Rankings, Grades], Iterator[str]]

__all__ = [
    "ADAPTIVE",
    "ORDERS",
    "RANK_COLUMNS",
    "Pool",
    "by_depth",
    "by_max_mean",
    "by_rank_fusion",
    "ranks_file",
]


#: The constant of reciprocal rank fusion.
_CONSTANT = 60


def by_depth(rankings: Rankings, grades: Grades) -> Iterator[str]:
    """Yield the documents by their best rank, then by the order of the systems.

    The documents up to a best rank k are the union of the first k of each run. K. Spärck Jones and
    C. J. van Rijsbergen: Report on the need for and provision of an "ideal" information retrieval
    test collection. University of Cambridge, 1975.

    Examples
    --------
    >>> list(by_depth([["a", "b"], ["c", "a", "d"]], {}))
    ['a', 'c', 'b', 'd']
    """
    by_rank = zip_longest(*rankings)
    documents = dict.fromkeys(chain.from_iterable(by_rank))
    documents.pop(None, None)
    yield from documents


def by_rank_fusion(rankings: Rankings, grades: Grades) -> Iterator[str]:
    """Yield the documents by the sum of 1 / (60 + rank) over the systems, descending.

    Equal sums are in the order of `by_depth`. G. V. Cormack, C. L. A. Clarke, S. Büttcher:
    Reciprocal rank fusion outperforms Condorcet and individual rank learning methods. SIGIR 2009.

    Examples
    --------
    >>> list(by_rank_fusion([["a", "b", "d"], ["c", "b"]], {}))
    ['b', 'a', 'c', 'd']
    """
    sums = dict.fromkeys(by_depth(rankings, grades), 0.0)
    for ranking in rankings:
        for rank, document in enumerate(ranking, start=1):
            sums[document] += 1.0 / (_CONSTANT + rank)
    yield from sorted(sums, key=lambda document: -sums[document])


def by_move_to_front(rankings: Rankings, grades: Grades) -> Iterator[str]:
    """Yield the next document of the system that last found a relevant one.

    All systems start with the same priority. The next document is taken from the first system of
    the highest priority. After a document that is not relevant, the priority of its system is one
    less; a document without a grade changes nothing. G. V. Cormack, C. R. Palmer, C. L. A. Clarke:
    Efficient construction of large test collections. SIGIR 1998.

    Examples
    --------
    >>> rankings = [["a", "b"], ["c", "d", "e"]]
    >>> list(by_move_to_front(rankings, {"a": 0, "c": 1, "d": 1}))
    ['a', 'c', 'd', 'e', 'b']
    """
    priorities = [0] * len(rankings)

    def update(system: int, document: str, grade: float) -> Iterable[int]:
        if grade > 0:
            return ()
        priorities[system] -= 1
        return (system,)

    yield from _follow(rankings, grades, lambda system: priorities[system], update)


def by_max_mean(rankings: Rankings, grades: Grades) -> Iterator[str]:
    """Yield the next document of the system with the highest share of relevant documents.

    The share is the mean of a beta distribution, (relevant + 1) / (judged + 2), over the judged
    documents that a system retrieved. D. E. Losada, J. Parapar, A. Barreiro: Multi-armed bandits
    for adjudicating documents in pooling-based evaluation of information retrieval systems.
    Information Processing and Management 53(5), 2017 (MaxMean).

    Examples
    --------
    >>> rankings = [["a", "b"], ["c", "d", "e"]]
    >>> list(by_max_mean(rankings, {"a": 0, "c": 1, "d": 1}))
    ['a', 'c', 'd', 'e', 'b']
    """
    relevant = [1] * len(rankings)
    judged = [2] * len(rankings)
    retrieved_by: dict[str, list[int]] = {}
    for system, ranking in enumerate(rankings):
        for document in ranking:
            if document in grades:
                retrieved_by.setdefault(document, []).append(system)

    def update(_: int, document: str, grade: float) -> Iterable[int]:
        for system in retrieved_by[document]:
            judged[system] += 1
            relevant[system] += grade > 0
        return retrieved_by[document]

    yield from _follow(rankings, grades, lambda system: relevant[system] / judged[system], update)


def _follow(
    rankings: Rankings,
    grades: Grades,
    priority: Callable[[int], float],
    update: Callable[[int, str, float], Iterable[int]],
) -> Iterator[str]:
    """Yield the next document of the system with the highest priority.

    After a document with a grade, ``update`` returns the systems whose priority changes.
    """
    places = [0] * len(rankings)
    current = [priority(system) for system in range(len(rankings))]
    queue = [(-value, system) for system, value in enumerate(current)]
    heapify(queue)
    seen: set[str] = set()
    while queue:
        value, system = queue[0]
        ranking = rankings[system]
        place = places[system]
        while place < len(ranking) and ranking[place] in seen:
            place += 1
        places[system] = place
        # An entry is outdated if the priority has changed since.
        if place == len(ranking) or -value != current[system]:
            heappop(queue)
            continue
        document = ranking[place]
        seen.add(document)
        yield document
        if document in grades:
            for changed in update(system, document, grades[document]):
                if current[changed] != priority(changed):
                    current[changed] = priority(changed)
                    heappush(queue, (-current[changed], changed))


#: The orders by the name of their strategy.
ORDERS: dict[str, Order] = {
    "depth": by_depth,
    "rrf": by_rank_fusion,
    "mtf": by_move_to_front,
    "maxmean": by_max_mean,
}

#: All strategies.
STRATEGIES = (*ORDERS, "mtc", "sample")

#: The strategies whose order follows the judgments.
ADAPTIVE = frozenset({"mtf", "maxmean", "mtc"})


#: The columns of the file of ranks.
RANK_COLUMNS = ("query_id", "doc_id", "system", "rank")

#: How to encode ids that are not valid UTF-8, and how many lines at once.
_BYTES, _LINES = "surrogateescape", 4_096


def write(pool: Pool, path: str | PathLike[str], format: str | None) -> None:
    """Implement `Pool.write`."""
    name = fspath(path)
    style = format or {".pool": "trec", ".prels": "prels"}.get(splitext(name)[1], "jsonl")
    if style not in FORMATS:
        raise ParameterError(
            where="format", found=repr(style), expected=f"one of {', '.join(FORMATS)}"
        )
    lines = FORMATS[style](pool)
    ranks = WRITERS["tsv"](RANK_COLUMNS, pool.ranks())
    # An id that is not valid UTF-8 has lone surrogates, which JSON must escape.
    write_whole(name, _encoded(lines, "backslashreplace" if style == "jsonl" else _BYTES))
    write_whole(ranks_file(name), _encoded(ranks, _BYTES))


def ranks_file(path: str) -> str:
    """Return the name of the file with the systems and ranks of a pool.

    Examples
    --------
    >>> ranks_file("pool.jsonl")
    'pool.ranks.tsv'
    """
    return splitext(path)[0] + RANKS


def _encoded(lines: Iterable[str], errors: str) -> Iterator[bytes]:
    """Encode many lines at once, which is faster than one at a time."""
    remaining = iter(lines)
    while part := "".join(islice(remaining, _LINES)):
        yield part.encode("utf-8", errors)


def _json_lines(pool: Pool) -> Iterator[str]:
    """Yield the documents: a format string is several times faster than an encoder."""
    quoted = encode_basestring
    shared: dict[str, Any] = {"strategy": pool.strategy, "depth": pool.depth}
    if pool.query_sample:
        shared["query_sample"] = pool.query_sample.to_dict()
    tail = f", {dumps(shared)[1:]}\n"
    names = {query: quoted(query) for query in dict.fromkeys(pool.queries)}
    rows = zip(*pool.columns().values(), strict=True)
    for query, document, stratum, probability, judges in rows:
        drawn = (
            f'"stratum": {stratum}, "probability": {probability!r}'
            if stratum is not None
            else '"stratum": null, "probability": null'
        )
        yield (
            f'{{"query_id": {names[query]}, "doc_id": {quoted(document)}, {drawn},'
            f' "judges": {judges}{tail}'
        )


def _trec_lines(pool: Pool) -> Iterator[str]:
    for query, document in zip(pool.queries, pool.documents, strict=True):
        yield f"{_word(query)} {_word(document)}\n"


def _prels_lines(pool: Pool) -> Iterator[str]:
    if pool.strategy != "sample":
        raise ParameterError(
            where="format",
            found=f"prels of the strategy {pool.strategy}",
            expected="a sample, whose documents have inclusion probabilities",
        )
    columns = (pool.queries, pool.documents, pool.grades, pool.probabilities)
    for query, document, grade, probability in zip(*columns, strict=True):
        label = "-1" if grade is None else f"{grade:g}"
        yield f"{_word(query)} {_word(document)} {label} sample {probability!r}\n"


def _word(value: str) -> str:
    if len(value.split()) != 1:
        raise FormatError(
            found=f"the id {value!r}",
            expected="an id without white space, which TREC formats separate columns with",
            hint="write JSON lines instead",
        )
    return value


#: The formats by name.
FORMATS = dict(zip(POOL_FORMATS, (_json_lines, _trec_lines, _prels_lines), strict=True))


#: Seconds per document of an experienced judge, to estimate hours.
PACE = 30.0

_SETTLED = "No labels could change the order of the systems under {}: judging can stop."


class PooledDocument(Record):
    """A document of a pool."""

    query_id: str
    """The query."""
    doc_id: str
    """The document."""
    stratum: int | None
    """The stratum of a sampled document; 0 for one that was judged before."""
    probability: float | None = field(json={"minimum": 0, "maximum": 1})
    """The inclusion probability of a sampled document."""
    judges: int = field(json={"enum": [0, 1, 2]})
    """How many people should judge the document; 0 if it was judged before."""
    strategy: str
    """As of the pool."""
    depth: int
    """As of the pool."""
    query_sample: QuerySample | None = field(optional=True)
    """As of the pool; absent if all queries were pooled."""


class Pool(Result):
    """Documents to judge.

    Examples
    --------
    >>> import gainful
    >>> runs = {"old": {"q1": ["a", "b"]}, "new": {"q1": ["b", "c"]}}
    >>> found = gainful.pool(runs, depth=1)
    >>> sorted(zip(found.queries, found.documents))
    [('q1', 'a'), ('q1', 'b')]
    """

    SCHEMA = "gainful.pool/1"
    RECORDS = {"documents": None, "ranks": None}

    strategy: str = field(json={"enum": list(STRATEGIES)})
    """How the documents were chosen."""
    depth: int = field(json={"minimum": 1})
    """The maximum rank of a pooled document."""
    budget: int | None = field(json={"minimum": 1})
    """The requested maximum number of documents to judge."""
    seed: int
    """The random seed."""
    query_sample: QuerySample | None = None
    """The random sample of queries that were pooled; None if all were."""
    settled: str | None = None
    """The measure under which no labels could change the order of the systems; None if they could,
    or for a strategy that is not adaptive."""
    systems: list[str] = derived(lambda pool: list(pool._runs))
    """The names of the pooled systems."""
    rows: tuple[PooledDocument, ...] = derived(lambda pool: _rows(pool), key="documents")
    """The documents."""
    queries: list[str] = field(key="")
    """The query of each row."""
    documents: list[str] = field(key="")
    """The document of each row."""
    strata: list[int | None] = field(key="")
    """The stratum of each row of a sample; 0 for documents that were judged before."""
    probabilities: list[float | None] = field(key="")
    """The inclusion probability of each row of a sample."""
    grades: list[float | None] = field(key="")
    """The grade of each document that was judged before."""
    judges: list[int] = field(key="")
    """How many people should judge each row; 0 for documents that were judged before."""
    _runs: dict[str, Run]

    @classmethod
    def of(
        cls,
        chosen: Iterable[tuple[str, list[str], Mapping[str, tuple[int, float]]]],
        *,
        strategy: str,
        depth: int,
        budget: int | None,
        overlap: float,
        seed: int,
        runs: dict[str, Run],
        judged: Mapping[str, Mapping[str, float]],
        query_sample: QuerySample | None = None,
        settled: str | None = None,
    ) -> Self:
        """Return the pool of the chosen documents of each query, in random order.

        Parameters
        ----------
        chosen : iterable of (query, documents, design)
            The documents, and for a sample the stratum and probability of each.
        overlap : float
            The share of the documents to judge that gets two judges.
        judged : mapping of str to mapping
            The grades of the documents that need no judge, by query.
        """
        # Not the generator of the sample, so that order and overlap do not change it.
        random = Random(f"order {seed}")
        queries: list[str] = []
        rows: list[str] = []
        strata: list[int | None] = []
        probabilities: list[float | None] = []
        grades: list[float | None] = []
        for query, documents, design in chosen:
            random.shuffle(documents)
            queries += [query] * len(documents)
            rows += documents
            strata += [design[document][0] if design else None for document in documents]
            probabilities += [design[document][1] if design else None for document in documents]
            grades += [judged[query].get(document) for document in documents]
        judges = [int(grade is None) for grade in grades]
        unjudged = [index for index, count in enumerate(judges) if count]
        for place in random.sample(unjudged, round(overlap * len(unjudged))):
            judges[place] = 2
        return cls(
            strategy=strategy,
            depth=depth,
            budget=budget,
            seed=seed,
            queries=queries,
            documents=rows,
            strata=strata,
            probabilities=probabilities,
            grades=grades,
            judges=judges,
            query_sample=query_sample,
            settled=settled,
            _runs=runs,
        )

    def __len__(self) -> int:
        return sum(count > 0 for count in self.judges)

    def counts(self) -> dict[str, int]:
        """Return the number of documents to judge by query."""
        counts = Counter(
            query for query, judges in zip(self.queries, self.judges, strict=True) if judges
        )
        return {query: counts[query] for query in dict.fromkeys(self.queries)}

    def hours(self, pace: float = PACE) -> float:
        """Return the hours of work for all judges together.

        Parameters
        ----------
        pace : float
            Seconds per document.
        """
        return sum(self.judges) * pace / 3600

    def ranks(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield (query, document, system, rank) of all pooled documents.

        For a sample, also of the documents that it was drawn from. Judges should not see them,
        since they show which system retrieved a document.
        """
        pooled: dict[str, set[str]] = {}
        for query, document in zip(self.queries, self.documents, strict=True):
            pooled.setdefault(query, set()).add(document)
        for query, documents in pooled.items():
            for system, run in self._runs.items():
                ranking = (run.get(query) or [])[: self.depth]
                for rank, (document, _) in enumerate(ranking, start=1):
                    if self.strategy == "sample" or document in documents:
                        yield query, document, system, rank

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:
        """Write the pool to a file, atomically.

        Parameters
        ----------
        path : str or path
            The file. The systems and ranks of its documents are written to a second file, named
            after the first with ``.ranks.tsv``, since judges should not see them.
        format : {"jsonl", "trec", "prels"}, optional
            JSON lines with the keys ``query_id``, ``doc_id``, ``stratum``, ``probability``,
            ``judges``, ``strategy`` and ``depth``, and ``query_sample`` if queries were drawn; a
            TREC pool (query and document); or the prels
            format of the Million Query track (query, document, grade or -1, strategy, probability).
            Default: from the suffix ``.pool`` or ``.prels``, else JSON lines.

        Raises
        ------
        ParameterError
            For an unknown format, or prels of a pool that is not a sample.
        FormatError
            For an id with white space in TREC formats.
        SourceError
            If a file cannot be written.
        """
        write(self, path, format)

    def columns(self) -> dict[str, list[Any]]:
        """Return what differs between the documents, by exported name."""
        return {
            "query_id": self.queries,
            "doc_id": self.documents,
            "stratum": self.strata,
            "probability": self.probabilities,
            "judges": self.judges,
        }

    def tables(self, pace: float = PACE) -> list[Table]:
        """Return the plan: how many documents to judge, and how long it takes."""
        return [_plan(self, pace)]

    def _records(self, name: str) -> Records:
        if name == "ranks":
            return as_records(RANK_COLUMNS, self.ranks())
        return {name: list(column) for name, column in self.columns().items()}

    def __repr__(self) -> str:
        names = f" of {', '.join(self.systems)}" if self._runs else ""
        return f"<Pool {self.strategy!r}{names}: {len(self)} documents>"


def _rows(pool: Pool) -> tuple[PooledDocument, ...]:
    columns = pool.columns()
    return tuple(
        PooledDocument(
            **dict(zip(columns, values, strict=True)),
            strategy=pool.strategy,
            depth=pool.depth,
            query_sample=pool.query_sample,
        )
        for values in zip(*columns.values(), strict=True)
    )


def _plan(pool: Pool, pace: float) -> Table:
    """Return the numbers of documents and queries, and the hours at a pace in seconds."""
    counts = sorted(pool.counts().values())
    seconds = f"{pace:g} s per document"
    rows: list[tuple[str, str]] = [
        ("documents to judge", f"{len(pool):,}"),
        ("queries", f"{sum(count > 0 for count in counts):,}"),
    ]
    if pool.query_sample:
        sample = pool.query_sample
        rows.append(("random sample of queries", f"{sample.drawn:,} of {sample.queries:,}"))
    if counts:
        middle = counts[len(counts) // 2]
        rows.append(("per query", f"{counts[0]:,} to {counts[-1]:,}, median {middle:,}"))
    twice = sum(count == 2 for count in pool.judges)
    if twice:
        rows.append(("by two judges", f"{twice:,}"))
    known = sum(count == 0 for count in pool.judges)
    if known:
        rows.append(("judged before", f"{known:,}"))
    rows.append((f"hours, at {seconds}", f"{pool.hours(pace):.1f}"))
    return Table(
        [Column("figure"), Column("value", align="r")],
        rows,
        title=f"Pool of {len(pool.systems)} runs: {pool.strategy}, depth {pool.depth}, random seed"
        f" {pool.seed}",
        notes=[Note("settled", _SETTLED.format(pool.settled))] if pool.settled else [],
    )
