"""The result of `gainful.pool`."""

from __future__ import annotations

from collections import Counter
from random import Random

from gainful.formats.table import Column, Note, Table
from gainful.pooling import files
from gainful.pooling.orders import STRATEGIES
from gainful.records import Record, derived, field
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike
    from typing import Any, Self

    from gainful.data import Run
    from gainful.data.query_samples import QuerySample

__all__ = ["Pool", "PooledDocument"]

#: Seconds per document of an experienced judge, to estimate hours.
PACE = 30.0

_SETTLED = "No labels could change the order of the systems under {}: judging can stop."


class PooledDocument(Record):
    """A document of a pool."""

    query_id: str
    """The query."""
    doc_id: str
    """The document."""
    stratum: int | None = field(json={"minimum": 0})
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
    seed: int = field(json={"minimum": 0})
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
            strata += [design[each][0] if design else None for each in documents]
            probabilities += [design[each][1] if design else None for each in documents]
            grades += [judged[query].get(each) for each in documents]
        judges = [int(grade is None) for grade in grades]
        unjudged = [at for at, count in enumerate(judges) if count]
        for at in random.sample(unjudged, round(overlap * len(unjudged))):
            judges[at] = 2
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
        files.write(self, path, format)

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
            return as_records(files.RANK_COLUMNS, self.ranks())
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
