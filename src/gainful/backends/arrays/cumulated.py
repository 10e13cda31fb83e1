"""CG, DCG, IDCG and nDCG of arrays of grades."""

from __future__ import annotations

from functools import lru_cache
from math import log, log2

from gainful.backends.arrays.ranking import (
    Ranked,
    added,
    checked_depth,
    constants,
    highest,
    is_any,
    namespace_of,
    places,
    ranked,
)
from gainful.errors import ArgumentError, ConventionError, GradeError, ParameterError
from gainful.formulas.arguments import (
    checked_cutoff,
    checked_discount,
    checked_negative,
    checked_no_relevant,
    checked_parameter,
)
from gainful.keywords import suggest_keywords
from gainful.measures.definitions.cumulated_gain import GAIN
from gainful.policies import AVERAGE_RANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gainful.backends.arrays.ranking import Worth


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
            known = tuple(float(size) for size in self.shape[:count])  # type: ignore[index]
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
    worths = lists.tied_mean(worth) if lists.ties == "expected" else worth(lists)
    return added(xp, discount.apply(xp, worths[..., :depth]))


def first_places(lists: Ranked, count: Any) -> Any:
    """Return whether each place is among the first `count` of its list."""
    here = places(lists.xp, lists.n, lists.grades)
    return here < lists.xp.expand_dims(count, axis=-1)


def ideal_sum(
    kind: Any, lists: Ranked, judged: Ranked, gain: Gain, discount: Discount, k: int | None
) -> Any:
    """Return the DCG of the ideal ranking of each list."""
    xp = lists.xp
    if isinstance(kind, tuple) and kind[0] == "max-grade":
        return _of_one_grade(lists, float(kind[1]), gain, discount, k)
    if kind == "list":
        judged = lists.whole
    elif kind == "list-cut":
        judged = _cut(lists, lists.n if k is None else min(k, lists.n))
    elif not isinstance(kind, str):
        grades = constants(xp, kind, lists.grades, lists.dtype)
        gains = gain(xp, grades)
        if gain.is_table:
            gains = xp.where(gains > 0, gains, xp.zeros_like(gains))
        gains = -xp.sort(-gains)
        total = added(
            xp, discount.apply(xp, gains[: len(kind) if k is None else min(k, len(kind))])
        )
        return xp.zeros_like(lists.grades[..., 0]) + total
    gains = gain(xp, judged.grades)
    depth = judged.n if k is None or kind == "judged-uncut" else min(k, judged.n)
    if kind == "given-order":
        gains = judged.only(gains)[..., :depth]
    else:
        gains = _highest(judged, gains, depth, positive=gain.is_table)
    if kind == "ones":
        gains = xp.astype(gains > 0, lists.dtype)
    terms = discount.apply(xp, gains)
    if kind == "judged-to-depth":
        if lists.length is None:
            terms = terms[..., : lists.whole.n]
        else:
            within = first_places(judged, lists.length)[..., :depth]
            terms = xp.where(within, terms, xp.zeros_like(terms))
    return added(xp, terms)


def _highest(judged: Ranked, gains: Any, depth: int, *, positive: bool) -> Any:
    """Return the `depth` highest gains, padded with 0; an ideal excludes negative gains."""
    xp = judged.xp
    if positive:
        gains = xp.where(gains > 0, gains, xp.zeros_like(gains))
    if judged.inside is None:
        return highest(xp, gains, depth)
    # Negative gains sort after all others, and masked places after these.
    lowest = -float("inf")
    gains = highest(xp, xp.where(judged.inside, gains, xp.full_like(gains, lowest)), depth)
    return xp.where(gains == lowest, xp.zeros_like(gains), gains)


def _cut(lists: Ranked, depth: int) -> Ranked:
    """Return the first items of each list."""
    cut = Ranked(lists.xp, lists.dtype, lists.grades[..., :depth])
    cut.inside = None if lists.inside is None else lists.inside[..., :depth]
    return cut


def _of_one_grade(
    lists: Ranked, grade: float, gain: Gain, discount: Discount, k: int | None
) -> Any:
    """Return the DCG of lists in which every item has this grade, to k or the list's length."""
    xp = lists.xp
    depth = lists.n if k is None else k
    grades = xp.full_like(discount.weights(xp, depth, lists.grades, lists.dtype), grade)
    terms = discount.apply(xp, gain(xp, grades))
    if k is None and lists.inside is not None:
        terms = xp.where(lists.inside, terms, xp.zeros_like(terms))
        return added(xp, terms)
    return xp.zeros_like(lists.grades[..., 0]) + added(xp, terms)


#: Relative rounding error allowed when a sum is compared with its upper bound, in 64-bit floats.
_TOLERANCE = 1e-12


@suggest_keywords
def cg(
    grades: Any,
    *,
    k: int | None = None,
    scores: Any = None,
    where: Any = None,
    gain: str | Mapping[float, float] = "linear",
    ties: str = "expected",
    negative: str = "zero",
    dtype: Any = None,
) -> Any:
    r"""Return the cumulated gain of each list: the sum of the first k gains.

    Parameters
    ----------
    grades, k, scores, where, gain, ties, negative, dtype
        As in `ndcg`.

    Returns
    -------
    array, shape (...)
        As in `ndcg`.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    Examples
    --------
    >>> import numpy as np
    >>> cg(np.array([[3, 2, 3, 0, 1], [1, 0, 0, 0, 2]]), k=2)
    array([5., 1.])
    """
    return dcg(
        grades,
        k=k,
        scores=scores,
        where=where,
        gain=gain,
        discount="none",
        ties=ties,
        negative=negative,
        dtype=dtype,
    )


@suggest_keywords
def dcg(
    grades: Any,
    *,
    k: int | None = None,
    scores: Any = None,
    where: Any = None,
    gain: str | Mapping[float, float] = "linear",
    discount: str | Sequence[float] = "log2",
    base: float = 2.0,
    ties: str = "expected",
    negative: str = "zero",
    dtype: Any = None,
) -> Any:
    r"""Return the discounted cumulated gain of each list.

    .. math:: \mathrm{DCG@}k = \sum_{r=1}^{k} \frac{\mathrm{gain}(\mathrm{grade}_r)}{\log_2(r + 1)}

    Parameters
    ----------
    grades, k, scores, where, gain, discount, base, ties, negative, dtype
        As in `ndcg`.

    Returns
    -------
    array, shape (...)
        As in `ndcg`.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    Examples
    --------
    >>> import numpy as np
    >>> dcg(np.array([[3, 0, 2], [0, 0, 0]]))
    array([4., 0.])
    """
    worth = Gain(gain, signed=checked_negative(negative) == "signed")
    weights = Discount(discount, base)
    refuse_between_ranks(weights, ties)
    lists = ranked(
        grades,
        scores=scores,
        where=where,
        ties=ties,
        dtype=dtype,
        negative=negative,
        gain=worth,
        depth=checked_cutoff(k),
    )
    total = summed(lists, lambda ranking: ranking.gains(worth), checked_depth(k, lists.n), weights)
    return lists.finished(total)


@suggest_keywords
def idcg(
    grades: Any,
    *,
    k: int | None = None,
    where: Any = None,
    gain: str | Mapping[float, float] = "linear",
    discount: str | Sequence[float] = "log2",
    base: float = 2.0,
    negative: str = "zero",
    dtype: Any = None,
) -> Any:
    """Return the DCG of the ideal ranking of each list, cut at k.

    Parameters
    ----------
    grades, k, where, gain, discount, base, negative, dtype
        As in `ndcg`.

    Returns
    -------
    array, shape (...)
        As in `ndcg`.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError
        As in `ndcg`.

    Examples
    --------
    >>> import numpy as np
    >>> idcg(np.array([[0, 2, 3], [1, 0, 0]]), k=1)
    array([3., 1.])
    """
    worth = Gain(gain, signed=checked_negative(negative) == "signed")
    lists = ranked(grades, where=where, dtype=dtype, negative=negative)
    total = ideal_sum("judged", lists, lists, worth, Discount(discount, base), checked_cutoff(k))
    return lists.finished(total)


@suggest_keywords
def ndcg(
    grades: Any,
    *,
    k: int | None = None,
    scores: Any = None,
    where: Any = None,
    ideal: Any = None,
    ideal_where: Any = None,
    ideal_order: str = "sorted",
    gain: str | Mapping[float, float] = "linear",
    discount: str | Sequence[float] = "log2",
    base: float = 2.0,
    ties: str = "expected",
    no_relevant: float | str = 0.0,
    negative: str = "zero",
    dtype: Any = None,
) -> Any:
    r"""Return the Normalized Discounted Cumulative Gain (nDCG) of each list.

    .. math:: \mathrm{nDCG@}k = \frac{\mathrm{DCG@}k}{\mathrm{IDCG@}k}, \qquad
        \mathrm{DCG@}k = \sum_{r=1}^{k} \frac{\mathrm{gain}(\mathrm{grade}_r)}{\log_2(r + 1)}

    Parameters
    ----------
    grades : array, shape (..., n)
        The grades of the items of each list: in rank order or, with `scores`, in any order. An
        array of any library that implements the array API or is supported by array-api-compat
        (PyTorch, CuPy).
    k : int, optional
        The cutoff, 1 or more. It cuts the ranking and the ideal.
    scores : array, shape (..., n), optional
        A finite score for each grade; the highest ranks first.
    where : array of bool, shape (..., n), optional
        True where there is an item, for lists of different lengths. Values elsewhere are ignored.
    ideal : array, shape (..., m), optional
        The grades of all judged items of each list. Default: `grades`.
    ideal_where : array of bool, shape (..., m), optional
        As `where`, for `ideal`.
    ideal_order, gain, discount, base, ties, negative
        As in `gainful.ndcg`. ``ties="random(SEED)"`` draws on the host.
    no_relevant : {0.0, 1.0, nan, "error"}, default 0.0
        The value where the ideal gain is 0.
    dtype : floating-point type, optional
        The type to compute in, of 32 bits or more. Default: the type of `grades`, or for integers
        the library's default (32 bits for JAX and PyTorch).

    Returns
    -------
    array, shape (...)
        One value per list, of the same library and on the same device. From 0 to 1, with the
        exceptions of `gainful.ndcg`. NaN for a list that `gainful.ndcg` refuses: a grade or score
        that is not finite, a grade beyond ±2\ :sup:`53`, gains that overflow, or an ideal below
        the DCG of the list.

    Raises
    ------
    ArgumentError
        If an argument is not an array of numbers, or arrays are of different libraries.
    ParameterError
        If an argument has an illegal value, or shapes differ.
    ConventionError
        If a policy is unknown or not defined for lists.
    GradeError, TieError
        If the data violate ``negative="error"``, ``no_relevant="error"`` or ``ties="error"``. Only
        these policies wait for the device; the others work under `jax.jit`.

    Notes
    -----
    In 64-bit floats the values agree with `gainful.ndcg` to 1e-12; on NumPy to the last bit if
    there are no ties or gains are whole numbers. In 32-bit floats expect 6 digits for lists of up
    to some thousand items. Ties are detected in the original scores, whatever `dtype` is.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 1, 3, 2], [1, 0, 0, 0]])
    >>> scores = np.array([[1.0, 1.0, 1.0, 0.5], [0.2, 0.4, 0.1, 0.3]])
    >>> ndcg(labels, scores=scores, k=3).round(4)
    array([0.5967, 0.5   ])

    Lists of different lengths:

    >>> where = np.array([[True, True, True, False], [True, True, False, False]])
    >>> ndcg(labels, scores=scores, where=where).round(4)
    array([0.7825, 0.6309])
    """
    worth = Gain(gain, signed=checked_negative(negative) == "signed")
    weights = Discount(discount, base)
    refuse_between_ranks(weights, ties)
    if ideal_order not in ("sorted", "given"):
        raise ParameterError(
            where="ideal_order", found=repr(ideal_order), expected="'sorted' or 'given'"
        )
    if ideal is None and (ideal_order == "given" or ideal_where is not None):
        raise ArgumentError("ideal_order='given' and ideal_where= need ideal=")
    lists = ranked(
        grades,
        scores=scores,
        where=where,
        ties=ties,
        dtype=dtype,
        negative=negative,
        gain=worth,
        depth=checked_cutoff(k),
    )
    judged = lists.whole
    if ideal is not None:
        judged = pool_of(lists, ideal, ideal_where, negative, name="ideal")
    kind = "given-order" if ideal_order == "given" else "judged"
    gained = summed(lists, lambda ranking: ranking.gains(worth), checked_depth(k, lists.n), weights)
    best = ideal_sum(kind, lists, judged, worth, weights, checked_cutoff(k))
    value = share(lists, gained, best, checked_no_relevant(no_relevant))
    # A list cannot have a higher DCG than its ideal.
    xp = lists.xp
    tolerance = tolerance_of(lists)
    exceeds = gained - best > tolerance * xp.maximum(xp.abs(gained), xp.abs(best))
    if not (ideal is None and lists.share_ranks):
        value = xp.where(exceeds, xp.full_like(value, float("nan")), value)
    return lists.finished(value)


def pool_of(lists: Ranked, judged: Any, where: Any, negative: str, *, name: str) -> Ranked:
    """Return the judged items; lists with faulty rankings are marked as faulty."""
    namespace_of(**{"grades": lists.grades, name: judged})
    if tuple(judged.shape[:-1]) != tuple(lists.grades.shape[:-1]):
        raise ParameterError(
            where=name,
            found=f"shape {tuple(judged.shape)}",
            expected=f"{tuple(lists.grades.shape[:-1])} and a last axis of its own",
        )
    pool = ranked(judged, where=where, dtype=lists.dtype, negative=negative, name=name)
    lists.faulty = lists.xp.logical_or(lists.faulty, pool.faulty)
    return pool


def share(lists: Ranked, gained: Any, best: Any, no_relevant: float | None) -> Any:
    """Divide sums by ideal sums where these are above 0."""
    xp = lists.xp
    nothing = best <= 0
    if no_relevant is None:
        if is_any(xp, xp.logical_and(nothing, xp.logical_not(lists.faulty)), "no_relevant='error'"):
            raise GradeError(
                "no item of an ideal list has a gain",
                hint="set the value of such lists with no_relevant=0.0, 1.0 or nan",
            )
        no_relevant = 0.0
    value = quotient(xp, gained, best)
    one = xp.ones_like(value)
    value = xp.where(xp.logical_and(value > one, value <= 1 + 2 * tolerance_of(lists)), one, value)
    return xp.where(nothing, xp.full_like(value, no_relevant), value)


def quotient(xp: Any, gained: Any, best: Any) -> Any:
    """Divide sums by ideal sums; NaN where an ideal sum overflows.

    The caller replaces the values where the ideal gains nothing.
    """
    value = gained / xp.where(best <= 0, xp.ones_like(best), best)
    return xp.where(xp.isinf(best), xp.full_like(value, float("nan")), value)


def tolerance_of(lists: Ranked) -> float:
    """Return the relative rounding error to allow in a sum."""
    return max(_TOLERANCE, 64 * float(lists.xp.finfo(lists.dtype).eps))


def refuse_between_ranks(discount: Discount, ties: str) -> None:
    """Refuse a discount table for ties whose mean rank may be fractional."""
    if ties == AVERAGE_RANK and discount.is_table:
        raise ConventionError(
            "ties='average-rank' is not defined for a table of discounts",
            hint="use ties='expected'",
        )
