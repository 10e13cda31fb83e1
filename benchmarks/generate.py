"""Generate a collection: qrels, runs and the correct answers.

Run under the peers' Python (it needs NumPy)::

    python benchmarks/generate.py FOLDER '{"queries": 349, "depth": 1000, ...}'

The lines resemble an MS MARCO run: integer ids, six decimals, ranks from 1, grouped by query and in
rank order. Scores are multiples of 0.0001 below 200, so that they remain distinct in trec_eval's
32-bit floats, and some are exactly tied.

``answers.json`` has the nDCG@10 of each run, computed here with NumPy and not by a program under
test, and its minimum and maximum over all orders of ties.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

COLLECTION = 8_841_823  # passages, as in MS MARCO
HIGHEST_QUERY_ID = 1_102_400
CUTOFF = 10
TIED = 0.04  # probability of the same score as the previous document
FOUND = 0.7  # probability that a judged document is retrieved
POOL = 10  # from this number of judged documents per query, not all are relevant
TAG = "bm25f"


class Query:
    """A query id, and its judged documents with their grades."""

    __slots__ = ("grades", "id", "judged")

    def __init__(self, query_id: int, judged: list[int], grades: list[int]) -> None:
        self.id = query_id
        self.judged = judged
        self.grades = grades


def make_queries(rng: np.random.Generator, count: int, judged: float) -> list[Query]:
    """Draw query ids, and on average `judged` documents per query (at least one)."""
    highest = max(HIGHEST_QUERY_ID, 2 * count)
    ids = rng.choice(highest, count, replace=False, shuffle=True) + 1
    sizes = 1 + rng.poisson(judged - 1, count)
    queries = []
    for query_id, size in zip(ids.tolist(), sizes.tolist(), strict=True):
        documents = rng.choice(COLLECTION, size, replace=False).tolist()
        if judged < POOL:
            # Only relevant documents are judged, as in MS MARCO, with three grades.
            grades = rng.integers(1, 4, size)
        else:
            # A pool as in TREC tracks, most of it not relevant.
            grades = rng.choice(4, size, p=[0.55, 0.2, 0.15, 0.1])
        queries.append(Query(query_id, documents, grades.tolist()))
    return queries


def is_in(documents: NDArray[np.int64], judged: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each document is judged; numpy.isin is ten times slower on few documents."""
    return np.asarray((documents[:, np.newaxis] == judged).any(axis=1))


def make_ranking(
    rng: np.random.Generator, query: Query, depth: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw the retrieved documents and their scores, in ten-thousandths, descending."""
    judged = np.array(query.judged)
    documents = rng.choice(COLLECTION, depth + len(judged), replace=False)
    documents = documents[~is_in(documents, judged)][:depth]
    # Few judged documents are near the top, those of a pool anywhere in the list.
    found = judged[rng.random(len(judged)) < FOUND]
    places = rng.geometric(0.1 if len(judged) < POOL else 0.005, len(found)) - 1
    documents[np.minimum(places, depth - 1)] = found
    steps = 1 + rng.exponential(30.0, depth).astype(np.int64)
    steps[rng.random(depth) < TIED] = 0
    top = int(rng.integers(180_000, 300_000))
    scores = np.maximum(top - np.cumsum(steps), 0)
    return documents, scores


def ndcg(query: Query, ranks: dict[int, int]) -> float:
    """Return nDCG@10 with judged documents at `ranks` (from 1), linear gains, log2 discounts."""
    gained = sum(
        grade / math.log2(ranks[document] + 1)
        for document, grade in zip(query.judged, query.grades, strict=True)
        if ranks.get(document, CUTOFF + 1) <= CUTOFF
    )
    best = sorted(query.grades, reverse=True)[:CUTOFF]
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, start=1))
    return gained / ideal if ideal > 0 else 0.0


def score_query(
    query: Query, documents: NDArray[np.int64], scores: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Return nDCG@10 with ties in descending order of id as text, and its bounds over ties."""
    ranks, lowest, highest = {}, {}, {}
    for place in np.flatnonzero(is_in(documents, np.array(query.judged))).tolist():
        document = int(documents[place])
        above = int((scores > scores[place]).sum())
        tied = documents[scores == scores[place]].tolist()
        ranks[document] = above + 1 + sum(str(other) > str(document) for other in tied)
        highest[document] = above + 1
        lowest[document] = above + len(tied)
    return ndcg(query, ranks), ndcg(query, lowest), ndcg(query, highest)


def lines(query: Query, documents: NDArray[np.int64], scores: NDArray[np.int64]) -> Iterator[str]:
    """Yield the lines of a TREC run for one query."""
    pairs = zip(documents.tolist(), scores.tolist(), strict=True)
    for rank, (document, score) in enumerate(pairs, start=1):
        whole, part = divmod(score, 10_000)
        yield f"{query.id} Q0 {document} {rank} {whole}.{part:04d}00 {TAG}\n"


def write_run(
    path: Path, rng: np.random.Generator, queries: list[Query], depth: int
) -> dict[str, float]:
    """Write one run; return its nDCG@10 with bounds."""
    totals = np.zeros(3)
    with path.open("w", encoding="ascii", newline="\n") as file:
        for query in queries:
            documents, scores = make_ranking(rng, query, depth)
            totals += score_query(query, documents, scores)
            file.write("".join(lines(query, documents, scores)))
    exact, low, high = (totals / len(queries)).tolist()
    return {"nDCG@10": exact, "low": low, "high": high}


def write_shuffled(source: Path, path: Path, rng: np.random.Generator) -> None:
    """Write the lines of `source` in random order."""
    content = source.read_bytes().splitlines(keepends=True)
    order = rng.permutation(len(content))
    with path.open("wb") as file:
        for start in range(0, len(order), 100_000):
            file.write(b"".join([content[i] for i in order[start : start + 100_000].tolist()]))


def generate(
    folder: Path, *, seed: int, queries: int, depth: int, judged: float, runs: int, shuffled: bool
) -> None:
    """Write qrels, runs and answers into `folder`."""
    rng = np.random.default_rng(seed)
    drawn = make_queries(rng, queries, judged)
    with (folder / "qrels.txt").open("w", encoding="ascii", newline="\n") as file:
        for query in drawn:
            for document, grade in zip(query.judged, query.grades, strict=True):
                file.write(f"{query.id} 0 {document} {grade}\n")
    answers = {}
    for number in range(1, runs + 1):
        name = f"run{number:02d}"
        answers[name] = write_run(folder / f"{name}.txt", rng, drawn, depth)
    if shuffled:
        write_shuffled(folder / "run01.txt", folder / "shuffled.txt", rng)
    # Written last: its presence marks the folder as complete.
    (folder / "answers.json").write_text(json.dumps(answers, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    generate(Path(sys.argv[1]), **json.loads(sys.argv[2]))
