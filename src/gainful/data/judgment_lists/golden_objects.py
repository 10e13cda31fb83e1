"""Golden sets in memory: records, data frames, and the data sets of RAG tools."""

from __future__ import annotations

from itertools import chain

from gainful.data.golden import golden_records, has_golden_fields, read_retrieved
from gainful.data.judgment_lists.entries import Entries
from gainful.data.judgment_lists.golden import read_records
from gainful.data.judgment_lists.list_format import ListFormat
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from gainful.data.judgment_lists.judgment_list import JudgmentList

__all__ = ["golden_list", "retrieved_rankings"]

#: Methods of records that return their fields: pydantic, and data classes of RAG tools.
_DUMPS = ("model_dump", "to_dict", "_asdict", "dict")
#: Attributes of files, arrays, database cursors, and readers of batches.
_NOT_RECORDS = ("read", "dtype", "fetchall", "__arrow_c_stream__")
#: Methods of tables that return records.
_ROWS = ("to_pylist", "to_dicts", "to_list")


def golden_list(
    obj: object, duplicates: str, columns: Mapping[str, str] | None = None
) -> tuple[JudgmentList | None, object]:
    """Return an object as a golden set, or None and the object to read in another way.

    Parameters
    ----------
    obj : object
        Records, a mapping, a table with a column of questions and one of ids, or a data set of
        ragas, DeepEval or LlamaIndex. An iterator is returned with its first record.
    duplicates : str
        How duplicate documents of a query are handled.
    columns : mapping of str to str, optional
        The names of the fields, as in `golden_fields`; with them, any records are a golden set.
    """
    records, obj = _records(obj, is_golden=bool(columns))
    if records is None:
        return None, obj
    into = Entries(ListFormat("golden"), duplicates, columns)
    read_records(records, into)
    return into.finish("golden set"), obj


def retrieved_rankings(obj: object) -> dict[str, Any] | None:
    """Return the ids that a system returned for each query, in a data set of ragas or its records.

    None is returned for other objects.

    Raises
    ------
    FormatError
        For a record without these ids, or two of one query.
    """
    if hasattr(obj, "__next__"):
        return None
    records, _ = _records(obj)
    found: dict[str, Any] = {}
    lacking = []
    for place, record in enumerate(records or ()):
        own = read_retrieved(record)
        if own is None:
            lacking.append(place)
            continue
        query, documents = own
        if query in found:
            raise FormatError("two records of one query", query=query, row=place)
        found[query] = documents.tolist() if hasattr(documents, "tolist") else documents
    if found and lacking:
        raise FormatError(
            found=f"record {lacking[0]} without retrieved_context_ids",
            expected="the ids of the retrieved documents in each record",
        )
    return found or None


def _records(
    obj: Any, *, is_golden: bool = False
) -> tuple[Iterable[Mapping[Any, Any]] | None, object]:
    if isinstance(obj, (dict, str, bytes)):
        return ([obj] if is_golden and isinstance(obj, dict) else golden_records(obj)), obj
    names = getattr(obj, "column_names", None) or getattr(obj, "columns", None)
    if names is not None and not callable(names):
        return (_rows(obj) if is_golden or has_golden_fields(list(names)) else None), obj
    if isinstance(getattr(obj, "queries", None), dict) and hasattr(obj, "relevant_docs"):
        return golden_records({"queries": obj.queries, "relevant_docs": obj.relevant_docs}), obj
    for name in ("samples", "goldens"):
        listed = getattr(obj, name, None)
        if isinstance(listed, list) and listed:
            return [_fields(each) or {} for each in listed], obj
    if not hasattr(obj, "__iter__") or any(hasattr(obj, name) for name in _NOT_RECORDS):
        return None, obj
    if hasattr(obj, "__next__"):
        start = [each for each in (next(obj, None),) if each is not None]
        obj = chain(start, obj)
    elif isinstance(obj, (list, tuple)):
        start = list(obj[:1])
    else:
        return None, obj
    first = _fields(start[0]) if start else None
    if first is None or not (is_golden or has_golden_fields(first)):
        return None, obj
    return (_fields(each) or {} for each in obj), obj


def _fields(record: Any) -> Mapping[Any, Any] | None:
    """Return the fields of a record; None for tuples, ids and the like."""
    if isinstance(record, dict):
        return record
    if isinstance(record, (str, bytes, tuple, list)):
        return None
    for name in _DUMPS:
        dump = getattr(record, name, None)
        if callable(dump):
            found = dump()
            return found if isinstance(found, dict) else None
    return None


def _rows(table: Any) -> Iterable[Mapping[Any, Any]]:
    """Return the rows of a table as mappings."""
    for name in _ROWS:
        if hasattr(table, name):
            rows: Iterable[Mapping[Any, Any]] = getattr(table, name)()
            return rows
    for name in ("to_pyarrow", "to_arrow_table", "to_arrow", "fetch_arrow_table"):
        if hasattr(table, name):
            return _rows(getattr(table, name)())
    return table.to_dict("records")  # type: ignore[no-any-return]
