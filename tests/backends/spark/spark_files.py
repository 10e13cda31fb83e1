"""Judgments and runs as Parquet files, evaluated by their addresses without Spark itself."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import gainful
from gainful.backends import spark as backend
from gainful.backends.spark.executor import original_errors
from local_spark import LocalSession
from requirements import need

MEASURES = ["nDCG@10", "AP", "RR"]


def rows_of(seed: int = 1, queries: int = 40) -> tuple[list[Any], list[Any]]:
    source = random.Random(seed)
    judged = [(q, d, source.randrange(3)) for q in range(queries) for d in range(5)]
    found = [(q, d, source.random()) for q in range(queries) for d in range(q % 9 + 1)]
    return judged, found


def table(rows: list[Any], names: list[str], **kinds: Any) -> Any:
    pa = need("pyarrow")
    return pa.table(
        {
            name: pa.array([row[at] for row in rows], kinds.get(name))
            for at, name in enumerate(names)
        }
    )


def put(path: Path, *tables: Any, size: int = 20) -> Path:
    """Write tables as files of a folder."""
    from pyarrow import parquet

    path.mkdir()
    for at, each in enumerate(tables):
        parquet.write_table(each, path / f"{at}.parquet", row_group_size=size)
    return path


QRELS, RUN = ["query_id", "doc_id", "grade"], ["query_id", "doc_id", "score"]


def written(folder: Path) -> tuple[Path, Path]:
    """Return folders of judgments and of a run."""
    judged, found = rows_of()
    return put(folder / "qrels", table(judged, QRELS)), put(folder / "run", table(found, RUN))


def asked(qrels: Any, run: Any, measures: Any = MEASURES, **options: Any) -> gainful.Evaluation:
    """Evaluate in seven ranges; more often than once, as Spark may try a task again."""
    options = {"session": LocalSession(), "partitions": 7, **options}
    result = backend.evaluate(qrels, run, measures, **options)
    assert result.way.endswith("of queries")
    with original_errors():
        assert result.rows.toArrow().num_rows > 0
    return result.evaluation()
