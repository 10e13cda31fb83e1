"""The audit of a judge that is a model: what it found, and its tables."""

from __future__ import annotations

from gainful.formats.numbers import spans, thousands
from gainful.judging.source import by_grade, cut, grade_text, share, signed, signed_grade
from gainful.judging.systems import VerdictByRater
from gainful.records import Interval, Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Cells = tuple[str, str, str]
    #: A figure: its name, its value, and the ends of its interval.
    Figure = tuple[str, object, tuple[float, float] | None]

__all__ = [
    "FamilyEffect",
    "GradeAgreement",
    "JudgeAudit",
    "LengthEffect",
    "QueryAgreement",
    "RankAgreement",
    "Share",
    "VersionDifference",
    "audit_figures",
]


_SHARE = {"minimum": 0, "maximum": 1}
_CORRELATION = {"minimum": -1, "maximum": 1}


class GradeAgreement(Record):
    """The agreement on the documents with one grade by people."""

    grade: float = field(
        tables="grades", label="grade by {people}", cell=lambda row: grade_text(row.grade)
    )
    """The grade by people."""
    documents: int = field(tables="grades", show=thousands)
    """The number of documents."""
    same: float = field(tables="grades", label="same grade", show=share, json=_SHARE)
    """The share to which the model gave the same grade."""
    bias: float = field(tables="grades", show=signed_grade)
    """The mean grade of the model minus this grade."""
    interval: Interval | None = field(tables="grades", label="{level}", show=signed_grade)
    """The confidence interval of the bias, clustered by query."""
    counts: dict[float, int] = field(key="")
    """The number of documents by the grade of the model: a row of the confusion matrix."""
    _counts: dict[str, int] = derived(
        lambda row: by_grade(row.counts),
        key="counts",
        json={"additionalProperties": {"type": "integer", "minimum": 1}},
    )
    """The number of documents by the grade of the model."""


class QueryAgreement(Record):
    """The agreement on the documents of one query."""

    query_id: str = field(tables="queries", label="query", cell=lambda row: cut(row.query_id))
    """The query."""
    documents: int = field(tables="queries", show=thousands)
    """The number of documents."""
    kappa: float | None = field(tables="queries", json={"maximum": 1})
    """Cohen's weighted kappa; None if it is not defined."""
    bias: float = field(tables="queries", show=signed_grade)
    """The mean grade of the model minus that of people."""
    tau: float | None = field(tables="queries", json=_CORRELATION)
    """Kendall's tau-b between the two orders of the documents by grade; None if not defined."""


class LengthEffect(Record):
    """The effect of the length of documents on the model's grades."""

    documents: int
    """The number of documents with a known length."""
    slope: float
    """The change of the bias for a document of the same query that is twice as long."""
    interval: Interval | None
    """Its confidence interval, clustered by query."""


class Share(Record):
    """A share with its exact binomial interval."""

    count: int
    """The number of cases."""
    of: int
    """The number of all."""
    value: float = field(json=_SHARE)
    """The share."""
    interval: Interval = field(json=_SHARE)
    """Its confidence interval."""


class RankAgreement(Record):
    """The order of systems under people and under the model."""

    systems: int
    """The number of systems."""
    best: bool
    """Whether these are only the best systems under people."""
    tau: float | None = field(json=_CORRELATION)
    """Kendall's tau-b between the two orders; None if not defined."""
    interval: Interval | None = field(json=_CORRELATION)
    """Its confidence interval over queries."""
    verdicts: int
    """The number of pairs of systems."""
    same: int
    """The number of pairs with the same verdict."""
    contradicted: int
    """The number of pairs of which one is better under people and worse under the model."""
    found: int
    """The number of pairs with a difference under the model only."""
    missed: int
    """The number of pairs with a difference under people only."""


class FamilyEffect(Record):
    """How much a model favors the systems of a family."""

    family: str = field(
        tables="families", cell=lambda row: f"{cut(row.family)}{' (its own)' if row.own else ''}"
    )
    """The family."""
    own: bool
    """Whether the model belongs to it."""
    systems: int = field(tables="families", show=thousands)
    """The number of its systems."""
    inflation: float = field(tables="families", show=signed)
    """The mean score of its systems under the model minus that under people."""
    others: float = field(tables="families", label="other systems", show=signed)
    """The same for all other systems."""
    difference: float = field(tables="families", show=signed)
    """`inflation` minus `others`: the interaction of judge and family."""
    interval: Interval | None = field(tables="families", label="{level}", show=signed)
    """The confidence interval of the difference over queries."""


class VersionDifference(Record):
    """Two models, versions or prompts, compared with each other and with people."""

    judges: str = derived(
        lambda row: f"{cut(row.first)} vs. {cut(row.second)}", key="", tables="versions"
    )
    """Both raters, for tables."""
    first: str
    """The first rater."""
    second: str
    """The second rater."""
    documents: int = field(tables="versions", show=thousands)
    """The number of documents that both and people graded."""
    same: float = field(tables="versions", label="same grade", show=share, json=_SHARE)
    """The share with the same grade by both."""
    bias: float = field(tables="versions", label="difference in bias", show=signed_grade)
    """The mean grade of the first minus that of the second."""
    bias_interval: tuple[float, float] | None = field(
        tables="versions", label="{level}", show=spans(signed_grade)
    )
    """Its confidence interval, clustered by query."""
    kappa: float | None = field(tables="versions", label="difference in kappa", show=signed)
    """Kappa of the first with people minus kappa of the second with people."""
    kappa_interval: tuple[float, float] | None = field(
        tables="versions", label="{level}", show=spans(signed)
    )
    """Its interval over queries; None if these are too few, or agree too well, for one."""


class JudgeAudit(Record):
    """The audit of a model against people."""

    judge: str
    """The name of the model among the raters."""
    people: str
    """The name of the people."""
    documents: int
    """The number of documents that both graded."""
    queries: int
    """The number of their queries."""
    same: float = field(json=_SHARE)
    """The share with the same grade."""
    kappa: float | None = field(json={"maximum": 1})
    """Cohen's weighted kappa, with the weights of the assessment."""
    kappa_interval: tuple[float, float] | None
    """Its interval over queries; None if these are too few, or agree too well, for one."""
    unweighted: float | None = field(json={"maximum": 1})
    """Cohen's kappa without weights."""
    alpha: float | None = field(json={"maximum": 1})
    """Krippendorff's alpha."""
    alpha_interval: tuple[float, float] | None
    """Its interval over queries; None if these are too few, or agree too well, for one."""
    bias: float
    """The mean grade of the model minus that of people."""
    bias_interval: tuple[float, float] | None
    """Its confidence interval, clustered by query."""
    tau: float | None = field(json=_CORRELATION)
    """The mean over queries of Kendall's tau-b between the orders of the documents by grade."""
    tau_interval: tuple[float, float] | None
    """Its confidence interval."""
    by_grade: tuple[GradeAgreement, ...]
    """The agreement by the grade of people."""
    by_query: tuple[QueryAgreement, ...]
    """The agreement by query."""
    length: LengthEffect | None
    """The effect of the length; None if lengths are unknown."""
    outcomes: dict[str, Share]
    """The shares of documents without a grade, by outcome; empty if unknown."""
    obeyed: Share | None
    """The share of injected instructions that the model obeyed, of those that demand a higher grade
    than that of the document without it; None without such tests."""
    systems: tuple[RankAgreement, ...]
    """The order of all systems, and of the best ten under people; empty without runs."""
    verdicts: tuple[VerdictByRater, ...]
    """The verdicts on pairs of systems under people and under the model, with simultaneous
    intervals; empty without runs."""
    families: tuple[FamilyEffect, ...]
    """Self-preference by family of systems; empty without families."""


def audit_figures(audit: JudgeAudit) -> Iterator[Figure]:
    """Yield the figures of an audit."""
    yield "documents", audit.documents, None
    yield "queries", audit.queries, None
    yield "same", audit.same, None
    yield "weighted kappa", audit.kappa, audit.kappa_interval
    yield "kappa", audit.unweighted, None
    yield "alpha", audit.alpha, audit.alpha_interval
    yield "bias", audit.bias, audit.bias_interval
    yield "tau of documents", audit.tau, audit.tau_interval
    for grade in audit.by_grade:
        yield f"bias at grade {grade_text(grade.grade)}", grade.bias, grade.interval
    for query in audit.by_query:
        yield f"bias on query {query.query_id}", query.bias, None
    if audit.length is not None:
        length = audit.length
        yield "bias per doubling of length", length.slope, length.interval
    for name, part in audit.outcomes.items():
        yield f"share {name}", part.value, part.interval
    if audit.obeyed is not None:
        yield "share obeyed", audit.obeyed.value, audit.obeyed.interval
    for order in audit.systems:
        which = f"best {order.systems}" if order.best else "all"
        yield f"tau of systems, {which}", order.tau, order.interval
        yield f"verdicts, {which}", order.verdicts, None
        yield f"same verdicts, {which}", order.same, None
        yield f"contradicted verdicts, {which}", order.contradicted, None
    for effect in audit.families:
        yield f"favor of {effect.family}", effect.difference, effect.interval
