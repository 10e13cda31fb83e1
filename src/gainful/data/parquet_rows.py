"""Rows of Parquet and Arrow files by the names of their columns, which may have lists."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.array_files import reading_parquet
from gainful.extras import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    Row: TypeAlias = tuple[int, Mapping[str, object]]

__all__ = ["list_rows", "parquet_rows"]


def parquet_rows(path: str) -> tuple[Sequence[str], Iterator[Row]]:
    """Return the columns of a Parquet file, and an iterator of its rows with their numbers.

    Raises
    ------
    SourceError
        If the file cannot be read.
    MissingPackageError
        On reading rows, without PyArrow.
    """
    return _kernel.column_names(path, "parquet"), _rows(path)


def _rows(path: str) -> Iterator[Row]:
    parquet = load_package("pyarrow.parquet", where=path)
    remote = getattr(path, "open", None)
    number = 0
    with reading_parquet(path):
        file = parquet.ParquetFile(remote() if remote else path)
        flat = [field.name for field in file.schema_arrow if field.type.num_fields == 0]
        for batch in file.iter_batches(columns=flat):
            for row in batch.to_pylist():
                number += 1
                yield number, row


def list_rows(paths: Sequence[str], format: str) -> Iterator[Mapping[str, object]]:
    """Return the rows of Parquet or Arrow files, of which columns have lists.

    Raises
    ------
    SourceError
        If a file cannot be read.
    MissingPackageError
        Without PyArrow.
    """
    pyarrow = load_package("pyarrow", where=paths[0])
    parquet = load_package("pyarrow.parquet", where=paths[0])
    for path in paths:
        with reading_parquet(path):
            with path.open() if hasattr(path, "open") else open(path, "rb") as file:
                if format == "parquet":
                    table = parquet.read_table(file)
                elif file.read(6) == b"ARROW1":
                    table = pyarrow.ipc.open_file(file).read_all()
                else:
                    file.seek(0)
                    table = pyarrow.ipc.open_stream(file).read_all()
            yield from table.to_pylist()
