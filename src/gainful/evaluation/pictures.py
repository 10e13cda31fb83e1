"""The pictures of an evaluation: the rows that `Evaluation.plot` passes to `gainful.charts`."""

from __future__ import annotations

from gainful import charts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

    Chart = Any
    Row = dict[str, Any]

__all__ = ["difficulty", "distribution", "means", "waterfall"]


def means(evaluation: Evaluation, measure: Measure | str | None = None) -> Chart:
    """Draw the mean of each system with its 95% confidence interval."""
    measure = measure or evaluation.measures[0]
    rows: list[Row] = []
    for system in evaluation.systems:
        summary = evaluation.summary(measure, system)
        low, high = (None, None) if summary.aggregate == "sum" else (summary.low, summary.high)
        row = {"mean": summary.value, "low": low, "high": high, "queries": summary.n}
        rows.append({"system": system, **row})
    return charts.means(rows, str(measure))


def difficulty(
    evaluation: Evaluation, measure: Measure | str | None = None, systems: list[str] | None = None
) -> Chart:
    """Draw scores by query, ordered by the mean over all systems.

    `systems` defaults to the first eight.
    """
    measure = measure or evaluation.measures[0]
    values = {system: evaluation._values(measure, system) for system in evaluation.systems}
    means: dict[str, float] = {}
    for query in dict.fromkeys(query for each in values.values() for query in each):
        scores = [each[query] for each in values.values() if query in each]
        means[query] = sum(scores) / len(scores)
    rows = [
        {"system": system, "query": query, "text": "", "position": place, "score": score}
        for place, query in enumerate(sorted(means, key=lambda query: (means[query], query)), 1)
        for system in systems or evaluation.systems[:8]
        if (score := values[system].get(query)) is not None
    ]
    return charts.difficulty(rows, str(measure), len(means))


def distribution(
    evaluation: Evaluation, system: str, baseline: str, measure: Measure | str | None = None
) -> Chart:
    """Draw a histogram of the per-query differences of two systems.

    Queries on which both are equal are counted in the subtitle.
    """
    rows = _differences(evaluation, system, baseline, measure)
    ties = sum(not row["difference"] for row in rows)
    subtitle = f"{ties} of {len(rows)} queries are tied" if ties else []
    title = {"text": f"{system} − {baseline}", "subtitle": subtitle}
    return charts.distribution(rows).properties(title=title)


def waterfall(
    evaluation: Evaluation, system: str, baseline: str, measure: Measure | str | None = None
) -> Chart:
    """Draw the difference for each query, from the largest win to the largest loss."""
    rows = _differences(evaluation, system, baseline, measure)
    return charts.waterfall(rows).properties(title=f"{system} − {baseline} by query")


def _differences(
    evaluation: Evaluation, system: str, baseline: str, measure: Measure | str | None
) -> list[Row]:
    """Return one row per query with two values, the largest win first."""
    measure = measure or evaluation.measures[0]
    values, others = (evaluation._values(measure, each) for each in (system, baseline))
    queries = [query for query in values if query in others]
    queries.sort(key=lambda query: others[query] - values[query])
    return [
        {
            "query": query,
            "text": "",
            "value": values[query],
            "baseline": others[query],
            "difference": values[query] - others[query],
            "start": place,
            "end": place + 1,
        }
        for place, query in enumerate(queries)
    ]
