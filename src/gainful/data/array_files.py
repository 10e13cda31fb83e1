"""Arrays in NumPy and Parquet files."""

from __future__ import annotations

from contextlib import contextmanager
from io import BytesIO

from gainful import _kernel
from gainful.data.paths import check_path
from gainful.data.text_files import limit_size, opened
from gainful.errors import FormatError, GainfulError, SourceError, SourceNotFoundError
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    Row: TypeAlias = tuple[int, Mapping[str, object]]

__all__ = ["list_rows", "map_array", "parquet_rows", "read_ranx", "reading_parquet"]


def map_array(path: str, expected: str) -> Any:
    """Memory-map the array of a ``.npy`` file.

    Examples
    --------
    >>> import numpy as np
    >>> np.save("vectors.npy", np.eye(2))
    >>> map_array("vectors.npy", "vectors").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    import numpy as np

    check_path(path)
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise SourceNotFoundError(file=path, found="no such file") from error
    except OSError as error:
        raise SourceError(f"cannot read the file ({error})", file=path) from error
    except Exception as error:
        # NumPy parses the header as Python source, whose errors are not wrapped.
        raise FormatError("not a NumPy array", file=path) from error


@contextmanager
def reading_parquet(name: str) -> Iterator[None]:
    """Convert PyArrow's exceptions while reading a file to errors of Gainful."""
    from pyarrow import ArrowException

    try:
        yield
    except GainfulError:
        raise
    except FileNotFoundError as error:
        raise SourceNotFoundError(
            file=name, found="no such file", hint="use a .npy or .parquet file"
        ) from error
    except (OSError, ValueError, ArrowException) as error:
        reason = " ".join(str(error).split())
        raise SourceError(f"PyArrow cannot read the file: {reason[:160]}", file=name) from error


def parquet_rows(path: str) -> tuple[Sequence[str], Iterator[Row]]:
    """Return the columns of a Parquet file, and an iterator of its rows with their numbers."""
    rows = list_rows([path], "parquet", nested=False)
    return _kernel.column_names(path, "parquet"), enumerate(rows, start=1)


def list_rows(
    paths: Sequence[str], format: str, *, nested: bool = True
) -> Iterator[Mapping[str, object]]:
    """Yield the rows of Parquet or Arrow files, of which columns may have lists."""
    pyarrow = load_package("pyarrow", where=paths[0])
    parquet = load_package("pyarrow.parquet", where=paths[0])
    for path in paths:
        with (
            reading_parquet(path),
            path.open() if hasattr(path, "open") else open(path, "rb") as file,
        ):
            if format == "parquet":
                table = parquet.ParquetFile(file)
                columns = table.schema_arrow
                names = [one.name for one in columns if nested or not one.type.num_fields]
                batches = table.iter_batches(columns=names)
            elif file.read(6) == b"ARROW1":
                batches = pyarrow.ipc.open_file(file).read_all().to_batches()
            else:
                file.seek(0)
                batches = pyarrow.ipc.open_stream(file).read_all().to_batches()
            for batch in batches:
                yield from batch.to_pylist()


def read_ranx(path: str) -> dict[Any, Any]:
    """Return the run in a file that ``Run.save`` of ranx wrote with the suffix .lz4."""
    with opened(path) as (name, stream):
        lz4 = load_package("lz4.frame", where=name, package="lz4")
        cbor2 = load_package("cbor2", where=name)
        content = stream.read()
    size = len(content)
    try:
        for _ in range(2):
            with lz4.open(BytesIO(content)) as inner:
                content = limit_size(inner, size, name).read()
        content_read = cbor2.loads(content)
    except (RuntimeError, EOFError, cbor2.CBORDecodeError) as error:
        raise FormatError(
            f"not a file of ranx ({error})",
            file=name,
            hint="decompress other files first: `lz4 -d`",
        ) from None
    if not isinstance(content_read, dict):
        raise FormatError(
            file=name,
            found=type(content_read).__name__,
            expected="a mapping of queries to documents",
        )
    return content_read
