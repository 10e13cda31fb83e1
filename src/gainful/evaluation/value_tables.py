"""Values of queries that were computed elsewhere, from files and from memory."""

from __future__ import annotations

import os
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field

from gainful._kernel import names_with, plain_name
from gainful.data.array_files import parquet_rows
from gainful.data.column_names import find_column, missing_column
from gainful.data.paths import is_parquet, stem, uncompressed
from gainful.data.records import Record, Records, finite, json_value, read_records
from gainful.data.text_files import opened
from gainful.errors import ArgumentError, ColumnError, FormatError, GainfulError, ParameterError
from gainful.measures.notation import parse_measure
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.data.inputs import ArrowStream

    #: By system and query, or by measure, system and query; or what contains them.
    ValuesLike: TypeAlias = (
        Mapping[str, Mapping[Any, Any]]
        | Iterable[Mapping[str, object]]
        | ArrowStream
        | str
        | os.PathLike[str]
    )
    Scores: TypeAlias = dict[str, dict[str, dict[str, float]]]

__all__ = ["MEASURE", "ValueTable", "frame_records", "measure_name", "read_values"]

#: The name of a measure without one.
MEASURE = "value"
#: The first column that ``gainful evaluate --per-query`` writes after the measures.
_AFTER = "retrieved"
#: The columns that it writes for each nDCG, after the measures.
_PARTS = ("DCG", "IDCG")
#: The place of values without a file, in messages.
_MEMORY = "values"
_EXPECTED = "a finite number, or an empty cell if the query does not count"


@dataclass(frozen=True, slots=True)
class ValueTable:
    """Values by measure, system and query, without queries that do not count.

    Attributes
    ----------
    scores : dict of str to dict of str to dict of str to float
        The values by measure, system and query.
    queries : dict of str to None
        All queries in their order, also those that have no value.
    source : str or None
        The name of the file.
    layout : str
        How the columns were read, in words.
    integers : bool
        Whether all ids of queries were integers.
    """

    scores: Scores
    queries: dict[str, None]
    source: str | None = None
    layout: str = ""
    integers: bool = False
    _seen: set[tuple[str, str, str]] = field(default_factory=set)

    def add(
        self,
        name: str,
        line: int | None,
        measure: str,
        system: str,
        query: str,
        value: float | None,
    ) -> None:
        """Add a value, None for a query that does not count; the place is for messages."""
        key = (measure, system, query)
        if key in self._seen:
            raise FormatError(
                f"duplicate query {shown(query)} of {shown(system)}", file=name, line=line
            )
        self._seen.add(key)
        self.queries[query] = None
        values = self.scores.setdefault(measure, {}).setdefault(system, {})
        if value is not None:
            values[query] = value


def read_values(values: ValuesLike, measures: Iterable[str] | None = None) -> ValueTable:
    r"""Read the values of systems by query.

    Examples
    --------
    >>> with open("scores.csv", "w") as file:
    ...     _ = file.write("query,system,value\nq1,old,0\nq1,new,1\nq2,old,\nq2,new,1\n")
    >>> read_values("scores.csv", ["correctness"]).scores
    {'correctness': {'old': {'q1': 0.0}, 'new': {'q1': 1.0, 'q2': 1.0}}}
    >>> with open("wide.csv", "w") as file:
    ...     _ = file.write("qid,old,new\nq1,0,1\n")
    >>> read_values("wide.csv").layout
    'one column per system: old, new'
    """
    wanted = None if measures is None else list(dict.fromkeys(map(measure_name, measures)))
    name, content = _content(values)
    if isinstance(content, Records):
        return _of_records(content, wanted)
    return _of_mapping(name, content, wanted)


# --- sources ------------------------------------------------------------------------------------


def _content(values: Any) -> tuple[str, Records | Mapping[Any, Any]]:
    """Return the name of values, and their rows or mappings."""
    if isinstance(values, (str, os.PathLike)):
        path = os.fspath(values)
        document = _json_document(path)
        if document is not None:
            return path, _content(document)[1]
        if is_parquet(path):
            names, rows = parquet_rows(path)
            return path, Records(path, tuple(names), [_record(row) for _, row in rows])
        return path, read_records(path)
    frame = frame_records(values)
    if frame is not None:
        return _MEMORY, frame
    if isinstance(values, AnyMapping):
        return _MEMORY, values
    records = list(values) if hasattr(values, "__iter__") else [values]
    for row in records:
        if not isinstance(row, AnyMapping):
            raise ArgumentError(
                where="values",
                found=type(row).__name__,
                expected="{system: {query: value}}, a data frame, rows as mappings, or a path",
            )
    columns = tuple(dict.fromkeys(str(name) for row in records for name in row))
    return _MEMORY, Records(_MEMORY, columns, list(map(_record, records)))


def frame_records(values: Any) -> Records | None:
    """Return the rows of a data frame, without missing values; None for another object."""
    if hasattr(values, "columns") and hasattr(values, "to_dict") and hasattr(values, "index"):
        # A pandas frame, whose index may have the queries.
        if type(values.index).__name__ != "RangeIndex":
            values = values.rename_axis(values.index.name or "query_id").reset_index()
        return _of_columns(values.to_dict("list"))
    if hasattr(values, "__arrow_c_stream__"):
        from gainful.packages import load_package

        return _of_columns(load_package("pyarrow").table(values).to_pydict())
    return None


def _json_document(path: str) -> object:
    """Return the content of a JSON file; None for other files and JSON lines."""
    if not uncompressed(path.lower()).endswith(".json"):
        return None
    with opened(path) as (name, stream):
        text = b"".join(stream).decode("utf-8", "surrogateescape")
    return json_value(text, name)


def _of_columns(columns: Mapping[Any, list[object]]) -> Records:
    names = tuple(map(str, columns))
    rows = zip(*columns.values(), strict=True)
    return Records(_MEMORY, names, [_record(dict(zip(names, row, strict=True))) for row in rows])


def _record(row: Mapping[Any, object]) -> Record:
    """Return a row; NaN and NA, the missing values of data frames, are None."""
    cells = {str(name): None if _is_missing(value) else value for name, value in row.items()}
    return Record(None, cells)


def _is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, which is not equal to itself, or the NA of pandas."""
    try:
        return value is None or not bool(value == value)
    except TypeError:
        # No comparison of NA has a truth value.
        return True


# --- mappings -----------------------------------------------------------------------------------


def _of_mapping(name: str, values: Mapping[Any, Any], wanted: list[str] | None) -> ValueTable:
    """Return the values of mappings, by system and query or by measure, system and query."""
    systems = list(values.values())
    if not systems or not all(map(_is_mapping, systems)):
        keys = f"{type(systems[0]).__name__} by {next(iter(values))!r}" if systems else "no system"
        raise ArgumentError(where=name, found=keys, expected="{system: {query: value}}")
    inner = [value for system in systems for _, value in system.items()]
    if inner and all(map(_is_mapping, inner)):
        by_measure = {measure_name(str(measure)): value for measure, value in values.items()}
        _check_wanted(name, list(by_measure), wanted)
    else:
        by_measure = {_only(wanted, "of values without a name"): values}
    queries = [
        query
        for values in by_measure.values()
        for per_system in values.values()
        for query in per_system
    ]
    table = ValueTable(
        {},
        {},
        None if name == _MEMORY else name,
        "values by system and query",
        bool(queries) and all(type(query) is int for query in queries),
    )
    for measure, measure_values in by_measure.items():
        if wanted is not None and measure not in wanted:
            continue
        for system, by_query in measure_values.items():
            table.scores.setdefault(measure, {}).setdefault(str(system), {})
            for query, value in by_query.items():
                where = f"{name}, {system}, query {query!r}"
                number = _number(where, Record(None, {measure: value}), measure)
                table.add(where, None, measure, str(system), str(query), number)
    return table


def _is_mapping(values: object) -> bool:
    # A pandas series is one, too.
    return isinstance(values, AnyMapping) or hasattr(values, "items")


# --- from tables --------------------------------------------------------------------------------


def _of_records(records: Records, wanted: list[str] | None) -> ValueTable:
    name, columns, _ = records
    query = find_column(columns, "query_id", name)
    if query is None:
        error = missing_column(columns, "query_id", "queries", name)
        raise error.replace(
            hint="without a run, the file is a table of values by query; judgments need runs"
        )
    rest = [column for column in columns if column != query]
    system = find_column(rest, "system", name)
    if system is not None:
        rest.remove(system)
    for part in ("measure", "metric"):
        for measure in names_with(rest, part):
            rest.remove(measure)
            return _long(records, query, system, measure, _value_column(name, rest), wanted)
    counts = _without_counts(rest)
    if not counts:
        raise ColumnError("at least one column with a measure is required", file=name)
    if system is None and len(counts) > 1 and not all(map(_is_measure, counts)):
        label = _only(wanted, f"because the columns of {name} are systems: {names_shown(counts)}")
        layout = f"one column per system: {names_shown(counts)}"
        return _wide(records, query, {column: (label, column) for column in counts}, layout)
    named = {measure_name(column): column for column in counts}
    unnamed = [column for column in counts if plain_name(column) == MEASURE]
    if unnamed or names_with(counts, "value") == counts:
        # Values without a name; other columns describe them.
        named = {_only(wanted, f"of the values in {counts[0]}"): (unnamed or counts)[0]}
    _check_wanted(name, list(named), wanted)
    chosen = {label: named[label] for label in (wanted or named) if label in named}
    cells = {column: (label, None) for label, column in chosen.items()}
    return _wide(records, query, cells, f"values in {names_shown(chosen.values())}", system)


def _wide(
    records: Records,
    query: str,
    cells: Mapping[str, tuple[str, str | None]],
    layout: str,
    system: str | None = None,
) -> ValueTable:
    """Return the values of columns, each of a measure and of a system or that of the row."""
    name = records.name
    table = _empty(records, query, layout)
    for row in records.rows:
        default = _stem(name) if system is None else _id(name, row, system)
        key = _id(name, row, query)
        for column, (label, cells_of_label) in cells.items():
            number = _number(name, row, column)
            table.add(
                name,
                row.line,
                label,
                default if cells_of_label is None else cells_of_label,
                key,
                number,
            )
    return table


def _empty(records: Records, query: str, layout: str) -> ValueTable:
    integers = all(type(row.cells.get(query)) is int for row in records.rows)
    source = None if records.name == _MEMORY else records.name
    return ValueTable({}, {}, source, layout, integers and bool(records.rows))


def _long(
    records: Records,
    query: str,
    system: str | None,
    measure: str,
    column: str,
    wanted: list[str] | None,
) -> ValueTable:
    """Return the values of rows that name their measure."""
    name = records.name
    table = _empty(records, query, f"values in {column}, of the measures in {measure}")
    labels = [measure_name(_id(name, row, measure)) for row in records.rows]
    _check_wanted(name, list(dict.fromkeys(labels)), wanted)
    for row, label in zip(records.rows, labels, strict=True):
        if wanted is None or label in wanted:
            identifier = _stem(name) if system is None else _id(name, row, system)
            number = _number(name, row, column)
            table.add(name, row.line, label, identifier, _id(name, row, query), number)
    return table


def _without_counts(columns: Sequence[str]) -> list[str]:
    """Return the columns without those that ``gainful evaluate --per-query`` adds to measures."""
    names = list(columns)
    if _AFTER in names:
        names = names[: names.index(_AFTER)]
        parts = {
            f"{part}{name[4:]}" for name in names if name.startswith("nDCG") for part in _PARTS
        }
        while names and names[-1] in parts:
            names.pop()
    return names


def _check_wanted(name: str, known: Sequence[str], wanted: list[str] | None) -> None:
    if wanted is not None and not set(known) & set(wanted):
        raise ColumnError(
            file=name,
            found=f"the measures {', '.join(known) or 'none'}",
            expected=" or ".join(wanted),
        )


def _value_column(name: str, columns: Sequence[str]) -> str:
    """Return the column of values next to one with the name of the measure."""
    values = names_with(list(columns), "value") or (columns if len(columns) == 1 else ())
    if not values:
        raise missing_column(columns, "value", _MEMORY, name)
    return values[0]


def _only(wanted: list[str] | None, why: str) -> str:
    """Return the name of values that have none."""
    if wanted is not None and len(wanted) != 1:
        raise ParameterError(where="measures", found=f"{len(wanted)} names", expected=f"one, {why}")
    return wanted[0] if wanted else MEASURE


def _is_measure(text: str) -> bool:
    try:
        parse_measure(text)
    except GainfulError:
        return False
    return True


def measure_name(text: str) -> str:
    """Return the canonical name of a measure; other names are unchanged."""
    try:
        return repr(parse_measure(text))
    except GainfulError:
        return text


def _id(name: str, row: Record, column: str) -> str:
    value = row.cells.get(column)
    if value is None or value == "":
        raise FormatError(f"{column} is missing", file=name, line=row.line)
    return str(value)


def _number(name: str, row: Record, column: str) -> float | None:
    value = row.cells.get(column)
    # `gainful evaluate` writes "nan" for a query that does not count under no_relevant=nan.
    if _is_missing(value) or (isinstance(value, str) and value.strip().lower() in ("", "nan")):
        return None
    # A number of NumPy has the method.
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, bool):
        return float(plain)
    return finite(name, Record(row.line, {column: plain}), column, expected=_EXPECTED)


def _stem(name: str) -> str:
    return "run" if name in ("-", _MEMORY) else stem(name)
