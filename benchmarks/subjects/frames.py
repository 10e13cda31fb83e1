"""In process: data frames to the mean nDCG@10, equal scores in order of document id.

Usage: frames.py SUBJECT text|integers QRELS RUN [PACKAGES]

SUBJECT is gainful-polars, gainful-pyarrow, polars-sort, polars-cut, duckdb-window or
duckdb-arg_max. PACKAGES is a folder with Polars and PyArrow, if they are not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import gainful_calls
import trec_text
import worker


def main(subject: str, ids: str, qrels_path: str, run_path: str, packages: str = "") -> None:
    """Read the files, then serve the calls."""
    if packages:
        sys.path.append(packages)  # Last, so that installed packages take precedence.
    text = ids == "text"
    qrels = trec_text.read_table(qrels_path, grades=True, text=text)
    run = trec_text.read_table(run_path, grades=False, text=text)
    program, _, way = subject.partition("-")
    job: Callable[[], float]
    if program == "duckdb":
        import duckdb
        import sql

        database = duckdb.connect()
        database.register("qrels", qrels)
        database.register("run", run)

        def job() -> float:
            return sql.ndcg(database, way, "varchar" if text else "bigint")

    elif program == "polars":
        import polars as pl
        import polars_ndcg

        frames = pl.DataFrame(qrels), pl.DataFrame(run)

        def job() -> float:
            return polars_ndcg.ndcg(*frames, way)

    else:
        if way == "polars":
            import polars as pl

            qrels, run = pl.DataFrame(qrels), pl.DataFrame(run)

        def job() -> float:
            return gainful_calls.evaluate(qrels, run)

    worker.serve(lambda: [job()])


if __name__ == "__main__":
    main(*sys.argv[1:])
