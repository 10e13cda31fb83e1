"""Rated Ranking Evaluator: ratings.json.

Topics contain query groups, and groups contain queries; topics and groups are optional. The
queries of a group share relevant documents, listed by document (``{"1": {"gain": 3}}``) or by gain
(``{"3": ["1"]}``). In files of Quepid each query has its own. (rre-core: Engine.java.)
"""

from __future__ import annotations

from gainful.data.judgment_lists.json_text import first
from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.writers import json_text, required_option, whole_grade
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part
    from gainful.data.judgment_lists.list_format import Listed, ListFormat

__all__ = ["FORMAT"]


def read_json(whole: Part, into: Entries) -> None:
    """Read the queries of all topics and groups."""
    custom = whole.get("query_placeholder")
    placeholder = "$query" if custom is None else custom.text()
    for topic in _members(whole, "topics"):
        for group in _members(topic, "query_groups"):
            shared = group.get("relevant_documents")
            for query in group["queries"].list():
                id = _query(query, placeholder, into)
                own = query.get("relevant_documents") or shared
                if own is not None:
                    _relevant(id, own, into)


def _members(part: Part, key: str) -> Iterator[Part]:
    """Yield the members of a layer, or the object itself if the layer is missing."""
    found = part.get(key)
    if found is None:
        yield part
    else:
        yield from found.list()


def _query(query: Part, placeholder: str, into: Entries) -> str:
    values = query["placeholders"].object()
    if placeholder not in values:
        raise FormatError(
            f"the placeholder {placeholder!r} is missing "
            f"({', '.join(map(repr, values)) or 'none'})",
            file=query.file,
            where=f"{query.where}.placeholders",
            hint="set another one with the key query_placeholder",
        )
    text = query["placeholders"][placeholder].text()
    others = {key.removeprefix("$"): value for key, value in values.items() if key != placeholder}
    return into.add_query(None, text, others, where=query.where)


def _relevant(query: str, relevant: Part, into: Entries) -> None:
    value = relevant.object()
    by_gain = any(isinstance(each, list) for each in value.values())
    for key in value:
        part = relevant[key]
        if by_gain:
            for document in part.list():
                into.add_rating(query, document.value, key, where=document.where)
            continue
        gain = part.get("gain") or part.get("rating")
        if gain is None:
            raise FormatError(
                "no gain",
                file=part.file,
                where=part.where,
                query=query,
                document=key,
                hint="RRE would use its default grade, which depends on its configuration",
            )
        into.add_rating(query, key, gain.value, where=part.where)


def _is_json(whole: Part) -> bool:
    topic = first(whole.value, "topics") or whole.value
    query = first(whole.value, "queries")
    return bool(first(topic, "query_groups")) or "relevant_documents" in (*topic, *query)


def _write(listed: Listed, format: ListFormat, file: str) -> str:
    groups = []
    template = format.settings.get("template", "template.json")
    for _, text, graded in listed:
        relevant: dict[int, list[str]] = {}
        for document, grade in graded.items():
            gain = whole_grade(grade, document, text, format, file)
            relevant.setdefault(gain, []).append(document)
        groups.append(
            {
                "name": text,
                "queries": [{"template": template, "placeholders": {"$query": text}}],
                "relevant_documents": dict(sorted(relevant.items(), reverse=True)),
            }
        )
    return json_text(
        {
            "index": required_option(format, "index"),
            "id_field": format.settings.get("id_field", "_id"),
            "topics": [{"description": "Written by Gainful", "query_groups": groups}],
        }
    )


FORMAT = JudgmentFormat(
    summary="`ratings.json` of the Rated Ranking Evaluator, by document or by gain",
    queries="text",
    evidence="the tool's reader, its files, files of Quepid",
    cannot="fractional grades",
    choices={"index": "(required)", "id_field": "", "template": ""},
    is_json=_is_json,
    read_json=read_json,
    write=_write,
)
