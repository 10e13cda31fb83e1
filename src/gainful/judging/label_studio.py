"""Labels in Label Studio's JSON: read exported tasks, and write tasks to import.

The layout is that of https://labelstud.io/guide/task_format: a list of tasks with ``data``,
``annotations`` by people and ``predictions`` by models.
"""

from __future__ import annotations

from re import compile as pattern

from gainful.data.columns import find_columns
from gainful.errors import FormatError
from gainful.formats.json import text
from gainful.judging.cells import grade_text
from gainful.judging.source import Source
from gainful.quoting import shown
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gainful.judging.labels import Collector
    from gainful.judging.ratings import Ratings

__all__ = ["FINAL", "is_export", "read_tasks", "task_lines"]

#: The name of ground truth annotations, as final grades.
FINAL = "ground truth"
#: The name of the control with the grade, and of the object that it belongs to, when written.
_CONTROL, _OBJECT = "grade", "document"
_GRADED = ("choices", "rating", "number")
_NUMBER = pattern(r"\s*(-?[0-9]+(?:\.[0-9]+)?)(?![\w.])")
# A placeholder for the grade while the ids are looked up.
_ANY = "\0"


def is_export(value: object) -> bool:
    """Return whether a JSON value is a list of tasks of Label Studio.

    Examples
    --------
    >>> is_export([{"data": {"query": "q"}, "annotations": []}]), is_export([["q", "d", 1]])
    (True, False)
    """
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(task, dict)
            and isinstance(task.get("data"), dict)
            and (isinstance(task.get("annotations"), list) or "predictions" in task)
            for task in value
        )
    )


def read_tasks(
    tasks: Sequence[Mapping[str, Any]], into: Collector, columns: Mapping[str, str], file: str
) -> None:
    """Add the labels of tasks.

    Parameters
    ----------
    tasks : sequence of dict
        As `is_export` accepts them. The data of a task has the ids of query and document, with any
        of the names of columns of judgments.
    into : Collector
        The collector.
    columns : mapping of str to str
        The caller's names of ``query_id`` and ``doc_id`` in the data, and ``grade``: the name of
        the control with the grade.
    file : str
        The file's name, for messages.

    Raises
    ------
    ColumnError
        If the data of a task has no ids.
    FormatError
        For a choice that does not begin with a number, or several controls with a grade.
    """
    ids = {role: columns[role] for role in ("query_id", "doc_id") if role in columns}
    for at, task in enumerate(tasks):
        data = task["data"]
        found = find_columns([*data, _ANY], "qrels", {**ids, "grade": _ANY})
        query, document = str(data[found["query_id"]]), str(data[found["doc_id"]])
        place = f"task {task.get('id', at)}"
        for each in task.get("annotations") or ():
            grade = None
            if not each.get("was_cancelled"):
                grade = _grade(each.get("result"), columns.get("grade"), file, place)
            if grade is None:
                into.blank += 1
            elif each.get("ground_truth"):
                into.settle(query, document, grade, file=file)
                into.final_name = into.final_name or FINAL
            else:
                rater = _person(each.get("completed_by"))
                into.add(query, document, rater, Source("human"), grade, file=file)
        for each in task.get("predictions") or ():
            grade = _grade(each.get("result"), columns.get("grade"), file, place)
            if grade is None:
                into.blank += 1
                continue
            model = str(each.get("model_version") or "model")
            into.add(query, document, "", Source("model", model), grade, file=file)


def _person(who: object) -> str:
    """Return the name of an annotator: the email, else the name, else the id."""
    if not isinstance(who, dict):
        return "" if who is None else str(who)
    name = " ".join(str(who[key]) for key in ("first_name", "last_name") if who.get(key))
    return str(who.get("email") or name or who.get("id") or "")


def _grade(result: object, control: str | None, file: str, place: str) -> float | None:
    """Return the grade of an annotation; None if it has none."""
    found: dict[str, object] = {}
    for region in result if isinstance(result, list) else ():
        kind, name = region.get("type"), str(region.get("from_name"))
        if kind in _GRADED and control in (None, name):
            value = region.get("value", {}).get(kind)
            found[name] = value[0] if isinstance(value, list) and len(value) == 1 else value
    if len(found) > 1:
        raise FormatError(
            f"{place}: found the controls {' and '.join(found)}, expected one with the grade",
            file=file,
            hint="name it with "
            + refer("attributes", "grade=NAME", python="columns={'grade': NAME}"),
        )
    for value in found.values():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        match = _NUMBER.match(value) if isinstance(value, str) else None
        if match is None:
            raise FormatError(
                f"{place}: found the choice {shown(value)}, expected one that begins with the"
                " grade, such as '2' or '2 relevant'",
                file=file,
            )
        return float(match[1])
    return None


def task_lines(ratings: Ratings) -> Iterator[str]:
    """Yield the text of tasks with the labels of raters, for an import into Label Studio.

    People are annotations, with their names as emails; models are predictions; final grades are
    ground truth.
    """
    finals = {} if ratings.final is None else ratings.grades(ratings.final)
    yield "["
    for at, (query, document) in enumerate(ratings.pairs):
        annotations, predictions = [], []
        for rater in ratings.raters:
            grade = ratings.grades(rater.name).get((query, document))
            if grade is None:
                continue
            if rater.source.kind == "model":
                predictions.append({"model_version": rater.name, "result": [_region(grade)]})
            else:
                annotations.append(_annotation(rater.name, grade, ground_truth=False))
        final = finals.get((query, document))
        if final is not None:
            annotations.append(_annotation(str(ratings.final), final, ground_truth=True))
        task = {
            "data": {"query_id": query, "doc_id": document},
            "annotations": annotations,
            "predictions": predictions,
        }
        yield ("," if at else "") + "\n" + text(task).strip()
    yield "\n]\n"


def _annotation(rater: str, grade: float, *, ground_truth: bool) -> dict[str, object]:
    return {
        "completed_by": {"email": rater},
        "was_cancelled": False,
        "ground_truth": ground_truth,
        "result": [_region(grade)],
    }


def _region(grade: float) -> dict[str, object]:
    return {
        "from_name": _CONTROL,
        "to_name": _OBJECT,
        "type": "choices",
        "value": {"choices": [grade_text(grade)]},
    }
