"""Real scores of real systems, which the studies draw queries from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

import gainful

Floats = npt.NDArray[np.float64]
ROBUST = Path(__file__).resolve().parents[3] / "shared" / "data" / "robust03"


@dataclass(frozen=True, eq=False)
class Queries:
    """Scores of systems on queries, (n, m), under two measures, and their origin."""

    origin: str
    first: Floats
    second: Floats

    def differences(self) -> Floats:
        """Return the differences of all pairs of systems under the first measure, (n, pairs)."""
        return pair_differences(self.first)


@dataclass(frozen=True, eq=False)
class Systems:
    """nDCG@10 of systems on queries, (n, m), and the name of the set."""

    origin: str
    scores: Floats


def pair_differences(scores: Floats) -> Floats:
    """Return the differences of all pairs of systems, (n, pairs)."""
    pairs = combinations(range(scores.shape[1]), 2)
    return np.column_stack([scores[:, one] - scores[:, other] for one, other in pairs])


def real_queries() -> Queries:
    """Return the queries of robust03 if its files are present, else the demo's."""
    return robust_queries() if ROBUST.is_dir() else demo_queries()


@cache
def robust_queries() -> Queries:
    """Return nDCG@10 and AP of eight runs of TREC 2003's Robust track, on a hundred topics."""
    qrels = ROBUST / "qrels.robust03.txt.gz"
    return _scored("eight runs of TREC 2003's Robust track", qrels, robust_runs())


@cache
def demo_queries() -> Queries:
    """Return nDCG@10 and AP of the demo's three systems on its eighty queries."""
    from gainful.demo import collection, search

    return _scored("the demo's three systems", collection.qrels_path(), search.runs())


@cache
def compared_systems() -> list[Systems]:
    """Return the systems whose pairs are compared: the demo's, and robust03's if present."""
    from gainful.demo import collection, search

    texts = str(collection.products_path()), str(collection.queries_path())
    runs = {
        **search.runs(),
        "bm25": gainful.baselines.bm25(*texts, 50),
        "tfidf": gainful.baselines.tfidf(*texts, 50),
    }
    demo = _scored("demo, five systems", collection.qrels_path(), runs)
    found = [Systems(demo.origin, demo.first)]
    if ROBUST.is_dir():
        found.append(Systems("Robust 2003, eight systems", robust_queries().first))
    return found


@cache
def scores_by_measure(measures: tuple[str, ...]) -> dict[str, dict[str, Floats]]:
    """Return the scores of real systems, (n, m), by origin and measure."""
    from gainful.demo import collection, search

    found = {}
    if ROBUST.is_dir():
        found["Robust 2003"] = (ROBUST / "qrels.robust03.txt.gz", robust_runs())
    found["demo"] = (collection.qrels_path(), search.runs())
    return {
        origin: dict(zip(measures, _tables(qrels, runs, measures), strict=True))
        for origin, (qrels, runs) in found.items()
    }


def robust_runs() -> dict[str, Path]:
    return {path.name.split(".")[1]: path for path in sorted(ROBUST.glob("input.*.gz"))}


def _scored(origin: str, qrels: object, runs: object) -> Queries:
    return Queries(origin, *_tables(qrels, runs, ("nDCG@10", "AP")))


def _tables(qrels: object, runs: object, measures: Sequence[str]) -> Iterator[Floats]:
    """Yield the scores under each measure, (n, m)."""
    found = gainful.evaluate(qrels, runs=runs, measures=list(measures))
    for measure in measures:
        columns = [found.per_query(measure, system) for system in found.systems]
        yield np.array([[column[query] for column in columns] for query in columns[0]])
