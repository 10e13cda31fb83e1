"""What is told of judgments: how much there is, of each rater, and of any two of them."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.judging.source import Rater

__all__ = ["AlphaAccount", "Coverage", "PairAccount", "RaterAccount", "SettledAccount"]

#: Krippendorff's customary limits: data to rely on, and data for tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much is judged.

    Attributes
    ----------
    queries, documents, labels : int
        Queries with a judgment, documents judged (one under two queries counts twice), and grades
        given, the settled ones aside.
    blank : int
        Places for a grade in which there is none.
    per_query : tuple of (int, float, int)
        The least, the median and the most documents of a query.
    rated_by : dict of int to int
        How many documents have a grade of how many raters.
    no_relevant : tuple of str
        Queries of which no document has a grade of 1 or more, whoever gave it.
    judged : dict of str to float or None
        Of each run, the share of the documents above the measure's cutoff, on the judged queries,
        that somebody judged; None where the measure has no cutoff.
    cutoff : int or None
        The measure's cutoff.
    unjudged : dict of str to int
        Of each run, how many of its queries have no judgment.
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
class RaterAccount:
    """One rater.

    Attributes
    ----------
    rater : Rater
        Who or what.
    labels, queries : int
        How many grades they gave, and under how many queries.
    distribution : dict of float to int
        How often they gave each grade, from the least to the greatest.
    mean : float
        Of their grades.
    compared : int
        Documents that somebody else graded, too.
    bias, low, high : float or None
        Over these, the mean of their grade less the mean of the others', and its interval:
        Student's t, with the queries as clusters; None where there is nothing to compare.
    as_settled : float or None
        The share of their grades that are the settled ones, of those that were settled.
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
    as_settled: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledAccount:
    """The grades that were settled on.

    Attributes
    ----------
    name : str
        What they are called.
    documents : int
        How many there are.
    distribution : dict of float to int
        How often each grade was settled on.
    mean : float
        Of them.
    """

    name: str
    documents: int
    distribution: dict[float, int]
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAccount:
    """Two raters, on the documents that both graded.

    Attributes
    ----------
    first, second : str
        Their names.
    documents : int
        How many both graded.
    same : float
        The share of these to which both gave the same grade.
    kappa, low, high : float or None
        Weighted kappa and its bootstrap interval; None where it is not defined.
    difference : float
        The mean of the first one's grade less the second's.
    confusion : dict of (float, float) to int
        How often the first gave the one grade and the second the other.
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
class AlphaAccount:
    """Krippendorff's alpha of some raters.

    Attributes
    ----------
    kind : str or None
        Of which kind of raters, such as ``"human"``; None for all of them.
    raters : tuple of str
        Their names.
    documents : int
        Those that two of them or more graded.
    value, low, high : float or None
        Alpha and its bootstrap interval; None where it is not defined.
    """

    kind: str | None
    raters: tuple[str, ...]
    documents: int
    value: float | None
    low: float | None
    high: float | None

    @property
    def words(self) -> str:
        """What it allows by Krippendorff's customary limits, .800 and .667, as far as it is sure.

        K. Krippendorff: Reliability in content analysis: some common misconceptions and
        recommendations. Human Communication Research 30(3), 2004. What the lower end of the
        interval reaches is said, and what only its upper end does is said to be so perhaps.

        Examples
        --------
        >>> AlphaAccount(kind=None, raters=("ana", "ben"), documents=466, value=0.799, low=0.767,
        ...     high=0.829).words
        'enough for tentative conclusions, perhaps to rely on'
        """
        if self.value is None:
            return "not defined"
        if self.low is None or self.high is None:
            return "too few queries to say how sure it is"
        if self.low >= RELIABLE:
            return "enough to rely on"
        if self.low >= TENTATIVE:
            more = ", perhaps to rely on" if self.high >= RELIABLE else ""
            return f"enough for tentative conclusions{more}"
        if self.high >= RELIABLE:
            return "too uncertain to say whether it allows conclusions"
        if self.high >= TENTATIVE:
            return "perhaps enough for tentative conclusions"
        return "not enough for conclusions"
