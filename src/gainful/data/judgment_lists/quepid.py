"""Quepid: cases as CSV and JSON, and the ratings alone as JSON.

The CSV has the columns query, docid and rating; a query without ratings has its own line, and
an unrated document of a snapshot has an empty cell. Chorus uses the same format.

(Quepid 8: app/views/api/v1/export/ratings and export/cases.)
"""

from __future__ import annotations

from gainful._kernel import names_with, plain_name
from gainful.data.column_names import find_column
from gainful.data.columns import find_columns
from gainful.data.judgment_lists.json_text import first
from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.writers import json_text, table_text
from gainful.data.paths import uncompressed
from gainful.errors import ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data.delimited import Row
    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part
    from gainful.data.judgment_lists.list_format import Listed, ListFormat

__all__ = ["FORMAT", "has_texts", "query_columns"]

#: Quepid's attributes of a query other than its ratings.
_QUERY_FIELDS = ("options", "notes", "information_need")


def read_csv(names: Sequence[str], rows: Iterable[Row], into: Entries) -> None:
    """Read a table with queries, documents and one rating each."""
    found = find_columns(names, "qrels")
    for part in found:
        find_column(names, part, into.file)
    own, text = query_columns(names, found["query_id"])
    for line, row in rows:
        query = into.add_query(into.cell(row, own, line), into.cell(row, text, line), line=line)
        document, grade = row.get(found["doc_id"]), row.get(found["grade"])
        if not document and grade in (None, ""):
            continue  # a query without ratings
        into.add_rating(query, document, grade, line=line)


def query_columns(names: Sequence[str], chosen: str) -> tuple[str | None, str | None]:
    """Return the columns of the ids and of the texts of queries.

    Parameters
    ----------
    names : sequence of str
        All columns.
    chosen : str
        The column that identifies queries.

    Examples
    --------
    >>> query_columns(["query", "docid", "rating"], "query")
    (None, 'query')
    >>> query_columns(["qid", "keywords", "docid", "grade"], "qid")
    ('qid', 'keywords')
    """
    if names_with([chosen], "query.text_of_pair"):
        return None, chosen
    return chosen, find_column(names, "query.text_of_pair")


def read_json(whole: Part, into: Entries) -> None:
    """Read a case, or the ratings of one, exported to JSON."""
    for each in whole["queries"].list():
        text = (each.get("query_text") or each["query"]).text()
        fields = {
            key: part.value for key in _QUERY_FIELDS if (part := each.get(key)) and part.value
        }
        query = into.add_query(None, text, fields, where=each.where)
        ratings = each.get("ratings")
        if ratings is None:
            continue
        if isinstance(ratings.value, dict):
            for document, grade in ratings.value.items():
                into.add_rating(query, document, grade, where=ratings.where)
            continue
        for one in ratings.list():
            into.add_rating(query, one["doc_id"].value, one.object().get("rating"), where=one.where)


def has_texts(names: Sequence[str]) -> bool:
    """Return whether a table has judgments and query texts."""
    try:
        found = find_columns(names, "qrels")
    except ColumnError:
        return False
    return query_columns(names, found["query_id"])[1] is not None


def is_table(names: Sequence[str]) -> bool:
    """Return whether a table has the columns of Quepid, whose grade is called rating."""
    try:
        found = find_columns(names, "qrels")
    except ColumnError:
        return False
    return plain_name(found["grade"]) == "rating"


def _is_json(whole: Part) -> bool:
    query = first(whole.value, "queries")
    return "ratings" in query and ("query" in query or "query_text" in query)


def _write(listed: Listed, format: ListFormat, file: str) -> str:
    if uncompressed(file.lower()).endswith(".json"):
        queries = [{"query": text, "ratings": dict(graded)} for _, text, graded in listed]
        return json_text({"queries": queries})
    rows = ([text, doc, grade] for _, text, graded in listed for doc, grade in graded.items())
    return table_text(["query", "docid", "rating"], rows)


FORMAT = JudgmentFormat(
    summary="Quepid's ratings and snapshots as CSV; its cases and ratings as JSON; Chorus",
    queries="text",
    evidence="the tool's exporter, files of Chorus",
    aliases=("chorus",),
    is_json=_is_json,
    read_json=read_json,
    is_table=is_table,
    read_table=read_csv,
    write=_write,
)
