"""Golden sets of RAG: questions with the ids of their relevant documents.

`gainful.data.golden` describes the records. LangSmith exports examples with inputs and outputs
(docs.langchain.com, Example data format), LlamaIndex EmbeddingQAFinetuneDataset, DeepEval goldens.
"""

from __future__ import annotations

from gainful.data.golden import golden_records, has_golden_fields, read_golden, relevant_grades
from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.writers import json_text
from gainful.data.read_options import RELEVANT
from gainful.errors import ColumnError, FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part
    from gainful.data.judgment_lists.list_format import Listed, ListFormat
    from gainful.data.read_options import ReadOptions
    from gainful.data.table_rows import Row

__all__ = ["FORMAT", "golden_fields", "read_records"]


def read_json(whole: Part, into: Entries) -> None:
    """Read a list of records, or an object that contains them."""
    records = whole.value if into.columns else golden_records(whole.value)
    if into.columns and isinstance(records, dict):
        records = [records]
    if not isinstance(records, (list, tuple)):
        raise whole.wrong("records with a question and the ids of relevant documents")
    read_records(records, into)


def read_table(names: Sequence[str], rows: Iterable[Row], into: Entries) -> None:
    """Read a record per row; ids of a cell are a list, or separated by ``;``, ``|`` or ``,``."""
    _start(into)
    named = set(into.columns.values())
    for line, row in rows:
        record = {name: cell for name, cell in row.items() if cell != "" or name in named}
        _add(record, into, line=line)


def read_records(records: Iterable[Mapping[Any, Any]], into: Entries) -> None:
    """Read records in memory."""
    _start(into)
    for at, record in enumerate(records):
        _add(record, into, where=f"record {at:,}")


def _start(into: Entries) -> None:
    into.keeps_empty = True
    into.decided = "relevant documents have the grade 1"


def golden_fields(options: ReadOptions) -> Mapping[str, str]:
    """Return the fields of a golden set that a caller named; empty without the one of ids.

    Raises
    ------
    ParameterError
        For names of other fields, such as the grade.
    """
    columns = options.columns
    if not isinstance(columns, dict) or RELEVANT not in columns:
        return {}
    other = next((role for role in columns if role not in ("query_id", RELEVANT)), None)
    if other is not None:
        raise ParameterError(
            where="columns",
            found=f"{other!r} and {RELEVANT!r}",
            expected="query and relevant for a golden set",
        )
    return columns


def _add(record: Mapping[Any, Any], into: Entries, **place: Any) -> None:
    try:
        found = read_golden(record, into.columns.get("query_id"), into.columns.get(RELEVANT))
        query = into.add_query(found.id, found.text, **place)
        if found.problem is not None:
            # Only matters if judgments are needed, not queries.
            into.refused = into.refused or found.problem.replace(file=into.file or None, **place)
            return
        for document, grade in relevant_grades(found):
            if grade != 1:
                into.decided = "relevant documents without a grade have the grade 1"
            into.add_rating(query, document, grade, **place)
    except (ColumnError, FormatError) as error:
        place = {key: value for key, value in place.items() if getattr(error, key) is None}
        raise error.replace(file=into.file or None, **place) from None


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
