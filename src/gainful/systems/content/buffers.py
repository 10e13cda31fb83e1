"""The bytes of arrays, tensors and data frames of any library."""

from __future__ import annotations

import sys
from io import RawIOBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["arrow_bytes", "as_array", "blocks", "frame_parts", "is_array", "is_arrow"]

#: Bytes of an array that are copied at once, if copying is needed.
_BLOCK = 1 << 24


def is_array(value: Any) -> bool:
    """Return whether a value is a plain array or tensor, or a NumPy scalar."""
    kind = type(value)
    if not hasattr(kind, "dtype") or not hasattr(kind, "shape"):
        return False
    # Arrays of xarray, for instance, have labels, and do not expose their memory.
    return (
        any(hasattr(kind, name) for name in ("__array_finalize__", "__dlpack__"))
        or any(f"{base.__module__}.{base.__name__}" == "numpy.generic" for base in kind.__mro__)
        or kind.__module__.startswith("tensorflow.")
    )


def as_array(value: Any) -> Any:
    """Return an array or tensor as a NumPy array of the same bytes; None if that fails."""
    import numpy as np

    if isinstance(value, (np.ndarray, np.generic)):
        # The mask of a masked array is digested as an attribute.
        return np.asarray(value).view(np.ndarray)
    shape = tuple(value.shape)
    if hasattr(type(value), "detach"):
        # PyTorch. NumPy lacks some of its types, such as bfloat16; reinterpret the bytes.
        plain = value.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
        return plain.view(sys.modules["torch"].uint8).numpy()
    for convert in _conversions(value):
        try:
            found = convert()
        except Exception:  # Any library may raise anything.
            continue
        if isinstance(found, np.ndarray) and found.shape == shape and not found.dtype.hasobject:
            return found
    return None


def _conversions(value: Any) -> Iterator[Callable[[], Any]]:
    import numpy as np

    kind = type(value)
    if hasattr(kind, "get") and hasattr(kind, "__cuda_array_interface__"):
        yield value.get
    if hasattr(kind, "__dlpack__"):
        yield lambda: np.from_dlpack(value)
    if hasattr(kind, "__array__"):
        yield lambda: np.asarray(value)


def blocks(array: Any) -> Iterator[Any]:
    """Yield the bytes of an array in C order, without a copy if possible."""
    import numpy as np

    if not array.size or not array.dtype.itemsize:
        return
    if array.dtype.names:
        # Padding bytes between fields are not initialized.
        for name in array.dtype.names:
            yield from blocks(array[name])
        return
    if array.flags.c_contiguous:
        yield array.reshape(-1).view(np.uint8)
        return
    rows = max(1, _BLOCK * len(array) // array.nbytes)
    for start in range(0, len(array), rows):
        yield array[start : start + rows].tobytes()


def is_arrow(value: Any) -> bool:
    """Return whether an object can export Arrow data repeatedly."""
    kind = type(value)
    # A reader can be read only once, and has no length.
    return hasattr(kind, "__len__") and (
        hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    )


def arrow_bytes(value: Any, write: Callable[[Any], object]) -> bool:
    """Write the schema and data of an Arrow exporter; return False without PyArrow.

    Parameters
    ----------
    value
        An object for which `is_arrow` is true.
    write : callable
        Called with bytes.
    """
    try:
        import pyarrow
    except ImportError:
        return False
    if not hasattr(type(value), "__arrow_c_stream__"):
        array = pyarrow.array(value)
        table = pyarrow.table({"": array})
    elif hasattr(type(value), "schema") or hasattr(type(value), "columns"):
        table = pyarrow.table(value)
    else:
        table = pyarrow.table({"": pyarrow.chunked_array(value)})
    # The division into chunks is not part of the content.
    table = table.combine_chunks()
    write(table.schema.serialize().to_pybytes())

    class Sink(RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            write(data)
            return memoryview(data).nbytes

    sink = pyarrow.PythonFile(Sink(), mode="w")
    with pyarrow.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return True


def frame_parts(value: Any) -> list[Any] | None:
    """Return the parts of a pandas data frame, series or index; None for other objects."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    if isinstance(value, pandas.Index):
        return [str(value.dtype), list(value.names), value.to_numpy()]
    if isinstance(value, pandas.Series):
        return [str(value.dtype), value.name, value.index, value.to_numpy(), value.attrs]
    if isinstance(value, pandas.DataFrame):
        columns = [value.iloc[:, at] for at in range(value.shape[1])]
        own = [getattr(value, name, None) for name in value._metadata]
        return [value.columns, value.index, *columns, value.attrs, *own]
    return None
