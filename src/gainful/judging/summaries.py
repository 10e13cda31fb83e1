"""Summaries of judgments: coverage, raters, and pairs of raters."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.judging.source import Rater
    from gainful.judging.systems_result import SystemsByRater

__all__ = [
    "AlphaSummary",
    "Coverage",
    "FinalSummary",
    "PairSummary",
    "RaterSummary",
    "SliceSummary",
]

#: Krippendorff's customary limits for reliable data and for tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many queries and documents have judgments.

    Attributes
    ----------
    queries, documents, labels : int
        Queries with a judgment, judged documents (counted once per query), and labels without the
        final ones.
    blank : int
        Number of cells without a grade.
    per_query : tuple of (int, float, int)
        Minimum, median and maximum number of documents per query.
    rated_by : dict of int to int
        Number of documents by their number of raters.
    no_relevant : tuple of str
        Queries without any grade of 1 or more.
    judged : dict of str to float or None
        By run, the judged share of the documents above the measure's cutoff, on the judged queries;
        None without a cutoff.
    cutoff : int or None
        The measure's cutoff.
    unjudged : dict of str to int
        By run, the number of its queries without judgments.
    """

    queries: int
    documents: int
    labels: int
    blank: int
    per_query: tuple[int, float, int]
    rated_by: dict[int, int]
    no_relevant: tuple[str, ...]
    judged: dict[str, float | None]
    cutoff: int | None
    unjudged: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterSummary:
    """The labels of a rater.

    Attributes
    ----------
    rater : Rater
        The name and source.
    labels, queries : int
        Number of labels, and of queries with a label.
    distribution : dict of float to int
        Number of labels by grade, in ascending order.
    mean : float
        Mean grade.
    compared : int
        Number of documents that other raters graded too.
    bias, low, high : float or None
        On these documents, the mean of the rater's grade minus the other raters' mean, and its
        interval: Student's t, clustered by query; None without such documents.
    same_as_final : float or None
        The share of the rater's grades that equal the final ones.
    """

    rater: Rater
    labels: int
    queries: int
    distribution: dict[float, int]
    mean: float
    compared: int
    bias: float | None
    low: float | None
    high: float | None
    same_as_final: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalSummary:
    """The final grades.

    Attributes
    ----------
    name : str
        The name of the final grades.
    documents : int
        Number of documents with a final grade.
    distribution : dict of float to int
        Number of documents by grade.
    mean : float
        Mean grade.
    """

    name: str
    documents: int
    distribution: dict[float, int]
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSummary:
    """Two raters on the documents that both graded.

    Attributes
    ----------
    first, second : str
        The names of the raters.
    documents : int
        Number of documents that both graded.
    same : float
        The share of these documents with the same grade from both, weighted like kappa.
    kappa, low, high : float or None
        Weighted kappa and its interval; None if not defined.
    difference : float
        Mean of the first rater's grade minus the second's.
    confusion : dict of (float, float) to int
        Number of documents by (first grade, second grade).
    """

    first: str
    second: str
    documents: int
    same: float
    kappa: float | None
    low: float | None
    high: float | None
    difference: float
    confusion: dict[tuple[float, float], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaSummary:
    """Krippendorff's alpha of some raters.

    Attributes
    ----------
    kind : str or None
        The kind of these raters, such as ``"human"``; None for all.
    raters : tuple of str
        The names of the raters.
    documents : int
        Number of documents with at least two labels.
    value, low, high : float or None
        Alpha and its interval; None if not defined.
    """

    kind: str | None
    raters: tuple[str, ...]
    documents: int
    value: float | None
    low: float | None
    high: float | None

    @property
    def interpretation(self) -> str:
        """The conclusion that Krippendorff's limits, .800 and .667, allow.

        K. Krippendorff: Reliability in content analysis: some common misconceptions and
        recommendations. Human Communication Research 30(3), 2004. It is "possibly" if only the
        upper end of the interval reaches the limit.

        Examples
        --------
        >>> AlphaSummary(kind=None, raters=("ana", "ben"), documents=466, value=0.799, low=0.767,
        ...     high=0.829).interpretation
        'enough for tentative conclusions, possibly reliable'
        """
        if self.value is None:
            return "not defined"
        if self.low is None or self.high is None:
            return "too few queries for a confidence interval"
        if self.low >= RELIABLE:
            return "reliable"
        if self.low >= TENTATIVE:
            more = ", possibly reliable" if self.high >= RELIABLE else ""
            return f"enough for tentative conclusions{more}"
        if self.high >= RELIABLE:
            return "too uncertain to interpret"
        if self.high >= TENTATIVE:
            return "possibly enough for tentative conclusions"
        return "not enough for conclusions"


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceSummary:
    """The agreement of the raters on a slice of the queries.

    Attributes
    ----------
    queries, documents : int
        Number of its queries and of their judged documents.
    pairs : tuple of PairSummary
        The agreement of each pair of raters with a common document.
    alphas : tuple of AlphaSummary
        Krippendorff's alpha, as for all queries.
    systems : SystemsByRater or None
        The systems by rater on these queries; None without several runs and raters.
    """

    queries: int
    documents: int
    pairs: tuple[PairSummary, ...]
    alphas: tuple[AlphaSummary, ...]
    systems: SystemsByRater | None
