"""Whole process: files to nDCG@10 with DuckDB.

Usage: files_duckdb.py window|arg_max QRELS RUN
"""

import sys

import duckdb
import sql

way, qrels, run = sys.argv[1:]
database = duckdb.connect()
# Types and format are set, because detecting them takes a tenth more time.
for name, path, columns in (
    ("qrels", qrels, {"query_id": "VARCHAR", "_0": "VARCHAR", "doc_id": "VARCHAR", "grade": "INT"}),
    (
        "run",
        run,
        {
            "query_id": "VARCHAR",
            "_0": "VARCHAR",
            "doc_id": "VARCHAR",
            "_1": "VARCHAR",
            "score": "DOUBLE",
            "_2": "VARCHAR",
        },
    ),
):
    database.execute(
        f"create view {name} as from read_csv('{path}', delim=' ', header=false, quote='',"
        f" escape='', auto_detect=false, columns={columns})"
    )
print(sql.ndcg(database, way, "varchar"))
