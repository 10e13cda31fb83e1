"""Golden sets of RAG: questions with the ids of their relevant documents.

The kernel reads their judgments as it reads any records; here are their questions. LangSmith
exports examples with inputs and outputs (docs.langchain.com, Example data format), LlamaIndex
EmbeddingQAFinetuneDataset, DeepEval goldens.
"""

from __future__ import annotations

from gainful.data.columns import ALIASES, normal
from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.writers import json_text
from gainful.errors import FormatError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part
    from gainful.data.judgment_lists.list_format import Listed, ListFormat
    from gainful.data.table_rows import Row

__all__ = ["FORMAT"]


def _names(text: str) -> dict[str, int]:
    return {name: place for place, name in enumerate(text.split())}


#: Fields of ids of queries, of questions, of ids of relevant documents, and of texts; the first of
#: several is used. Case, spaces, `-` and `_` are ignored.
_IDS = _names("queryid qid questionid id _id")
_QUESTIONS = _names("question query querytext userinput input searchquery searchterm prompt")
_RELEVANT = _names(
    "relevant relevantids relevantdocs relevantdocuments relevantdocids relevantdocumentids"
    " expectedids expecteddocs expecteddocuments expecteddocids expecteddocumentids"
    " goldids golddocs golddocids positiveids groundtruthids groundtruthdocids"
    " groundtruthcontextids referencecontextids referenceids documentids docids"
)
#: These have ids in some sets, and answers in RAGAS.
_EITHER = _names("groundtruth groundtruths")
_TEXTS = _names(
    "reference referenceanswer expectedoutput expectedanswer answer answers response"
    " referencecontexts retrievedcontexts retrievalcontext contexts context actualoutput"
)
#: Parts of a record that have fields of their own.
_PARTS = _names("inputs outputs referenceoutputs metadata additionalmetadata")
#: Keys of an object that contain the records.
_WRAPPERS = ("examples", "goldens", "data", "records", "samples")


def _plain(name: object) -> str:
    return normal(str(name)).replace("_", "")


_DOCUMENTS = {_plain(name) for name in ALIASES["doc_id"]}


def has_golden_fields(names: Iterable[object]) -> bool:
    """Return whether the fields of a record, or of a table, are those of a golden set."""
    plain = {_plain(name) for name in names}
    if plain & _DOCUMENTS:
        return False
    asks = not plain.isdisjoint(_QUESTIONS)
    if "inputs" in plain or (asks and "additionalmetadata" in plain):
        return True
    has_ids = not (plain.isdisjoint(_RELEVANT) and plain.isdisjoint(_EITHER))
    return (has_ids and (asks or not plain.isdisjoint(_IDS))) or (
        asks and not plain.isdisjoint(_TEXTS)
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
        _plain(name) in _RELEVANT and isinstance(each, (list, tuple))
        for name, each in first.items()
    ):
        return [
            {"question": question, **record} if _is_object(record) else record
            for question, record in fields.items()
        ]
    return None


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _fields(record: Mapping[Any, Any]) -> dict[str, tuple[str, Any]]:
    """Return the fields of a record and of its parts: their name and value by plain name."""
    found: dict[str, tuple[str, Any]] = {}
    for name, value in record.items():
        plain = _plain(name)
        if plain in _PARTS and _is_object(value):
            for inner, one in value.items():
                found.setdefault(_plain(inner), (f"{name}.{inner}", one))
        elif value is not None and not (isinstance(value, float) and value != value):
            found[plain] = (str(name), value)
    return found


def _first(
    fields: Mapping[str, tuple[str, Any]], names: Mapping[str, int]
) -> tuple[str, Any] | None:
    known = [name for name in fields if name in names]
    return fields[min(known, key=names.__getitem__)] if known else None


def _as_id(field: tuple[str, Any] | None) -> str | None:
    """Return a question or an id as text; other values, and empty ones, do not count."""
    value = None if field is None else field[1]
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()  # type: ignore[union-attr]
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
    into.add_query(_as_id(_first(fields, _IDS)), _as_id(_first(fields, _QUESTIONS)), **place)


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
