"""Fuse runs by reciprocal ranks or by scores."""

from __future__ import annotations

from math import frexp, ldexp

from gainful.baselines.answering import check_k, complete_run
from gainful.data import Run
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.parameters.baselines import CONSTANT, FUSION, NORM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.data.inputs import RunLike

    Ranked = list[tuple[str, float | None]]
    Scored = dict[str, float]

__all__ = ["NORMS", "fuse_runs"]

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
    check_k(k)
    for parameter, value in ((FUSION, method), (NORM, norm), (CONSTANT, constant)):
        parameter.check(value)
    if depth is not None and (type(depth) is not int or depth < 1):
        raise ParameterError(where="depth", found=repr(depth), expected="an integer of 1 or more")
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
            parts = [_reciprocal(each, constant) for each in lists]
        else:
            parts = [NORMS[norm](each) for each in lists]
        ranking[query] = _add_weighted(parts, chosen_weights, multiplied=method == "combmnz")
    return Run._of(Run(ranking)._rows.top(min(k, 2**63 - 1)), name=name or method)


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
        named = {f"{at}: {run.name or 'run'}": run for at, run in enumerate(read, start=1)}
    else:
        raise ArgumentError(
            where="runs", found=type(runs).__name__, expected="several runs, or {'name': run}"
        )
    if len(named) < 2:
        raise ParameterError(where="runs", found=f"{len(named)}", expected="two or more")
    return named


def _weights(given: Any, names: list[str]) -> list[float]:
    """Return the weights of the runs, in their order."""
    if given is None:
        return [1.0] * len(names)
    if hasattr(given, "items"):
        missing = [name for name in names if name not in given]
        unknown = [str(name) for name in given if name not in names]
        if missing or unknown:
            raise ParameterError(
                where="weights",
                found=f"weights of {', '.join(map(str, given)) or 'no run'}",
                expected=f"one for each of {', '.join(names)}",
            )
        given = [given[name] for name in names]
    weights = list(given) if hasattr(given, "__iter__") else [given]
    if len(weights) != len(names) or not all(map(_is_number, weights)) or not any(weights):
        raise ParameterError(
            where="weights",
            found=", ".join(map(str, weights)) or "none",
            expected=f"{len(names)} numbers of 0 or more, one per run, not all 0",
        )
    return [float(each) for each in weights]


def _is_number(value: Any) -> bool:
    # NumPy's numbers are accepted, but not booleans.
    number = hasattr(value, "__float__") and not isinstance(value, bool)
    return number and 0 <= value <= _LARGEST
