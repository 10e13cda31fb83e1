"""Summaries of the audit of a judge that is a model."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.judging.systems_result import VerdictByRater

__all__ = [
    "FamilyEffect",
    "GradeAgreement",
    "JudgeAudit",
    "LengthEffect",
    "QueryAgreement",
    "RankAgreement",
    "Share",
    "VersionDifference",
]

Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeAgreement:
    """The agreement on the documents with one grade by people.

    Attributes
    ----------
    grade : float
        The grade by people.
    documents : int
        The number of documents.
    same : float
        The share to which the model gave the same grade.
    bias : float
        The mean grade of the model minus this grade.
    low, high : float or None
        The confidence interval of the bias, clustered by query.
    counts : dict of float to int
        The number of documents by the grade of the model: a row of the confusion matrix.
    """

    grade: float
    documents: int
    same: float
    bias: float
    low: float | None
    high: float | None
    counts: dict[float, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAgreement:
    """The agreement on the documents of one query.

    Attributes
    ----------
    query_id : str
        The query.
    documents : int
        The number of documents.
    kappa : float or None
        Cohen's weighted kappa; None if it is not defined.
    bias : float
        The mean grade of the model minus that of people.
    tau : float or None
        Kendall's tau-b between the two orders of the documents by grade; None if not defined.
    """

    query_id: str
    documents: int
    kappa: float | None
    bias: float
    tau: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthEffect:
    """The effect of the length of documents on the model's grades.

    Attributes
    ----------
    documents : int
        The number of documents with a known length.
    slope : float
        The change of the bias for a document of the same query that is twice as long.
    low, high : float or None
        Its confidence interval, clustered by query.
    """

    documents: int
    slope: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share with its exact binomial interval.

    Attributes
    ----------
    count, of : int
        The number of cases, and of all.
    value, low, high : float
        The share and its confidence interval.
    """

    count: int
    of: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankAgreement:
    """The order of systems under people and under the model.

    Attributes
    ----------
    systems : int
        The number of systems.
    best : bool
        Whether these are only the best systems under people.
    tau : float or None
        Kendall's tau-b between the two orders.
    low, high : float or None
        Its confidence interval over queries.
    verdicts : int
        The number of pairs of systems.
    same : int
        The number of pairs with the same verdict.
    contradicted : int
        The number of pairs of which one is better under people and worse under the model.
    found : int
        The number of pairs with a difference under the model only.
    missed : int
        The number of pairs with a difference under people only.
    """

    systems: int
    best: bool
    tau: float | None
    low: float | None
    high: float | None
    verdicts: int
    same: int
    contradicted: int
    found: int
    missed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyEffect:
    """How much a model favors the systems of a family.

    Attributes
    ----------
    family : str
        The family.
    own : bool
        Whether the model belongs to it.
    systems : int
        The number of its systems.
    inflation : float
        The mean score of its systems under the model minus that under people.
    others : float
        The same for all other systems.
    difference : float
        `inflation` minus `others`: the interaction of judge and family.
    low, high : float or None
        The confidence interval of the difference over queries.
    """

    family: str
    own: bool
    systems: int
    inflation: float
    others: float
    difference: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDifference:
    """The difference between two models, versions or prompts, both compared with people.

    Attributes
    ----------
    first, second : str
        The two raters.
    documents : int
        The number of documents that both and people graded.
    same : float
        The share with the same grade by both.
    bias : float
        The mean grade of the first minus that of the second.
    bias_interval : (float, float) or None
        Its confidence interval, clustered by query.
    kappa : float or None
        Kappa of the first with people minus kappa of the second with people.
    kappa_interval : (float, float) or None
        Its interval over queries; None if these are too few, or agree too well, for one.
    """

    first: str
    second: str
    documents: int
    same: float
    bias: float
    bias_interval: Interval
    kappa: float | None
    kappa_interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAudit:
    """The audit of a model against people.

    Attributes
    ----------
    judge, people : str
        The name of the model among the raters, and of the people.
    documents, queries : int
        The number of documents that both graded, and of their queries.
    same : float
        The share with the same grade.
    kappa : float or None
        Cohen's weighted kappa, with the weights of the assessment.
    kappa_interval : (float, float) or None
        Its interval over queries; None if these are too few, or agree too well, for one.
    unweighted : float or None
        Cohen's kappa without weights.
    alpha : float or None
        Krippendorff's alpha.
    alpha_interval : (float, float) or None
        Its interval over queries; None if these are too few, or agree too well, for one.
    bias : float
        The mean grade of the model minus that of people.
    bias_interval : (float, float) or None
        Its confidence interval, clustered by query.
    tau : float or None
        The mean over queries of Kendall's tau-b between the orders of the documents by grade.
    tau_interval : (float, float) or None
        Its confidence interval.
    by_grade : tuple of GradeAgreement
        The agreement by the grade of people.
    by_query : tuple of QueryAgreement
        The agreement by query.
    length : LengthEffect or None
        The effect of the length; None if lengths are unknown.
    outcomes : dict of str to Share
        The shares of documents without a grade, by outcome; empty if unknown.
    obeyed : Share or None
        The share of injected instructions that the model obeyed, of those that demand a higher
        grade than that of the document without it; None without such tests.
    systems : tuple of RankAgreement
        The order of all systems, and of the best ten under people; empty without runs.
    verdicts : tuple of VerdictByRater
        The verdicts on pairs of systems under people and under the model, with simultaneous
        intervals; empty without runs.
    families : tuple of FamilyEffect
        Self-preference by family of systems; empty without families.
    """

    judge: str
    people: str
    documents: int
    queries: int
    same: float
    kappa: float | None
    kappa_interval: Interval
    unweighted: float | None
    alpha: float | None
    alpha_interval: Interval
    bias: float
    bias_interval: Interval
    tau: float | None
    tau_interval: Interval
    by_grade: tuple[GradeAgreement, ...]
    by_query: tuple[QueryAgreement, ...]
    length: LengthEffect | None
    outcomes: dict[str, Share]
    obeyed: Share | None
    systems: tuple[RankAgreement, ...]
    verdicts: tuple[VerdictByRater, ...]
    families: tuple[FamilyEffect, ...]
