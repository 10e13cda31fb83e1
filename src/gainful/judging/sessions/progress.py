"""The progress of a judging session, and how each of its judges grades."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from math import ceil
from os import fspath
from os.path import splitext
from statistics import median

from gainful.data import Qrels
from gainful.errors import FormatError, ParameterError
from gainful.formats.delimited import csv, text
from gainful.formats.table import Column, Table
from gainful.judging.sessions.assignment import orders_of, preference_rows
from gainful.judging.sessions.events import Kind
from gainful.records import Record, field
from gainful.records.tables import table_of
from gainful.results import Result
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from gainful.judging.sessions.events import Event
    from gainful.judging.sessions.state import State, Unit

__all__ = [
    "COLUMNS",
    "Disagreement",
    "JudgeGrades",
    "JudgeProgress",
    "Progress",
    "decisions_of",
    "disagreements_of",
    "export",
    "final_grades",
    "grades_of_judges",
    "judge_progress_of",
    "label_rows",
    "progress_of",
]

#: The number of recent labels that determine the pace.
_RECENT = 50

_COUNT = {"minimum": 0}


class JudgeProgress(Record):
    """The work of one judge."""

    judge: str = field(tables="judges")
    """The name."""
    labels: int = field(tables="judges")
    """Number of documents with a grade; documents with identical text count once."""
    cannot_judge: int = field(tables="judges", label="cannot judge")
    """Number of documents that the judge could not judge."""
    later: int = field(tables="judges")
    """Number of documents that the judge put off."""
    unclear: int = field(tables="judges", label="unclear queries")
    """Number of queries that are not clear to the judge."""
    pairs: int = field(tables="judges")
    """Number of pairs of documents that the judge compared."""
    pace: float | None = field(
        tables="judges", label="{pace}", show=lambda seconds: f"{seconds:.0f} s", json=_COUNT
    )
    """Median seconds per document of the last 50, or per pair if the judge only compared pairs;
    None without durations."""
    left: int
    """The expected number of further documents: an equal share of the missing labels, at most the
    documents that the judge can still grade."""


class Progress(Result):
    """The progress of all judges together."""

    SCHEMA = "gainful.judging-progress/1"
    RECORDS = {"judges": JudgeProgress}

    queries: int
    """Number of queries."""
    documents: int
    """Number of documents to judge; documents of a query with identical text count once."""
    requested: int
    """Number of requested labels: a document that two people should judge counts twice."""
    done: int
    """Number of these that are given, including "cannot judge"."""
    extra: int
    """Number of further labels, such as a late one of a document that went to somebody else."""
    cannot_judge: int
    """Number of "cannot judge" among the current labels."""
    disagreements: int
    """Number of documents with different grades and no decision."""
    decisions: int
    """Number of documents with a final grade by an adjudicator."""
    pairs: int
    """Number of pairs of documents that were compared."""
    requested_orders: int
    """Number of queries to sort by comparing pairs; a query that two people should sort counts
    twice."""
    orders: int
    """Number of these that are sorted."""
    seconds_left: float | None = field(json=_COUNT)
    """The estimated work that remains, at the median pace of the judges; None without durations."""
    judges: tuple[JudgeProgress, ...]
    """The judges, in order of appearance."""

    def tables(self) -> list[Table]:
        """Return the progress of all, and of each judge."""
        return [_total_table(self), *([_judges_table(self)] if self.judges else [])]


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
    labels = {"pace": "per answer" if progress.pairs else "per document"}
    table = table_of(progress.judges, "judges", title="Judges", labels=labels)
    return table.only(lambda column: progress.pairs > 0 or column.key != "pairs")


class Disagreement(Record):
    """A document with different grades by its judges, whose names are hidden."""

    query_id: str
    """The query."""
    doc_id: str
    """The document."""
    grades: tuple[float, ...]
    """The grades in ascending order."""
    notes: tuple[str, ...]
    """The notes of the judges, in alphabetical order."""
    spread: float
    """The largest difference between two grades."""
    decision: float | None = None
    """The final grade; None if nobody has decided."""


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
        cannot_judge=sum(judge.cannot_judge for judge in judges),
        disagreements=sum(_is_disputed(unit) for unit in units),
        decisions=sum(unit.decision is not None for unit in units),
        pairs=sum(judge.pairs for judge in judges),
        requested_orders=sum(requested for _, requested in orders),
        orders=sum(finished for finished, _ in orders),
        seconds_left=state.needed * median(paces) if paces else None,
        judges=tuple(judges),
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
    return [_describe(state, unit) for _, unit in sorted(decided, key=lambda item: -item[0])]


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


#: The columns of exported labels.
COLUMNS = (
    *("query_id", "doc_id", "rater", "grade", "source", "kind", "graded_as", "note", "time"),
    *("seconds", "guidelines"),
)

FORMATS = ("qrels", "prefs", "csv", "jsonl")

_SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".prefs": "prefs"}


def label_rows(state: State) -> Iterator[tuple[object, ...]]:
    """Yield the current labels and decisions, with the columns `COLUMNS`.

    A document with the same text as the one that was shown has a row of its own, in which
    ``graded_as`` is the id of the document that was shown.
    """
    for unit in state.all_units:
        shown = [*unit.answers.values(), *filter(None, [unit.decision])]
        for document in unit.documents:
            for event in shown:
                yield _row(state, document, event)


def _row(state: State, document: str, event: Event) -> tuple[object, ...]:
    return (
        event.query_id,
        document,
        event.judge,
        _plain(event.grade),
        "final" if event.kind is Kind.ADJUDICATE else "human",
        event.kind.value,
        None if document == event.doc_id else event.doc_id,
        state.note(event.judge, event.query_id, event.doc_id) or None,
        datetime.fromtimestamp(event.time, UTC).isoformat(timespec="milliseconds"),
        event.seconds,
        event.guidelines or None,
    )


def final_grades(state: State) -> dict[str, dict[str, float]]:
    """Return one grade per document: the decision, else the lower median of the grades."""
    grades_of_query: dict[str, dict[str, float]] = {}
    for unit in state.all_units:
        grades = unit.grades
        decision = unit.decision
        if decision is not None and decision.grade is not None:
            grade = decision.grade
        elif grades:
            grade = grades[(len(grades) - 1) // 2]
        else:
            continue
        grades_of_query.setdefault(unit.query, {}).update(dict.fromkeys(unit.documents, grade))
    return grades_of_query


def export(
    state: State,
    path: str | PathLike[str],
    format: str | None,
    judged: Mapping[str, Mapping[str, float]],
) -> None:
    """Implement `Session.export`."""
    name = fspath(path)
    style = format or _SUFFIXES.get(splitext(name)[1], "qrels")
    if style not in FORMATS:
        raise ParameterError(
            where="format", found=repr(style), expected=f"one of {', '.join(FORMATS)}"
        )
    if style == "qrels":
        grades = final_grades(state)
        for query, query_labels in judged.items():
            grades[query] = {**query_labels, **grades.get(query, {})}
        if not grades:
            raise FormatError("the session has no grades yet", file=name)
        Qrels(grades).write(name, "trec")
        return
    if style == "prefs":
        write_whole(name, _preference_lines(state, name))
        return
    rows = label_rows(state)
    if style == "csv":
        lines = csv(COLUMNS, rows)
    else:
        lines = (text(dict(zip(COLUMNS, row, strict=True))) for row in rows)
    write_whole(name, (line.encode() for line in lines))


def _preference_lines(state: State, file: str) -> Iterator[bytes]:
    is_preference = False
    for query, judge, number, document, level in preference_rows(state):
        for word in (query, document):
            if len(word.split()) != 1:
                raise FormatError(file=file, found=f"the id {word!r}", expected="no white space")
        is_preference = True
        yield f"{query} {'_'.join(judge.split())} {number} {document} {level}\n".encode()
    if not is_preference:
        raise FormatError("the session has no preferences yet", file=file)


def _plain(grade: float | None) -> float | int | None:
    """Return an integral grade as an integer."""
    return int(grade) if grade is not None and grade == int(grade) else grade


class JudgeGrades(Record):
    """The grades of one judge."""

    judge: str
    """The name."""
    counts: tuple[int, ...]
    """Number of documents with each grade of the scale, from the lowest to the highest."""
    suggested: int
    """Number of graded documents for which a model suggests a grade."""
    same: int
    """Number of these with the same grade."""
    difference: float | None
    """The mean of the judge's grade minus the model's; None without suggestions."""
    confusion: tuple[tuple[float, float, int], ...]
    """The judge's grade, the model's, and the number of documents with both."""


def grades_of_judges(
    state: State, scale: Iterable[float], suggestions: Mapping[str, Mapping[str, float]]
) -> list[JudgeGrades]:
    """Return the grades of each judge who graded a document."""
    scale = list(scale)
    rows = []
    for judge in state.judges:
        answers = [events[-1] for events in state.answered(judge).values()]
        graded = [
            (event.grade, suggestions.get(event.query_id, {}).get(event.doc_id))
            for event in answers
            if event.kind is Kind.GRADE and event.grade is not None
        ]
        if not graded:
            continue
        pairs = Counter((grade, model) for grade, model in graded if model is not None)
        total = pairs.total()
        counts = Counter(grade for grade, _ in graded)
        rows.append(
            JudgeGrades(
                judge=judge,
                counts=tuple(counts[grade] for grade in scale),
                suggested=total,
                same=sum(count for (grade, model), count in pairs.items() if grade == model),
                difference=sum((grade - model) * count for (grade, model), count in pairs.items())
                / total
                if total
                else None,
                confusion=tuple((*pair, count) for pair, count in sorted(pairs.items())),
            )
        )
    return rows
