"""Plan the number of queries of a comparison from past evaluations."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np

from gainful.agreement.power_result import MeasurePower, PastSpread, PowerAnalysis
from gainful.byte_order import in_byte_order
from gainful.data.paths import stem
from gainful.errors import ArgumentError, FormatError, MatchError, MeasureError, ParameterError
from gainful.evaluation import Evaluation
from gainful.evaluation.predicted import PredictedEvaluation
from gainful.evaluation.value_tables import measure_name, read_values
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
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Literal, TypeAlias

    from numpy.typing import NDArray

    Past: TypeAlias = "PastEvaluation | Evaluation | PredictedEvaluation | str | PathLike[str]"

__all__ = ["PastEvaluation", "analyze_power", "past_evaluation", "read_past"]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PastEvaluation:
    """The values of systems by query, under one or more measures.

    Attributes
    ----------
    name : str
        The name of the collection, for tables.
    systems : tuple of str
        The names of the systems.
    scores : dict of str to dict of str to dict of str to float
        Values by measure, system and query, without queries that do not count for the system.
    convention : str or None
        The convention in one line; None for files of rows, which do not contain it.
    combined : PredictedEvaluation or None
        The same values with those of a model for further queries, if there are any.
    """

    name: str
    systems: tuple[str, ...]
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    convention: str | None = None
    combined: PredictedEvaluation | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(self.scores)

    def matrix(self, measure: str) -> tuple[NDArray[np.float64], list[str], int]:
        """Return values of shape (queries, systems), the queries, and the number left out.

        Queries that do not count for all systems are left out.
        """
        columns = [self.scores[measure][system] for system in self.systems]
        every = {query for column in columns for query in column}
        queries = in_byte_order(
            query for query in every if all(query in column for column in columns)
        )
        values = np.array(
            [[column[query] for column in columns] for query in queries], dtype=np.float64
        ).reshape(len(queries), len(columns))
        return values, queries, len(every) - len(queries)

    def within(self, queries: Iterable[str]) -> PastEvaluation:
        """Return the values on some of the queries."""
        chosen = frozenset(queries)
        return replace(
            self,
            scores={
                measure: {
                    system: {query: value for query, value in rankings.items() if query in chosen}
                    for system, rankings in systems.items()
                }
                for measure, systems in self.scores.items()
            },
        )


@suggest_keywords
def past_evaluation(evaluation: Evaluation | PredictedEvaluation, name: str = "") -> PastEvaluation:
    """Return the values of an evaluation.

    Raises
    ------
    MeasureError
        For a geometric mean, which is not a mean of per-query values.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> past = past_evaluation(gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10"))
    >>> past.systems, past.measures
    (('bm25', 'dense'), ('nDCG@10',))
    >>> past.matrix("nDCG@10")[0].shape
    (6, 2)
    """
    if isinstance(evaluation, PredictedEvaluation):
        return replace(past_evaluation(evaluation.people, name), combined=evaluation)
    for measure in evaluation.measures:
        if measure.aggregate == "geometric":
            raise MeasureError(
                "a geometric mean is not a mean of per-query values",
                where=repr(measure),
                hint="use AP instead of GMAP, bpref instead of GMbpref",
            )
    return PastEvaluation(
        name=name or "evaluation",
        systems=evaluation.systems,
        # Under no_relevant=nan, queries that do not count have the value NaN.
        scores={
            repr(measure): {
                system: {
                    query: value
                    for query, value in evaluation.values_by_text_id(measure, system).items()
                    if value == value
                }
                for system in evaluation.systems
            }
            for measure in evaluation.measures
        },
        convention=str(evaluation.convention),
    )


@suggest_keywords
def read_past(
    path: str | PathLike[str], measures: Iterable[str] | None = None, *, name: str = ""
) -> PastEvaluation:
    r"""Read the rows that ``gainful evaluate --per-query`` writes.

    Parameters
    ----------
    path : path
        TSV, CSV or JSON lines with the columns ``system``, ``query_id`` and one per measure. An
        empty cell or ``nan`` is a query that does not count.
    measures : iterable of str, optional
        The measures to read; those that the file lacks are ignored. Default: the measures requested
        from ``gainful evaluate``, or all other columns of other files.
    name : str, optional
        The name in tables. Default: the name of the file.

    Raises
    ------
    SourceError
        If the file cannot be read.
    ColumnError
        If the file lacks a column, or has none of the measures.
    FormatError
        For a line without system or query, a duplicate query of a system, or a cell that is not a
        number.

    Examples
    --------
    >>> with open("past.csv", "w") as file:
    ...     _ = file.write("system,query_id,AP\nold,q1,.4\nnew,q1,.5\nold,q2,.3\nnew,q2,.6\n")
    >>> past = read_past("past.csv")
    >>> past.name, past.systems, past.measures
    ('past', ('old', 'new'), ('AP',))
    """
    table = read_values(path, measures)
    systems = tuple(next(iter(table.scores.values()), ()))
    if not systems:
        raise FormatError("no values of systems", file=table.source or name)
    return PastEvaluation(
        name=name or stem(table.source or ""), systems=systems, scores=table.scores
    )


def single_convention(past: Iterable[PastEvaluation]) -> None:
    """Reject evaluations that are known to have different conventions."""
    known = list(
        dict.fromkeys(
            evaluation.convention for evaluation in past if evaluation.convention is not None
        )
    )
    if len(known) > 1:
        raise MatchError(
            where="past evaluations",
            found=f"two conventions, {known[0].partition(':')[0]} and {known[1].partition(':')[0]}",
            expected="one, because their values are pooled",
        )


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
