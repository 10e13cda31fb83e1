"""Power analysis: the number of queries, from the variance in past evaluations."""

from __future__ import annotations

import os
from itertools import combinations
from math import sqrt

from gainful.agreement.past import (
    PastEvaluation,
    past_evaluation,
    read_past,
    single_convention,
)
from gainful.agreement.power_result import MeasurePower, PastSpread, PowerAnalysis
from gainful.errors import ArgumentError, ParameterError
from gainful.evaluation import Evaluation
from gainful.evaluation.predicted import PredictedEvaluation
from gainful.evaluation.value_tables import measure_name
from gainful.inference.power import (
    ResidualVariance,
    pair_deviations,
    pooled,
    residual_variance,
)
from gainful.keywords import suggest_keywords
from gainful.parameters.comparing import ANY_ALPHA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike
    from typing import Literal, TypeAlias

    Past: TypeAlias = PastEvaluation | Evaluation | PredictedEvaluation | str | PathLike[str]

__all__ = ["analyze_power"]

#: The default numbers of queries.
QUERIES = (25, 50, 100, 200, 500, 1000)


@suggest_keywords
def analyze_power(
    past: Past | Iterable[Past] | None = None,
    measures: str | Iterable[str] | None = None,
    *,
    deviation: float | None = None,
    difference: float | Sequence[float] | None = None,
    queries: int | Sequence[int] | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    comparisons: int = 1,
) -> PowerAnalysis:
    """Compute how many queries are required to detect a difference.

    Parameters
    ----------
    past : Evaluation, PredictedEvaluation, PastEvaluation, path, or several of them
        Evaluations of at least two systems on the same queries. A path is a file that ``gainful
        evaluate --per-query`` wrote. The residual variances of several are pooled. What
        `gainful.evaluate` returns with `predicted` is a pilot with the labels of a model: the plan
        then has the human-judged queries that are required with the model and without it.
    measures : str or iterable of str, optional
        The measures, each in at least one evaluation. Default: all.
    deviation : float, optional
        The standard deviation of the per-query difference between two systems, above 0, if you know
        it otherwise, such as from a paper. Replaces `past`.
    difference : float or several, optional
        The differences that matter, above 0, in units of the measure, such as the smallest
        improvement worth shipping. Not the difference just observed: its power only restates the
        p-value.
    queries : int or several, optional
        Numbers of queries, at least 2.
    power : float, default 0.8
        The probability of detecting the difference, above alpha and below 1.
    alpha : float, default 0.05
        The two-sided level of the test; with several comparisons, the family-wise error rate.
    comparisons : int, default 1
        The number of comparisons that are corrected together: 10 for all pairs of five systems, 4
        for five systems and a baseline among them, times the number of slices.

    Returns
    -------
    PowerAnalysis
        Required queries by difference, minimum detectable differences by number of queries, and the
        power curve.

    Raises
    ------
    ArgumentError
        With neither or both of `past` and `deviation`.
    ParameterError
        For a number out of range, an unknown measure, or an evaluation with fewer than two systems
        or two queries that count for all of them.
    MatchError
        For evaluations with two conventions.
    MeasureError
        For a geometric mean, which is not a mean of per-query values.

    Notes
    -----
    The deviation is sqrt(2 V), with V the residual variance of the two-way analysis of variance of
    systems by queries, pooled over evaluations by its degrees of freedom: T. Sakai: Topic set size
    design. Information Retrieval Journal 19(3), 2016. In each evaluation 2 V is the mean variance
    of the difference over all pairs of systems. Similar systems vary less and need fewer queries:
    `MeasurePower.pairs` has the range. A small pilot can underestimate the deviation, so
    `MeasurePower.needed_at_most` is the number of queries under its upper 95% confidence limit.
    Power is that of the paired t test, from the noncentral t distribution. The test of `compare`
    reaches it to within .03 (docs/evidence). With several comparisons, alpha is divided among them
    and the variance is multiplied by 1 + 4 / n for the correction of max-T for skewness.

    With the labels of a model, the deviation is that of the combined estimates
    (`gainful.inference.predicted_mean`) of the differences, in human-judged queries: their standard
    error times the root of the number of these queries. It applies if the model judges as many
    times more queries than people as in the pilot.

    Examples
    --------
    >>> import gainful
    >>> print(gainful.analyze_power(deviation=0.2, difference=0.05, queries=100))
    Queries required to detect a difference (80% power)
    deviation  .05
    ──────────────
        .2000  128
    ...
    """
    _check(power, alpha, comparisons)
    sought = _numbers("difference", difference)
    counts = tuple(map(int, _numbers("queries", queries, 2))) or QUERIES
    if (past is None) == (deviation is None):
        raise ArgumentError(
            where="analyze_power",
            found="neither past evaluations nor a deviation"
            if past is None
            else "both past evaluations and a deviation",
            expected="either",
        )
    convention = None
    if deviation is not None:
        if not 0 < deviation < float("inf"):
            raise ParameterError(found=f"deviation={deviation!r}", expected="a number above 0")
        powers: tuple[MeasurePower, ...] = (MeasurePower(measure=None, deviation=float(deviation)),)
    else:
        assert past is not None
        named = (measures,) if isinstance(measures, str) else measures
        wanted = None if named is None else list(named)
        known = _past(past, wanted)
        single_convention(known)
        powers = _powers(known, wanted)
        convention = next((spread.convention for spread in known if spread.convention), None)
    return PowerAnalysis(
        measures=tuple(
            measure.plan(sought, counts, power=power, alpha=alpha, comparisons=comparisons)
            for measure in powers
        ),
        power=power,
        alpha=alpha,
        queries=counts,
        convention=convention,
        is_requested=bool(sought),
    )


def _past(past: Past | Iterable[Past], measures: list[str] | None) -> list[PastEvaluation]:
    single = (PastEvaluation, Evaluation, PredictedEvaluation, str, os.PathLike)
    spreads = []
    if not isinstance(past, single) and not hasattr(past, "__iter__"):
        raise ArgumentError(
            where="past",
            found=type(past).__name__,
            expected="an Evaluation, a file with values per query, or several of them",
        )
    for evaluation in [past] if isinstance(past, single) else past:
        if isinstance(evaluation, PastEvaluation):
            spreads.append(evaluation)
        elif isinstance(evaluation, (Evaluation, PredictedEvaluation)):
            spreads.append(past_evaluation(evaluation, f"evaluation {len(spreads) + 1}"))
        else:
            spreads.append(read_past(evaluation, measures))
    if not spreads:
        raise ParameterError("at least one evaluation is required", where="past")
    return spreads


def _powers(known: list[PastEvaluation], measures: list[str] | None) -> tuple[MeasurePower, ...]:
    every = list(dict.fromkeys(name for spread in known for name in spread.measures))
    powers = []
    for measure in every if measures is None else dict.fromkeys(map(measure_name, measures)):
        spreads = [_spread(spread, measure) for spread in known if measure in spread.scores]
        if not spreads:
            raise ParameterError(
                where="measures", found=repr(measure), expected=f"one of {', '.join(every)}"
            )
        combined = [
            spread
            for pair in known
            if measure in pair.scores and (spread := _combined_spread(pair, measure)) is not None
        ]
        if combined:
            powers.append(_power(measure, combined, "combined"))
        powers.append(_power(measure, spreads, "people" if combined else None))
    return tuple(powers)


def _power(
    measure: str,
    spreads: Sequence[PastSpread],
    labels: Literal["combined", "people"] | None,
) -> MeasurePower:
    rest = pooled(
        ResidualVariance(spread.deviation**2 / 2, spread.df, spread.effective_df)
        for spread in spreads
    )
    return MeasurePower(
        measure=measure,
        labels=labels,
        deviation=rest.deviation,
        upper_deviation=rest.upper_deviation(),
        df=rest.df,
        past=tuple(spreads),
    )


def _spread(past: PastEvaluation, measure: str) -> PastSpread:
    values, queries, left_out = past.matrix(measure)
    if len(past.systems) < 2 or len(queries) < 2:
        counts = f"{_count(past.systems, 'system')} and {_count(queries, 'query')} with a value"
        raise ParameterError(
            where=f"{measure} of {past.name}",
            found=counts,
            expected="at least 2 systems and 2 queries that count for all of them",
        )
    rest = residual_variance(values)
    return PastSpread(
        name=past.name,
        systems=len(past.systems),
        queries=len(queries),
        left_out=left_out,
        deviation=rest.deviation,
        df=rest.df,
        effective_df=rest.effective_df,
        pair_deviations=tuple(pair_deviations(values)),
    )


def _combined_spread(past: PastEvaluation, measure: str) -> PastSpread | None:
    """Return the spread with the labels of a model; None without them."""
    if past.combined is None:
        return None
    alone = _spread(past, measure)
    estimates = [
        past.combined.combine(measure, *pair) for pair in combinations(past.combined.systems, 2)
    ]
    variances = [spread.standard_error**2 * spread.n for spread in estimates]
    return alone.replace(
        deviation=sqrt(sum(variances) / len(variances)),
        pair_deviations=tuple(sorted(map(sqrt, variances))),
        ratio=len(past.combined.sample.queries) / len(past.combined.sample.judged),
    )


def _count(things: Sequence[object], noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{len(things)} {noun if len(things) == 1 else plural}"


def _check(power: float, alpha: float, comparisons: int) -> None:
    ANY_ALPHA.check(alpha)
    if not alpha < power < 1:
        raise ParameterError(found=f"power={power!r}", expected="a number between alpha and 1")
    if comparisons < 1 or comparisons != int(comparisons):
        raise ParameterError(
            found=f"comparisons={comparisons!r}", expected="a whole number, 1 or more"
        )


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
