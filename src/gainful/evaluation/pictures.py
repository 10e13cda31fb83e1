"""The pictures of an evaluation: the rows that `Evaluation.plot` passes to `gainful.plots`."""

from __future__ import annotations

from gainful import plots
from gainful.errors import ParameterError
from gainful.measures.parameters import as_float
from gainful.plots.plot import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.evaluation.data import EvaluationData
    from gainful.measures import Measure
    from gainful.plots import Plot

    Row = dict[str, Any]

__all__ = [
    "difficulty",
    "distribution",
    "mean_rows",
    "means",
    "precision_recall",
    "scatter",
    "waterfall",
]


def means(evaluation: EvaluationData, measure: Measure | str | None = None) -> Plot:
    """Draw the mean of each system with its 95% confidence interval."""
    measure = measure or evaluation.measures[0]
    return plots.means(mean_rows(evaluation, measure), str(measure))


def mean_rows(evaluation: EvaluationData, measure: Measure | str) -> list[Row]:
    """Return the mean of each system with its interval."""
    return [
        {"system": system, **evaluation.summary(measure, system).figures()}
        for system in evaluation.systems
    ]


def precision_recall(evaluation: EvaluationData) -> Plot:
    """Draw the mean interpolated precision by level of recall, of the measures IPrec."""
    levels = {
        as_float(measure.params["recall"]): measure
        for measure in evaluation.measures
        if measure.family == "IPrec"
    }
    if len(levels) < 2:
        raise ParameterError(
            "the evaluation has no measures IPrec, of which the curve is made",
            where="plot",
            hint="gainful.evaluation.curves.curves(qrels, runs) measures them",
        )
    rows = [
        {"system": system, "at": level, "value": evaluation.value_of(measure, system)}
        for system in evaluation.systems
        for level, measure in sorted(levels.items())
    ]
    return plots.precision_recall(rows)


def difficulty(
    evaluation: EvaluationData,
    measure: Measure | str | None = None,
    systems: list[str] | None = None,
) -> Plot:
    """Draw scores by query, ordered by the mean over all systems.

    `systems` defaults to the first eight.
    """
    measure = measure or evaluation.measures[0]
    values = {
        system: evaluation.values_by_text_id(measure, system) for system in evaluation.systems
    }
    means: dict[str, float] = {}
    for query in dict.fromkeys(query for value in values.values() for query in value):
        scores = [value[query] for value in values.values() if query in value]
        means[query] = sum(scores) / len(scores)
    rows = [
        {"system": system, "query": query, "text": "", "position": place, "score": score}
        for place, query in enumerate(sorted(means, key=lambda query: (means[query], query)), 1)
        for system in systems or evaluation.systems[:8]
        if (score := values[system].get(query)) is not None
    ]
    return plots.difficulty(rows, str(measure), len(means))


def distribution(
    evaluation: EvaluationData,
    system: str | None = None,
    baseline: str | None = None,
    measure: Measure | str | None = None,
) -> Plot:
    """Draw a histogram of the per-query differences of two systems.

    Queries on which both are equal are counted in the subtitle.
    """
    system, baseline = _choose_pair(evaluation, system, baseline)
    rows = _differences(evaluation, system, baseline, measure)
    ties = sum(not row["difference"] for row in rows)
    subtitle = f"{ties} of {len(rows)} queries are tied" if ties else []
    names = f"{shortened(system, 32)} − {shortened(baseline, 32)}"
    title = {"text": names, "subtitle": subtitle}
    return plots.distribution(rows, title=title)


def waterfall(
    evaluation: EvaluationData,
    system: str | None = None,
    baseline: str | None = None,
    measure: Measure | str | None = None,
) -> Plot:
    """Draw the difference for each query, from the largest win to the largest loss."""
    system, baseline = _choose_pair(evaluation, system, baseline)
    rows = _differences(evaluation, system, baseline, measure)
    return plots.waterfall(rows, title=f"{shortened(system)} − {shortened(baseline)} by query")


def scatter(
    evaluation: EvaluationData,
    system: str | None = None,
    baseline: str | None = None,
    measure: Measure | str | None = None,
) -> Plot:
    """Draw one point per query, with the scores of two systems as its coordinates."""
    system, baseline = _choose_pair(evaluation, system, baseline)
    rows = _differences(evaluation, system, baseline, measure)
    name = str(measure or evaluation.measures[0])
    return plots.scatter(rows, system, baseline, name)


def _choose_pair(
    evaluation: EvaluationData, system: str | None, baseline: str | None
) -> tuple[str, str]:
    """Return the pair of systems to draw; of two systems, the second and the first."""
    if system is not None and baseline is not None:
        return system, baseline
    others = [name for name in evaluation.systems if name not in (system, baseline)]
    if len(others) != (system is None) + (baseline is None):
        raise ParameterError(
            where="plot",
            found=f"{len(evaluation.systems)} systems",
            expected="two, or a system and a baseline",
        )
    return system or others[-1], baseline or others[0]


def _differences(
    evaluation: EvaluationData, system: str, baseline: str, measure: Measure | str | None
) -> list[Row]:
    """Return one row per query with two values, the largest win first."""
    measure = measure or evaluation.measures[0]
    values, others = (
        evaluation.values_by_text_id(measure, system_name) for system_name in (system, baseline)
    )
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
