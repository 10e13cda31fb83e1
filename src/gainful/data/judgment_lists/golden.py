"""The queries of golden sets of RAG, whose judgments the kernel reads as it reads any records."""

from __future__ import annotations

from gainful._kernel import names_with, plain_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = ["questions"]

#: Keys of an object that contain the records.
_WRAPPERS = ("examples", "goldens", "data", "records", "samples")


def _has_golden_fields(names: Iterable[object]) -> bool:
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


def _records(value: object) -> Iterable[Mapping[Any, Any]] | None:
    """Return the records of a golden set, a JSON value or its like; None for other values."""
    if isinstance(value, (list, tuple)):
        first: Any = value[0] if value else None
        return value if _is_object(first) and _has_golden_fields(first) else None
    if not _is_object(value):
        return None
    fields: Any = value
    for name in _WRAPPERS:
        if isinstance(fields.get(name), list):
            return _records(fields[name])
    relevant = fields.get("relevant_docs")
    if _is_object(fields.get("queries")) and _is_object(relevant):
        # EmbeddingQAFinetuneDataset of LlamaIndex.
        return [
            {"id": id, "question": text, "relevant": relevant.get(id, [])}
            for id, text in fields["queries"].items()
        ]
    if len(fields) > 64 or not fields:
        first = next(iter(fields.values()), None)
    elif _has_golden_fields(fields):
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


def questions(value: object) -> list[tuple[str | None, str | None]] | None:
    """Return the ids and the questions of the records of a golden set; None for other values."""
    records = _records(value)
    if records is None:
        return None
    fields = [_fields(record) if _is_object(record) else {} for record in records]
    return [
        (_as_id(_first(one, "query.id")), _as_id(_first(one, "query.question"))) for one in fields
    ]
