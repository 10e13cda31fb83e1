"""The result of `gainful.pool`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from gainful.pooling import files
from gainful.pooling.rendering import plan_table
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike
    from typing import Any, Self

    from gainful.data import Run
    from gainful.data.query_samples import QuerySample
    from gainful.formats.table import Table

__all__ = ["Pool"]

#: Seconds per document of an experienced judge, to estimate hours.
PACE = 30.0


@dataclass(frozen=True, eq=False, repr=False)
class Pool(Result):
    """Documents to judge.

    Attributes
    ----------
    strategy : str
        How the documents were chosen.
    depth : int
        The maximum rank of a pooled document.
    budget : int or None
        The requested maximum number of documents to judge.
    seed : int
        The random seed.
    queries, documents : list of str
        Query id and document id of each row.
    strata : list of int or None
        The stratum of each row of a sample; 0 for documents that were judged before.
    probabilities : list of float or None
        The inclusion probability of each row of a sample.
    grades : list of float or None
        The grade of each document that was judged before.
    judges : list of int
        How many people should judge each row; 0 for documents that were judged before.
    query_sample : QuerySample or None
        The numbers of drawn queries and of all, and the seed; None if no queries were drawn.
    settled : str or None
        The measure under which no labels could change the order of the systems, for an adaptive
        strategy. There is nothing to judge then.

    Examples
    --------
    >>> import gainful
    >>> runs = {"old": {"q1": ["a", "b"]}, "new": {"q1": ["b", "c"]}}
    >>> found = gainful.pool(runs, depth=1)
    >>> sorted(zip(found.queries, found.documents))
    [('q1', 'a'), ('q1', 'b')]
    """

    RECORDS = {"documents": None, "ranks": None}

    strategy: str
    depth: int
    budget: int | None
    seed: int
    queries: list[str]
    documents: list[str]
    strata: list[int | None]
    probabilities: list[float | None]
    grades: list[float | None]
    judges: list[int]
    query_sample: QuerySample | None = None
    settled: str | None = None
    _runs: dict[str, Run] = field(default_factory=dict)

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

    @property
    def systems(self) -> list[str]:
        """The names of the pooled systems."""
        return list(self._runs)

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

    def tables(self, pace: float = PACE) -> list[Table]:
        """Return the plan: how many documents to judge, and how long it takes."""
        return [plan_table(self, pace)]

    def to_dict(self) -> dict[str, Any]:
        """Return the pool as the JSON contract ``gainful.pool/1``."""
        return {
            "schema": "gainful.pool/1",
            "strategy": self.strategy,
            "depth": self.depth,
            "budget": self.budget,
            "seed": self.seed,
            "query_sample": self.query_sample and self.query_sample._asdict(),
            "settled": self.settled,
            "systems": self.systems,
            "documents": list(files.rows(self)),
        }

    def _records(self, name: str) -> Records:
        if name == "ranks":
            return as_records(("query_id", "doc_id", "system", "rank"), self.ranks())
        return {
            "query_id": list(self.queries),
            "doc_id": list(self.documents),
            "stratum": list(self.strata),
            "probability": list(self.probabilities),
            "judges": list(self.judges),
        }

    def __repr__(self) -> str:
        names = f" of {', '.join(self.systems)}" if self._runs else ""
        return f"<Pool {self.strategy!r}{names}: {len(self)} documents>"
