"""Tables of the audit of a judge that is a model."""

from __future__ import annotations

from gainful.formats.numbers import digits, spans, thousands
from gainful.formats.table import Column, Note, Table
from gainful.judging.cells import bias, cut, level, share
from gainful.judging.contract import grade_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.judging.audit_summaries import JudgeAudit, RankAgreement, Share
    from gainful.judging.result import JudgmentQuality

    Cells = tuple[str, str, str]

__all__ = ["audit_tables"]

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
        yield _versions(quality)


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
        _row("bias", audit.bias, audit.bias_interval, signed=True),
        _row("tau of the documents of a query", audit.tau, audit.tau_interval),
    ]
    if audit.length is not None:
        ends = _both(audit.length.low, audit.length.high)
        rows.append(_row("bias per doubling of length", audit.length.slope, ends, signed=True))
    rows += [(_OUTCOMES.get(name, name), *_share(each)) for name, each in audit.outcomes.items()]
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
    rows = [_row(f"tau of {which}", order.tau, _both(order.low, order.high))]
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
    given = sorted({grade for each in audit.by_grade for grade in each.counts})
    if len(given) > _GRADES:
        given = []
    rows = [
        (
            grade_text(each.grade),
            each.documents,
            *(each.counts.get(grade, 0) for grade in given),
            each.same,
            each.bias,
            (each.low, each.high),
        )
        for each in audit.by_grade
    ]
    judge = cut(audit.judge)
    columns = [
        Column("grade", f"grade by {cut(audit.people)}"),
        Column("documents", show=thousands),
        *(
            Column(
                f"grade.{grade_text(grade)}",
                f"{judge}: {grade_text(grade)}" if grade == given[0] else grade_text(grade),
                thousands,
            )
            for grade in given
        ),
        Column("same", "same grade", share),
        Column("bias", show=bias),
        Column("interval", level(quality), spans(bias)),
    ]
    return Table(columns, rows, title=f"Agreement of {judge} by grade")


def _by_query(audit: JudgeAudit) -> Table:
    worst = sorted(audit.by_query, key=lambda each: -abs(each.bias))[:_QUERIES]
    rows = [(cut(e.query_id), e.documents, e.kappa, e.bias, e.tau) for e in worst]
    columns = [
        Column("query"),
        Column("documents", show=thousands),
        Column("kappa", show=digits),
        Column("bias", show=bias),
        Column("tau", show=digits),
    ]
    count = len(audit.by_query)
    title = f"Queries with the largest bias of {cut(audit.judge)}, of {count:,}"
    return Table(columns, rows, title=title)


def _verdicts(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    changed = [each for each in audit.verdicts if each.changes] or list(audit.verdicts)
    changed.sort(key=lambda each: not each.contradicts)
    rows = [
        (
            f"{cut(each.system)} vs. {cut(each.baseline)}",
            each.differences[audit.people],
            each.intervals[audit.people],
            each.differences[audit.judge],
            each.intervals[audit.judge],
        )
        for each in changed[:_VERDICTS]
    ]
    columns = [
        Column("systems"),
        Column("people", cut(audit.people), _signed),
        Column("people_interval", level(quality), spans(_signed)),
        Column("judge", cut(audit.judge), _signed),
        Column("judge_interval", level(quality), spans(_signed)),
    ]
    differ = sum(each.changes for each in audit.verdicts)
    title = (
        f"Differences between systems whose verdict differs: {differ:,} of {len(audit.verdicts):,}"
        if differ
        else f"Differences between systems: no verdict of {len(audit.verdicts):,} differs"
    )
    return Table(columns, rows, title=title)


def _families(quality: JudgmentQuality, audit: JudgeAudit) -> Table:
    rows = [
        (
            f"{cut(e.family)}{' (its own)' if e.own else ''}",
            e.systems,
            e.inflation,
            e.others,
            e.difference,
            (e.low, e.high),
        )
        for e in audit.families
    ]
    columns = [
        Column("family"),
        Column("systems", show=thousands),
        Column("inflation", show=_signed),
        Column("others", "other systems", _signed),
        Column("difference", show=_signed),
        Column("interval", level(quality), spans(_signed)),
    ]
    note = "Inflation: mean score of the systems under the model minus that under people."
    return Table(
        columns,
        rows,
        title=f"Scores of families of systems under {cut(audit.judge)}",
        notes=[Note("inflation", note, explains=True)],
    )


def _versions(quality: JudgmentQuality) -> Table:
    rows = [
        (
            f"{cut(e.first)} vs. {cut(e.second)}",
            e.documents,
            e.same,
            e.bias,
            e.bias_interval or (None, None),
            e.kappa,
            e.kappa_interval or (None, None),
        )
        for e in quality.versions
    ]
    columns = [
        Column("judges"),
        Column("documents", show=thousands),
        Column("same", "same grade", share),
        Column("bias", "difference in bias", bias),
        Column("bias_interval", level(quality), spans(bias)),
        Column("kappa", "difference in kappa", _signed),
        Column("kappa_interval", level(quality), spans(_signed)),
    ]
    return Table(columns, rows, title="Differences between models, versions and prompts")


def _signed(value: float) -> str:
    text = digits(value)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def _row(
    name: str, value: float | None, ends: tuple[float, float] | None, *, signed: bool = False
) -> Cells:
    shown = _signed if signed else digits
    interval = "" if ends is None else f"{shown(ends[0])} to {shown(ends[1])}"
    return name, "–" if value is None else shown(value), interval


def _share(each: Share) -> tuple[str, str]:
    return share(each.value), f"{share(each.low)} to {share(each.high)}"


def _both(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)
