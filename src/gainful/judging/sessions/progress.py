"""The progress of a judging session."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import median

from gainful.judging.sessions.events import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.judging.sessions.state import State, Unit

__all__ = ["Disagreement", "JudgeProgress", "Progress", "disagreements_of", "progress_of"]

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
    pace : float or None
        Median seconds per document of the last 50; None without durations.
    """

    judge: str
    labels: int
    cannot_judge: int
    later: int
    unclear: int
    pace: float | None


@dataclass(frozen=True, slots=True)
class Progress:
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
    cannot_judge : int
        Number of "cannot judge" among the current labels.
    disagreements : int
        Number of documents with different grades and no decision.
    decisions : int
        Number of documents with a final grade by an adjudicator.
    seconds_left : float or None
        The estimated work that remains, at the median pace of the judges; None without durations.
    judges : list of JudgeProgress
        The judges, in order of appearance.
    """

    queries: int
    documents: int
    requested: int
    done: int
    cannot_judge: int
    disagreements: int
    decisions: int
    seconds_left: float | None
    judges: list[JudgeProgress]

    def to_dict(self) -> dict[str, Any]:
        """Return the progress as plain values for JSON."""
        return asdict(self)


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
    """

    query_id: str
    doc_id: str
    grades: tuple[float, ...]
    notes: tuple[str, ...]
    spread: float


def progress_of(state: State) -> Progress:
    """Return the progress of all judges."""
    units = list(state.all_units)
    judges = [_judge_progress(state, judge) for judge in state.judges]
    remaining = sum(unit.needed for unit in units)
    paces = [each.pace for each in judges if each.pace is not None]
    return Progress(
        queries=len(state.queries),
        documents=len(units),
        requested=sum(unit.quota for unit in units),
        done=sum(unit.quota - unit.needed for unit in units),
        cannot_judge=sum(each.cannot_judge for each in judges),
        disagreements=sum(_is_disputed(unit) for unit in units),
        decisions=sum(unit.decision is not None for unit in units),
        seconds_left=remaining * median(paces) if paces else None,
        judges=judges,
    )


def _judge_progress(state: State, judge: str) -> JudgeProgress:
    current = [events[-1] for events in state.answered(judge).values()]
    kinds = [event.kind for event in current]
    recent = sorted((event.number, event.seconds) for event in current if event.seconds is not None)
    seconds = [duration for _, duration in recent[-_RECENT:]]
    return JudgeProgress(
        judge=judge,
        labels=kinds.count(Kind.GRADE),
        cannot_judge=kinds.count(Kind.CANNOT_JUDGE),
        later=kinds.count(Kind.SKIP),
        unclear=sum(judge in state.unclear(query) for query in state.queries),
        pace=median(seconds) if seconds else None,
    )


def _is_disputed(unit: Unit) -> bool:
    return unit.decision is None and len(set(unit.grades)) > 1


def disagreements_of(state: State) -> list[Disagreement]:
    """Return the documents with different grades and no decision, in pool order."""
    return [
        Disagreement(
            query_id=unit.query,
            doc_id=unit.documents[0],
            grades=tuple(unit.grades),
            notes=tuple(sorted(state.notes(unit))),
            spread=unit.grades[-1] - unit.grades[0],
        )
        for unit in state.all_units
        if _is_disputed(unit)
    ]
