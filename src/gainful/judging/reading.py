"""Read labels of any supported kind into a collector."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from itertools import chain

from gainful.data import Qrels
from gainful.data.column_names import RaterColumns, find_rater_columns
from gainful.data.paths import as_paths, stem
from gainful.data.records import keys, table_rows
from gainful.data.text_files import opened
from gainful.errors import ArgumentError, ColumnError, FormatError, ParameterError
from gainful.judging.evidence import companion_rows
from gainful.judging.label_studio import is_export, read_tasks
from gainful.judging.source import Source
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.data.inputs import ArrowStream
    from gainful.data.paths import Paths
    from gainful.data.text_files import Row
    from gainful.judging.labels import Collector

    RatingsLike: TypeAlias = Paths | Mapping[str, Any] | ArrowStream | Iterable[Any]

__all__ = ["collect"]

#: The source of final grades in a table with one row per label.
_FINAL = "final"
_MODEL = "model"
_ROLES = ("source", "model", "version")


def collect(
    judgments: RatingsLike,
    into: Collector,
    raters: Sequence[str] | None,
    final: str | None,
    columns: Mapping[str, str],
    groups: bool,
) -> str | None:
    """Read labels into a collector, and return their name.

    Parameters
    ----------
    judgments, raters, final, columns, groups
        As for `Ratings`.
    into : Collector
        The collector.
    """
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

    into: Collector
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
        if not self.groups and not os.path.isdir(path):
            with opened(path) as (label, stream):
                lines = iter(stream)
                first = next(lines, b"")
                if first.lstrip().startswith(b"[") and self.tasks(first, lines, label):
                    return
                found = (
                    None
                    if first.lstrip().startswith(b"[")
                    else table_rows(chain([first], lines), label)
                )
                if found is not None and self.table(*found, label, name):
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
        for query, found in qrels.items():
            if not self.groups:
                for document, grade in found.items():
                    self.into.add(query, document, name, Source(), grade)
                continue
            for group, documents in found.items():
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
            query, document = (_text(row.get(each)) for each in ("query_id", "doc_id"))
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
        for at, row in enumerate(rows):
            if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) != 4:
                raise ArgumentError(
                    where=f"row {at}", found=repr(row), expected="query, document, rater and grade"
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
