"""The progress of a judging session."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, fields
from math import ceil
from statistics import median

from gainful.formats.table import Column, Table
from gainful.judging.sessions.events import Kind
from gainful.judging.sessions.preferences import orders_of
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.judging.sessions.state import State, Unit

__all__ = [
    "Disagreement",
    "JudgeProgress",
    "Progress",
    "decisions_of",
    "disagreements_of",
    "judge_progress_of",
    "progress_of",
]

#: The number of recent labels that determine the pace.
_RECENT = 50


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """The work of one judge.

    Attributes
    ----------
    judge : str
        The name.
    labels : int
        Number of documents with a grade; documents with identical text count once.
    cannot_judge, later : int
        Number of documents that the judge could not judge, and put off.
    unclear : int
        Number of queries that are not clear to the judge.
    pairs : int
        Number of pairs of documents that the judge compared.
    pace : float or None
        Median seconds per document of the last 50, or per pair if the judge only compared pairs;
        None without durations.
    left : int
        The expected number of further documents: an equal share of the missing labels, at most the
        documents that the judge can still grade.
    """

    judge: str
    labels: int
    cannot_judge: int
    later: int
    unclear: int
    pairs: int
    pace: float | None
    left: int


@dataclass(frozen=True, slots=True, eq=False)
class Progress(Result):
    """The progress of all judges together.

    Attributes
    ----------
    queries : int
        Number of queries.
    documents : int
        Number of documents to judge; documents of a query with identical text count once.
    requested : int
        Number of requested labels: a document that two people should judge counts twice.
    done : int
        Number of these that are given, including "cannot judge".
    extra : int
        Number of further labels, such as a late one of a document that went to somebody else.
    cannot_judge : int
        Number of "cannot judge" among the current labels.
    disagreements : int
        Number of documents with different grades and no decision.
    decisions : int
        Number of documents with a final grade by an adjudicator.
    pairs : int
        Number of pairs of documents that were compared.
    requested_orders, orders : int
        Number of queries to sort by comparing pairs, and of those that are sorted; a query that two
        people should sort counts twice.
    seconds_left : float or None
        The estimated work that remains, at the median pace of the judges; None without durations.
    judges : list of JudgeProgress
        The judges, in order of appearance.
    """

    queries: int
    documents: int
    requested: int
    done: int
    extra: int
    cannot_judge: int
    disagreements: int
    decisions: int
    pairs: int
    requested_orders: int
    orders: int
    seconds_left: float | None
    judges: list[JudgeProgress]

    RECORDS = {"judges": None}

    def tables(self) -> list[Table]:
        """Return the progress of all, and of each judge."""
        return [_total_table(self), *([_judges_table(self)] if self.judges else [])]

    def to_dict(self) -> dict[str, Any]:
        """Return the progress as the JSON contract ``gainful.judging-progress/1``."""
        return {"schema": "gainful.judging-progress/1", **asdict(self)}

    def _records(self, name: str) -> Records:
        return as_records(_COLUMNS, map(astuple, self.judges))


_COLUMNS = tuple(each.name for each in fields(JudgeProgress))


def _total_table(progress: Progress) -> Table:
    rows = []
    if progress.pairs:
        rows += [
            ("pairs compared", f"{progress.pairs:,}"),
            ("queries sorted", f"{progress.orders:,} of {progress.requested_orders:,}"),
        ]
    if progress.done or not progress.pairs:
        share = progress.done / progress.requested if progress.requested else 1.0
        rows.append(("labels", f"{progress.done:,} of {progress.requested:,} ({share:.0%})"))
    if progress.extra:
        rows.append(("extra labels", f"{progress.extra:,}"))
    rows += [
        ("documents", f"{progress.documents:,}"),
        ("queries", f"{progress.queries:,}"),
        ("cannot judge", f"{progress.cannot_judge:,}"),
        ("open disagreements", f"{progress.disagreements:,}"),
        ("decisions", f"{progress.decisions:,}"),
    ]
    if progress.seconds_left is not None:
        rows.append(("hours left", f"{progress.seconds_left / 3600:.1f}"))
    return Table([Column("figure"), Column("value", align="r")], rows)


def _judges_table(progress: Progress) -> Table:
    def pace(seconds: float) -> str:
        return f"{seconds:.0f} s"

    columns = {
        "judge": Column("judge"),
        "labels": Column("labels", align="r"),
        "cannot_judge": Column("cannot_judge", "cannot judge", align="r"),
        "later": Column("later", align="r"),
        "unclear": Column("unclear", "unclear queries", align="r"),
        "pairs": Column("pairs", align="r"),
        "pace": Column("pace", "per answer" if progress.pairs else "per document", pace),
    }
    if not progress.pairs:
        del columns["pairs"]
    rows = [tuple(getattr(judge, name) for name in columns) for judge in progress.judges]
    return Table(list(columns.values()), rows, title="Judges")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A document with different grades by its judges, whose names are hidden.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    grades : tuple of float
        The grades in ascending order.
    notes : tuple of str
        The notes of the judges, in alphabetical order.
    spread : float
        The largest difference between two grades.
    decision : float or None
        The final grade; None if nobody has decided.
    """

    query_id: str
    doc_id: str
    grades: tuple[float, ...]
    notes: tuple[str, ...]
    spread: float
    decision: float | None = None


def progress_of(state: State) -> Progress:
    """Return the progress of all judges."""
    units = list(state.all_units)
    judges = [judge_progress_of(state, judge) for judge in state.judges]
    paces = [
        judge.pace for judge in judges if judge.pace is not None and state.answered(judge.judge)
    ]
    orders = [orders_of(state, query) for query in state.queries]
    return Progress(
        queries=len(state.queries),
        documents=len(units),
        requested=state.requested,
        done=state.requested - state.needed,
        extra=sum(max(0, len(unit.answers) - unit.quota) for unit in units),
        cannot_judge=sum(each.cannot_judge for each in judges),
        disagreements=sum(_is_disputed(unit) for unit in units),
        decisions=sum(unit.decision is not None for unit in units),
        pairs=sum(judge.pairs for judge in judges),
        requested_orders=sum(requested for _, requested in orders),
        orders=sum(finished for finished, _ in orders),
        seconds_left=state.needed * median(paces) if paces else None,
        judges=judges,
    )


def judge_progress_of(state: State, judge: str) -> JudgeProgress:
    """Return the work of one judge."""
    current = [events[-1] for events in state.answered(judge).values()]
    kinds = [event.kind for event in current]
    compared = state.comparisons(judge)
    recent = sorted(
        (event.number, event.seconds) for event in current or compared if event.seconds is not None
    )
    seconds = [duration for _, duration in recent[-_RECENT:]]
    return JudgeProgress(
        judge=judge,
        labels=kinds.count(Kind.GRADE),
        cannot_judge=kinds.count(Kind.CANNOT_JUDGE),
        later=kinds.count(Kind.SKIP),
        unclear=len(state.unclear_queries(judge)),
        pairs=len(compared),
        pace=median(seconds) if seconds else None,
        left=_left(state, judge),
    )


def _left(state: State, judge: str) -> int:
    unclear = state.unclear_queries(judge)
    is_open = sum(count for query, count in state.remaining.items() if query not in unclear)
    is_open -= sum(
        unit.needed > 0 and judge in unit.answers and unit.query not in unclear
        for unit in state.answered(judge)
    )
    return min(is_open, ceil(state.needed / len({judge, *state.judges})))


def _is_disputed(unit: Unit) -> bool:
    return unit.decision is None and len(set(unit.grades)) > 1


def disagreements_of(state: State) -> list[Disagreement]:
    """Return the documents with different grades and no decision, in pool order."""
    return [_describe(state, unit) for unit in state.all_units if _is_disputed(unit)]


def decisions_of(state: State) -> list[Disagreement]:
    """Return the documents with a decision, the latest first."""
    decided = [
        (unit.decision.number, unit) for unit in state.all_units if unit.decision is not None
    ]
    return [_describe(state, unit) for _, unit in sorted(decided, key=lambda each: -each[0])]


def _describe(state: State, unit: Unit) -> Disagreement:
    grades = unit.grades
    return Disagreement(
        query_id=unit.query,
        doc_id=unit.documents[0],
        grades=tuple(grades),
        notes=tuple(sorted(state.notes(unit))),
        spread=grades[-1] - grades[0] if grades else 0.0,
        decision=None if unit.decision is None else unit.decision.grade,
    )
