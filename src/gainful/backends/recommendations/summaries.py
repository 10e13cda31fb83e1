"""Summaries of measures of recommended items, over all users and over segments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from gainful.backends.recommendations.item_values import run_value, user_values, user_weights
from gainful.backends.recommendations.result import RecommendationSummary, RecommenderEvaluation
from gainful.errors import ParameterError
from gainful.evaluation.slices import slice_queries
from gainful.inference import mean_interval
from gainful.inference.design import Design
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gainful.backends.recommendations.item_values import ItemData, Lists

__all__ = ["Recommended", "summarize"]


@dataclass(frozen=True)
class Recommended:
    """The lists of each system, with what is known of items and users.

    Attributes
    ----------
    lists : dict of str to Lists
        By system; empty without measures of items.
    data : ItemData
        The items.
    users : list
        The ids of the users.
    """

    lists: Mapping[str, Lists]
    data: ItemData
    users: list[Any]


def summarize(
    result: RecommenderEvaluation,
    recommended: Recommended,
    slices: Mapping[str, Mapping[str, str]],
) -> RecommenderEvaluation:
    """Return the result with the values of its measures of items, and of segments."""
    everyone = numpy.arange(len(recommended.users))
    values = {
        (system, repr(measure)): user_values(measure, lists, recommended.data)
        for system, lists in recommended.lists.items()
        for measure in result.item_measures
        if measure.family.of == "user"
    }
    per_user: dict[str, dict[str, dict[Any, float]]] = {}
    for (system, name), own in values.items():
        valued = zip(recommended.users, own.tolist(), strict=True)
        per_user.setdefault(system, {})[name] = {
            user.item() if isinstance(user, numpy.integer) else user: value
            for user, value in valued
            if value == value
        }
    segments: list[RecommendationSummary] = []
    if slices:
        numbers = {str(user): number for number, user in enumerate(recommended.users)}
        for segment, members in slice_queries(slices, list(numbers)).items():
            chosen = numpy.array([numbers[user] for user in members], numpy.int64)
            segments += _of_rankings(result, segment, members)
            segments += _of_items(result, recommended, values, chosen, segment)
    return RecommenderEvaluation(
        result._tables,
        result.measures,
        result.convention,
        integers=result._integers,
        item_measures=result.item_measures,
        recommended=tuple(_of_items(result, recommended, values, everyone, None)),
        segments=tuple(segments),
        per_user=per_user,
    )


def _of_items(
    result: RecommenderEvaluation,
    recommended: Recommended,
    values: Mapping[tuple[str, str], Any],
    users: Any,
    segment: str | None,
) -> Iterator[RecommendationSummary]:
    for system, lists in recommended.lists.items():
        for measure in result.item_measures:
            if measure.family.of == "run":
                own = lists if segment is None else lists.of_users(users)
                value = run_value(measure, own, recommended.data)
                yield RecommendationSummary(
                    segment=segment,
                    system=system,
                    measure=repr(measure),
                    value=value,
                    interval=None,
                    n=own.served(),
                    of="run",
                )
                continue
            weights = user_weights(measure, lists)
            yield _summary(
                segment,
                system,
                repr(measure),
                values[system, repr(measure)][users],
                None if weights is None else weights[users],
                measure.range,
            )


def _of_rankings(
    result: RecommenderEvaluation, segment: str, members: list[str]
) -> Iterator[RecommendationSummary]:
    """Yield the means of the measures of rankings over the users of a segment."""
    for system in result.systems:
        for measure in result.measures:
            if measure.aggregate != "mean":
                raise ParameterError(
                    f"{measure!r} is not a mean over users", where="by", hint="leave it out"
                )
            known = result._values(measure, system)
            own = numpy.array([known[user] for user in members if user in known], numpy.float64)
            limits = result.range_on_data(measure, system)
            yield _summary(segment, system, repr(measure), own, None, limits)


def _summary(
    segment: str | None,
    system: str,
    measure: str,
    values: Any,
    weights: Any,
    limits: tuple[float | None, float | None],
) -> RecommendationSummary:
    counted = ~numpy.isnan(values)
    if weights is not None:
        counted &= weights > 0
    values, n = values[counted], int(counted.sum())
    mean, interval = float("nan"), None
    if n:
        design = Design(n, weights=None if weights is None else weights[counted].tolist())
        mean = float(design.mean(values))
        if n > 1:
            deviation, effective, df = design.spread(values)
            low, high = limits
            interval = mean_interval(mean, deviation, effective, low=low, high=high, df=df)
    return RecommendationSummary(
        segment=segment,
        system=system,
        measure=measure,
        value=mean,
        interval=None if interval is None else Interval(*interval),
        n=n,
        of="user",
    )
