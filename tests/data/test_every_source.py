"""What is refused or split in one source is so in every other."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import GainfulError
from gainful.evaluation.partition import score_partition
from repeated_tests import for_each
from requirements import need

TIMES = {
    "user_id": ["u1", "u1", "u2"],
    "item_id": ["a", "b", "a"],
    "timestamp": [881250949, 881250950, 1699999999],
}


def _sources(columns: dict[str, list[Any]], folder: Path) -> dict[str, Callable[[], Any]]:
    pandas, polars, pyarrow = (need(name) for name in ("pandas", "polars", "pyarrow"))
    frame = pandas.DataFrame(columns)
    rows = frame.to_dict("records")

    def cursor() -> sqlite3.Cursor:
        connection = sqlite3.connect(":memory:")
        connection.execute(f"create table rows ({', '.join(columns)})")
        marks = ", ".join("?" for _ in columns)
        rows = zip(*columns.values(), strict=True)
        connection.executemany(f"insert into rows values ({marks})", rows)
        return connection.execute("select * from rows")

    def parquet() -> str:
        frame.to_parquet(folder / "rows.parquet")
        return str(folder / "rows.parquet")

    return {
        "pandas": lambda: frame,
        "an index": lambda: frame.set_index(next(iter(columns))),
        "polars": lambda: polars.DataFrame(columns),
        "PyArrow": lambda: pyarrow.table(columns),
        "a reader": lambda: pyarrow.table(columns).to_reader(),
        "columns": lambda: columns,
        "an array": lambda: frame.to_records(index=False),
        "rows": lambda: rows,
        "an iterator": lambda: iter(rows),
        "a cursor": cursor,
        "Parquet": parquet,
    }


SOURCES = ("pandas", "an index", "polars", "PyArrow", "a reader", "columns", "an array", "rows")
SOURCES = (*SOURCES, "an iterator", "a cursor", "Parquet")


@for_each("source", SOURCES)
def test_timestamps_are_no_grades(source: str, tmp_path: Path) -> None:
    read = _sources(TIMES, tmp_path)[source]
    with pytest.raises(GainfulError, match="the grades are timestamps"):
        gainful.Qrels(read(), columns="grade=timestamp")
    with pytest.raises(GainfulError, match="the grades are timestamps"):
        gainful.evaluate(gainful.Qrels(read(), columns="grade=timestamp"), {"u1": ["a"]})
    assert gainful.Qrels(read(), columns="-=timestamp").to_dict()["u2"] == {"a": 1}


SYSTEMS = {
    "system": ["x", "x", "y", "y"],
    "query": ["q1"] * 4,
    "doc": ["a", "b", "a", "b"],
    "score": [2.0, 1.0, 1.0, 2.0],
}


@for_each("source", SOURCES)
def test_every_source_may_have_several_systems(source: str, tmp_path: Path) -> None:
    run = _sources(SYSTEMS, tmp_path)[source]()
    result = gainful.evaluate({"q1": {"a": 1}}, run, "RR")
    assert {system: result.mean("RR", system) for system in result.systems} == {"x": 1.0, "y": 0.5}


def test_a_reading_of_systems_reports_its_progress(tmp_path: Path) -> None:
    lines = [f"{system},q{n},d,{n}" for system in "xy" for n in range(200_000)]
    path = tmp_path / "systems.csv"
    path.write_text("\n".join(["system,query,doc,score", *lines]))
    steps = []
    gainful.evaluate({"q1": {"d": 1}}, path, "RR", progress=lambda *step: steps.append(step))
    size = path.stat().st_size
    # On a busy machine, work in memory may report a total of 0, which is unknown.
    known = [(read, total) for read, total in steps if total]
    assert {total for _, total in known} == {size}
    assert known == sorted(known)


def test_a_part_of_several_systems_is_refused() -> None:
    polars = need("polars")
    qrels = polars.DataFrame({"query": ["q1"], "doc": ["a"], "grade": [1]})
    with pytest.raises(GainfulError, match=r"several systems.*score_table"):
        score_partition(qrels, polars.DataFrame(SYSTEMS), ["RR"])
