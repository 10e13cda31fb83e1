"""Parquet with wrong statistics of queries: Spark's tasks lose no rows silently.

The tasks run here, one after the other; tests/clusters has them in Spark.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.backends import spark as backend
from gainful.errors import SourceError
from local_spark import LocalSession
from spark_files import MEASURES, QRELS, RUN, put, rows_of, table
from thrift_compact import BINARY, Struct, footer, with_footer


def ids(rows: list[Any], kind: str) -> list[Any]:
    """Return rows whose queries are texts, where they are to be."""
    return rows if kind == "int64" else [(f"q{row[0]:03}", *row[1:]) for row in rows]


def with_bounds(path: Path, change: Any) -> None:
    """Change the statistics of the queries in the second row group of a file."""
    found = footer(path.read_bytes())
    chunk: Struct = found[4].items[1][1].items[0][3]
    change(chunk[12])
    path.write_bytes(with_footer(path.read_bytes(), found))


def encoded(query: int, kind: str) -> bytes:
    return query.to_bytes(8, "little") if kind == "int64" else f"q{query:03}".encode()


@pytest.mark.parametrize("which", ["qrels", "run"])
@pytest.mark.parametrize("bound", [5, 6], ids=["greatest", "least"])
@pytest.mark.parametrize("kind", ["int64", "string"])
def test_bounds_that_lie(tmp_path: Path, kind: str, bound: int, which: str) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(ids(judged, kind), QRELS))
    run = put(tmp_path / "run", table(ids(found, kind), RUN))

    def change(statistics: Struct) -> None:
        own = statistics[11 - bound]
        statistics.put(bound, BINARY, own)

    with_bounds((run if which == "run" else qrels) / "0.parquet", change)
    result = backend.evaluate(qrels, run, MEASURES, session=LocalSession(), partitions=7)
    assert result.way.endswith("ranges of queries")
    with pytest.raises(SourceError) as caught:
        result.evaluation()
    error = str(caught.value)
    assert f"{which}/0.parquet, row group 1: found query " in error
    assert "but the footer has" in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("kind", ["int64", "string"])
def test_bounds_that_are_wide(tmp_path: Path, kind: str) -> None:
    """Bounds need not be reached: some writers shorten them."""
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(ids(judged, kind), QRELS))
    run = put(tmp_path / "run", table(ids(found, kind), RUN))

    def change(statistics: Struct) -> None:
        statistics.put(6, BINARY, encoded(0, kind))
        statistics.put(5, BINARY, encoded(900, kind))

    with_bounds(run / "0.parquet", change)
    result = backend.evaluate(qrels, run, MEASURES, session=LocalSession(), partitions=7)
    assert result.evaluation().to_dict() == gainful.evaluate(qrels, run, MEASURES).to_dict()


@pytest.mark.parametrize("rows", [1, 19, 21, 2**40])
def test_a_count_that_lies(tmp_path: Path, rows: int) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    run = put(tmp_path / "run", table(found, RUN))
    path = run / "0.parquet"
    lying = footer(path.read_bytes())
    lying[4].items[1].at(3).value = rows
    path.write_bytes(with_footer(path.read_bytes(), lying))
    result = backend.evaluate(qrels, run, MEASURES, session=LocalSession(), partitions=7)
    with pytest.raises(
        SourceError, match=f"20 values of column 'query_id', but the footer has {rows}"
    ):
        result.evaluation()
