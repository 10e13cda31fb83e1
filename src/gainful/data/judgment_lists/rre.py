"""Rated Ranking Evaluator: ratings.json.

Topics hold query groups, groups hold queries; each of these layers may be left out, and what is
relevant stands beside the queries that share it, by document (``{"1": {"gain": 3}}``) or by gain
(``{"3": ["1"]}``). Quepid exports single queries with theirs. (rre-core: Engine.java.)
"""

from __future__ import annotations

from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part

__all__ = ["json"]


def json(whole: Part, into: Entries) -> None:
    """Take the queries of all topics and groups."""
    said = whole.get("query_placeholder")
    placeholder = "$query" if said is None else said.text()
    for topic in _members(whole, "topics"):
        for group in _members(topic, "query_groups"):
            shared = group.get("relevant_documents")
            for query in group["queries"].list():
                id = _query(query, placeholder, into)
                own = query.get("relevant_documents") or shared
                if own is not None:
                    _relevant(id, own, into)


def _members(part: Part, key: str) -> Iterator[Part]:
    """Yield the members of a layer, or the whole where the layer is left out."""
    found = part.get(key)
    if found is None:
        yield part
    else:
        yield from found.list()


def _query(query: Part, placeholder: str, into: Entries) -> str:
    values = query["placeholders"].object()
    if placeholder not in values:
        raise FormatError(
            file=query.file,
            where=f"{query.where}.placeholders",
            found=", ".join(map(repr, values)) or "nothing",
            expected=f"the placeholder {placeholder!r}",
            hint="the key query_placeholder of the file gives it another name",
        )
    text = query["placeholders"][placeholder].text()
    others = {key.removeprefix("$"): value for key, value in values.items() if key != placeholder}
    return into.query(None, text, others, where=query.where)


def _relevant(query: str, relevant: Part, into: Entries) -> None:
    value = relevant.object()
    by_gain = any(isinstance(each, list) for each in value.values())
    for key in value:
        part = relevant[key]
        if by_gain:
            for document in part.list():
                into.rate(query, document.value, key, where=document.where)
            continue
        gain = part.get("gain") or part.get("rating")
        if gain is None:
            raise FormatError(
                file=part.file,
                where=part.where,
                query=query,
                document=key,
                found="no gain",
                expected="a number under gain",
                hint="RRE takes its missing grade for it, which differs by its configuration",
            )
        into.rate(query, key, gain.value, where=part.where)
