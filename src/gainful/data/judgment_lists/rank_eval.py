"""Requests to ``_rank_eval`` of Elasticsearch and OpenSearch.

Each request has an id, ratings, and either a search or the parameters of a template.
(Elasticsearch: modules/rank-eval, RatedRequest.java.)
"""

from __future__ import annotations

from gainful._kernel import names_with
from gainful.data.judgment_lists.json_text import first
from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.writers import json_text, required_option, whole_grade

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part
    from gainful.data.judgment_lists.list_format import Listed, ListFormat

__all__ = ["FORMAT"]

#: Query types whose argument "query" is the query text, possibly under a field.
_FREE_TEXT = ("multi_match", "query_string", "simple_query_string", "combined_fields")
_FIELD_TEXT = ("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix")


def read_json(whole: Part, into: Entries) -> None:
    """Read the requests of a body. Of several indices, a document is its index and its id."""
    requests = whole["requests"].list()
    rated_indices = {
        rated.object().get("_index")
        for each in requests
        for rated in each["ratings"].list()
        if isinstance(rated.object().get("_index"), str)
    }
    several = len(rated_indices) > 1
    if several:
        into.decided = (
            f"the ids of documents are INDEX/ID, as there are {len(rated_indices)} indices"
        )
    for each in requests:
        params = each.get("params")
        values = {} if params is None else params.object()
        request = each.get("request")
        text = _text_of_params(values) if request is None else _text_of_search(request.value)
        others = {key: value for key, value in values.items() if value != text}
        query = into.add_query(each["id"].text(), text, others, where=each.where)
        for rated in each["ratings"].list():
            document = rated["_id"].value
            if several:
                document = f"{rated['_index'].text()}/{rated['_id'].text()}"
            into.add_rating(query, document, rated["rating"].value, where=rated.where)


def _text_of_params(values: dict[str, Any]) -> str | None:
    texts = {key: value for key, value in values.items() if isinstance(value, str) and value}
    names = names_with(list(texts), "query.text_of_pair")
    if names:
        return texts[names[0]]
    return next(iter(texts.values())) if len(texts) == 1 else None


def _text_of_search(search: object) -> str | None:
    """Return the query text, if all parts of the search agree."""
    found = set(_query_texts(search.get("query") if isinstance(search, dict) else None))
    return found.pop() if len(found) == 1 else None


def _query_texts(query: object) -> Iterator[str]:
    if isinstance(query, list):
        for each in query:
            yield from _query_texts(each)
    if not isinstance(query, dict):
        return
    for kind, value in query.items():
        if kind in _FREE_TEXT and isinstance(value, dict) and isinstance(value.get("query"), str):
            yield value["query"]
        elif kind in _FIELD_TEXT and isinstance(value, dict):
            for one in value.values():
                words = one.get("query") if isinstance(one, dict) else one
                if isinstance(words, str):
                    yield words
        elif kind not in ("filter", "must_not"):
            yield from _query_texts(value)


def _write(listed: Listed, format: ListFormat, file: str) -> str:
    index = required_option(format, "index")
    field = format.settings.get("field")
    requests = []
    for id, text, graded in listed:
        search = {"match": {field: text}} if field else {"multi_match": {"query": text}}
        ratings = [
            {"_index": index, "_id": doc, "rating": whole_grade(grade, doc, text, format, file)}
            for doc, grade in graded.items()
        ]
        requests.append({"id": id, "request": {"query": search}, "ratings": ratings})
    metric = {"dcg": {"k": 10, "normalize": True}}
    return json_text({"requests": requests, "metric": metric})


FORMAT = JudgmentFormat(
    summary="a request to `_rank_eval` of Elasticsearch or OpenSearch",
    queries="id of the request",
    evidence="the tool's parser; both engines run what Gainful writes",
    cannot="fractional grades",
    aliases=("rankeval",),
    choices={"index": "(required)", "field": "to match (default: all fields)"},
    is_json=lambda whole: "ratings" in first(whole.value, "requests"),
    read_json=read_json,
    write=_write,
)
