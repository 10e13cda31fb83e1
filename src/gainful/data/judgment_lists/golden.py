"""Golden sets of RAG: questions with the ids of their relevant documents.

The kernel reads their judgments as it reads any records; here are their questions. LangSmith
exports examples with inputs and outputs (docs.langchain.com, Example data format), LlamaIndex
EmbeddingQAFinetuneDataset, DeepEval goldens.
"""

from __future__ import annotations

from gainful._kernel import names_with, plain_name
from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.writers import json_text
from gainful.errors import FormatError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.data.delimited import Row
    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part
    from gainful.data.judgment_lists.list_format import Listed, ListFormat

__all__ = ["FORMAT"]


#: Keys of an object that contain the records.
_WRAPPERS = ("examples", "goldens", "data", "records", "samples")


def has_golden_fields(names: Iterable[object]) -> bool:
    """Return whether the fields of a record, or of a table, are those of a golden set."""
    texts = [name for name in names if isinstance(name, str)]
    plain = {plain_name(name) for name in texts}
    has_document, asks, has_ids, has_lists, has_answer = (
        bool(names_with(texts, part))
        for part in ("document", "query.question", "query.id", "relevant", "answer")
    )
    if has_document:
        return False
    return (
        "inputs" in plain
        or (has_lists and (asks or has_ids))
        or (asks and (has_answer or not plain.isdisjoint(("additionalmetadata", "contexts"))))
    )


def golden_records(value: object) -> Iterable[Mapping[Any, Any]] | None:
    """Return the records of a golden set, a JSON value or its like; None for other values."""
    if isinstance(value, (list, tuple)):
        first: Any = value[0] if value else None
        return value if _is_object(first) and has_golden_fields(first) else None
    if not _is_object(value):
        return None
    fields: Any = value
    for name in _WRAPPERS:
        if isinstance(fields.get(name), list):
            return golden_records(fields[name])
    relevant = fields.get("relevant_docs")
    if _is_object(fields.get("queries")) and _is_object(relevant):
        # EmbeddingQAFinetuneDataset of LlamaIndex.
        return [
            {"id": id, "question": text, "relevant": relevant.get(id, [])}
            for id, text in fields["queries"].items()
        ]
    if len(fields) > 64 or not fields:
        first = next(iter(fields.values()), None)
    elif has_golden_fields(fields):
        columns = list(fields.values())
        if all(isinstance(each, (list, tuple)) for each in columns):
            return [dict(zip(fields, row, strict=False)) for row in zip(*columns, strict=False)]
        return [fields]
    else:
        first = next(iter(fields.values()))
    if _is_object(first) and any(
        isinstance(first[name], (list, tuple)) for name in names_with(list(first), "relevant")
    ):
        return [
            {"question": question, **record} if _is_object(record) else record
            for question, record in fields.items()
        ]
    return None


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _fields(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the fields of a record and of its parts."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        if _is_object(value) and names_with([str(name)], "part"):
            found.update((f"{name}.{inner}", part) for inner, part in value.items())
        elif value is not None and not (isinstance(value, float) and value != value):
            found[str(name)] = value
    return found


def _first(fields: Mapping[str, Any], part: str) -> Any:
    # The record's own fields come first.
    names = sorted(names_with(list(fields), part), key=lambda name: "." in name)
    return fields[names[0]] if names else None


def _as_id(value: Any) -> str | None:
    """Return a question or an id as text; other values, and empty ones, do not count."""
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def read_json(whole: Part, into: Entries) -> None:
    """Read the questions of a list of records, or of an object that contains them."""
    records = golden_records(whole.value)
    if records is None:
        raise whole.wrong("records with a question and the ids of relevant documents")
    for at, record in enumerate(records):
        _add(record, into, where=f"record {at:,}")


def read_table(names: Sequence[str], rows: Iterable[Row], into: Entries) -> None:
    """Read the question of each row."""
    for line, row in rows:
        _add({name: cell for name, cell in row.items() if cell != ""}, into, line=line)


def _add(record: Mapping[Any, Any], into: Entries, **place: Any) -> None:
    if not isinstance(record, dict):
        expected = "an object with a question"
        raise FormatError(file=into.file or None, found=shown(record), expected=expected, **place)
    fields = _fields(record)
    id, question = (_as_id(_first(fields, f"query.{part}")) for part in ("id", "question"))
    into.add_query(id, question, **place)


def _write(listed: Listed, format: ListFormat, file: str) -> str:
    records = []
    for id, text, graded in listed:
        documents: object = graded
        if all(grade == 1 for grade in graded.values()):
            documents = list(graded)
        own = {} if id == text else {"id": id}
        records.append({**own, "question": text, "relevant": documents})
    return json_text(records)


FORMAT = JudgmentFormat(
    summary="a golden set: questions with the ids of relevant documents (JSON, JSON lines, CSV)",
    queries="`id`, or the question",
    evidence="the formats of LangSmith, LlamaIndex and DeepEval",
    aliases=("goldens",),
    is_json=lambda whole: golden_records(whole.value) is not None,
    read_json=read_json,
    is_table=has_golden_fields,
    read_table=read_table,
    write=_write,
)
