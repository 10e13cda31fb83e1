"""Baselines that need no text: fused runs, random and ideal orders."""

from __future__ import annotations

from hashlib import blake2b
from math import frexp, ldexp

from gainful.data import Qrels, Run
from gainful.data.coercion import as_qrels, as_run
from gainful.data.corpus import each_document
from gainful.data.table import kernel_rows, table_of_rows
from gainful.errors import ArgumentError, FormatError, MatchError, ParameterError
from gainful.parameters import COUNT, OPTIONAL_COUNT
from gainful.parameters.searching import CONSTANT, FUSION, NORM
from gainful.systems.queries import Queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.data.corpus import TextsLike
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.systems.lexical import TermWeights
    from gainful.systems.queries.collection import QueriesLike

    Ranked = list[tuple[str, float | None]]

    Scored = dict[str, float]

__all__ = ["NORMS", "fuse_runs", "order_ideally", "run_queries", "shuffle"]


def run_queries(
    system: TermWeights,
    queries: QueriesLike,
    k: int,
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Return the run of a local system for some queries."""
    COUNT.check(k, "k")
    ranking: dict[str, dict[str, float]] = {}
    all_queries = read_queries(queries)
    for index, query in enumerate(all_queries):
        (answer,) = system.ask([query], k)
        ranking[query.id] = dict(zip(answer.documents, answer.scores or (), strict=True))
        if progress is not None and index % 16 == 0:
            progress(index, len(all_queries))
    return Run(ranking, name=system.name)


def read_queries(queries: QueriesLike) -> Queries:
    """Return queries from any supported source."""
    read = Queries.of(queries)
    if not len(read):
        raise ParameterError(where="queries", found="none", expected="at least one")
    return read


def complete_run(run: RunLike) -> Run:
    """Return a run from any supported source."""
    checked_run = as_run(run)
    # Reading the rows raises the error of failed queries.
    _ = kernel_rows(checked_run)
    return checked_run


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
    COUNT.check(k, "k")
    if type(seed) is not int:
        raise ParameterError(where="seed", found=repr(seed), expected="an integer")
    inputs = sum(source is not None for source in (corpus, judged, run))
    if inputs != 1:
        raise ArgumentError(
            where="random_order",
            found=f"{'several' if inputs else 'none'} of corpus, judged and run",
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
    COUNT.check(k, "k")
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
        ranking[query] = {
            document: float(len(first) - index) for index, document in enumerate(first)
        }
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
        documents[place]: score
        for place, score in zip(chosen.tolist(), scores.tolist(), strict=True)
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


#: Maximum constant and weight, so that sums cannot overflow.
_LARGEST = 1e100


def fuse_runs(
    runs: Mapping[str, RunLike] | Sequence[RunLike],
    method: str = "rrf",
    k: int = 100,
    *,
    constant: float = 60.0,
    norm: str = "min-max",
    weights: Sequence[float] | Mapping[str, float] | None = None,
    depth: int | None = None,
    name: str | None = None,
) -> Run:
    """Fuse several runs; `gainful.baselines.fuse` has the parameters."""
    COUNT.check(k, "k")
    for parameter, value in ((FUSION, method), (NORM, norm), (CONSTANT, constant)):
        parameter.check(value)
    OPTIONAL_COUNT.check(depth, "depth")
    named = _named(runs)
    chosen_weights = _weights(weights, list(named))
    if method != "rrf":
        for label, run in named.items():
            if not run.scored:
                raise FormatError(
                    where=f"the run {label!r}",
                    found="documents without scores",
                    expected="scores",
                    hint="method='rrf' only needs ranks",
                )
    queries = dict.fromkeys(query for run in named.values() for query in run)
    ranking: dict[str, Scored] = {}
    for query in queries:
        lists = [(run.get(query) or [])[:depth] for run in named.values()]
        if method == "rrf":
            parts = [_reciprocal(results, constant) for results in lists]
        else:
            parts = [NORMS[norm](results) for results in lists]
        ranking[query] = _add_weighted(parts, chosen_weights, multiplied=method == "combmnz")
    return table_of_rows(Run, kernel_rows(Run(ranking)).top(min(k, 2**63 - 1)), name=name or method)


def _add_weighted(parts: list[Scored], weights: list[float], *, multiplied: bool) -> Scored:
    """Return the weighted sum of the scores of each document over all lists."""
    total: Scored = {}
    lists: dict[str, int] = {}
    for part, weight in zip(parts, weights, strict=True):
        for document, score in part.items():
            total[document] = total.get(document, 0.0) + weight * score
            lists[document] = lists.get(document, 0) + 1
    if multiplied:
        return {document: score * lists[document] for document, score in total.items()}
    return total


def _reciprocal(ranked: Ranked, constant: float) -> Scored:
    return {document: 1.0 / (constant + rank) for rank, (document, _) in enumerate(ranked, start=1)}


# --- normalized scores --------------------------------------------------------------------------


def _unchanged(ranked: Ranked) -> Scored:
    return {document: score for document, score in ranked if score is not None}


def _scaled(ranked: Ranked) -> Scored:
    """Return scores below 1, divided by a power of two, which is exact.

    Differences and squares of the original scores could overflow.
    """
    scores = _unchanged(ranked)
    _, exponent = frexp(max(map(abs, scores.values()), default=0.0))
    return {document: ldexp(score, -exponent) for document, score in scores.items()}


def _min_max(ranked: Ranked) -> Scored:
    scores = _scaled(ranked)
    if not scores:
        return scores
    least, most = min(scores.values()), max(scores.values())
    if most == least:
        return dict.fromkeys(scores, 1.0)
    return {document: (score - least) / (most - least) for document, score in scores.items()}


def _z_score(ranked: Ranked) -> Scored:
    scores = _scaled(ranked)
    if not scores:
        return scores
    mean = sum(scores.values()) / len(scores)
    deviation = (sum((score - mean) ** 2 for score in scores.values()) / len(scores)) ** 0.5
    if not deviation > 0:
        return dict.fromkeys(scores, 0.0)
    return {document: (score - mean) / deviation for document, score in scores.items()}


#: The functions that normalize the scores of a list.
NORMS: dict[str, Callable[[Ranked], Scored]] = {
    "min-max": _min_max,
    "z-score": _z_score,
    "none": _unchanged,
}


# --- arguments ----------------------------------------------------------------------------------


def _named(runs: Any) -> dict[str, Run]:
    if hasattr(runs, "items"):
        named = {str(name): complete_run(run) for name, run in runs.items()}
        if len(named) < len(runs):
            raise ParameterError(where="runs", found="a duplicate name", expected="unique names")
    elif isinstance(runs, (list, tuple)):
        read = [complete_run(run) for run in runs]
        named = {f"{index}: {run.name or 'run'}": run for index, run in enumerate(read, start=1)}
    else:
        raise ArgumentError(
            where="runs", found=type(runs).__name__, expected="several runs, or {'name': run}"
        )
    if len(named) < 2:
        raise ParameterError(where="runs", found=f"{len(named)}", expected="two or more")
    return named


def _weights(values: Any, names: list[str]) -> list[float]:
    """Return the weights of the runs, in their order."""
    if values is None:
        return [1.0] * len(names)
    if hasattr(values, "items"):
        missing = [name for name in names if name not in values]
        unknown = [str(name) for name in values if name not in names]
        if missing or unknown:
            raise ParameterError(
                where="weights",
                found=f"weights of {', '.join(map(str, values)) or 'no run'}",
                expected=f"one for each of {', '.join(names)}",
            )
        values = [values[name] for name in names]
    weights = list(values) if hasattr(values, "__iter__") else [values]
    if len(weights) != len(names) or not all(map(_is_number, weights)) or not any(weights):
        raise ParameterError(
            where="weights",
            found=", ".join(map(str, weights)) or "none",
            expected=f"{len(names)} numbers of 0 or more, one per run, not all 0",
        )
    return [float(weight) for weight in weights]


def _is_number(value: Any) -> bool:
    # NumPy's numbers are accepted, but not booleans.
    number = hasattr(value, "__float__") and not isinstance(value, bool)
    return number and 0 <= value <= _LARGEST
