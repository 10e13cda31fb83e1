"""Lists put into rank order, with what is tied in them."""

from __future__ import annotations

from gainful.backends.arrays.namespace import (
    FEW,
    descending,
    floats_of,
    highest_places,
    is_any,
    namespace_of,
    places,
    running,
)
from gainful.errors import ArgumentError, GradeError, ParameterError, TieError
from gainful.formulas.arguments import checked_cutoff, checked_ties
from gainful.measures.parameters import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    #: What the items of lists are worth, 0 where they have ended.
    Worth = Callable[["Ranked"], Any]

_LARGEST_GRADE = 2.0**53
_SHARED = ("expected", "average-rank", "average-rank-down")


class Ranked:
    """Lists in rank order.

    Attributes
    ----------
    xp, dtype
        The namespace of the arrays, and the type to compute in.
    grades : array, shape (..., n)
        In rank order; 0 where a list has ended.
    inside : array of bool, shape (..., n), or None
        Where the lists have items; None where they have them everywhere.
    length : array of int, shape (...), or None
        How many items there are, if not n in all lists.
    ties : str
        ``"settled"`` where the order is, else one of the modes that leave it open.
    starts, ends : array of int, shape (..., n), or None
        The place of the first item tied with the one at each place, and the place after the last;
        None where the order is settled. Of the last group the end may lie beyond n.
    whole : Ranked
        All items, in the order given: more than n, where only the best were put in order.
    last : Ranked or None
        As `whole`, with only those items inside that tie with the last of n; None where all items
        were put in order.
    faulty : array of bool, shape (...)
        Lists that hold what is no grade or no score.
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

    def only(self, worth: Any) -> Any:
        """Return what items are worth, with 0 where a list has ended."""
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
        """Return, at each place, the sum over the items that are tied with the one there."""
        xp = self.xp
        sums = running(xp, worth(self))
        if self.last is None:
            return self.at(sums, self.ends) - self.at(sums, self.starts)
        ends = xp.minimum(self.ends, xp.full_like(self.ends, self.n))
        total = self.at(sums, ends) - self.at(sums, self.starts)
        # Of the last group some are not among these.
        all_of_last = xp.sum(worth(self.last), axis=-1, keepdims=True)
        beyond = self.ends > self.n
        return xp.where(beyond, all_of_last, total)

    def tied_mean(self, worth: Worth) -> Any:
        """Return, at each place, the mean over the items that are tied with the one there."""
        return self.tied_total(worth) / self.tied_size()

    def tied_size(self) -> Any:
        """Return, at each place, how many items are tied there."""
        return self.xp.astype(self.ends - self.starts, self.dtype)

    def at(self, values: Any, where: Any) -> Any:
        """Return values of each list at these places of it."""
        return self.xp.take_along_axis(values, where, axis=-1)

    def finished(self, values: Any) -> Any:
        """Return values with NaN for faulty lists, and where gains are beyond all numbers."""
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
    """Put lists into rank order.

    Parameters
    ----------
    grades, scores, where, ties, dtype, negative
        As the public functions take them.
    gain : callable, optional
        From namespace and grades to what optimists and pessimists sort ties by; the grades
        themselves without it.
    depth : int, optional
        How many ranks will be looked at. Where that is few, and ties stay open, only the best items
        are put in order, which takes far less than a sort of all.
    name : str, default "grades"
        What the caller calls the grades, for messages.
    """
    xp = checked(grades, scores=scores, where=where, name=name)
    policy, seed = checked_ties(ties)
    if scores is None and policy != "expected":
        raise ArgumentError(
            found=f"ties={ties!r} without scores",
            expected="scores= beside it",
            hint="grades in rank order have no ties",
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
    # What has no value anyway should not trouble the arithmetic.
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
    """Return whether it pays, and is possible, to put only the best items in order."""
    if scores is None or policy != "expected" or not xp.isdtype(scores.dtype, "real floating"):
        return False
    return FEW * depth < int(scores.shape[-1])


def _rank_best(lists: Ranked, scores: Any, where: Any, depth: int) -> None:
    """Put the best items in order, and find out about all that tie with the last of them."""
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
        # Where a list has ended before, the last place holds nothing that could tie.
        tied = xp.logical_and(tied, where)
        size = xp.where(lists.inside[..., -1:], size, xp.zeros_like(size))
    _find_ties(lists, best, "expected")
    in_last = lists.starts == lists.starts[..., -1:]
    lists.ends = xp.where(in_last, xp.maximum(lists.ends, lists.starts + size), lists.ends)
    lists.last = Ranked(xp, lists.dtype, lists.whole.grades)
    lists.last.inside = tied


def check_negative(lists: Ranked, grades: Any, where: Any, negative: str) -> None:
    """Refuse negative grades, if that is the policy."""
    if negative == "error":
        below = grades < 0
        if where is not None:
            below = lists.xp.logical_and(below, where)
        if is_any(lists.xp, below, "negative='error'"):
            raise GradeError(
                found="a grade below 0",
                expected="grades of 0 or more",
                hint="negative='zero' gives negative grades no gain, negative='signed' a "
                "negative one",
            )


def checked(grades: Any, *, scores: Any = None, where: Any = None, name: str = "grades") -> Any:
    """Return the namespace of arrays that go together; refuse those that do not.

    Parameters
    ----------
    grades, scores, where, name
        As `ranked` takes them.
    """
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
    """Return the places of items in rank order; None where they stand in it.

    Stable orders by what matters less come first.
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
    """Find what is tied, in scores that stand in rank order."""
    xp = lists.xp
    if policy not in (*_SHARED, "error"):
        return
    differs = scores[..., 1:] != scores[..., :-1]
    if lists.inside is not None:
        # What stands after the end of a list is tied with nothing.
        differs = xp.logical_or(differs, xp.logical_not(lists.inside[..., 1:]))
    if policy == "error":
        if is_any(xp, xp.logical_not(differs), "ties='error'"):
            raise TieError(
                found="equal scores in a list",
                expected="scores that all differ",
                hint="ties='expected' takes the mean over all orders of equal scores",
            )
        return
    lists.ties = policy
    first = xp.concat([xp.ones_like(scores[..., :1], dtype=xp.bool), differs], axis=-1)
    lists.starts, lists.ends = _groups(xp, first)


def _groups(xp: Any, first: Any) -> tuple[Any, Any]:
    """Return start and end of the group at each place, where groups begin at the true places."""
    n = first.shape[-1]
    here = places(xp, n, first)
    # The groups are numbered from 1: a number is also the place of the next group's start.
    number = xp.cumulative_sum(xp.astype(first, here.dtype), axis=-1)
    beginnings = xp.argsort(xp.astype(xp.logical_not(first), xp.int8), axis=-1, stable=True)
    beginnings = xp.astype(beginnings, here.dtype)
    beginnings = xp.where(here < number[..., -1:], beginnings, xp.full_like(beginnings, n))
    beginnings = xp.concat([beginnings, xp.full_like(beginnings[..., :1], n)], axis=-1)
    starts = xp.take_along_axis(beginnings, number - 1, axis=-1)
    return starts, xp.take_along_axis(beginnings, number, axis=-1)


def _drawn(xp: Any, scores: Any, seed: int) -> Any:
    """Return numbers that depend on seed, list and place alone, the engine's, as ranks of them.

    They are drawn on the host: not every library has whole numbers of 64 bits.
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
    """Return the engine's SplitMix64 of a state and a value."""
    import numpy

    def number(digits: int) -> Any:
        return numpy.uint64(digits)

    mixed = (state ^ value) + number(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> number(30))) * number(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> number(27))) * number(0x94D049BB133111EB)
    return mixed ^ (mixed >> number(31))


def checked_depth(k: object, n: int) -> int:
    """Return how many ranks count: k, but at most n."""
    depth = checked_cutoff(k)
    return n if depth is None else min(depth, n, LARGEST)
