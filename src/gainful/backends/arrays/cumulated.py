"""CG, DCG, IDCG and nDCG of arrays of grades."""

from __future__ import annotations

from gainful.backends.arrays.gains import Discount, Gain, summed
from gainful.backends.arrays.ideals import ideal_sum
from gainful.backends.arrays.namespace import is_any, namespace_of
from gainful.backends.arrays.ranking import Ranked, checked_depth, ranked
from gainful.errors import ArgumentError, ConventionError, GradeError, ParameterError
from gainful.formulas.arguments import checked_cutoff, checked_negative, checked_no_relevant
from gainful.policies import AVERAGE_RANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

#: Relative rounding error allowed when a sum is compared with its upper bound, in 64-bit floats.
_TOLERANCE = 1e-12


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
    total = summed(lists, lambda own: own.gains(worth), checked_depth(k, lists.n), weights)
    return lists.finished(total)


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
    own = summed(lists, lambda own: own.gains(worth), checked_depth(k, lists.n), weights)
    best = ideal_sum(kind, lists, judged, worth, weights, checked_cutoff(k))
    value = share(lists, own, best, checked_no_relevant(no_relevant))
    # A list cannot have a higher DCG than its ideal.
    xp = lists.xp
    tolerance = tolerance_of(lists)
    exceeds = own - best > tolerance * xp.maximum(xp.abs(own), xp.abs(best))
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


def share(lists: Ranked, own: Any, best: Any, no_relevant: float | None) -> Any:
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
    value = quotient(xp, own, best)
    one = xp.ones_like(value)
    value = xp.where(xp.logical_and(value > one, value <= 1 + 2 * tolerance_of(lists)), one, value)
    return xp.where(nothing, xp.full_like(value, no_relevant), value)


def quotient(xp: Any, own: Any, best: Any) -> Any:
    """Divide sums by ideal sums; NaN where an ideal sum overflows.

    The caller replaces the values where the ideal gains nothing.
    """
    value = own / xp.where(best <= 0, xp.ones_like(best), best)
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
