"""Judgment lists as search teams keep them: Quepid, RRE, Elasticsearch, OpenSearch, ESCI, tables.

They hold judgments, often the words of their queries, and rows that nobody rated. `read_qrels`
takes the judgments, `listed_queries` the queries, `read_judgment_list` both, and tells what was
left out.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.judgment_lists.judgment_list import JudgmentList, ListedQuery
    from gainful.data.judgment_lists.queries import listed_queries
    from gainful.data.judgment_lists.reading import read_judgment_list
    from gainful.data.judgment_lists.writing import write_judgment_list, write_query_set

# Each name with the module that it is loaded from when first used.
_PLACES = {
    "JudgmentList": "judgment_list",
    "ListedQuery": "judgment_list",
    "listed_queries": "queries",
    "read_judgment_list": "reading",
    "write_judgment_list": "writing",
    "write_query_set": "writing",
}

__all__ = [
    "JudgmentList",
    "ListedQuery",
    "listed_queries",
    "read_judgment_list",
    "write_judgment_list",
    "write_query_set",
]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
