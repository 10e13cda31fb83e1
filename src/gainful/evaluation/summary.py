"""Summaries of an evaluation, and their table with notes."""

from __future__ import annotations

from gainful.records import Interval, Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

_COUNT = {"minimum": 0}

#: NaN in Python.
_FIGURE = {"type": ["number", "null"]}


class MeanEstimate(Record):
    """The base of means over queries, with their confidence intervals.

    A subclass declares the fields that are only annotated here.
    """

    __slots__ = ()

    n: int
    mean: float
    interval: Interval | None

    @property
    def value(self) -> float:
        """The number that represents the queries: the mean."""
        return self.mean

    @property
    def ends(self) -> tuple[float, float] | tuple[None, None]:
        """The ends of the interval; None without one."""
        return self.interval or (None, None)

    def figures(self) -> dict[str, float | None]:
        """Return the numbers that pictures of means show."""
        low, high = self.ends
        return {"mean": self.value, "low": low, "high": high, "queries": self.n}

    def _text(self) -> str:
        ends = self.interval
        return f"mean={self.mean:.4f}" + (
            f", low={ends[0]:.4f}, high={ends[1]:.4f}" if ends else ""
        )


class Summary(MeanEstimate):
    """The summary of a measure over the queries of one system.

    The main figures come first in JSON, where NaN is null.
    """

    mean: float = field(json=_FIGURE)
    """The mean; NaN without queries. With weights, the weighted mean. For GMAP and GMbpref the
    geometric mean, exp of the mean of log(max(value, 0.00001))."""
    median: float = field(json=_FIGURE)
    """The median, not weighted."""
    interval: Interval | None
    """The 95% confidence interval of the mean over queries, by `gainful.inference.mean_interval`.
    For a geometric mean it is computed from the logarithms. None below two queries, or if all
    values are equal and the measure has no upper limit."""
    n: int = field(json=_COUNT)
    """Queries that count."""
    chance: float | None = field(optional=True)
    """With candidates, the expected mean of a random order of them, for measures that have one."""
    clusters: int | None = field(default=None, optional=True, json={"minimum": 1})
    """With clusters, how many have queries that count."""
    effective: float | None = field(optional=True, json={"minimum": 1})
    """With weights, the effective number of queries: (sum of weights)^2 / sum of their squares.
    With clusters, the number of independent queries whose mean has the same standard error
    (`gainful.inference.Design.spread`)."""
    highest: float | None = field(optional=True)
    """With bounds, the highest possible figure (mean, or sum of a count) over the labels of
    unjudged documents."""
    interval_method: str | None = field(json={"enum": ["bounded-t", "t", None]})
    """``bounded-t``: Student's t, adjusted for the measure's range; ``t``: Student's t, for
    measures without an upper or lower limit, such as IDCG. None without an interval."""
    judged: float | None = field(json={"minimum": 0, "maximum": 1})
    """The judged share of the documents above the measure's cutoff, over all queries in the table;
    without a cutoff, of all retrieved documents. None if nothing was retrieved, for places in
    texts, or if ``unjudged=irrelevant`` declares the judgments complete."""
    lower_quartile: float = field(json=_FIGURE)
    """The lower quartile, with linear interpolation; not weighted."""
    lowest: float | None = field(optional=True)
    """With bounds, the lowest possible figure."""
    maximum: float = field(json=_FIGURE)
    """The highest value of a query."""
    minimum: float = field(json=_FIGURE)
    """The lowest value of a query."""
    no_relevant: int = field(json=_COUNT)
    """Queries without relevant documents for the measure, whether they count or not."""
    standard_deviation: float = field(json=_FIGURE)
    """Sample standard deviation, with n - 1; NaN below two queries. For a geometric mean, that of
    the logarithms."""
    sum: float = field(json=_FIGURE)
    """The sum, which counting measures (NumRel) report."""
    upper_quartile: float = field(json=_FIGURE)
    """The upper quartile, with linear interpolation; not weighted."""
    aggregate: str = field(key="")
    """How values are aggregated: mean, sum or geometric."""

    @property
    def value(self) -> float:
        """The figure of the system: the mean, or the sum of a count."""
        return self.sum if self.aggregate == "sum" else self.mean

    def figures(self) -> dict[str, float | None]:
        """Return the numbers that pictures of means show; a sum has no interval."""
        figures = super().figures()
        return figures | {"low": None, "high": None} if self.aggregate == "sum" else figures

    def __repr__(self) -> str:
        return f"Summary(n={self.n}, {self._text()}, median={self.median:.4f})"


class DataCounts(Record):
    """The counts of an evaluation of a system."""

    judged_queries: int = field(json=_COUNT)
    """Queries in the judgments."""
    queries: int = field(json=_COUNT)
    """Queries evaluated."""
    missing: int = field(json=_COUNT)
    """Judged queries missing from the run."""
    extra: int = field(json=_COUNT)
    """Queries of the run that are not judged."""
    no_relevant: dict[str, int] = field(json={"additionalProperties": _COUNT})
    """By measure, queries without relevant documents."""
    duplicates: int = field(json=_COUNT)
    """Duplicate rows of the run."""
    tied: int = field(json=_COUNT)
    """Documents with tied scores."""
    ties_at_cutoff: dict[str, int] = field(json={"additionalProperties": _COUNT})
    """By cutoff, queries with equal scores on both sides of it."""
    judged_at_cutoff: dict[str, float | None] = field(
        json={"additionalProperties": {"minimum": 0, "maximum": 1}}
    )
    """By cutoff, the share of the top k with a judgment; null as for `judged`."""


class Clusters(Record):
    """The clusters of the queries."""

    attribute: str | None
    """The attribute that clusters the queries."""
    number: int = field(json={"minimum": 1})
    """The number of clusters."""


class Selection(Record):
    """The queries and documents that were evaluated."""

    queries: int = field(json=_COUNT)
    """Judged queries that were selected."""
    judged_queries: int = field(json=_COUNT)
    """Queries in the judgments."""
    excluded: int | None = field(optional=True, json=_COUNT)
    """Pairs of query and document to exclude."""
    excluded_judged: int | None = field(optional=True, json=_COUNT)
    """Pairs that were removed from the judgments of the selected queries."""
    excluded_retrieved: dict[str, int] | None = field(
        optional=True, json={"additionalProperties": _COUNT}
    )
    """By system, rows that were removed from its rankings of the selected queries."""
    copies_judged: int | None = field(optional=True, json=_COUNT)
    """With classes of documents, judgments that were merged into that of another of the class."""
    copies_retrieved: dict[str, int] | None = field(
        optional=True, json={"additionalProperties": _COUNT}
    )
    """With classes of documents, by system: documents that were removed from its rankings, because
    another of the class is above them."""
    digests: dict[str, str | None] | None = field(default=None, key="")
    """The digests of the pairs to exclude and of the classes; None for a function."""

    def joined(self, other: Selection) -> Selection:
        """Return the sums over two sets of queries."""
        return self.replace(
            queries=self.queries + other.queries,
            judged_queries=self.judged_queries + other.judged_queries,
            excluded=_added(self.excluded, other.excluded),
            excluded_judged=_added(self.excluded_judged, other.excluded_judged),
            excluded_retrieved=_added_by(self.excluded_retrieved, other.excluded_retrieved),
            copies_judged=_added(self.copies_judged, other.copies_judged),
            copies_retrieved=_added_by(self.copies_retrieved, other.copies_retrieved),
        )


def _added(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _added_by(one: dict[str, int] | None, other: dict[str, int] | None) -> dict[str, int] | None:
    if one is None or other is None:
        return None
    return {name: number + other.get(name, 0) for name, number in one.items()}


class QuerySlice(Record):
    """The summary of a measure over a slice of the queries."""

    attribute: str
    """The attribute of the slice."""
    slice: str
    """The value of the queries."""
    system: str
    """The system."""
    measure: str
    """The measure."""
    summary: Summary = field(key="*")
    """The summary over the queries of the slice."""


class Answers(Record):
    """The values of answers over some queries."""

    n: int = field(json={"minimum": 0})
    """Queries."""
    right: int | None = field(json={"minimum": 0})
    """Queries with the value 1; None if values are not all 0 or 1."""
    mean: float | None
    """The mean, for right and wrong answers the share of the right ones; None without queries."""
    interval: Interval | None
    """The 95% confidence interval of the mean, as `Summary` has it."""


class AnswersByEvidence(Record):
    """Answers where evidence was found, and where it is missing."""

    system: str
    """The system."""
    evidence: str
    """The measure of evidence."""
    answers: str
    """The measure of answers."""
    found: Answers
    """Queries whose evidence was found: the measure is 1."""
    missing: Answers
    """The other queries."""
    difference: float | None
    """The mean of `found` minus that of `missing`; None if either has no queries."""
    interval: Interval | None
    """The 95% confidence interval of the difference."""


class LabelBounds(Record):
    """The scope of bounds."""

    labels_of: str = field(json={"enum": ["retrieved", "cutoff"]})
    """Which unjudged documents have labels."""
    scale: tuple[float, ...]
    """The possible grades."""


class QueryRow(Record):
    """The values of a system for a query."""

    system: str
    """The system."""
    query_id: str
    """The query."""
    retrieved: int = field(json=_COUNT)
    """Retrieved documents."""
    relevant: int = field(json=_COUNT)
    """Relevant documents in the judgments."""
    judged: int = field(json=_COUNT)
    """Judged documents."""
    tied: int = field(json=_COUNT)
    """Retrieved documents with tied scores."""
    duplicates: int = field(json=_COUNT)
    """Duplicate rows."""
