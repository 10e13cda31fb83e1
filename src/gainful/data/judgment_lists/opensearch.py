"""OpenSearch's Search Relevance Workbench: judgments and query sets.

Ratings are numbers written as texts. Search results of the workbench with a list are read like the
list itself. (search-relevance: ImportJudgmentsProcessor.java.)
"""

from __future__ import annotations

from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.writers import default_name, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part
    from gainful.data.judgment_lists.list_format import Listed, ListFormat

__all__ = ["FORMAT"]

JUDGMENTS = "judgmentRatings"
QUERIES = "querySetQueries"


def read_json(whole: Part, into: Entries) -> None:
    """Read the ratings of a judgment list, or the queries of a query set."""
    whole = unwrap(whole)
    queries = whole.get(QUERIES)
    if queries is not None:
        for each in queries.list():
            value = each.object()
            others = {key: known for key, known in value.items() if key != "queryText" and known}
            into.add_query(None, each["queryText"].text(), others, where=each.where)
        return
    for each in whole[JUDGMENTS].list():
        query = into.add_query(None, each["query"].text(), where=each.where)
        for rated in each["ratings"].list():
            into.add_rating(
                query, rated["docId"].value, rated.object().get("rating"), where=rated.where
            )


def unwrap(whole: Part) -> Part:
    """Return the list in a search result of one hit, or other values unchanged."""
    outer = whole.value
    hits = outer.get("hits") if isinstance(outer, dict) else None
    found = hits.get("hits") if isinstance(hits, dict) else None
    if isinstance(found, list) and len(found) == 1:
        hit = whole["hits"]["hits"].list()[0]
        return hit.get("_source") or hit
    return whole


def _is_json(whole: Part) -> bool:
    inner = unwrap(whole).value
    return isinstance(inner, dict) and (isinstance(inner.get(JUDGMENTS), list) or QUERIES in inner)


def _write(listed: Listed, format: ListFormat, file: str) -> str:
    ratings = [
        {
            "query": text,
            # The workbench accepts ratings only as texts.
            "ratings": [{"docId": doc, "rating": repr(float(got))} for doc, got in graded.items()],
        }
        for _, text, graded in listed
    ]
    value = {
        "name": format.settings.get("name") or default_name(file),
        "description": format.settings.get("description", "Written by Gainful"),
        "type": "IMPORT_JUDGMENT",
        JUDGMENTS: ratings,
    }
    return json_text(value)


FORMAT = JudgmentFormat(
    summary="judgments and query sets of the Search Relevance Workbench",
    queries="text",
    evidence="the tool's importer, its files",
    choices={"name": "", "description": ""},
    is_json=_is_json,
    read_json=read_json,
    write=_write,
)
