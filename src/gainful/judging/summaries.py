"""Summaries of judgments: coverage, raters, and pairs of raters."""

from __future__ import annotations

from gainful.formats.numbers import digits, thousands
from gainful.judging.cells import by_grade, cut, share
from gainful.judging.systems_result import SystemsByRater
from gainful.records import Interval, Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.judging.source import Rater

__all__ = [
    "AlphaSummary",
    "Coverage",
    "DocumentCounts",
    "FinalSummary",
    "PairSummary",
    "RaterSummary",
    "SliceSummary",
]

#: Krippendorff's customary limits for reliable data and for tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667
#: The maximum length of a name in a table of pairs.
_TWO = 17

_COUNT = {"minimum": 0}
_SHARE = {"minimum": 0, "maximum": 1}
_COUNTS = {"additionalProperties": {"type": "integer", "minimum": 1}}


class DocumentCounts(Record):
    """The numbers of documents of the queries."""

    min: int = field(json=_COUNT)
    """The smallest."""
    median: float
    """The median."""
    max: int = field(json=_COUNT)
    """The largest."""


class Coverage(Record):
    """How many queries and documents have judgments."""

    queries: int = field(json=_COUNT)
    """Queries with a judgment."""
    documents: int = field(json=_COUNT)
    """Judged documents; a document of two queries counts twice."""
    labels: int = field(json=_COUNT)
    """Labels without the final grades."""
    blank: int = field(json=_COUNT)
    """Number of cells without a grade."""
    per_query: DocumentCounts
    """Documents per query."""
    rated_by: dict[int, int] = field(json=_COUNTS)
    """Number of documents by their number of raters."""
    no_relevant: tuple[str, ...]
    """Queries without a grade of 1 or more."""
    judged: dict[str, float | None] = field(
        json={"additionalProperties": {"type": ["number", "null"], **_SHARE}}
    )
    """By run, the judged share of the documents above the measure's cutoff, on the judged queries;
    None without a cutoff."""
    cutoff: int | None = field(json={"minimum": 1})
    """The measure's cutoff."""
    unjudged: dict[str, int] = field(json={"additionalProperties": {"type": "integer", **_COUNT}})
    """By run, the number of its queries without judgments."""


class RaterSummary(Record):
    """The labels of a rater."""

    rater: Rater = field(key="")
    """The rater."""
    name: str = derived(lambda summary: summary.rater.name, key="rater")
    """The name of the rater."""
    source: str | None = derived(lambda summary: summary.rater.source.kind or None)
    """The kind of the rater: ``human``, ``model``, ``clicks``, or another word; None if unknown."""
    model: str | None = derived(lambda summary: summary.rater.source.model or None)
    """The name of the model or log; None without one."""
    version: str | None = derived(lambda summary: summary.rater.source.version or None)
    """Its version; None if unknown."""
    labels: int = field(json=_COUNT)
    """The number of labels."""
    queries: int = field(json=_COUNT)
    """The number of queries with a label."""
    distribution: dict[float, int] = field(key="")
    """Number of labels by grade, in ascending order."""
    _distribution: dict[str, int] = derived(
        lambda summary: by_grade(summary.distribution), key="distribution", json=_COUNTS
    )
    """The number of labels by grade."""
    mean: float
    """Mean grade."""
    compared: int = field(json=_COUNT)
    """Number of documents that other raters graded too."""
    bias: float | None
    """On these documents, the mean of the rater's grade minus the other raters' mean; None without
    such documents."""
    interval: Interval | None
    """The interval of the bias: Student's t, clustered by query."""
    same_as_final: float | None = field(json=_SHARE)
    """The share of the rater's grades that equal the final ones."""
    confusion: dict[tuple[float, float], int] = field(key="")
    """Counts of pairs of grades: the rater's and any other rater's. A document is counted once for
    each other rater."""
    _confusion: tuple[tuple[float, ...], ...] = derived(
        lambda summary: _cells(summary.confusion), key="confusion"
    )
    """Triples: the rater's grade, another rater's grade, and the number of documents with both."""


class FinalSummary(Record):
    """The final grades."""

    name: str
    """The name of the final grades."""
    documents: int = field(json=_COUNT)
    """Number of documents with a final grade."""
    distribution: dict[float, int] = field(key="")
    """Number of documents by grade."""
    _distribution: dict[str, int] = derived(
        lambda summary: by_grade(summary.distribution), key="distribution", json=_COUNTS
    )
    """The number of documents by grade."""
    mean: float
    """Mean grade."""


class PairSummary(Record):
    """Two raters on the documents that both graded."""

    first: str
    """The first rater."""
    second: str
    """The second rater."""
    raters: str = derived(
        lambda pair: f"{cut(pair.first, _TWO)} and {cut(pair.second, _TWO)}",
        key="",
        tables="agreement",
    )
    """Both names, shortened for tables."""
    documents: int = field(tables="agreement", show=thousands, json={"minimum": 1})
    """Number of documents that both graded."""
    same: float = field(tables="agreement", label="same grade", show=share, json=_SHARE)
    """The share of these documents with the same grade from both, weighted like kappa."""
    kappa: float | None = field(tables="agreement", show=digits, json={"maximum": 1})
    """Weighted kappa; None if not defined."""
    interval: Interval | None = field(tables="agreement", label="{level}", show=digits)
    """Its interval; None if not defined."""
    difference: float
    """Mean of the first rater's grade minus the second's."""
    confusion: dict[tuple[float, float], int] = field(key="")
    """Number of documents by (first grade, second grade)."""
    _confusion: tuple[tuple[float, ...], ...] = derived(
        lambda pair: _cells(pair.confusion), key="confusion"
    )
    """Triples: the first rater's grade, the other's grade, and the number of documents with both.
    """


class AlphaSummary(Record):
    """Krippendorff's alpha of some raters.

    Examples
    --------
    >>> AlphaSummary(kind=None, raters=("ana", "ben"), documents=466, value=0.799,
    ...     interval=Interval(0.767, 0.829)).interpretation
    'enough for tentative conclusions, possibly reliable'
    """

    kind: str | None
    """The kind of these raters, such as ``"human"``; None for all."""
    raters: tuple[str, ...]
    """The names of the raters."""
    documents: int = field(json=_COUNT)
    """Number of documents with at least two labels."""
    value: float | None = field(json={"maximum": 1})
    """Alpha; None if not defined."""
    interval: Interval | None
    """Its interval; None if not defined."""
    interpretation: str = derived(lambda alpha: _interpret(alpha))
    """The conclusion that Krippendorff's limits, .800 and .667, allow. It is "possibly" if only the
    upper end of the interval reaches the limit."""


class SliceSummary(Record):
    """The agreement of the raters on a slice of the queries."""

    queries: int = field(json=_COUNT)
    """Number of its queries."""
    documents: int = field(json=_COUNT)
    """Number of their judged documents."""
    pairs: tuple[PairSummary, ...]
    """The agreement of each pair of raters with a common document."""
    alphas: tuple[AlphaSummary, ...]
    """Krippendorff's alpha, as for all queries."""
    systems: SystemsByRater | None
    """The systems by rater on these queries; None without several runs and raters."""


def _cells(confusion: dict[tuple[float, float], int]) -> tuple[tuple[float, ...], ...]:
    return tuple((grade, other, count) for (grade, other), count in confusion.items())


def _interpret(alpha: AlphaSummary) -> str:
    # K. Krippendorff: Reliability in content analysis: some common misconceptions and
    # recommendations. Human Communication Research 30(3), 2004.
    if alpha.value is None:
        return "not defined"
    if alpha.interval is None:
        return "too few queries for a confidence interval"
    low, high = alpha.interval
    if low >= RELIABLE:
        return "reliable"
    if low >= TENTATIVE:
        more = ", possibly reliable" if high >= RELIABLE else ""
        return f"enough for tentative conclusions{more}"
    if high >= RELIABLE:
        return "too uncertain to interpret"
    if high >= TENTATIVE:
        return "possibly enough for tentative conclusions"
    return "not enough for conclusions"
