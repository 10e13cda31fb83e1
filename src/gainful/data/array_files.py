"""Arrays in NumPy and Parquet files."""

from __future__ import annotations

from contextlib import contextmanager

from gainful.data.paths import check_path
from gainful.errors import FormatError, GainfulError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["map_array", "reading_parquet"]


def map_array(path: str, expected: str) -> Any:
    """Memory-map the array of a ``.npy`` file.

    Parameters
    ----------
    path : str
        The file.
    expected : str
        What the file should contain, for messages.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        If it is not an array.

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
    """Convert PyArrow's exceptions while reading a file to errors of Gainful.

    Raises
    ------
    SourceError
        If the file cannot be read, or is damaged.
    """
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
