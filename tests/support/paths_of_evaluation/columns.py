"""Judgments and runs in columns: Parquet and Arrow files, data sets, frames and streams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any

from paths_of_evaluation.collections import Collection
from requirements import need


def qrels_table(collection: Collection, text: str = "string") -> Any:
    """Return judgments as a pyarrow table; ids are int64 or text of an Arrow type."""
    names = ["query_id", "doc_id", "grade", "subtopic"][: 3 + collection.subtopics]
    return _table(names, collection.qrels, collection, text)


def run_table(collection: Collection, text: str = "string") -> Any:
    """Return a run as a pyarrow table, with ranks."""
    return _table(["query_id", "doc_id", "rank", "score"], collection.run, collection, text)


def _table(names: list[str], rows: Any, collection: Collection, text: str) -> Any:
    pa = need("pyarrow")
    numbers = {"grade": pa.float64(), "rank": pa.int32(), "score": pa.float64()}
    columns = {}
    for at, name in enumerate(names):
        values = [row[at] for row in rows]
        if name in numbers:
            columns[name] = pa.array(values, numbers[name])
        elif collection.integers and name != "subtopic":
            columns[name] = pa.array([int(value) for value in values], pa.int64())
        elif text == "dictionary":
            columns[name] = pa.array(values, pa.string()).dictionary_encode()
        elif text == "binary" and name != "subtopic":
            columns[name] = pa.array([value.encode() for value in values], pa.binary())
        else:
            columns[name] = pa.array(values, getattr(pa, text)() if text != "binary" else None)
    return pa.table(columns)


def few(table: Any, least: int = 7) -> int:
    """Return a number of rows per batch so small that queries span batches and row groups."""
    return max(least, len(table) // 40)


def batches(table: Any) -> list[Any]:
    """Return a table in batches, with an empty one in front."""
    pa = need("pyarrow")
    whole, size = table.combine_chunks(), few(table)
    cut = [whole.slice(at, size) for at in range(0, len(whole), size)]
    none = pa.RecordBatch.from_pylist([], schema=table.schema)
    return [none, *(batch for each in cut for batch in each.to_batches())]


# --- in files -----------------------------------------------------------------------------------


def parquet(**options: Any) -> Any:
    """Return a function that writes Parquet files with many row groups."""

    def write(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
        import pyarrow.parquet as pq

        qrels, run = folder / "qrels.parquet", folder / "own.parquet"
        for path, table in ((qrels, qrels_table(collection)), (run, run_table(collection))):
            pq.write_table(table, path, row_group_size=few(table), **options)
        return lambda: (qrels, run)

    return write


def data_set(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Write folders of Parquet files, one of them empty."""
    import pyarrow.parquet as pq

    tables = {"qrels": qrels_table(collection), "run": run_table(collection)}
    for name, table in tables.items():
        (folder / name / "night=1").mkdir(parents=True)
        size = 1 + len(table) // 3
        for number in range(4):
            pq.write_table(
                table.slice(number * size, size), folder / name / "night=1" / f"{number}.parquet"
            )
        (folder / name / "_SUCCESS").touch()
    return lambda: (folder / "qrels", folder / "run")


def globbed(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Write folders of Parquet files, and name them by patterns."""
    data_set(collection, folder)
    return lambda: (folder / "qrels" / "**" / "*.parquet", str(folder / "run" / "*" / "?.parquet"))


def arrow(kind: str, text: str) -> Any:
    """Return a function that writes Arrow files or streams."""

    def write(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
        pa = need("pyarrow")
        paths = folder / "qrels.arrow", folder / "own.arrow"
        tables = qrels_table(collection, text), run_table(collection, text)
        for path, table in zip(paths, tables, strict=True):
            new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
            with new(str(path), table.schema) as writer:
                for batch in batches(table):
                    writer.write_batch(batch)
        return lambda: paths

    return write


# --- in memory ----------------------------------------------------------------------------------


def pyarrow_table(text: str) -> Any:
    """Return a function that builds pyarrow tables."""

    def make(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
        tables = qrels_table(collection, text), run_table(collection, text)
        return lambda: tables

    return make


def reader(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build streams that can be read once."""
    pa = need("pyarrow")
    tables = qrels_table(collection, "large_string"), run_table(collection, "large_string")

    def made() -> tuple[Any, Any]:
        qrels, run = (
            pa.RecordBatchReader.from_batches(table.schema, batches(table)) for table in tables
        )
        return qrels, run

    return made


def polars(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build polars data frames."""
    pl = need("polars")
    frames = pl.from_arrow(qrels_table(collection)), pl.from_arrow(run_table(collection))
    return lambda: frames


def pandas(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build pandas data frames."""
    pd = need("pandas")
    frames = tuple(
        pd.DataFrame(table.to_pydict())
        for table in (qrels_table(collection), run_table(collection))
    )
    return lambda: (frames[0], frames[1])


def duckdb(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build DuckDB relations."""
    connection = need("duckdb").connect()
    tables = qrels_table(collection), run_table(collection)
    return lambda: (connection.from_arrow(tables[0]), connection.from_arrow(tables[1]))
