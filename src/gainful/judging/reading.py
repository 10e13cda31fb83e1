"""Files of labels: read and written, also those of Label Studio."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from itertools import chain
from re import compile as pattern

from gainful.data import Qrels
from gainful.data.column_names import RaterColumns, find_rater_columns
from gainful.data.columns import find_columns
from gainful.data.judgment_lists.entries import grade_of
from gainful.data.paths import as_paths, stem
from gainful.data.records import keys, table_rows
from gainful.data.text_files import opened
from gainful.errors import ArgumentError, ColumnError, DuplicateError, FormatError, ParameterError
from gainful.judging.source import Evidence, Source, companion_rows
from gainful.quoting import names_shown, shown
from gainful.references import refer
from gainful.vocabulary import RATER_DUPLICATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.data.inputs import ArrowStream
    from gainful.data.paths import Paths
    from gainful.data.text_files import Row

    RatingsLike: TypeAlias = Paths | Mapping[str, Any] | ArrowStream | Iterable[Any]

__all__ = ["LabelCollector", "collect"]


#: The name of ground truth annotations, as final grades.
FINAL = "ground truth"
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
    tasks: Sequence[Mapping[str, Any]], into: LabelCollector, columns: Mapping[str, str], file: str
) -> None:
    """Add the labels of tasks."""
    ids = {role: columns[role] for role in ("query_id", "doc_id") if role in columns}
    for index, task in enumerate(tasks):
        data = task["data"]
        roles = find_columns([*data, _ANY], "qrels", {**ids, "grade": _ANY})
        query, document = str(data[roles["query_id"]]), str(data[roles["doc_id"]])
        place = f"task {task.get('id', index)}"
        for entry in task.get("annotations") or ():
            grade = None
            if not entry.get("was_cancelled"):
                grade = _grade(entry.get("result"), columns.get("grade"), file, place)
            if grade is None:
                into.blank += 1
            elif entry.get("ground_truth"):
                into.settle(query, document, grade, file=file)
                into.final_name = into.final_name or FINAL
            else:
                rater = _person(entry.get("completed_by"))
                into.add(query, document, rater, Source("human"), grade, file=file)
        for entry in task.get("predictions") or ():
            grade = _grade(entry.get("result"), columns.get("grade"), file, place)
            if grade is None:
                into.blank += 1
                continue
            model = str(entry.get("model_version") or "model")
            into.add(query, document, "", Source("model", model), grade, file=file)


def _person(who: object) -> str:
    """Return the name of an annotator: the email, else the name, else the id."""
    if not isinstance(who, dict):
        return "" if who is None else str(who)
    name = " ".join(str(who[key]) for key in ("first_name", "last_name") if who.get(key))
    return str(who.get("email") or name or who.get("id") or "")


def _grade(result: object, control: str | None, file: str, place: str) -> float | None:
    """Return the grade of an annotation; None if it has none."""
    fields: dict[str, object] = {}
    for region in result if isinstance(result, list) else ():
        kind, name = region.get("type"), str(region.get("from_name"))
        if kind in _GRADED and control in (None, name):
            value = region.get("value", {}).get(kind)
            fields[name] = value[0] if isinstance(value, list) and len(value) == 1 else value
    if len(fields) > 1:
        raise FormatError(
            f"{place}: found the controls {' and '.join(fields)}, expected one with the grade",
            file=file,
            hint="name it with "
            + refer("attributes", "grade=NAME", python="columns={'grade': NAME}"),
        )
    for value in fields.values():
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


class LabelCollector:
    """Collect labels from any source.

    Parameters
    ----------
    duplicates : {"error", "first", "last"}
        How to treat a second label by one rater for a document and query.
    sources : dict of str to Source
        The sources of raters by name, as the caller specified them.
    """

    def __init__(self, duplicates: str, sources: dict[str, Source]) -> None:
        if duplicates not in RATER_DUPLICATES:
            raise ParameterError(
                where="duplicates", found=repr(duplicates), expected=", ".join(RATER_DUPLICATES)
            )
        self.duplicates = duplicates
        self.sources = sources
        #: The grade by query and document, for each name and source of a rater.
        self.grades: dict[tuple[str, Source], dict[tuple[str, str], float]] = {}
        self.final: dict[tuple[str, str], float] = {}
        #: The name of the final grades; empty without them.
        self.final_name = ""
        #: What files say about the labels of models, for each name and source of a rater.
        self.evidence: dict[tuple[str, Source], Evidence] = {}
        #: Number of rows or cells without a grade.
        self.blank = 0

    def add(
        self,
        query: str,
        document: str,
        rater: str,
        source: Source,
        grade: object,
        *,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        """Add a label; count it as blank if it has no grade."""
        value = grade_of(grade, query, document, file, line)
        if value is None:
            self.blank += 1
            return
        known = self.sources.get(rater, source)
        grades = self.grades.setdefault((rater, known), {})
        self._put(grades, (query, document), value, f"by {rater}" if rater else "", file, line)

    def note(
        self, query: str, document: str, rater: str, source: Source, row: Mapping[str, object]
    ) -> None:
        """Add what a row of a model says besides the grade."""
        known = self.sources.get(rater, source)
        self.evidence.setdefault((rater, known), Evidence()).add(query, document, row)

    def settle(
        self,
        query: str,
        document: str,
        grade: object,
        *,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        """Add a final grade."""
        value = grade_of(grade, query, document, file, line)
        if value is not None:
            self._put(self.final, (query, document), value, "as the final grade", file, line)

    def _put(
        self,
        grades: dict[tuple[str, str], float],
        pair: tuple[str, str],
        value: float,
        whose: str,
        file: str | None,
        line: int | None,
    ) -> None:
        if pair in grades:
            if self.duplicates == "error":
                raise DuplicateError(
                    file=file,
                    line=line,
                    query=pair[0],
                    document=pair[1],
                    found=" ".join(part for part in ("a second grade", whose) if part),
                    expected="one grade per rater and document",
                    hint="set ⟪duplicates=first⟫ or ⟪duplicates=last⟫ to keep one; if a rater"
                    " judged twice on purpose, give the second round another rater's name",
                )
            if self.duplicates == "first":
                return
        grades[pair] = value


#: The source of final grades in a table with one row per label.
_FINAL = "final"
_MODEL = "model"
#: The suffixes of spreadsheet programs.
_WORKBOOKS = {".xlsx", ".xlsm", ".xls", ".ods", ".numbers"}
_ROLES = ("source", "model", "version")


def collect(
    judgments: RatingsLike,
    into: LabelCollector,
    raters: Sequence[str] | None,
    final: str | None,
    columns: Mapping[str, str],
    groups: bool,
) -> str | None:
    """Read labels into a collector, and return their name."""
    reading = _Reading(into, raters, final, columns, groups)
    paths = as_paths(judgments)
    if paths is not None:
        for path in paths:
            reading.file(path, None)
        return f"{paths[0]} and {len(paths) - 1} more" if len(paths) > 1 else paths[0]
    if isinstance(judgments, dict):
        for name, one in judgments.items():
            reading.named(str(name), one)
        return None
    records = _records(judgments)
    if records is not None:
        reading.table(keys(records), enumerate(records), None, None)
    else:
        reading.tuples(judgments)
    return None


@dataclass(frozen=True)
class _Reading:
    """The caller's description of the labels, used for each file."""

    into: LabelCollector
    raters: Sequence[str] | None
    final: str | None
    columns: Mapping[str, str]
    groups: bool

    def named(self, name: str, one: Any) -> None:
        """Add the judgments of a rater: a file, or anything that `Qrels` accepts."""
        paths = as_paths(one)
        if paths is None:
            self.judgments(name, one)
        for path in paths or ():
            self.file(path, name)

    def file(self, path: str, name: str | None) -> None:
        """Add a file: a table with raters, or the judgments of one rater."""
        suffix = os.path.splitext(path)[1].lower()
        if suffix in _WORKBOOKS:
            raise FormatError(
                file=path,
                found=f"a workbook ({suffix})",
                expected="a table as text",
                hint="save each sheet as CSV UTF-8 in the spreadsheet program, and name that file",
            )
        if not self.groups and not os.path.isdir(path):
            with opened(path) as (label, stream):
                lines = iter(stream)
                first = next(lines, b"")
                if first.lstrip().startswith(b"[") and self.tasks(first, lines, label):
                    return
                rows = (
                    None
                    if first.lstrip().startswith(b"[")
                    else table_rows(chain([first], lines), label)
                )
                if rows is not None and self.table(*rows, label, name):
                    self.companion(path, name)
                    return
        if path == "-":
            raise FormatError(
                file="standard input",
                found="a file without raters",
                expected="CSV, TSV or JSON lines with a column for the rater, or one per rater",
                hint="pass judgments in another format as a file",
            )
        self.judgments(name or stem(path), path)

    def tasks(self, first: bytes, lines: Iterable[bytes], label: str) -> bool:
        """Add tasks of Label Studio; return False for another JSON list."""
        try:
            value = json.loads(first + b"".join(lines))
        except (ValueError, RecursionError):
            return False
        if not is_export(value):
            return False
        read_tasks(value, self.into, self.columns, label)
        return True

    def judgments(self, name: str, one: Any) -> None:
        """Add judgments without raters, or with raters in the second column."""
        duplicates = self.into.duplicates
        qrels = Qrels(one, subtopics=self.groups, duplicates=duplicates, name=name)
        for query, qrel in qrels.items():
            if not self.groups:
                for document, grade in qrel.items():
                    self.into.add(query, document, name, Source(), grade)
                continue
            for group, documents in qrel.items():
                for document, grade in documents.items():
                    self.into.add(query, document, group, Source(), grade)

    def table(
        self, names: Sequence[str], rows: Iterable[Row], file: str | None, name: str | None
    ) -> bool:
        """Add a table with raters; return False if the table has none."""
        try:
            layout = find_rater_columns(names, self.columns, self.raters, self.final)
        except ColumnError as error:
            raise error.replace(file=file) from None
        if layout is None:
            if file is None:
                raise ArgumentError(
                    where="a table of labels",
                    found=f"the columns {names_shown(names)}",
                    expected="a column for the rater, or one column of grades per rater",
                    hint="name it with columns={'rater': NAME}; pass the judgments of one rater as"
                    " {NAME: table}",
                )
            return False
        for line, row in rows:
            self.row(row, layout, file, line if file else None, name)
        if layout.final is not None:
            self.into.final_name = self.into.final_name or layout.final
        return True

    def row(
        self,
        row: Mapping[str, object],
        layout: RaterColumns,
        file: str | None,
        line: int | None,
        name: str | None,
    ) -> None:
        """Add the labels of one row."""
        query, document = (
            _identifier(row.get(column), column, file, line)
            for column in (layout.query, layout.document)
        )
        place: dict[str, Any] = {"file": file, "line": line}
        who = {role: _text(row.get(column)) for role, column in layout.who.items()}
        source = _source(who)
        if layout.grade is not None and source.kind == _FINAL:
            self.into.settle(query, document, row.get(layout.grade), **place)
            self.into.final_name = self.into.final_name or _FINAL
            return
        if layout.grade is not None:
            # A source names the rater better than the file does, but not better than the caller.
            named = name is not None and (file is None or name != stem(file) or not source.kind)
            rater = who.get("rater", "") or (name or "" if named else "")
            if source.kind == _MODEL:
                self.into.note(query, document, rater, source, row)
            if not row.get("injection"):
                self.into.add(query, document, rater, source, row.get(layout.grade), **place)
            return
        for rater, column in layout.raters.items():
            self.into.add(query, document, rater, source, row.get(column), **place)
        if layout.final is not None:
            self.into.settle(query, document, row.get(layout.final), **place)

    def companion(self, path: str, name: str | None) -> None:
        """Add what a model answered besides labels, from the file next to that of its labels."""
        named = name if name is not None and name != stem(path) else ""
        for row in companion_rows(path):
            source = _source({role: _text(row.get(role)) for role in _ROLES})
            query, document = (_text(row.get(column)) for column in ("query_id", "doc_id"))
            self.into.note(query, document, named, source, row)

    def tuples(self, rows: object) -> None:
        """Add rows of query, document, rater and grade."""
        if not hasattr(rows, "__iter__") or isinstance(rows, bytes):
            raise ArgumentError(
                where="labels",
                found=type(rows).__name__,
                expected="a path, a mapping of raters, a data frame, or rows of query, document,"
                " rater and grade",
            )
        for index, row in enumerate(rows):
            if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) != 4:
                raise ArgumentError(
                    where=f"row {index}",
                    found=repr(row),
                    expected="query, document, rater and grade",
                )
            query, document, rater, grade = row
            self.into.add(str(query), str(document), str(rater), Source(), grade)


def _source(who: Mapping[str, str]) -> Source:
    kind, model, version = (who.get(role, "") for role in ("source", "model", "version"))
    if ":" in kind and not model:
        return Source.parse(kind)
    return Source.of(kind, model, version)


def _records(judgments: object) -> list[Mapping[str, object]] | None:
    """Return the rows of a data frame or list of dictionaries; None for other objects."""
    frame: Any = judgments
    for method in ("to_dicts", "to_pylist"):  # polars, pyarrow
        if hasattr(frame, method):
            return list(getattr(frame, method)())
    if hasattr(frame, "to_dict") and hasattr(frame, "columns"):  # pandas
        return list(frame.to_dict("records"))
    if hasattr(frame, "fetch_arrow_table"):  # DuckDB
        return list(frame.fetch_arrow_table().to_pylist())
    if isinstance(frame, list) and frame and isinstance(frame[0], dict):
        return list(frame)
    return None


def _identifier(value: object, column: str, file: str | None, line: int | None) -> str:
    if isinstance(value, float):
        raise ParameterError(
            where=f"column {column!r}", found=f"the id {value!r}", expected="text or a whole number"
        )
    text = _text(value)
    if not text:
        raise FormatError(
            file=file, line=line, found=f"an empty cell in column {column!r}", expected="an id"
        )
    return text


def _text(value: object) -> str:
    # Empty cells of a data frame are NaN.
    return "" if value is None or value != value else str(value).strip()
