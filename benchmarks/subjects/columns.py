"""Whole process: Parquet files to means, one per line, with DuckDB.

Usage: columns.py arg_max|arg_max_joined|three QRELS RUN

The first two print nDCG@10, with two ways to select the ten best documents of a query; the third
prints nDCG@10, AP and R@100. The order of equal scores is undefined.
"""

from __future__ import annotations

import sys

import duckdb

# Select ten documents per query, then join their grades.
ARG_MAX = """
    select query_id, grade, place from (
        select query_id, unnest(best) as doc_id, unnest(range(1, len(best) + 1)) as place
        from (select query_id, arg_max(doc_id, score, 10) as best from run group by query_id))
    join qrels using (query_id, doc_id)"""

# Join the grades of all documents, then select ten per query.
ARG_MAX_JOINED = """
    select query_id, unnest(best) as grade, unnest(range(1, len(best) + 1)) as place
    from (select query_id, arg_max(coalesce(grade, 0), score, 10) as best
          from run left join qrels using (query_id, doc_id) group by query_id)"""

NDCG = """
with gained as (
    select query_id, sum(grade / log2(place + 1)) as gained from ({top}) group by query_id),
ideal as (
    select query_id, sum(grade / log2(place + 1)) as ideal from (
        select query_id, unnest(best) as grade, unnest(range(1, len(best) + 1)) as place
        from (select query_id, max(grade, 10) as best from qrels group by query_id))
    group by query_id)
select avg(case when ideal > 0 then coalesce(gained, 0) / ideal else 0 end)
from ideal left join gained using (query_id)"""

THREE = """
with ranked as (
    select query_id, grade, place,
           row_number() over (partition by query_id order by place) as hit
    from (select query_id, doc_id,
                 row_number() over (partition by query_id order by score desc) as place from run)
    join (from qrels where grade > 0) using (query_id, doc_id)),
gained as (
    select query_id, sum(grade / log2(place + 1)) filter (place <= 10) as gained,
           sum(hit / place) as precision, count(*) filter (place <= 100) as found
    from ranked group by query_id),
ideal as (
    select query_id, relevant, (
        select sum(grade / log2(place + 1)) from (
            select unnest(best) as grade, unnest(range(1, len(best) + 1)) as place)) as ideal
    from (select query_id, max(grade, 10) as best, count(*) filter (grade > 0) as relevant
          from qrels group by query_id))
select avg(case when ideal > 0 then coalesce(gained, 0) / ideal else 0 end),
       avg(case when relevant > 0 then coalesce(precision, 0) / relevant else 0 end),
       avg(case when relevant > 0 then coalesce(found, 0) / relevant else 0 end)
from ideal left join gained using (query_id)"""

QUERIES = {
    "arg_max": NDCG.format(top=ARG_MAX),
    "arg_max_joined": NDCG.format(top=ARG_MAX_JOINED),
    "three": THREE,
}

way, qrels, run = sys.argv[1:]
database = duckdb.connect()
for name, path in (("qrels", qrels), ("run", run)):
    database.execute(f"create view {name} as from read_parquet('{path}')")
means = database.execute(QUERIES[way]).fetchone()
assert means is not None
print(*means, sep="\n")
