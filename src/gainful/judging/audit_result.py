"""The audit of a judge that is a model: what it found, and its tables."""

from __future__ import annotations

from gainful.formats.numbers import digits, span, spans, thousands
from gainful.formats.table import Column, Note, Table
from gainful.judging.source import by_grade, cut, grade_text, level, share, signed, signed_grade
from gainful.judging.systems import VerdictByRater
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import columns_of, table_of, table_of_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gainful.judging.result import JudgmentQuality

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
    "audit_tables",
]

#: The number of queries in the table of those with the largest bias.
_QUERIES = 5
#: The most grades of a model that have a column each.
_GRADES = 7
#: The number of pairs of systems in the table of verdicts.
_VERDICTS = 10
_KAPPA = {"quadratic": "kappa, quadratic weights", "linear": "kappa, linear weights"}
_OUTCOMES = {
    "refusal": "refused",
    "length": "answer cut at its maximum length",
    "no-grade": "answer without a grade",
    "off-scale": "grade not on the scale",
}


_COUNT = {"minimum": 0}
_SHARE = {"minimum": 0, "maximum": 1}
_CORRELATION = {"minimum": -1, "maximum": 1}


class GradeAgreement(Record):
    """The agreement on the documents with one grade by people."""

    grade: float = field(
        tables="grades", label="grade by {people}", cell=lambda row: grade_text(row.grade)
    )
    """The grade by people."""
    documents: int = field(tables="grades", show=thousands, json=_COUNT)
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
    documents: int = field(tables="queries", show=thousands, json=_COUNT)
    """The number of documents."""
    kappa: float | None = field(tables="queries", json={"maximum": 1})
    """Cohen's weighted kappa; None if it is not defined."""
    bias: float = field(tables="queries", show=signed_grade)
    """The mean grade of the model minus that of people."""
    tau: float | None = field(tables="queries", json=_CORRELATION)
    """Kendall's tau-b between the two orders of the documents by grade; None if not defined."""


class LengthEffect(Record):
    """The effect of the length of documents on the model's grades."""

    documents: int = field(json=_COUNT)
    """The number of documents with a known length."""
    slope: float
    """The change of the bias for a document of the same query that is twice as long."""
    interval: Interval | None
    """Its confidence interval, clustered by query."""


class Share(Record):
    """A share with its exact binomial interval."""

    count: int = field(json=_COUNT)
    """The number of cases."""
    of: int = field(json=_COUNT)
    """The number of all."""
    value: float = field(json=_SHARE)
    """The share."""
    interval: Interval = field(json=_SHARE)
    """Its confidence interval."""


class RankAgreement(Record):
    """The order of systems under people and under the model."""

    systems: int = field(json=_COUNT)
    """The number of systems."""
    best: bool
    """Whether these are only the best systems under people."""
    tau: float | None = field(json=_CORRELATION)
    """Kendall's tau-b between the two orders; None if not defined."""
    interval: Interval | None = field(json=_CORRELATION)
    """Its confidence interval over queries."""
    verdicts: int = field(json=_COUNT)
    """The number of pairs of systems."""
    same: int = field(json=_COUNT)
    """The number of pairs with the same verdict."""
    contradicted: int = field(json=_COUNT)
    """The number of pairs of which one is better under people and worse under the model."""
    found: int = field(json=_COUNT)
    """The number of pairs with a difference under the model only."""
    missed: int = field(json=_COUNT)
    """The number of pairs with a difference under people only."""


class FamilyEffect(Record):
    """How much a model favors the systems of a family."""

    family: str = field(
        tables="families", cell=lambda row: f"{cut(row.family)}{' (its own)' if row.own else ''}"
    )
    """The family."""
    own: bool
    """Whether the model belongs to it."""
    systems: int = field(tables="families", show=thousands, json=_COUNT)
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
    documents: int = field(tables="versions", show=thousands, json=_COUNT)
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
    documents: int = field(json=_COUNT)
    """The number of documents that both graded."""
    queries: int = field(json=_COUNT)
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


def audit_tables(quality: JudgmentQuality) -> Iterator[Table]:
    """Yield the tables of each model, and of the differences between models."""
    for audit in quality.audits:
        yield _summary(quality, audit)
        yield _by_grade(quality, audit)
        if len(audit.by_query) > 1:
            yield _by_query(audit)
        if audit.verdicts:
            yield _verdicts(quality, audit)
        if audit.families:
            yield _families(quality, audit)
    if quality.versions:
        title = "Differences between models, versions and prompts"
        labels = {"level": level(quality)}
        yield table_of(quality.versions, "versions", title=title, labels=labels)


def _summary(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    choices = quality.choices
    rows: list[Cells] = [("same grade", share(audit.same), "")]
    if choices.kappa != "none":
        rows.append(_row(_KAPPA[choices.kappa], audit.kappa, audit.kappa_interval))
        rows.append(_row("kappa, unweighted", audit.unweighted, None))
    else:
        rows.append(_row("kappa, unweighted", audit.kappa, audit.kappa_interval))
    rows += [
        _row(f"Krippendorff's alpha, {choices.scale}", audit.alpha, audit.alpha_interval),
        _row("bias", audit.bias, audit.bias_interval, signed),
        _row("tau of the documents of a query", audit.tau, audit.tau_interval),
    ]
    if audit.length is not None:
        effect = audit.length
        rows.append(_row("bias per doubling of length", effect.slope, effect.interval, signed))
    rows += [(_OUTCOMES.get(name, name), *_share(part)) for name, part in audit.outcomes.items()]
    if audit.obeyed is not None:
        rows.append((f"obeyed injections, of {audit.obeyed.of}", *_share(audit.obeyed)))
    for order in audit.systems:
        rows += _order(order)
    notes = [
        Note(
            "bias",
            f"Bias: mean grade of {audit.judge} minus that of {audit.people}, on"
            f" {audit.documents:,} documents of {audit.queries:,} queries that both graded.",
            explains=True,
        )
    ]
    columns = [Column("figure"), Column("value", align="r"), Column("interval", level(quality))]
    title = f"Audit of {cut(audit.judge)} against {cut(audit.people)}"
    return Table(columns, rows, title=title, notes=notes)


def _order(order: RankAgreement) -> list[Cells]:
    which = f"the best {order.systems} systems" if order.best else f"all {order.systems} systems"
    rows = [_row(f"tau of {which}", order.tau, order.interval)]
    if order.verdicts:
        same = f"{order.same:,} of {order.verdicts:,}"
        rows.append((f"same verdicts, {which}", same, ""))
        for name, count in (
            ("contradicted", order.contradicted),
            ("found only by the model", order.found),
            ("missed by the model", order.missed),
        ):
            if count:
                rows.append((f"verdicts {name}, {which}", f"{count:,}", ""))
    return rows


def _by_grade(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    labels = {"people": cut(audit.people), "level": level(quality)}
    columns, judge = columns_of(audit.by_grade, "grades", labels=labels), cut(audit.judge)
    grades = sorted({grade for row in audit.by_grade for grade in row.counts})
    if len(grades) <= _GRADES:
        texts = [grade_text(grade) for grade in grades]
        columns[2:2] = [
            (
                Column(
                    f"grade.{text}", f"{judge}: {text}" if text == texts[0] else text, thousands
                ),
                [row.counts.get(grade, 0) for row in audit.by_grade],
            )
            for grade, text in zip(grades, texts, strict=True)
        ]
    return table_of_columns(columns, title=f"Agreement of {judge} by grade")


def _by_query(audit: JudgeAudit) -> Table:
    worst = sorted(audit.by_query, key=lambda row: -abs(row.bias))[:_QUERIES]
    count = len(audit.by_query)
    title = f"Queries with the largest bias of {cut(audit.judge)}, of {count:,}"
    return table_of(worst, "queries", title=title)


def _verdicts(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    changed = [pair for pair in audit.verdicts if pair.changes] or list(audit.verdicts)
    changed.sort(key=lambda pair: not pair.contradicts)
    rows = [
        (
            f"{cut(pair.system)} vs. {cut(pair.baseline)}",
            pair.differences[audit.people],
            pair.intervals[audit.people],
            pair.differences[audit.judge],
            pair.intervals[audit.judge],
        )
        for pair in changed[:_VERDICTS]
    ]
    columns = [
        Column("systems"),
        Column("people", cut(audit.people), signed),
        Column("people_interval", level(quality), spans(signed)),
        Column("judge", cut(audit.judge), signed),
        Column("judge_interval", level(quality), spans(signed)),
    ]
    differ = sum(pair.changes for pair in audit.verdicts)
    title = (
        f"Differences between systems whose verdict differs: {differ:,} of {len(audit.verdicts):,}"
        if differ
        else f"Differences between systems: no verdict of {len(audit.verdicts):,} differs"
    )
    return Table(columns, rows, title=title)


def _families(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    note = "Inflation: mean score of the systems under the model minus that under people."
    return table_of(
        audit.families,
        "families",
        title=f"Scores of families of systems under {cut(audit.judge)}",
        labels={"level": level(quality)},
        notes=[Note("inflation", note, explains=True)],
    )


def _row(
    name: str,
    value: float | None,
    ends: tuple[float, float] | None,
    show: Callable[[float], str] = digits,
) -> Cells:
    interval = "" if ends is None else span(*ends, show)
    return name, "–" if value is None else show(value), interval


def _share(part: Share) -> tuple[str, str]:
    return share(part.value), span(*part.interval, share)
