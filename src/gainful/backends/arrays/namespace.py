"""The array library of the arguments, and operations that the array API lacks."""

from __future__ import annotations

import sys

from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Libraries whose cumulative sums add from left to right.
_SEQUENTIAL = ("numpy", "array_api_compat.numpy", "array_api_strict")
#: Selecting is faster than sorting if at least this many times fewer values are needed.
FEW = 4
#: Functions that the measures call. Libraries that lack one are wrapped by array-api-compat.
_CALLED = ("argsort", "astype", "cumulative_sum", "isdtype", "take_along_axis")
#: The kinds of numbers that can be ordered.
_ORDERED = ("bool", "integral", "real floating")


def namespace_of(**arrays: Any) -> Any:
    """Return the namespace that the arrays share, ignoring those that are None.

    Raises
    ------
    ArgumentError
        If one is not an array of ordered numbers, or they belong to different libraries.
    """
    namespace = None
    for name, array in arrays.items():
        if array is None:
            continue
        if not hasattr(array, "dtype") or not hasattr(array, "shape"):
            raise ArgumentError(
                where=name,
                found=type(array).__name__,
                expected="an array",
                hint="convert lists with numpy.asarray, or use gainful.ndcg",
            )
        _check_layout(array, name)
        array_namespace = _namespace(array, name)
        if not array_namespace.isdtype(array.dtype, _ORDERED):
            raise ArgumentError(
                where=name,
                found=f"an array of type {array.dtype}",
                expected="floating-point numbers, whole numbers or truth values",
            )
        if namespace is not None and array_namespace is not namespace:
            its, others = (
                other.__name__.removeprefix("array_api_compat.")
                for other in (array_namespace, namespace)
            )
            raise ArgumentError(f"an array of {its}, but others are of {others}", where=name)
        namespace = array_namespace
    return namespace


def _check_layout(array: Any, name: str) -> None:
    """Refuse arrays that are masked, sparse or otherwise not plain."""
    if hasattr(array, "tocsr"):
        raise ArgumentError(
            f"a sparse array of {type(array).__module__.partition('.')[0]} is not supported",
            where=name,
            hint="convert it with toarray()",
        )
    layout = str(getattr(array, "layout", "torch.strided"))
    if layout.startswith("torch.") and layout != "torch.strided":
        raise ArgumentError(
            f"a tensor of the layout {layout} is not supported",
            where=name,
            hint="convert it with to_dense()",
        )
    # Subclasses of NumPy arrays that redefine the operations.
    numpy = sys.modules.get("numpy")
    if numpy is None or type(array) is numpy.ndarray or not isinstance(array, numpy.ndarray):
        return
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(array, masked.MaskedArray):
        raise ArgumentError(
            "a masked array is not supported",
            where=name,
            hint="use its .data, with where=~array.mask",
        )
    if isinstance(array, numpy.matrix):
        raise ArgumentError(
            "a numpy.matrix is not supported", where=name, hint="convert it with numpy.asarray"
        )


def _namespace(array: Any, name: str) -> Any:
    if hasattr(array, "__array_namespace__"):
        namespace = array.__array_namespace__()
        if all(hasattr(namespace, function) for function in _CALLED):
            return namespace
    try:
        from array_api_compat import array_namespace
    except ModuleNotFoundError:
        kind = f"{type(array).__module__.partition('.')[0]}.{type(array).__name__}"
        raise ArgumentError(
            f"{kind} needs the package array-api-compat",
            where=name,
            hint="pip install 'gainful[arrays]'",
        ) from None
    try:
        return array_namespace(array)
    except TypeError as error:
        raise ArgumentError(where=name, found=str(error), expected="an array") from None


def floats_of(xp: Any, grades: Any, dtype: Any) -> Any:
    """Return the type in which sums of these grades are computed.

    Their own if it is a floating-point type of at least 32 bits, else the library's default.
    """
    if dtype is not None:
        try:
            # Old NumPy also takes names and Python's types.
            known = not isinstance(dtype, str) and dtype is not float
            fits = known and xp.isdtype(dtype, "real floating") and xp.finfo(dtype).bits >= 32
        except (AttributeError, TypeError, ValueError):
            fits = False
        if not fits:
            raise ParameterError(
                where="dtype",
                found=str(dtype),
                expected="a floating-point type of the arrays' library, of 32 bits or more",
            )
        return dtype
    if xp.isdtype(grades.dtype, "real floating"):
        return grades.dtype if xp.finfo(grades.dtype).bits >= 32 else xp.float32
    if hasattr(xp, "__array_namespace_info__"):
        usual = xp.__array_namespace_info__().default_dtypes()
        return usual["real floating"]
    return xp.asarray(0.0).dtype


def constants(xp: Any, values: Sequence[float], like: Any, dtype: Any) -> Any:
    """Convert numbers to an array on the device of `like`."""
    return xp.asarray(list(values), dtype=dtype, device=getattr(like, "device", None))


def places(xp: Any, count: int, like: Any) -> Any:
    """Return 0 to count − 1 on the device of `like`."""
    return xp.arange(count, device=getattr(like, "device", None))


def added(xp: Any, terms: Any) -> Any:
    """Return sums over the last axis.

    NumPy adds from left to right, as the kernel does, so that the last bit is the same; other
    libraries use their own order.
    """
    if terms.shape[-1] == 0 or xp.__name__ not in _SEQUENTIAL:
        return xp.sum(terms, axis=-1)
    return xp.cumulative_sum(terms, axis=-1)[..., -1]


def running(xp: Any, terms: Any) -> Any:
    """Return cumulative sums along the last axis, starting with 0."""
    first = xp.zeros_like(terms[..., :1])
    return xp.concat([first, xp.cumulative_sum(terms, axis=-1)], axis=-1)


def descending(xp: Any, values: Any) -> Any:
    """Return sort keys: their stable ascending order is the stable descending order of values."""
    if xp.isdtype(values.dtype, "bool"):
        return xp.astype(xp.logical_not(values), xp.int8)
    if xp.isdtype(values.dtype, "integral"):
        return xp.bitwise_invert(values)
    # Adding 0 instead could be optimized away by a compiler, which would keep negative zeros.
    return -xp.where(values == 0, xp.zeros_like(values), values)


def is_any(xp: Any, truths: Any, policy: str) -> bool:
    """Return whether any value is true; waits for the device.

    Raises
    ------
    ArgumentError
        While a compiler traces the call and there are no values yet.
    """
    try:
        return bool(xp.any(truths))
    except Exception as error:
        raise ArgumentError(
            "not available inside jit",
            where=policy,
            hint="call the function outside of jit, or use another policy",
        ) from error


def highest(xp: Any, values: Any, count: int) -> Any:
    """Return the highest values of the last axis in descending order.

    The array API can only sort; each library has something faster to select few of many.
    """
    if FEW * count < values.shape[-1]:
        library = xp.__name__
        if library.startswith("jax") or "torch" in library:
            return highest_places(xp, values, count)[0]
        if hasattr(xp, "partition"):
            return -xp.sort(xp.partition(-values, count - 1, axis=-1)[..., :count], axis=-1)
    return -xp.sort(-values, axis=-1)[..., : min(count, values.shape[-1])]


def highest_places(xp: Any, values: Any, count: int) -> tuple[Any, Any]:
    """Return the highest values of the last axis in descending order, and their places.

    The library decides which of equal values are included, and in which order.
    """
    library = xp.__name__
    if library.startswith("jax"):
        from jax.lax import top_k

        best, where = top_k(values, count)
        return best, where
    if "torch" in library:
        highest = values.topk(count, dim=-1)
        return highest.values, highest.indices
    if hasattr(xp, "argpartition"):
        some = xp.argpartition(-values, count - 1, axis=-1)[..., :count]
        highest = xp.take_along_axis(values, some, axis=-1)
        where = xp.take_along_axis(some, xp.argsort(-highest, axis=-1), axis=-1)
    else:
        where = xp.argsort(-values, axis=-1)[..., :count]
    return xp.take_along_axis(values, where, axis=-1), where
