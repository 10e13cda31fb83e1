"""Answers by evidence: how often answers are right if the evidence for them was found."""

from __future__ import annotations

from math import hypot

from gainful.evaluation.summary import Answers, AnswersByEvidence
from gainful.formats.numbers import digits, spans
from gainful.formats.table import Column, Note, Table
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.evaluation.data import EvaluationData
    from gainful.measures import Measure

__all__ = ["answer_tables", "cross_answers"]

#: The measures that are 1 if the evidence of a query was found, and else 0.
_EVIDENCE = ("FullRecall", "SpanFull", "Success")

_NOTE = (
    "Evidence is found where its measure is 1. The interval of the difference combines those of the"
    " two means."
)


def cross_answers(evaluation: EvaluationData) -> tuple[AnswersByEvidence, ...]:
    """Return the answers by evidence of all systems; empty without answers or evidence.

    Answers are values that were computed elsewhere. The ends of the interval of a difference are as
    far from it as those of the two means together, as squares (G. Y. Zou, A. Donner: Construction
    of confidence limits about effect measures: a general approach. Statistics in Medicine 27(10),
    2008).
    """
    elsewhere = evaluation.given or {}
    evidence = [measure for measure in evaluation.measures if measure.family in _EVIDENCE]
    answers = [measure for measure in evaluation.measures if repr(measure) in elsewhere]
    return tuple(
        _cross(evaluation, system, one, other)
        for system in evaluation.systems
        for one in evidence
        for other in answers
        if one != other
    )


def _cross(
    evaluation: EvaluationData, system: str, evidence: Measure, answers: Measure
) -> AnswersByEvidence:
    is_found = evaluation.values_by_text_id(evidence, system)
    values = evaluation.values_by_text_id(answers, system)
    is_binary = set(values.values()) <= {0.0, 1.0}
    crossed, missing = (
        _summarize(
            evaluation,
            system,
            answers,
            [query for query in values if query in is_found and (is_found[query] == 1) is side],
            is_binary,
        )
        for side in (True, False)
    )
    difference, interval = None, None
    if crossed.mean is not None and missing.mean is not None:
        difference = crossed.mean - missing.mean
        if crossed.interval is not None and missing.interval is not None:
            below = crossed.mean - crossed.interval.low, missing.interval.high - missing.mean
            above = crossed.interval.high - crossed.mean, missing.mean - missing.interval.low
            interval = Interval(difference - hypot(*below), difference + hypot(*above))
    return AnswersByEvidence(
        system=system,
        evidence=repr(evidence),
        answers=repr(answers),
        found=crossed,
        missing=missing,
        difference=difference,
        interval=interval,
    )


def _summarize(
    evaluation: EvaluationData, system: str, answers: Measure, queries: list[str], is_binary: bool
) -> Answers:
    """Return the answers of some queries; the range of right and wrong answers is known."""
    from gainful.evaluation.parts import select
    from gainful.inference import mean_interval

    if not queries:
        return Answers(n=0, right=0 if is_binary else None, mean=None, interval=None)
    part = select(evaluation, queries)
    summary = part.summary(answers, system)
    if not is_binary:
        return Answers(n=summary.n, right=None, mean=summary.mean, interval=summary.interval)
    table = part.kernel_tables[system]
    weights = part.weights_of(table)
    labels = None if part.groups is None else part.groups.clusters_of(table.query_ids())
    deviation, n, df = summary.standard_deviation, float(summary.n), None
    if (weights or labels) and summary.n > 1:
        deviation, n, df, _ = part.spread(part.measures.index(answers), table, weights, labels)
    ends = mean_interval(summary.mean, deviation, n, low=0.0, high=1.0, df=df)
    return Answers(
        n=summary.n,
        right=int(sum(part.values_by_text_id(answers, system).values())),
        mean=summary.mean,
        interval=None if ends is None else Interval(*ends),
    )


def answer_tables(evaluation: EvaluationData) -> list[Table]:
    """Return the table of answers by evidence, if there are any."""
    crossed = evaluation.answers or ()
    if not crossed:
        return []
    several = len(evaluation.systems) > 1
    rows: list[tuple[object, ...]] = []
    for part in crossed:
        head = (part.system,) * several + (part.evidence, part.answers)
        for word, side in (("found", part.found), ("missing", part.missing)):
            wrong = None if side.right is None else side.n - side.right
            rows.append((*head, word, side.n, side.right, wrong, side.mean, _ends(side.interval)))
        rows.append((*head, "difference", None, None, None, part.difference, _ends(part.interval)))
    columns = [
        Column("evidence measure"),
        Column("answers"),
        Column("evidence"),
        Column("n", "queries", show=_count),
        Column("right", show=_count),
        Column("wrong", show=_count),
        Column("mean", show=digits),
        Column("interval", "95% CI", show=spans(digits)),
    ]
    table = Table(
        [Column("system"), *columns] if several else columns,
        rows,
        title="Answers by evidence",
        notes=[Note("answers", _NOTE, explains=True)],
    )
    absent = [] if any(part.found.right is not None for part in crossed) else ["right", "wrong"]
    return [table.only(lambda column: column.key not in absent)]


def _ends(interval: Interval | None) -> tuple[float, ...] | None:
    return None if interval is None else tuple(interval)


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
