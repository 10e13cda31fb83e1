"""The result of `evaluate_sample`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from gainful.errors import ParameterError
from gainful.results import Records, Result, as_records
from gainful.sampled.rendering import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["SampleEstimate", "SampleEvaluation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleEstimate:
    """The estimated mean of a measure of a system.

    Attributes
    ----------
    system, measure : str
        The names of the system and the measure.
    n : int
        The number of queries in the mean.
    mean : float
        The mean of the estimates of the queries, with drawn documents without a judgment as not
        relevant. It can exceed the range of the measure.
    low, high : float or None
        The 95% confidence interval of the mean over new queries; with documents without a judgment
        from the lower end of the interval of `lowest` to the upper end of that of `highest`. Never
        below 0, or above the largest value that the grades allow. None for fewer than two queries.
    method : {"bounded-t"}
        The method of the interval.
    standard_error : float or None
        The standard error of the mean over new queries, which includes the sampling error.
    sampling_error : float or None
        The standard error of the mean over samples of these queries. None for DCG, CG and P if a
        stratum has a single drawn document of several.
    bias : float or None
        The estimated bias of the mean: 0 for DCG, CG and P. None for the others if a stratum has a
        single drawn document of several.
    lowest, highest : float
        Bounds of the mean over the grades of the drawn documents without a judgment.
    outside : int
        The number of documents above the cutoff that are neither in the pool nor judged. With any,
        DCG, CG and P are estimates of a lower bound.
    without_relevant : int
        The number of queries whose sample has no relevant document, for nDCG, AP and R. Their bias
        counts as 0.
    people_mean, people_low, people_high : float or None
        With labels of a model, the estimate by people only, with its interval. `mean`, `low` and
        `high` then combine both.
    model_mean : float or None
        The mean by the model's labels of all documents of the pool.
    rate : float or None
        How much of the model's labels is used, on average over the queries; 0 for none.
    worth : float or None
        The number of queries, judged in the same way, that would give the same precision without
        the model.
    reason : {"", "few-errors", "no-gain"} or None
        Why only people are used: they disagree with the model in fewer than 10 queries, or the
        model does not help.
    """

    system: str
    measure: str
    n: int
    mean: float
    low: float | None
    high: float | None
    method: str
    standard_error: float | None
    sampling_error: float | None
    bias: float | None
    lowest: float
    highest: float
    outside: int
    without_relevant: int
    people_mean: float | None = None
    people_low: float | None = None
    people_high: float | None = None
    model_mean: float | None = None
    rate: float | None = None
    worth: float | None = None
    reason: str | None = None

    @property
    def is_biased(self) -> bool:
        """Whether the estimated bias exceeds an eighth of the standard error.

        The estimate is about half of the true bias in simulations, so that the true bias is then
        about a quarter of the standard error.
        """
        if not self.bias:
            return False
        return self.standard_error is None or abs(self.bias) > self.standard_error / 8


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class SampleEvaluation(Result):
    """Estimates of measures from a random sample of judgments.

    Attributes
    ----------
    measures, resolved : tuple of Measure
        The measures as requested, and with their parameters under the convention.
    systems : tuple of str
        The names of the systems.
    convention : Convention
        The policies.
    estimates : list of SampleEstimate
        The estimates by measure and system.
    values : dict of (str, str) to dict of str to float
        The estimates of the queries by measure and system; None for a query that is left out.
    depth : int
        The depth of the pool.
    queries : int
        The number of queries of the sample.
    other_queries : int
        The number of judged queries that are not in the sample; they are left out.
    judged, not_judged : int
        The number of documents with a judgment, and of drawn documents without.
    ignored : int
        The number of judged documents of the pool that were not drawn. They are left out, since the
        drawn documents represent them.
    is_frame_known : bool
        Whether the documents of the pool were read. Without them, every run counts as pooled.
    """

    RECORDS = {"summary": None, "queries": None}
    PICTURES = ("means",)

    measures: tuple[Measure, ...]
    resolved: tuple[Measure, ...]
    systems: tuple[str, ...]
    convention: Convention
    estimates: Sequence[SampleEstimate]
    values: Mapping[tuple[str, str], Mapping[str, float | None]]
    depth: int
    queries: int
    other_queries: int
    judged: int
    not_judged: int
    ignored: int
    is_frame_known: bool

    def estimate(self, system: str, measure: Measure | str | None = None) -> SampleEstimate:
        """Return the estimate of a system. With one measure, its name is optional.

        Raises
        ------
        ParameterError
            For an unknown system or measure.
        """
        if measure is None and len(self.measures) == 1:
            measure = self.measures[0]
        name = measure if isinstance(measure, str) else repr(measure)
        for each in self.estimates:
            if each.system == system and each.measure == name:
                return each
        raise ParameterError(
            found=f"{system!r}, {name}",
            expected=f"one of {', '.join(self.systems)} and one of"
            f" {', '.join(map(repr, self.measures))}",
        )

    @property
    def is_combined(self) -> bool:
        """Whether the estimates combine people with the labels of a model."""
        return any(each.people_mean is not None for each in self.estimates)

    def tables(self) -> list[Table]:
        """Return one table per measure."""
        return tables(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract ``gainful.sample-evaluation/1``."""
        return {
            "schema": "gainful.sample-evaluation/1",
            "convention": {**self.convention.to_dict(), "text": str(self.convention)},
            "depth": self.depth,
            "queries": self.queries,
            "other_queries": self.other_queries,
            "judged": self.judged,
            "not_judged": self.not_judged,
            "ignored": self.ignored,
            "is_frame_known": self.is_frame_known,
            "resolved": {
                repr(measure): repr(resolved)
                for measure, resolved in zip(self.measures, self.resolved, strict=True)
            },
            "estimates": [{**asdict(each), "is_biased": each.is_biased} for each in self.estimates],
        }

    def _picture(self, name: str, measure: Measure | str | None = None) -> Plot:
        """Draw the estimated mean of each system with its confidence interval."""
        from gainful import plots

        chosen = str(measure or self.measures[0])
        found = [self.estimate(system, chosen) for system in self.systems]
        rows = [
            {"system": e.system, "mean": e.mean, "low": e.low, "high": e.high, "queries": e.n}
            for e in found
        ]
        return plots.means(rows, f"estimated {chosen}")

    def _records(self, name: str) -> Records:
        if name == "queries":
            rows = [
                (measure, system, query, value)
                for (measure, system), own in self.values.items()
                for query, value in own.items()
            ]
            return as_records(("measure", "system", "query_id", "value"), rows)
        names = (*SampleEstimate.__dataclass_fields__, "is_biased")
        return as_records(
            names, [[getattr(each, name) for name in names] for each in self.estimates]
        )

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        return f"<SampleEvaluation of {', '.join(self.systems)}: {measures}>"
