"""Whole process: Parquet files to the mean nDCG@10 with DuckDB, ties ordered by id as text.

Usage: warehouse.py window|arg_max|FILE.sql QRELS RUN

The first two are hand-written and do not check the data. FILE.sql is a query for the tables `qrels`
and `run` that returns one row per query.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import sql

way, qrels, run = sys.argv[1:]
database = duckdb.connect()
for name, path in (("qrels", qrels), ("run", run)):
    database.execute(f"create view {name} as from read_parquet('{path}')")
if way in sql.WAYS:
    print(sql.ndcg(database, way, "bigint"))
else:
    query = Path(way).read_text(encoding="utf-8").rstrip().rstrip(";")
    rows = database.execute(f'select avg("nDCG@10") from ({query}\n)').fetchone()
    assert rows is not None
    print(rows[0])
