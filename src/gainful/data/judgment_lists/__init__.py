"""Judgment lists of search tools: Quepid, RRE, Elasticsearch, OpenSearch, ESCI, tables.

They contain judgments, often the texts of queries, and unrated rows. `read_qrels` returns the
judgments, `listed_queries` the queries, `read_judgment_list` both, with counts of skipped rows.
"""

from __future__ import annotations

from gainful._lazy import load_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.judgment_lists.entries import JudgmentList as JudgmentList
    from gainful.data.judgment_lists.entries import ListedQuery as ListedQuery
    from gainful.data.judgment_lists.queries import listed_queries as listed_queries
    from gainful.data.judgment_lists.reading import read_judgment_list as read_judgment_list
    from gainful.data.judgment_lists.writing import write_judgment_list as write_judgment_list
    from gainful.data.judgment_lists.writing import write_query_set as write_query_set

load_on_use(
    globals(),
    {
        "entries": ["JudgmentList", "ListedQuery"],
        "queries": ["listed_queries"],
        "reading": ["read_judgment_list"],
        "writing": ["write_judgment_list", "write_query_set"],
    },
)
