"""Lists of any array library in rank order, with their ties."""

from __future__ import annotations

import sys

from gainful.errors import ArgumentError, GradeError, ParameterError, TieError
from gainful.formulas.arguments import checked_cutoff, checked_ties
from gainful.measures.parameters import LARGEST
from gainful.policies import AVERAGE_RANK_DOWN, SHARED_RANKS, UNORDERED_TIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    #: Returns the value of each item of lists; 0 after the end of a list.
    Worth = Callable[["Ranked"], Any]

#: Libraries whose cumulative sums add from left to right.
_SEQUENTIAL = ("numpy", "array_api_compat.numpy", "array_api_strict")

#: Selecting is faster than sorting if at least this many times fewer values are needed.
FEW = 4

#: Functions that the measures call. Libraries that lack one are wrapped by array-api-compat.
_CALLED = ("argsort", "astype", "cumulative_sum", "isdtype", "take_along_axis")

#: The kinds of numbers that can be ordered.
_ORDERED = ("bool", "integral", "real floating")


def namespace_of(**arrays: Any) -> Any:
    """Return the namespace that the arrays share, ignoring those that are None."""
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
    """Return whether any value is true; waits for the device."""
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


_LARGEST_GRADE = 2.0**53


class Ranked:
    """Lists in rank order.

    Attributes
    ----------
    xp, dtype
        The namespace of the arrays, and the type to compute in.
    grades : array, shape (..., n)
        In rank order; 0 after the end of a list.
    inside : array of bool, shape (..., n), or None
        True where there is an item; None if all places have one.
    length : array of int, shape (...), or None
        The number of items, if not n in all lists.
    ties : str
        ``"settled"`` if the order is total, else the mode in which ties are treated.
    starts, ends : array of int, shape (..., n), or None
        The place of the first item tied with each item, and the place after the last; None if the
        order is total. The end of the last group may be beyond n.
    whole : Ranked
        All items in the order given: more than n if only the best were sorted.
    last : Ranked or None
        As `whole`, with only the items that tie with the last of n; None if all items were sorted.
    faulty : array of bool, shape (...)
        Lists with an invalid grade or score.
    """

    def __init__(self, xp: Any, dtype: Any, grades: Any) -> None:
        self.xp = xp
        self.dtype = dtype
        self.grades = grades
        self.inside: Any = None
        self.length: Any = None
        self.ties = "settled"
        self.starts: Any = None
        self.ends: Any = None
        self.whole: Ranked = self
        self.last: Ranked | None = None
        self.faulty: Any = None

    @property
    def n(self) -> int:
        """The length of the last axis."""
        return int(self.grades.shape[-1])

    @property
    def share_ranks(self) -> bool:
        """Whether tied items share one rank."""
        return self.ties in SHARED_RANKS

    def twice_the_ranks(self) -> Any:
        """Return, at each place, twice the rank that the tied items share."""
        twice = self.starts + 1 + self.ends
        return twice // 2 * 2 if self.ties == AVERAGE_RANK_DOWN else twice

    def only(self, worth: Any) -> Any:
        """Return the values of items, with 0 after the end of a list."""
        if self.inside is None:
            return worth
        return self.xp.where(self.inside, worth, self.xp.zeros_like(worth))

    def relevant(self, rel: float) -> Any:
        """Return 1 for each relevant item, as floats."""
        return self.only(self.xp.astype(self.grades >= rel, self.dtype))

    def gains(self, gain: Callable[[Any, Any], Any]) -> Any:
        """Return the gain of each item."""
        return self.only(gain(self.xp, self.grades))

    def tied_total(self, worth: Worth) -> Any:
        """Return, at each place, the sum over the tied items."""
        xp = self.xp
        sums = running(xp, worth(self))
        if self.last is None:
            return self.at(sums, self.ends) - self.at(sums, self.starts)
        ends = xp.minimum(self.ends, xp.full_like(self.ends, self.n))
        total = self.at(sums, ends) - self.at(sums, self.starts)
        # Some items of the last group are outside the first n.
        all_of_last = xp.sum(worth(self.last), axis=-1, keepdims=True)
        beyond = self.ends > self.n
        return xp.where(beyond, all_of_last, total)

    def tied_mean(self, worth: Worth) -> Any:
        """Return, at each place, the mean over the tied items."""
        return self.tied_total(worth) / self.tied_size()

    def tied_size(self) -> Any:
        """Return, at each place, the number of tied items."""
        return self.xp.astype(self.ends - self.starts, self.dtype)

    def at(self, values: Any, where: Any) -> Any:
        """Return the values of each list at the given places."""
        return self.xp.take_along_axis(values, where, axis=-1)

    def finished(self, values: Any) -> Any:
        """Set values to NaN for faulty lists and where gains overflow."""
        bad = self.xp.logical_or(self.faulty, self.xp.isinf(values))
        return self.xp.where(bad, self.xp.full_like(values, float("nan")), values)


def ranked(
    grades: Any,
    *,
    scores: Any = None,
    where: Any = None,
    ties: str = "expected",
    dtype: Any = None,
    negative: str = "zero",
    gain: Callable[[Any, Any], Any] | None = None,
    depth: int | None = None,
    name: str = "grades",
) -> Ranked:
    """Sort lists into rank order."""
    xp = checked(grades, scores=scores, where=where, name=name)
    policy, seed = checked_ties(ties)
    if scores is None and policy != "expected":
        raise ArgumentError(
            f"ties={ties!r} needs scores=", hint="leave out ties= for lists in rank order"
        )
    floats = floats_of(xp, grades, dtype)
    lists = Ranked(xp, floats, xp.astype(grades, floats))
    fault = xp.logical_not(xp.abs(lists.grades) <= _LARGEST_GRADE)
    if scores is not None and xp.isdtype(scores.dtype, "real floating"):
        finite = xp.isfinite(scores)
        fault = xp.logical_or(fault, xp.logical_not(finite))
        scores = xp.where(finite, scores, xp.zeros_like(scores))
    if where is not None:
        fault = xp.logical_and(fault, where)
        lists.length = xp.sum(xp.astype(where, xp.int32), axis=-1)
    lists.faulty = xp.any(fault, axis=-1)
    # Lists whose value is NaN anyway must not disturb the arithmetic.
    lists.grades = xp.where(
        xp.abs(lists.grades) <= _LARGEST_GRADE, lists.grades, xp.zeros_like(lists.grades)
    )
    check_negative(lists, grades, where, negative)
    lists.whole = Ranked(xp, floats, lists.grades)
    lists.whole.inside = where
    lists.whole.length = lists.length
    if depth is not None and _only_best(xp, scores, policy, depth):
        _rank_best(lists, scores, where, depth)
        return lists
    sort_by = None
    if policy in ("optimistic", "pessimistic"):
        sort_by = lists.grades if gain is None else gain(xp, lists.grades)
    order = _order(xp, scores, where, policy, seed, sort_by)
    if order is not None:
        lists.grades = lists.at(lists.grades, order)
    if where is not None:
        lists.inside = places(xp, lists.n, grades) < xp.expand_dims(lists.length, axis=-1)
        lists.grades = lists.only(lists.grades)
    if scores is not None:
        _find_ties(lists, lists.at(scores, order), policy)
    return lists


def _only_best(xp: Any, scores: Any, policy: str, depth: int) -> bool:
    """Return whether sorting only the best items is possible and faster."""
    if scores is None or policy != "expected" or not xp.isdtype(scores.dtype, "real floating"):
        return False
    return FEW * depth < int(scores.shape[-1])


def _rank_best(lists: Ranked, scores: Any, where: Any, depth: int) -> None:
    """Sort the best items, and find all items that tie with the last of them."""
    xp = lists.xp
    if where is not None:
        scores = xp.where(where, scores, xp.full_like(scores, -float("inf")))
    best, order = highest_places(xp, scores, depth)
    lists.grades = lists.at(lists.grades, order)
    tied = scores == best[..., -1:]
    size = xp.sum(xp.astype(tied, places(xp, 1, scores).dtype), axis=-1, keepdims=True)
    if where is not None:
        lists.inside = places(xp, depth, scores) < xp.expand_dims(lists.length, axis=-1)
        lists.grades = lists.only(lists.grades)
        # If a list ends earlier, its last place is empty and cannot tie.
        tied = xp.logical_and(tied, where)
        size = xp.where(lists.inside[..., -1:], size, xp.zeros_like(size))
    _find_ties(lists, best, "expected")
    in_last = lists.starts == lists.starts[..., -1:]
    lists.ends = xp.where(in_last, xp.maximum(lists.ends, lists.starts + size), lists.ends)
    lists.last = Ranked(xp, lists.dtype, lists.whole.grades)
    lists.last.inside = tied


def check_negative(lists: Ranked, grades: Any, where: Any, negative: str) -> None:
    """Refuse negative grades if the policy is ``"error"``."""
    if negative == "error":
        below = grades < 0
        if where is not None:
            below = lists.xp.logical_and(below, where)
        if is_any(lists.xp, below, "negative='error'"):
            raise GradeError(
                "a grade is negative (negative='error')",
                hint="use negative='zero' or negative='signed'",
            )


def checked(grades: Any, *, scores: Any = None, where: Any = None, name: str = "grades") -> Any:
    """Return the namespace of arrays of matching shapes; refuse others."""
    mask = "where" if name == "grades" else f"{name}_where"
    if grades is None:
        raise ArgumentError(where=name, found="None", expected="an array")
    xp = namespace_of(**{name: grades, "scores": scores, mask: where})
    if len(grades.shape) == 0 or grades.shape[-1] == 0:
        raise ParameterError(
            where=name,
            found=f"an array of shape {tuple(grades.shape)}",
            expected="a list along the last axis, of one item or more",
        )
    for which, other in (("scores", scores), (mask, where)):
        if other is not None and tuple(other.shape) != tuple(grades.shape):
            raise ParameterError(
                where=which,
                found=f"shape {tuple(other.shape)}",
                expected=f"that of {name}, {tuple(grades.shape)}",
            )
    if where is not None and not xp.isdtype(where.dtype, "bool"):
        raise ParameterError(where=mask, found=str(where.dtype), expected="truth values")
    return xp


def _order(xp: Any, scores: Any, where: Any, policy: str, seed: int, sort_by: Any) -> Any:
    """Return the places of items in rank order; None if they are in rank order already.

    Stable sorts run from the least to the most significant key.
    """
    order = None

    def then_by(key: Any) -> None:
        nonlocal order
        if order is None:
            order = xp.argsort(key, axis=-1, stable=True)
        else:
            again = xp.argsort(xp.take_along_axis(key, order, axis=-1), axis=-1, stable=True)
            order = xp.take_along_axis(order, again, axis=-1)

    if scores is not None:
        if policy == "reverse":
            backwards = places(xp, scores.shape[-1], scores)
            then_by(xp.broadcast_to(-backwards, scores.shape))
        elif policy == "random":
            then_by(_drawn(xp, scores, seed))
        elif policy == "optimistic":
            then_by(descending(xp, sort_by))
        elif policy == "pessimistic":
            then_by(sort_by)
        then_by(descending(xp, scores))
    if where is not None:
        then_by(xp.astype(xp.logical_not(where), xp.int8))
    return order


def _find_ties(lists: Ranked, scores: Any, policy: str) -> None:
    """Find ties in scores that are in rank order."""
    xp = lists.xp
    if policy not in (*UNORDERED_TIES, "error"):
        return
    differs = scores[..., 1:] != scores[..., :-1]
    if lists.inside is not None:
        # Places after the end of a list are never tied.
        differs = xp.logical_or(differs, xp.logical_not(lists.inside[..., 1:]))
    if policy == "error":
        if is_any(xp, xp.logical_not(differs), "ties='error'"):
            raise TieError("a list has equal scores (ties='error')", hint="use ties='expected'")
        return
    lists.ties = policy
    first = xp.concat([xp.ones_like(scores[..., :1], dtype=xp.bool), differs], axis=-1)
    lists.starts, lists.ends = _groups(xp, first)


def _groups(xp: Any, first: Any) -> tuple[Any, Any]:
    """Return start and end of the group at each place; `first` marks the starts."""
    n = first.shape[-1]
    here = places(xp, n, first)
    # Groups are numbered from 1, so a number is also the index of the next group's start.
    number = xp.cumulative_sum(xp.astype(first, here.dtype), axis=-1)
    beginnings = xp.argsort(xp.astype(xp.logical_not(first), xp.int8), axis=-1, stable=True)
    beginnings = xp.astype(beginnings, here.dtype)
    beginnings = xp.where(here < number[..., -1:], beginnings, xp.full_like(beginnings, n))
    beginnings = xp.concat([beginnings, xp.full_like(beginnings[..., :1], n)], axis=-1)
    starts = xp.take_along_axis(beginnings, number - 1, axis=-1)
    return starts, xp.take_along_axis(beginnings, number, axis=-1)


def _drawn(xp: Any, scores: Any, seed: int) -> Any:
    """Return the kernel's random numbers for seed, list and place, as ranks.

    They are drawn on the host because not every library has 64-bit integers.
    """
    import numpy

    rows = 1
    for size in scores.shape[:-1]:
        rows *= int(size)
    row = numpy.arange(rows, dtype=numpy.uint64)[:, None]
    place = numpy.arange(scores.shape[-1], dtype=numpy.uint64)[None, :]
    mixed = _mixed(_mixed(numpy.uint64(seed), row), place)
    ranks = mixed.argsort(axis=-1, kind="stable").argsort(axis=-1).astype(numpy.int32)
    shaped = ranks.reshape(scores.shape)
    return xp.asarray(shaped, device=getattr(scores, "device", None))


def _mixed(state: Any, value: Any) -> Any:
    """Return the kernel's SplitMix64 of a state and a value."""
    import numpy

    def number(digits: int) -> Any:
        return numpy.uint64(digits)

    mixed = (state ^ value) + number(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> number(30))) * number(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> number(27))) * number(0x94D049BB133111EB)
    return mixed ^ (mixed >> number(31))


def checked_depth(k: object, n: int) -> int:
    """Return the number of ranks that count: k, but at most n."""
    depth = checked_cutoff(k)
    return n if depth is None else min(depth, n, LARGEST)
