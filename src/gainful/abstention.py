"""Questions without an answer in the collection: how often a system returns something anyway."""

from __future__ import annotations

from math import inf, nextafter

from gainful.conventions import Convention, get
from gainful.errors import ArgumentError, MatchError
from gainful.evaluation.arguments import judgments_for
from gainful.evaluation.call import evaluate_runs
from gainful.formats.numbers import digits, percent
from gainful.formats.table import Column, Note, Table
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measure
from gainful.records import Interval, Record, field
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data import Qrels, Run
    from gainful.data.named_runs import Runs
    from gainful.data.qrels import QrelsLike
    from gainful.measures import Measure

__all__ = ["Abstention", "SystemAbstention", "ThresholdRow", "measure_abstention"]

#: The shares of questions without an answer for which a threshold is looked for.
_SHARES = (1.0, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.0)

_SHARE = {"minimum": 0, "maximum": 1}


class ThresholdRow(Record):
    """What a system returns if it withholds documents up to a score."""

    threshold: float | None
    """Documents with a higher score are returned. None: all are."""
    returned: float = field(json=_SHARE)
    """The share of the questions without an answer for which something is returned."""
    mean: float = field(json={"type": ["number", "null"]})
    """The mean of the measure over the questions with an answer; a question for which nothing is
    returned counts 0."""
    interval: Interval | None
    """The 95% confidence interval of the mean."""


class SystemAbstention(Record):
    """A system on questions with and without an answer."""

    separation: float = field(json=_SHARE)
    """The probability that the highest score of a question with an answer exceeds that of one
    without (the area under the ROC curve); equal scores count half."""
    rows: tuple[ThresholdRow, ...]
    """From all documents to those above the highest score of a question without an answer."""


class Abstention(Result):
    """Systems on questions with and without an answer in the collection.

    Examples
    --------
    >>> import gainful
    >>> golden = [{"question": "soup", "relevant": ["r1"]}, {"question": "cars", "relevant": []}]
    >>> run = {"soup": {"r1": 0.9, "r2": 0.4}, "cars": {"r7": 0.5}}
    >>> result = gainful.measure_abstention(golden, run, "R@1")
    >>> [(row.threshold, row.returned, row.mean) for row in result.systems["run"].rows]
    [(None, 1.0, 1.0), (0.5, 0.0, 1.0)]
    """

    SCHEMA = "gainful.abstention/1"
    COMMAND = "measure-abstention"
    RECORDS = {"thresholds": None}

    convention: Convention
    """The policies of the numbers, as in gainful.evaluation/1."""
    measure: Measure
    """The measure of the questions with an answer."""
    answerable: int = field(json={"minimum": 1})
    """Questions with a relevant document in the judgments."""
    unanswerable: int = field(json={"minimum": 1})
    """Questions without one."""
    systems: dict[str, SystemAbstention]
    """The thresholds by system."""
    queries: tuple[str, ...]
    """The ids of the questions without an answer."""

    def tables(self) -> list[Table]:
        """Return one table, with a row per system and threshold."""
        columns = [
            Column("system"),
            Column("threshold", "score above", _threshold),
            Column("returned", "returned without answer", percent),
            Column("mean", repr(self.measure), digits),
            Column("interval", "95% CI", _ends),
        ]
        rows = [
            (name, row.threshold, row.returned, row.mean, row.interval or "")
            for name, system in self.systems.items()
            for row in system.rows
        ]
        separations = ", ".join(
            f"{name} {digits(system.separation)}" for name, system in self.systems.items()
        )
        notes = [
            Note(
                "counts",
                f"{self.answerable:,} questions with an answer, {self.unanswerable:,} without."
                f" {self.measure!r} is over those with one.",
            ),
            Note(
                "separation",
                f"Separation by the highest score: {separations} (1 is perfect, .5 is chance).",
            ),
            Note("convention", str(self.convention)),
        ]
        return [Table(columns, rows, notes=notes)]

    def _records(self, name: str) -> Records:
        names = ("system", "threshold", "returned", "mean", "low", "high")
        return as_records(
            names,
            (
                (name, row.threshold, row.returned, row.mean, *(row.interval or (None, None)))
                for name, system in self.systems.items()
                for row in system.rows
            ),
        )

    def __repr__(self) -> str:
        return (
            f"<Abstention of {', '.join(self.systems)}: {self.unanswerable} of"
            f" {self.answerable + self.unanswerable} questions without an answer>"
        )


@suggest_keywords
def measure_abstention(
    qrels: QrelsLike,
    runs: Runs | Run,
    measure: Measure | str = "R@10",
    *,
    unanswerable: Iterable[str] | None = None,
    convention: Convention | str = "gainful-1",
    threads: int | None = None,
) -> Abstention:
    """Measure what systems return for questions without an answer in the collection.

    Recall does not distinguish a system that returns something for every question from one that
    knows when to return nothing. A threshold on the score withholds documents: of questions without
    an answer, where that is right, and of the others, where it costs recall.

    Parameters
    ----------
    qrels
        The judgments, as for `gainful.evaluate`.
    runs
        One or more runs, as for `gainful.evaluate`, with scores.
    measure : Measure or str
        What is measured for the questions with an answer.
    unanswerable : iterable of query ids, optional
        The questions without an answer. Default: all queries of the runs without a relevant
        document in the judgments.
    convention : Convention or str
        The policies, or the name of a preset.
    threads : int, optional
        Number of threads.

    Returns
    -------
    Abstention
        For each system the thresholds above which questions without an answer return something in
        at most 90%, 75%, 50%, 25%, 10%, 5% and none of the cases, with the measure at each.

    Raises
    ------
    MatchError
        If there is no question without an answer, or none with one.
    ArgumentError
        For a run without scores.
    GainfulError
        For input that cannot be read, matched or evaluated.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> run = {"q1": {"a": 0.9}, "q2": {"b": 0.3}, "q3": {"c": 0.6}, "q4": {"d": 0.2}}
    >>> for row in gainful.measure_abstention(qrels, run, "Success@5").systems["run"].rows:
    ...     print(row.threshold, row.returned, row.mean)
    None 1.0 1.0
    0.2 0.5 1.0
    0.6 0.0 0.5
    """
    from gainful.data.coercion import as_run
    from gainful.evaluation.arguments import named_runs

    policies = get(convention)
    chosen = choose_measure(measure, policies)
    named = {
        name: as_run(run, duplicates="count")
        for name, run in named_runs(runs, None, threads=threads, progress=None).items()
    }
    for name, run in named.items():
        if not run.scored:
            raise ArgumentError(
                where=f"the run {name}",
                found="documents without scores",
                expected="scores, since a threshold is one",
            )
    judged = judgments_for([chosen], qrels, duplicates=policies.duplicates)
    answerable = [query for query, grades in judged.items() if any(_positive(grades))]
    if unanswerable is None:
        known = set(answerable)
        without = list(
            dict.fromkeys(query for run in named.values() for query in run if query not in known)
        )
    else:
        without = list(dict.fromkeys(unanswerable))
        both = set(without) & set(answerable)
        if both:
            raise MatchError(
                f"query {min(both)} has relevant documents, and is said to have no answer"
            )
    if not answerable or not without:
        raise MatchError(
            where="the judgments",
            found=f"{len(answerable)} queries with relevant documents, {len(without)} without",
            expected="both",
            hint="questions without an answer are in the run, and have no relevant document",
        )
    measured = judged.select(answerable)
    systems = {
        name: _sweep(measured, run, chosen, policies, without, threads)
        for name, run in named.items()
    }
    return Abstention(
        convention=policies,
        measure=chosen,
        answerable=len(answerable),
        unanswerable=len(without),
        systems=systems,
        queries=tuple(map(str, without)),
    )


def _positive(grades: object) -> Iterable[bool]:
    values = grades.values()  # type: ignore[attr-defined]
    return (any(_positive(grade)) if hasattr(grade, "values") else grade > 0 for grade in values)


def _sweep(
    judged: Qrels,
    run: Run,
    measure: Measure,
    policies: Convention,
    without: Sequence[str],
    threads: int | None,
) -> SystemAbstention:
    """Evaluate a run at thresholds between the highest scores of questions without an answer."""
    answered = [_highest(run, query) for query in judged]
    unanswered = sorted((_highest(run, query) for query in without), reverse=True)
    counted = policies.replace(missing="empty")
    rows: list[ThresholdRow] = []
    seen: set[float] = set()
    for share in _SHARES:
        allowed = int(share * len(unanswered) + 1e-9)
        highest = unanswered[allowed] if allowed < len(unanswered) else -inf
        if highest in seen:
            continue
        seen.add(highest)
        kept = run if highest == -inf else run.at_least(nextafter(highest, inf))
        summary = evaluate_runs(judged, {"run": kept}, measure, counted, threads=threads).summary()
        rows.append(
            ThresholdRow(
                threshold=None if highest == -inf else highest,
                returned=sum(score > highest for score in unanswered) / len(unanswered),
                mean=summary.mean,
                interval=summary.interval,
            )
        )
    return SystemAbstention(separation=_separation(answered, unanswered), rows=tuple(rows))


def _highest(run: Run, query: str) -> float:
    """Return the highest score of a query; -inf if nothing was returned."""
    return max((score for _, score in run.get(query) or () if score is not None), default=-inf)


def _separation(high: Sequence[float], low: Sequence[float]) -> float:
    """Return the area under the ROC curve of two samples of scores."""
    from bisect import bisect_left, bisect_right

    ordered = sorted(low)
    below = sum(bisect_left(ordered, score) + bisect_right(ordered, score) for score in high)
    return below / (2 * len(high) * len(low))


def _threshold(score: float | None) -> str:
    return "–" if score is None else f"{score:.6g}"


def _ends(ends: Interval | str) -> str:
    return ends if isinstance(ends, str) else f"{digits(ends.low)} to {digits(ends.high)}"
