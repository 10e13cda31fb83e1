"""Write the labels of a judging session."""

from __future__ import annotations

from datetime import UTC, datetime
from os import fspath
from os.path import splitext

from gainful.data import Qrels
from gainful.errors import FormatError, ParameterError
from gainful.formats.delimited import csv
from gainful.formats.json import text
from gainful.judging.sessions.events import Kind
from gainful.judging.sessions.preferences import preference_rows
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from gainful.judging.sessions.events import Event
    from gainful.judging.sessions.state import State

__all__ = ["COLUMNS", "export", "final_grades", "label_rows"]

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
    found: dict[str, dict[str, float]] = {}
    for unit in state.all_units:
        grades = unit.grades
        decision = unit.decision
        if decision is not None and decision.grade is not None:
            grade = decision.grade
        elif grades:
            grade = grades[(len(grades) - 1) // 2]
        else:
            continue
        found.setdefault(unit.query, {}).update(dict.fromkeys(unit.documents, grade))
    return found


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
        for query, own in judged.items():
            grades[query] = {**own, **grades.get(query, {})}
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
    found = False
    for query, judge, number, document, level in preference_rows(state):
        for word in (query, document):
            if len(word.split()) != 1:
                raise FormatError(file=file, found=f"the id {word!r}", expected="no white space")
        found = True
        yield f"{query} {'_'.join(judge.split())} {number} {document} {level}\n".encode()
    if not found:
        raise FormatError("the session has no preferences yet", file=file)


def _plain(grade: float | None) -> float | int | None:
    """Return an integral grade as an integer."""
    return int(grade) if grade is not None and grade == int(grade) else grade
