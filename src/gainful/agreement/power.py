"""How many queries a difference needs, planned from how systems differed in the past."""

from __future__ import annotations

import os

from gainful.agreement.past import (
    PastEvaluation,
    measure_name,
    past_evaluation,
    read_past,
    single_convention,
)
from gainful.agreement.power_result import MeasurePower, PastSpread, PowerAnalysis
from gainful.errors import ArgumentError, ParameterError
from gainful.evaluation import Evaluation
from gainful.inference.residual_variance import (
    ResidualVariance,
    pair_deviations,
    pooled,
    residual_variance,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike
    from typing import TypeAlias

    Past: TypeAlias = PastEvaluation | Evaluation | str | PathLike[str]

__all__ = ["analyze_power"]

#: Numbers of queries that are asked about where nobody names one.
QUERIES = (25, 50, 100, 200, 500, 1000)


def analyze_power(
    past: Past | Iterable[Past] | None = None,
    measures: str | Iterable[str] | None = None,
    *,
    deviation: float | None = None,
    difference: float | Sequence[float] | None = None,
    queries: int | Sequence[int] | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> PowerAnalysis:
    """Plan how many queries to judge, from how systems differed query by query in the past.

    Parameters
    ----------
    past : Evaluation, PastEvaluation, path, or several of them
        Evaluations of two systems or more on the same queries; a path is a file that ``gainful
        evaluate --per-query`` wrote. Of several, the residual variances are pooled.
    measures : str or iterable of str, optional
        Which of their measures; all without it. Each has to be in at least one evaluation.
    deviation : float, optional
        The standard deviation of a difference between two systems on a query, above 0, where it is
        known otherwise, as from a paper; instead of `past`.
    difference : float or several, optional
        Differences that matter, above 0, in units of the measure: the least improvement that would
        be worth shipping. Never the one that was just observed: power for that says nothing that
        its p-value does not.
    queries : int or several, optional
        Numbers of queries, 2 or more.
    power : float, default 0.8
        The chance to find the difference if it is there, above alpha and below 1.
    alpha : float, default 0.05
        The two-sided level of the paired t test.

    Returns
    -------
    PowerAnalysis
        Queries needed by difference, differences found by number of queries, and the curve between.

    Raises
    ------
    ArgumentError
        With neither or both of `past` and `deviation`.
    ParameterError
        For a number out of its range, a measure that no evaluation has, and an evaluation with
        fewer than two systems or two queries that count for all of them.
    MatchError
        For evaluations under two conventions.
    MeasureError
        For a geometric mean, which is no mean of the queries' values.

    Notes
    -----
    The deviation is sqrt(2 V), with V the residual variance of the two-way analysis of variance of
    systems by queries, pooled over evaluations by its degrees of freedom: T. Sakai: Topic set size
    design. Information Retrieval Journal 19(3), 2016. In each evaluation 2 V is exactly the mean
    variance of a difference over all pairs of its systems. Two systems that are alike differ less
    than that and need fewer queries, two of different kinds more: `MeasurePower.pairs` tells how
    far pairs lay apart. Power is exact, by the noncentral t distribution.

    Examples
    --------
    >>> import gainful
    >>> print(gainful.analyze_power(deviation=0.2, difference=0.05, queries=100))
    Queries that find a difference with power .80
    deviation  .05
    ──────────────
        .2000  128
    ...
    """
    _check(power, alpha)
    sought = _numbers("difference", difference)
    counts = tuple(map(int, _numbers("queries", queries, 2))) or QUERIES
    if (past is None) == (deviation is None):
        raise ArgumentError(
            where="analyze_power",
            found="neither past evaluations nor a deviation"
            if past is None
            else "both past evaluations and a deviation",
            expected="one of them",
        )
    convention = None
    if deviation is not None:
        if not 0 < deviation < float("inf"):
            raise ParameterError(found=f"deviation={deviation!r}", expected="a number above 0")
        found: tuple[MeasurePower, ...] = (MeasurePower(measure=None, deviation=float(deviation)),)
    else:
        assert past is not None
        named = (measures,) if isinstance(measures, str) else measures
        wanted = None if named is None else list(named)
        known = _past(past, wanted)
        single_convention(known)
        found = _powers(known, wanted)
        convention = next((each.convention for each in known if each.convention), None)
    return PowerAnalysis(
        measures=found,
        power=power,
        alpha=alpha,
        queries=counts,
        convention=convention,
        _differences=sought,
    )


def _past(past: Past | Iterable[Past], measures: list[str] | None) -> list[PastEvaluation]:
    single = (PastEvaluation, Evaluation, str, os.PathLike)
    found = []
    for each in [past] if isinstance(past, single) else past:
        if isinstance(each, PastEvaluation):
            found.append(each)
        elif isinstance(each, Evaluation):
            found.append(past_evaluation(each, f"evaluation {len(found) + 1}"))
        else:
            found.append(read_past(each, measures))
    if not found:
        raise ParameterError(where="past", found="no evaluation", expected="at least one")
    return found


def _powers(known: list[PastEvaluation], measures: list[str] | None) -> tuple[MeasurePower, ...]:
    every = list(dict.fromkeys(name for each in known for name in each.measures))
    powers = []
    for measure in every if measures is None else dict.fromkeys(map(measure_name, measures)):
        spreads = [_spread(each, measure) for each in known if measure in each.scores]
        if not spreads:
            raise ParameterError(
                where="measures", found=repr(measure), expected=f"one of {', '.join(every)}"
            )
        rest = pooled(ResidualVariance(each.deviation**2 / 2, each.df) for each in spreads)
        powers.append(
            MeasurePower(measure=measure, deviation=rest.deviation, df=rest.df, past=tuple(spreads))
        )
    return tuple(powers)


def _spread(past: PastEvaluation, measure: str) -> PastSpread:
    values, queries, left_out = past.matrix(measure)
    if len(past.systems) < 2 or len(queries) < 2:
        found = f"{_count(past.systems, 'system')} and {_count(queries, 'query')} with a value"
        raise ParameterError(
            where=f"{measure} of {past.name}",
            found=found,
            expected="at least 2 systems and 2 queries that count for all of them",
            hint="how systems differ from query to query is not to be had from fewer",
        )
    rest = residual_variance(values)
    return PastSpread(
        name=past.name,
        systems=len(past.systems),
        queries=len(queries),
        left_out=left_out,
        deviation=rest.deviation,
        df=rest.df,
        pair_deviations=tuple(pair_deviations(values)),
    )


def _count(things: Sequence[object], noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{len(things)} {noun if len(things) == 1 else plural}"


def _check(power: float, alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ParameterError(found=f"alpha={alpha!r}", expected="a number between 0 and 1")
    if not alpha < power < 1:
        raise ParameterError(found=f"power={power!r}", expected="a number between alpha and 1")


def _numbers(
    name: str, given: float | Sequence[float] | None, least: float | None = None
) -> tuple[float, ...]:
    if given is None:
        return ()
    values = (given,) if isinstance(given, (int, float)) else tuple(given)
    for value in values:
        if least is None and not 0 < value < float("inf"):
            raise ParameterError(
                found=f"{name}={value!r}",
                expected="a number above 0, in units of the measure",
            )
        if least is not None and (not least <= value < float("inf") or value != int(value)):
            raise ParameterError(
                found=f"{name}={value!r}", expected=f"a whole number, {least:g} or more"
            )
    return tuple(dict.fromkeys(values))
