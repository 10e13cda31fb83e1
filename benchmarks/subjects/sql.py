"""NDCG@10 in DuckDB's SQL, with two ways to select the ten best documents of each query.

Documents are ordered by descending score, then by descending document id as text. Every judged
query counts, an unretrieved one as 0.
"""

from __future__ import annotations

import duckdb

# The common solution.
WINDOW = """
    select query_id, doc_id, place
    from (select query_id, doc_id, row_number() over (
              partition by query_id order by score desc, doc_id::varchar desc) as place
          from run)
    where place <= 10"""

# The fastest that we found: an aggregate that keeps ten rows per query.
ARG_MAX = """
    select query_id, unnest(best).doc_id::{ids} as doc_id,
           unnest(range(1, len(best) + 1)) as place
    from (select query_id,
                 max(struct_pack(score := score, doc_id := doc_id::varchar), 10) as best
          from run group by query_id)"""

WAYS = {"window": WINDOW, "arg_max": ARG_MAX}

NDCG = """
with top as ({top}),
ideal as (
    select query_id, sum(grade / log2(place + 1)) as ideal
    from (select query_id, grade, row_number() over (
              partition by query_id order by grade desc) as place
          from qrels)
    where place <= 10 group by query_id),
gained as (
    select query_id, sum(grade / log2(place + 1)) as gained
    from top join qrels using (query_id, doc_id) group by query_id)
select avg(case when ideal > 0 then coalesce(gained, 0) / ideal else 0 end)
from ideal left join gained using (query_id)"""


def ndcg(database: duckdb.DuckDBPyConnection, way: str, ids: str) -> float:
    """Return nDCG@10 of the relation `run` against `qrels`; `ids` is the type of the ids."""
    row = database.execute(NDCG.format(top=WAYS[way].format(ids=ids))).fetchone()
    assert row is not None
    return float(row[0])
