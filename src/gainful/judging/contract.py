"""Convert assessments of judgments to JSON (``gainful.judgments/1``) and rows."""

from __future__ import annotations

from dataclasses import asdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful.judging.audit_summaries import JudgeAudit
    from gainful.judging.result import JudgmentQuality
    from gainful.judging.source import Rater
    from gainful.judging.summaries import AlphaSummary, PairSummary

__all__ = ["figures", "grade_text", "grade_value", "to_dict"]


def grade_text(grade: float) -> str:
    """Return a grade as text, integers without a point.

    Examples
    --------
    >>> grade_text(3.0), grade_text(0.5)
    ('3', '0.5')
    """
    return str(int(grade)) if grade == int(grade) else repr(grade)


def grade_value(grade: float) -> float | int:
    """Return an integral grade as an integer, as it was read.

    Examples
    --------
    >>> grade_value(3.0), grade_value(0.5)
    (3, 0.5)
    """
    return int(grade) if grade == int(grade) else grade


def to_dict(quality: JudgmentQuality) -> dict[str, Any]:
    """Return the assessment as JSON values."""
    coverage = quality.coverage
    whole: dict[str, object] = {
        "schema": "gainful.judgments/1",
        "choices": asdict(quality.choices),
        "final": None
        if quality.final is None
        else {
            **asdict(quality.final),
            "distribution": _distribution(quality.final.distribution),
        },
        "coverage": {
            **asdict(coverage),
            "per_query": dict(zip(("min", "median", "max"), coverage.per_query, strict=True)),
            "rated_by": {str(n): count for n, count in coverage.rated_by.items()},
            "no_relevant": list(coverage.no_relevant),
        },
        "raters": [
            {
                **_who(each.rater),
                "labels": each.labels,
                "queries": each.queries,
                "distribution": _distribution(each.distribution),
                "mean": each.mean,
                "compared": each.compared,
                "bias": each.bias,
                "low": each.low,
                "high": each.high,
                "same_as_final": each.same_as_final,
                "confusion": _cells(quality.confusion(each.rater.name)),
            }
            for each in quality.raters
        ],
        "pairs": _pairs(quality.pairs),
        "alphas": _alphas(quality.alphas),
        "systems": None if quality.systems is None else quality.systems.to_dict(),
        "not_scored": quality.not_scored,
        "audits": [_audit(each) for each in quality.audits],
        "versions": [asdict(each) for each in quality.versions],
        "weighted": quality.weighted,
        "clusters": quality.cluster,
    }
    if quality.slices:
        whole["by"] = quality.attribute
        whole["slices"] = {
            name: {
                "queries": part.queries,
                "documents": part.documents,
                "pairs": _pairs(part.pairs),
                "alphas": _alphas(part.alphas),
                "systems": None if part.systems is None else part.systems.to_dict(),
            }
            for name, part in quality.slices.items()
        }
    return whole


def _audit(audit: JudgeAudit) -> dict[str, object]:
    return {
        **asdict(audit),
        "by_grade": [
            {**asdict(each), "counts": _distribution(each.counts)} for each in audit.by_grade
        ],
        "by_query": [asdict(each) for each in audit.by_query],
        "systems": [asdict(each) for each in audit.systems],
        "verdicts": [each.to_dict() for each in audit.verdicts],
        "families": [asdict(each) for each in audit.families],
    }


def _audit_figures(
    audit: JudgeAudit,
) -> Iterator[tuple[str, object, tuple[float | None, float | None] | None]]:
    yield "documents", audit.documents, None
    yield "queries", audit.queries, None
    yield "same", audit.same, None
    yield "weighted kappa", audit.kappa, audit.kappa_interval
    yield "kappa", audit.unweighted, None
    yield "alpha", audit.alpha, audit.alpha_interval
    yield "bias", audit.bias, audit.bias_interval
    yield "tau of documents", audit.tau, audit.tau_interval
    for grade in audit.by_grade:
        yield f"bias at grade {grade_text(grade.grade)}", grade.bias, (grade.low, grade.high)
    for query in audit.by_query:
        yield f"bias on query {query.query_id}", query.bias, None
    if audit.length is not None:
        length = audit.length
        yield "bias per doubling of length", length.slope, (length.low, length.high)
    for name, share in audit.outcomes.items():
        yield f"share {name}", share.value, (share.low, share.high)
    if audit.obeyed is not None:
        yield "share obeyed", audit.obeyed.value, (audit.obeyed.low, audit.obeyed.high)
    for order in audit.systems:
        which = f"best {order.systems}" if order.best else "all"
        yield f"tau of systems, {which}", order.tau, (order.low, order.high)
        yield f"verdicts, {which}", order.verdicts, None
        yield f"same verdicts, {which}", order.same, None
        yield f"contradicted verdicts, {which}", order.contradicted, None
    for each in audit.families:
        yield f"favor of {each.family}", each.difference, (each.low, each.high)


def _pairs(pairs: Sequence[PairSummary]) -> list[object]:
    return [{**asdict(pair), "confusion": _cells(pair.confusion)} for pair in pairs]


def _alphas(alphas: Sequence[AlphaSummary]) -> list[object]:
    return [
        {**asdict(each), "raters": list(each.raters), "interpretation": each.interpretation}
        for each in alphas
    ]


def _who(rater: Rater) -> dict[str, str | None]:
    source = rater.source
    return {
        "rater": rater.name,
        "source": source.kind or None,
        "model": source.model or None,
        "version": source.version or None,
    }


def _distribution(counts: dict[float, int]) -> dict[str, int]:
    return {grade_text(grade): n for grade, n in counts.items()}


def _cells(confusion: dict[tuple[float, float], int]) -> list[list[float]]:
    return [[grade, other, count] for (grade, other), count in confusion.items()]


def figures(quality: JudgmentQuality) -> Iterator[tuple[object, ...]]:
    """Yield one row per figure: about, name, other, figure, value, low, high."""

    def row(
        about: str,
        name: str,
        other: str,
        figure: str,
        value: object,
        low: float | None = None,
        high: float | None = None,
    ) -> tuple[object, ...]:
        return about, name, other, figure, value, low, high

    coverage = quality.coverage
    for figure in ("queries", "documents", "labels", "blank"):
        yield row("coverage", "", "", figure, getattr(coverage, figure))
    for n, count in coverage.rated_by.items():
        yield row("coverage", "", "", f"rated by {n}", count)
    yield row("coverage", "", "", "no relevant", len(coverage.no_relevant))
    for system, share in coverage.judged.items():
        if share is not None:
            yield row("coverage", system, "", f"judged@{coverage.cutoff}", share)
        yield row("coverage", system, "", "unjudged queries", coverage.unjudged[system])
    for each in quality.raters:
        name = each.rater.name
        yield row("rater", name, "", "labels", each.labels)
        yield row("rater", name, "", "queries", each.queries)
        for grade, count in each.distribution.items():
            yield row("rater", name, "", f"grade {grade_text(grade)}", count)
        yield row("rater", name, "", "mean", each.mean)
        if each.bias is not None:
            yield row("rater", name, "", "bias", each.bias, each.low, each.high)
        if each.same_as_final is not None:
            yield row("rater", name, "", "same as final", each.same_as_final)
    if quality.final is not None:
        name = quality.final.name
        yield row("final", name, "", "documents", quality.final.documents)
        for grade, count in quality.final.distribution.items():
            yield row("final", name, "", f"grade {grade_text(grade)}", count)
        yield row("final", name, "", "mean", quality.final.mean)
    for pair in quality.pairs:
        two = pair.first, pair.second
        yield row("raters", *two, "documents", pair.documents)
        yield row("raters", *two, "same", pair.same)
        yield row("raters", *two, "weighted kappa", pair.kappa, pair.low, pair.high)
        for (grade, other), count in pair.confusion.items():
            yield row("raters", *two, f"{grade_text(grade)} and {grade_text(other)}", count)
    for alpha in quality.alphas:
        yield row("alpha", alpha.kind or "", "", "alpha", alpha.value, alpha.low, alpha.high)
    for name, part in quality.slices.items():
        yield row("slice", name, "", "queries", part.queries)
        yield row("slice", name, "", "documents", part.documents)
        for pair in part.pairs:
            raters = f"{pair.first} and {pair.second}"
            yield row("slice", name, raters, "same", pair.same)
            yield row("slice", name, raters, "weighted kappa", pair.kappa, pair.low, pair.high)
        for alpha in part.alphas:
            yield row("slice", name, alpha.kind or "", "alpha", alpha.value, alpha.low, alpha.high)
    for audit in quality.audits:
        for figure, value, ends in _audit_figures(audit):
            yield row("audit", audit.judge, audit.people, figure, value, *(ends or ()))
    systems = quality.systems
    if systems is None:
        return
    for system, means in systems.means.items():
        for rater, mean in means.items():
            yield row("system", system, rater, repr(systems.measure), mean)
    for order in systems.taus:
        ends = order.interval or (None, None)
        yield row("raters", order.first, order.second, "tau", order.tau, *ends)
    for compared in systems.verdicts:
        for rater, verdict in compared.verdict_texts.items():
            yield row(
                "systems", compared.system, compared.baseline, f"verdict for {rater}", verdict
            )
