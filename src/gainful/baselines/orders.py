"""Put documents in random or ideal order."""

from __future__ import annotations

from hashlib import blake2b

from gainful.baselines.answering import check_k, complete_run, read_queries
from gainful.data import Qrels, Run
from gainful.data.coercion import as_qrels
from gainful.data.corpus import each_document
from gainful.errors import ArgumentError, MatchError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.data.corpus import TextsLike
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.systems.queries.collection import QueriesLike

__all__ = ["order_ideally", "shuffle"]


def shuffle(
    corpus: TextsLike | None = None,
    queries: QueriesLike | None = None,
    k: int = 100,
    *,
    judged: QrelsLike | None = None,
    run: RunLike | None = None,
    seed: int = 0,
    name: str = "random",
) -> Run:
    """Put documents in a random order; `gainful.baselines.random_order` has the parameters."""
    check_k(k)
    if type(seed) is not int:
        raise ParameterError(where="seed", found=repr(seed), expected="an integer")
    given = sum(each is not None for each in (corpus, judged, run))
    if given != 1:
        raise ArgumentError(
            where="random_order",
            found=f"{'several' if given else 'none'} of corpus, judged and run",
            expected="exactly one of them",
        )
    if corpus is not None:
        if queries is None:
            raise ArgumentError(
                where="random_order", found="a corpus without queries", expected="queries"
            )
        return Run(dict(_of_corpus(corpus, queries, k, seed)), name=name)
    selected = None if queries is None else {query.id for query in read_queries(queries)}
    ranking = {}
    for query, documents in _candidates(judged, run):
        if selected is None or query in selected:
            ranking[query] = _first(documents, _numbers(_hashes(documents), seed, query), k)
    return Run(ranking, name=name)


def order_ideally(
    qrels: QrelsLike,
    k: int = 100,
    *,
    run: RunLike | None = None,
    depth: int | None = None,
    name: str = "oracle",
) -> Run:
    """Put documents in their ideal order; `gainful.baselines.oracle` has the parameters."""
    check_k(k)
    if depth is not None and (type(depth) is not int or depth < 1 or run is None):
        raise ParameterError(
            where="depth",
            found=repr(depth) if run is not None else "a depth without a run",
            expected="an integer of 1 or more, with a run",
        )
    judgments = dict(_plain(qrels).items())
    if run is None:
        lists = {query: list(documents) for query, documents in judgments.items()}
    else:
        ranked = complete_run(run)
        lists = {
            query: [document for document, _ in ranked[query][:depth]]
            for query in judgments
            if query in ranked
        }
        if not lists:
            raise MatchError(
                where="oracle",
                found="no judged query in the run",
                expected="judgments of the queries of the run",
            )
    ranking = {}
    for query, documents in lists.items():
        grades = judgments[query]
        if run is None:
            documents.sort(key=_bytes, reverse=True)
        # The sort is stable: equal grades keep the order of the run, or of their ids.
        documents.sort(key=lambda document: -grades.get(document, 0))
        first = documents[:k]
        ranking[query] = {document: float(len(first) - at) for at, document in enumerate(first)}
    return Run(ranking, name=name)


def _plain(qrels: QrelsLike) -> Qrels:
    """Return judgments without subtopics."""
    judgments = as_qrels(qrels)
    if judgments.has_subtopics:
        raise ArgumentError(
            where="the judgments",
            found="grades of subtopics",
            expected="one grade per document",
            hint="qrels.merged('max') returns them",
        )
    return judgments


def _candidates(judged: QrelsLike | None, run: RunLike | None) -> Iterator[tuple[str, list[str]]]:
    if judged is not None:
        for query, grades in _plain(judged).items():
            yield query, list(grades)
    elif run is not None:
        for query, ranked in complete_run(run).items():
            yield query, [document for document, _ in ranked]


# --- random numbers of documents ----------------------------------------------------------------
#
# The random number of a query and a document is a hash of the seed and the two ids, so it does not
# depend on other documents or any order. Each id is hashed once, and pairs are mixed by SplitMix64.


def _of_corpus(
    corpus: TextsLike, queries: QueriesLike, k: int, seed: int
) -> Iterator[tuple[str, dict[str, float]]]:
    documents = list(dict.fromkeys(document for document, _ in each_document(corpus)))
    if not documents:
        raise ParameterError(where="the corpus", found="no documents", expected="at least one")
    hashes = _hashes(documents)
    for query in read_queries(queries):
        yield query.id, _first(documents, _numbers(hashes, seed, query.id), k)


def _numbers(hashes: Any, seed: int, query: str) -> Any:
    """Return the 64-bit random numbers of documents, from their hashes."""
    import numpy as np

    return _mixed(hashes ^ np.uint64(_of_query(seed, query)))


def _hashes(documents: list[str]) -> Any:
    import numpy as np

    return np.array([_hash(_bytes(document)) for document in documents], dtype=np.uint64)


def _first(documents: list[str], numbers: Any, k: int) -> dict[str, float]:
    """Return the documents with the largest numbers, scaled to scores from 0 to 1."""
    import numpy as np

    chosen = np.arange(len(numbers))
    if len(numbers) > k:
        chosen = np.argpartition(numbers, len(numbers) - k)[len(numbers) - k :]
    chosen = chosen[np.argsort(numbers[chosen])[::-1]]
    scores = (numbers[chosen] >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return {
        documents[at]: score for at, score in zip(chosen.tolist(), scores.tolist(), strict=True)
    }


def _of_query(seed: int, query: str) -> int:
    return _hash(f"{seed}\x1f".encode() + _bytes(query))


def _hash(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


def _mixed(numbers: Any) -> Any:
    import numpy as np

    # Overflow beyond 64 bits is intended.
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _bytes(identifier: str) -> bytes:
    return identifier.encode("utf-8", "surrogateescape")
