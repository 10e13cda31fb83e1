"""Chance: the expected value of a measure if the documents are in random order."""

from __future__ import annotations

import os

from gainful.errors import ConventionError, MeasureError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.data import Qrels
    from gainful.evaluation.data import ChanceValues, EvaluationData
    from gainful.measures import Measure

    #: `gainful.evaluation.call.evaluate_runs`, which calls this module.
    Evaluate = Callable[..., EvaluationData]

    #: The searched documents: their number, or the number of each query, or a file of these.
    Candidates = int | Mapping[str, int] | str | os.PathLike[str]

__all__ = ["candidate_counts", "chance", "expected_values", "others"]


#: Documents in memory at once.
_CHUNK = 1_000_000

#: Candidates of all queries. Of larger collections closed forms are exact, orders would not fit.
_MOST = 20_000_000


def chance(
    judged: Qrels,
    candidates: Candidates,
    measures: Sequence[Measure],
    policies: Convention,
    evaluate: Evaluate,
) -> ChanceValues:
    """Return the expected values if a query's candidates are in random order.

    Measures without a mean over orders are left out, unless all are.
    """
    counts = candidate_counts(candidates, judged)
    documents = {query: list(grades) for query, grades in judged.items()}
    for query, judged_documents in documents.items():
        if counts[query] < len(judged_documents):
            raise ParameterError(
                where=f"the candidates of query {query}",
                found=f"{counts[query]:,}, and {len(judged_documents):,} judged documents",
                expected="at least as many as are judged",
            )
    if sum(counts.values()) > _MOST:
        raise ParameterError(
            where="candidates",
            found=f"{sum(counts.values()):,} over all queries",
            expected=f"up to {_MOST:,}",
            hint="in a collection of that size, a random order finds almost nothing;"
            " ⟪gainful headroom --documents⟫ has an upper bound",
        )
    fillers = others(max(counts.values(), default=0))
    orders = (
        (query, [*names, *fillers[: counts[query] - len(names)]])
        for query, names in documents.items()
    )
    defined = [measure for measure in measures if _has_chance(measure, policies, evaluate)]
    return expected_values(
        judged, orders, defined or measures, policies, "chance", "candidates=None", evaluate
    )


def _has_chance(measure: Measure, policies: Convention, evaluate: Evaluate) -> bool:
    """Return whether a measure is a mean over queries and has a mean over orders."""
    try:
        evaluate({"q": {"d": 1}}, {"": {"q": ["d"]}}, measure, _random(policies))
    except (MeasureError, ConventionError):
        return False
    return measure.aggregate == "mean"


def _random(policies: Convention) -> Convention:
    return policies.replace(ties="expected", order="score")


def others(count: int) -> list[str]:
    """Return ids of documents without a judgment."""
    return [f"\x1f{number}" for number in range(count)]


def candidate_counts(candidates: Candidates, judged: Qrels) -> dict[str, int]:
    """Return the number of candidates of each judged query."""
    queries = list(judged)
    if isinstance(candidates, bool):
        raise _no_count(candidates)
    if isinstance(candidates, int):
        return dict.fromkeys(queries, _count(candidates))
    if isinstance(candidates, (str, os.PathLike)):
        text = os.fspath(candidates)
        if text.isascii() and text.isdigit():
            return dict.fromkeys(queries, _count(int(text)))
        from gainful.data.query_attributes import read_query_attribute

        counts: Mapping[Any, object] = read_query_attribute(text).values
    elif hasattr(candidates, "items"):
        counts = {str(query): number for query, number in candidates.items()}
    else:
        raise _no_count(candidates)
    missing = [query for query in queries if str(query) not in counts]
    if missing:
        raise ParameterError(
            where="candidates",
            found=f"no number for query {missing[0]}"
            + (f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""),
            expected="one for each judged query",
        )
    return {query: _count(counts[str(query)]) for query in queries}


def _count(number: object) -> int:
    if isinstance(number, str) and number.isascii() and number.isdigit():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise _no_count(number)
    return number


def _no_count(value: object) -> ParameterError:
    return ParameterError(
        where="candidates",
        found=repr(value),
        expected="the number of searched documents, or that of each query",
    )


def expected_values(
    judged: Qrels,
    candidates: Iterable[tuple[str, list[str]]],
    measures: Sequence[Measure],
    policies: Convention,
    what: str,
    without: str,
    evaluate: Evaluate,
) -> ChanceValues:
    """Return the exact means over all orders: the candidates have equal scores, ties are averaged.

    `what` is computed, and `without` omits it, for messages.
    """
    values: ChanceValues = {repr(measure): {} for measure in measures}
    random = _random(policies)
    chunk: dict[str, dict[str, float]] = {}
    size = 0

    def add() -> None:
        try:
            evaluation = evaluate(judged.select(chunk), {"random": chunk}, measures, random)
        except (MeasureError, ConventionError) as error:
            raise error.replace(
                where=what,
                expected="measures with an expected value over all orders",
                hint=f"⟪{without}⟫ omits {what}",
            ) from error
        for measure in measures:
            values[repr(measure)].update(evaluation.values_by_text_id(measure))

    for query, documents in candidates:
        chunk[query] = dict.fromkeys(documents, 0.0)
        size += len(documents)
        if size >= _CHUNK:
            add()
            chunk, size = {}, 0
    if chunk:
        add()
    return values
