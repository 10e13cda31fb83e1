"""Gains of grades and discounts of ranks, on arrays."""

from __future__ import annotations

from functools import lru_cache
from math import log, log2

from gainful.backends.arrays.namespace import added, constants, places
from gainful.formulas.arguments import checked_discount, checked_parameter
from gainful.measures.definitions.cumulated_gain import GAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.backends.arrays.ranking import Ranked, Worth


class Gain:
    """Compute the gains of grades.

    Parameters
    ----------
    shape
        As in `gainful.ndcg`.
    signed : bool
        Whether negative grades have a gain other than 0.
    """

    def __init__(self, shape: Any, *, signed: bool) -> None:
        self.shape = checked_parameter(GAIN, shape)
        self.signed = signed

    @property
    def is_table(self) -> bool:
        """Whether a larger grade may gain less."""
        return isinstance(self.shape, tuple)

    def __call__(self, xp: Any, grades: Any) -> Any:
        """Return the gains of grades."""
        nothing = xp.zeros_like(grades)
        if self.shape == "judged":
            return xp.ones_like(grades)
        if self.shape == "binary":
            return xp.astype(grades > 0, grades.dtype)
        if self.shape == "exponential+1":
            return xp.where(grades < 0, nothing, 2.0 ** (grades + 1) - 1)
        gains = 2.0**grades - 1 if self.shape == "exponential" else grades
        if not self.signed:
            gains = xp.where(grades < 0, nothing, gains)
        if isinstance(self.shape, tuple):
            for grade, gain in self.shape:  # type: ignore[misc]
                gains = xp.where(grades == grade, xp.full_like(gains, gain), gains)
        return gains


class Discount:
    """Compute the discounts of ranks.

    Parameters
    ----------
    shape, base
        As in `gainful.ndcg`.
    """

    def __init__(self, shape: Any, base: float = 2.0) -> None:
        self.shape = checked_discount(shape, base)

    @property
    def is_table(self) -> bool:
        """Whether it is defined only at whole ranks."""
        return isinstance(self.shape, tuple) and not isinstance(self.shape[0], str)

    def apply(self, xp: Any, gains: Any) -> Any:
        """Return gains at ranks 1, 2, … of the last axis, discounted."""
        return self._applied(
            xp, gains, constants(xp, self._numbers(gains.shape[-1]), gains, gains.dtype)
        )

    def apply_between(self, lists: Ranked, gains: Any) -> Any:
        """Discount gains at the mean rank of the items tied with them."""
        xp = lists.xp
        halves = lists.twice_the_ranks()
        if self.is_table:
            numbers = self._numbers(lists.n)
            table = constants(xp, numbers, gains, gains.dtype)
            return self._applied(xp, gains, _looked_up(xp, table, halves // 2 - 1))
        table = constants(xp, self._numbers(2 * lists.n, halves=True), gains, gains.dtype)
        return self._applied(xp, gains, _looked_up(xp, table, halves - 1))

    def weights(self, xp: Any, count: int, like: Any, dtype: Any) -> Any:
        """Return the weights of the first ranks."""
        return self.apply(xp, xp.ones((count,), dtype=dtype, device=getattr(like, "device", None)))

    def _applied(self, xp: Any, gains: Any, numbers: Any) -> Any:
        if self.shape == "none":
            return gains
        return gains * numbers if self.is_table else gains / numbers

    def _numbers(self, count: int, halves: bool = False) -> tuple[float, ...]:
        if self.is_table:
            known = tuple(float(each) for each in self.shape[:count])  # type: ignore[index]
            return known + (0.0,) * (count - len(known))
        return _divisors(self.shape, count, 0.5 if halves else 1.0)


def mean_rank_within(lists: Ranked, depth: int) -> Any:
    """Return whether the mean rank of the ties at each place is within the cutoff."""
    return lists.twice_the_ranks() <= 2 * depth


def _looked_up(xp: Any, table: Any, where: Any) -> Any:
    flat = xp.reshape(where, (-1,))
    return xp.reshape(xp.take(table, flat, axis=0), where.shape)


@lru_cache(maxsize=32)
def _divisors(shape: Any, count: int, step: float) -> tuple[float, ...]:
    """Return the divisors of gains at ranks step, 2 step, and so on.

    Computed on the host because a device's logarithm may differ from the kernel's in its last bit.
    """
    ranks = [step * (place + 1) for place in range(count)]
    if shape == "log2":
        return tuple([log2(rank + 1) for rank in ranks])
    if shape == "ln":
        return tuple([log(rank + 1) for rank in ranks])
    if shape == "reciprocal":
        return tuple(ranks)
    if shape == "none":
        return (1.0,) * count
    _, base = shape
    return tuple([1.0 if rank <= base else log2(rank) / log2(base) for rank in ranks])


def summed(lists: Ranked, worth: Worth, depth: int, discount: Discount) -> Any:
    """Return the discounted sum of the items' values down to a cutoff."""
    xp = lists.xp
    if lists.share_ranks:
        terms = discount.apply_between(lists, worth(lists))
        counts = mean_rank_within(lists, depth)
        return added(xp, xp.where(counts, terms, xp.zeros_like(terms)))
    own = lists.tied_mean(worth) if lists.ties == "expected" else worth(lists)
    return added(xp, discount.apply(xp, own[..., :depth]))


def first_places(lists: Ranked, count: Any) -> Any:
    """Return whether each place is among the first `count` of its list."""
    here = places(lists.xp, lists.n, lists.grades)
    return here < lists.xp.expand_dims(count, axis=-1)
