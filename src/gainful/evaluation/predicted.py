"""Estimate means from the judgments of people for a sample of queries, and of a model for all."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from os import PathLike, path

from gainful.byte_order import in_byte_order
from gainful.data.samples import read_examples, read_query_sample
from gainful.errors import MatchError, MeasureError, ParameterError
from gainful.inference.design import Design
from gainful.inference.prediction_powered import FEWEST_JUDGED, predicted_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
    from typing import TypeVar

    from gainful.data import Qrels
    from gainful.data.samples import QuerySample, Sampled
    from gainful.inference.prediction_powered import PredictedMean
    from gainful.measures import Measure

    Given = TypeVar("Given")

__all__ = ["DOUBTFUL", "TwoPhaseSample", "check_averages", "check_sampled", "two_phase_sample"]

#: A sample whose p-value is lower is not random.
DOUBTFUL = 0.001


def check_sampled(sampled: Sampled | None, *, has_predictions: bool) -> QuerySample | None:
    """Return the recorded draw of the human-judged queries, None if it is only declared.

    Raises
    ------
    ParameterError
        If it is neither, or no predictions were given.
    SourceError, FormatError
        If a pool cannot be read or records no draw.
    """
    if not has_predictions:
        if sampled is not None:
            raise ParameterError(
                "there are no predictions",
                where="sampled",
                hint="⟪predicted⟫ names the judgments of a model",
            )
        return None
    if isinstance(sampled, PathLike) or (isinstance(sampled, str) and path.isfile(sampled)):
        return read_query_sample(sampled)
    drawn = getattr(sampled, "query_sample", None)
    if drawn is None and sampled != "random":
        raise ParameterError(
            where="sampled",
            found="nothing" if sampled is None else repr(sampled),
            expected="random, or a pool with a random sample of queries",
            hint="with ⟪sampled=random⟫ you declare that people judged a random sample of the"
            " queries; without one, the combined estimate is wrong",
        )
    return drawn


def check_averages(measures: Iterable[Measure]) -> None:
    """Reject measures that are not the mean of per-query values."""
    for measure in measures:
        if measure.aggregate != "mean":
            raise MeasureError(
                "predictions apply to means of per-query values",
                where=repr(measure),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoPhaseSample:
    """The queries that people judged, among those that a model judged.

    Attributes
    ----------
    queries : tuple of str
        All queries that the model judged, in byte order.
    judged : frozenset of str
        Those that people judged too.
    left_out : int
        The number of queries that people judged and the model did not; they are left out.
    highest : (float, float)
        The highest grade of people and of the model for the queries that both judged.
    drawn : QuerySample or None
        The recorded draw of the queries that people judged.
    """

    queries: tuple[str, ...]
    judged: frozenset[str]
    left_out: int
    highest: tuple[float, float]
    drawn: QuerySample | None = None

    @property
    def other_scale(self) -> bool:
        """Whether the highest grades of people and model differ."""
        return self.highest[0] != self.highest[1]

    def restrict(self, people: Qrels) -> Qrels:
        """Return the judgments of the queries that people and the model judged."""
        if not self.left_out:
            return people
        from gainful.data import Qrels

        return Qrels({query: grades for query, grades in people.items() if query in self.judged})

    def estimate(
        self,
        people: Mapping[str, float],
        model: Mapping[str, float],
        weights: Mapping[str, float] | None = None,
        clusters: Mapping[str, Hashable] | None = None,
        chosen: Collection[str] | None = None,
    ) -> PredictedMean:
        """Estimate a mean.

        Parameters
        ----------
        people, model : mapping of str to float
            The values of queries. A judged query without a value, or with NaN, does not count in
            the mean. Where the model has no value, as for a query in which it found nothing
            relevant, 0 is used: any prediction is allowed.
        weights, clusters : mapping, optional
            The weights and clusters of the queries.
        chosen : collection of str, optional
            The queries to use. Default: all.

        Raises
        ------
        ParameterError
            If people judged fewer than 10 of them, or a weight or cluster is missing.
        """
        import numpy as np

        queries = [query for query in self.queries if chosen is None or query in chosen]
        nothing = float("nan")
        judged = np.array([query in self.judged for query in queries], dtype=np.bool_)
        values = [
            people.get(query, nothing) if query in self.judged else nothing for query in queries
        ]
        predicted = [model.get(query, 0.0) for query in queries]
        if not queries:
            raise few_judged(0)
        design = Design(
            len(queries),
            weights=_listed(weights, queries, "weight"),
            clusters=_listed(clusters, queries, "cluster"),
        )
        if not judged.any() or not np.isfinite(values).any():
            raise few_judged(0)
        return predicted_mean(
            values,
            [value if isfinite(value) else 0.0 for value in predicted],
            design,
            judged=judged,
        )


def two_phase_sample(
    people: Qrels, model: Qrels, drawn: QuerySample | None = None
) -> TwoPhaseSample:
    """Return the queries of the judgments of people and of a model.

    Raises
    ------
    MatchError
        If they have no query in common.
    ParameterError
        If people judged fewer than 10 of the model's queries, others than were drawn, or one whose
        grades the model saw as few-shot examples.
    """
    queries = in_byte_order(set(model))
    known = set(queries)
    judged = frozenset(query for query in people if query in known)
    left_out = len(set(people)) - len(judged)
    if not judged:
        raise MatchError(
            "no query was judged by both people and the model",
            where="predicted",
            hint="check that both use the same query ids",
        )
    if len(judged) < FEWEST_JUDGED:
        raise few_judged(len(judged))
    if drawn is not None:
        drawn.check(queries, judged)
    for query, document in sorted(read_examples(model.source)):
        if query in judged:
            raise ParameterError(
                "the model saw a grade of this query as an example of its prompt, so it was not"
                " fixed without the human-judged queries",
                where="predicted",
                query=query,
                document=document,
                hint="remove this query from both files",
            )
    return TwoPhaseSample(
        queries=tuple(queries),
        judged=judged,
        left_out=left_out,
        highest=(_highest(people, judged), _highest(model, judged)),
        drawn=drawn,
    )


def few_judged(count: int) -> ParameterError:
    """Return the error for too few human-judged queries."""
    return ParameterError(
        where="predicted",
        found=f"{count} human-judged quer{'y' if count == 1 else 'ies'} with predictions",
        expected=f"{FEWEST_JUDGED} or more",
        hint="let people judge more queries, drawn at random",
    )


def _highest(judgments: Qrels, queries: Iterable[str]) -> float:
    """Return the highest grade of some queries."""
    grades = (judgments.get(query) or {} for query in queries)
    return float(max((max(table.values(), default=0.0) for table in grades), default=0.0))


def _listed(
    given: Mapping[str, Given] | None, queries: Sequence[str], what: str
) -> list[Given] | None:
    if given is None:
        return None
    for query in queries:
        if query not in given:
            raise ParameterError(
                f"a {what} is missing; every query of the predictions needs one",
                where=f"{what}s",
                query=query,
            )
    return [given[query] for query in queries]
