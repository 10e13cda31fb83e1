r"""CG, DCG, IDCG and nDCG of grades in lists and arrays.

For grades without documents: a list of grades in rank order, a matrix with one row per query, or
labels and scores, as in learning to rank and recommendation. All four functions take the same
arguments.

>>> import gainful
>>> gainful.dcg([3, 0, 2])
4.0
>>> gainful.ndcg([[3, 2, 0], [0, 0, 1]])
[1.0, 0.5]
>>> gainful.ndcg([3, 2, 0], scores=[0.1, 0.7, 0.2])
0.8212377705398237

The definitions are those of Järvelin and Kekäläinen [1]_; the exponential gain is that of Burges
and others [2]_; the mean over the orders of tied documents is McSherry's and Najork's [3]_.

References
----------
.. [1] K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. ACM TOIS
   20(4), 2002.
.. [2] C. Burges et al.: Learning to rank using gradient descent. ICML 2005.
.. [3] F. McSherry, M. Najork: Computing information retrieval performance measures efficiently in
   the presence of tied scores. ECIR 2008.
"""

from __future__ import annotations

from gainful._kernel import plain as _plain
from gainful.formulas.arguments import compute, formula_text
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypedDict, Unpack, overload

    # The keyword arguments of the four functions. A list of numbers gives a number, and a matrix a
    # list of numbers. Arrays, and lists with ``groups`` or ``queries``, give what their library or
    # their length decides.
    Gain = str | Mapping[float, float] | Sequence[float] | Callable[[float], float]
    Discount = str | Sequence[float] | Callable[[int], float]

    class _Common(TypedDict, total=False):
        k: int | None
        gain: Gain
        negative: str
        threads: int | None

    class _Groups(TypedDict, total=False):
        groups: Any
        queries: Any

    class _Scored(TypedDict, total=False):
        scores: Any
        ties: str

    class Cumulative(_Common, _Scored, total=False):
        """Those of `cg`, without ``groups`` and ``queries``."""

    class Ideal(_Common, total=False):
        """Those of `idcg`, without ``groups`` and ``queries``."""

        discount: Discount
        base: float

    class Discounted(Ideal, _Scored, total=False):
        """Those of `dcg`, without ``groups`` and ``queries``."""

    class Normalized(Discounted, total=False):
        """Those of `ndcg`, without ``groups`` and ``queries``."""

        ideal: Any
        ideal_order: str
        no_relevant: float | str

    class GroupedCumulative(Cumulative, _Groups, total=False):
        """Those of `cg`."""

    class GroupedIdeal(Ideal, _Groups, total=False):
        """Those of `idcg`."""

    class GroupedDiscounted(Discounted, _Groups, total=False):
        """Those of `dcg`."""

    class GroupedNormalized(Normalized, _Groups, total=False):
        """Those of `ndcg`."""


__all__ = ["cg", "dcg", "formula", "idcg", "ndcg"]

# The kernel's numbers of the four functions.
_CG, _DCG, _IDCG, _NDCG = range(4)

# The default objects: `is` detects the common call fastest. An equal object takes the slow path to
# the same value.
_LINEAR, _LOG2, _SORTED, _EXPECTED, _ZERO = "linear", "log2", "sorted", "expected", "zero"
_TWO, _NOTHING = 2.0, 0.0


if TYPE_CHECKING:

    @overload
    def cg(grades: Sequence[float], **settings: Unpack[Cumulative]) -> float: ...

    @overload
    def cg(grades: Sequence[Sequence[float]], **settings: Unpack[Cumulative]) -> list[float]: ...

    @overload
    def cg(grades: Any, **settings: Unpack[GroupedCumulative]) -> Any: ...


def cg(
    grades: Any,
    *more: object,
    k: int | None = None,
    scores: Any = None,
    gain: Gain = _LINEAR,
    ties: str = _EXPECTED,
    negative: str = _ZERO,
    groups: Any = None,
    queries: Any = None,
    threads: int | None = None,
    **unknown: object,
) -> Any:
    r"""Return the cumulative gain: the sum of the gains down to rank k.

    .. math:: \mathrm{CG@}k = \sum_{r=1}^{k} \mathrm{gain}(\mathrm{grade}_r)

    Parameters
    ----------
    grades, k, scores, gain, ties, negative, groups, queries, threads
        As in `ndcg`.

    Returns
    -------
    float, list of float or numpy.ndarray
        One value, or one for each row or group, as in `ndcg`. It is 0 or more unless
        ``negative="signed"`` or a table has negative gains.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    Examples
    --------
    >>> cg([3, 2, 3, 0, 1])
    9.0
    >>> cg([3, 2, 3, 0, 1], k=2, gain="exponential")
    10.0
    """
    if (
        not more
        and not unknown
        and scores is groups is queries is threads is None
        and gain is _LINEAR
        and ties is _EXPECTED
        and negative is _ZERO
    ):
        value = _plain(_CG, grades, k)
        if value is not None:
            return value
    return _compute(
        _CG,
        grades,
        more,
        unknown,
        k=k,
        scores=scores,
        gain=gain,
        ties=ties,
        negative=negative,
        groups=groups,
        queries=queries,
        threads=threads,
    )


if TYPE_CHECKING:

    @overload
    def dcg(grades: Sequence[float], **settings: Unpack[Discounted]) -> float: ...

    @overload
    def dcg(grades: Sequence[Sequence[float]], **settings: Unpack[Discounted]) -> list[float]: ...

    @overload
    def dcg(grades: Any, **settings: Unpack[GroupedDiscounted]) -> Any: ...


def dcg(
    grades: Any,
    *more: object,
    k: int | None = None,
    scores: Any = None,
    gain: Gain = _LINEAR,
    discount: Discount = _LOG2,
    base: float = _TWO,
    ties: str = _EXPECTED,
    negative: str = _ZERO,
    groups: Any = None,
    queries: Any = None,
    threads: int | None = None,
    **unknown: object,
) -> Any:
    r"""Return the discounted cumulative gain: the sum of discounted gains down to rank k.

    .. math:: \mathrm{DCG@}k = \sum_{r=1}^{k} \frac{\mathrm{gain}(\mathrm{grade}_r)}{\log_2(r + 1)}

    Parameters
    ----------
    grades, k, scores, gain, discount, base, ties, negative, groups, queries, threads
        As in `ndcg`.

    Returns
    -------
    float, list of float or numpy.ndarray
        One value, or one for each row or group, as in `ndcg`. It is 0 or more unless
        ``negative="signed"`` or a table has negative gains.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    Examples
    --------
    >>> dcg([3, 0, 2])
    4.0
    >>> dcg([3, 0, 2], gain="exponential")
    8.5
    >>> dcg([2, 3, 1, 2], discount="jarvelin-kekalainen")
    6.630929753571458
    """
    if (
        not more
        and not unknown
        and scores is groups is queries is threads is None
        and gain is _LINEAR
        and discount is _LOG2
        and base is _TWO
        and ties is _EXPECTED
        and negative is _ZERO
    ):
        value = _plain(_DCG, grades, k)
        if value is not None:
            return value
    return _compute(
        _DCG,
        grades,
        more,
        unknown,
        k=k,
        scores=scores,
        gain=gain,
        discount=discount,
        base=base,
        ties=ties,
        negative=negative,
        groups=groups,
        queries=queries,
        threads=threads,
    )


if TYPE_CHECKING:

    @overload
    def idcg(grades: Sequence[float], **settings: Unpack[Ideal]) -> float: ...

    @overload
    def idcg(grades: Sequence[Sequence[float]], **settings: Unpack[Ideal]) -> list[float]: ...

    @overload
    def idcg(grades: Any, **settings: Unpack[GroupedIdeal]) -> Any: ...


def idcg(
    grades: Any,
    *more: object,
    k: int | None = None,
    gain: Gain = _LINEAR,
    discount: Discount = _LOG2,
    base: float = _TWO,
    negative: str = _ZERO,
    groups: Any = None,
    queries: Any = None,
    threads: int | None = None,
    **unknown: object,
) -> Any:
    r"""Return the DCG of the ideal ranking of these grades, cut at k.

    Parameters
    ----------
    grades
        The grades in any order; the grades of all judged documents give the ideal of the query,
        those of the returned documents only the ideal of the list.
    k, gain, discount, base, negative, groups, queries, threads
        As in `ndcg`.

    Returns
    -------
    float, list of float or numpy.ndarray
        One value, or one for each row or group, as in `ndcg`.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError
        As in `ndcg`.

    Examples
    --------
    >>> idcg([0, 2, 3]) == dcg([3, 2, 0])
    True
    >>> idcg([0, 2, 3], k=1)
    3.0
    """
    if (
        not more
        and not unknown
        and groups is queries is threads is None
        and gain is _LINEAR
        and discount is _LOG2
        and base is _TWO
        and negative is _ZERO
    ):
        value = _plain(_IDCG, grades, k)
        if value is not None:
            return value
    return _compute(
        _IDCG,
        grades,
        more,
        unknown,
        k=k,
        gain=gain,
        discount=discount,
        base=base,
        negative=negative,
        groups=groups,
        queries=queries,
        threads=threads,
    )


if TYPE_CHECKING:

    @overload
    def ndcg(grades: Sequence[float], **settings: Unpack[Normalized]) -> float: ...

    @overload
    def ndcg(grades: Sequence[Sequence[float]], **settings: Unpack[Normalized]) -> list[float]: ...

    @overload
    def ndcg(grades: Any, **settings: Unpack[GroupedNormalized]) -> Any: ...


def ndcg(
    grades: Any,
    *more: object,
    k: int | None = None,
    ideal: Any = None,
    scores: Any = None,
    gain: Gain = _LINEAR,
    discount: Discount = _LOG2,
    base: float = _TWO,
    ideal_order: str = _SORTED,
    ties: str = _EXPECTED,
    no_relevant: float | str = _NOTHING,
    negative: str = _ZERO,
    groups: Any = None,
    queries: Any = None,
    threads: int | None = None,
    **unknown: object,
) -> Any:
    r"""Return the normalized discounted cumulative gain: DCG divided by the ideal DCG.

    .. math:: \mathrm{nDCG@}k = \frac{\mathrm{DCG@}k}{\mathrm{IDCG@}k}, \qquad
        \mathrm{DCG@}k = \sum_{r=1}^{k} \frac{\mathrm{gain}(\mathrm{grade}_r)}{\log_2(r + 1)}

    Parameters
    ----------
    grades : sequence of numbers, or of such sequences, or array
        The grades of the documents: in rank order or, with `scores`, in any order. Shape ``(n,)``
        for one query, ``(queries, n)`` for several; lists of lists may differ in length. Finite
        numbers within ±2\ :sup:`53`. Arrays are NumPy arrays and objects with the buffer protocol
        or array interface: `memoryview`, `array.array`, tensors on the CPU, columns of data frames.
    k : int, optional
        The cutoff of ranking and ideal, 1 or more. Default: none.
    ideal : as `grades`, optional
        The grades of all judged documents of the query, or of each query in turn. Default:
        `grades`; then a system that returned one of many relevant documents can score 1.
    scores : as `grades`, optional
        A finite score for each grade; documents are ranked by descending score.
    gain : {"linear", "exponential"} or mapping of grade to gain, default "linear"
        The gain: the grade itself, 2\ :sup:`grade` − 1, or a mapping; the gain of a grade that is
        not in the mapping is the grade.
    discount : str or sequence of numbers, default "log2"
        The divisor of the gain at rank r: ``"log2"`` log2(r + 1), ``"jarvelin-kekalainen"``
        1 up to rank `base` and log\ :sub:`base`\ (r) after it, ``"reciprocal"`` r, ``"none"`` 1.
        A sequence has one multiplier per rank, 0 beyond its end.
    base : float, default 2.0
        The base of ``discount="jarvelin-kekalainen"``, above 1.
    ideal_order : {"sorted", "given"}, default "sorted"
        Whether `ideal` is sorted first.
    ties : str, default "expected"
        The order of equal `scores`: ``"expected"`` the mean over all orders of the tied documents,
        ``"average-rank"`` the mean of the shared ranks for each, ``"given"`` and
        ``"reverse"`` the order of the list and its opposite, ``"optimistic"`` and
        ``"pessimistic"`` the best and the worst order, ``"random(SEED)"`` a random but
        repeatable order, ``"error"`` an error. Lists have no document ids, so the policies on ids
        are errors.
    no_relevant : {0.0, 1.0, nan, "error"}, default 0.0
        The value if the ideal DCG is 0.
    negative : {"zero", "signed", "error"}, default "zero"
        The gain of negative grades: 0, the negative grade, or an error.
    groups : sequence of int, optional
        The number of grades of each query, in order, if `grades` and `scores` are flat lists.
        These are sizes, not query ids: several sizes that are all 1 give a warning.
    queries : sequence of ids, optional
        Instead of `groups`: the query of each grade, in any order. The values are in the order in
        which the queries first appear.
    threads : int, optional
        The number of threads for large arrays. Default: ``GAINFUL_THREADS``, or all cores.
        The values do not depend on it.

    Returns
    -------
    float, list of float or numpy.ndarray
        A float for one list. For rows or groups one value each: an array of shape ``(queries,)``
        and type float64 where `grades` is a NumPy array or converts to one, otherwise a list.
        From 0 to 1; below 0 only with ``negative="signed"`` or negative gains in a table, above 1
        only with ``ties="average-rank"``, which can count more than k documents.

    Raises
    ------
    ArgumentError
        For a second positional argument, or anything but lists of numbers.
    ParameterError
        If an argument has an invalid value, shapes differ, a score is not finite, or the list has a
        higher DCG than `ideal`.
    ConventionError
        If a policy is unknown or not defined for lists.
    GradeError
        If a grade is not finite, too large, or rejected by `negative`; if there are no relevant
        documents and ``no_relevant="error"``.
    TieError
        If scores are equal and ``ties="error"``.

    See Also
    --------
    gainful.evaluate : for judgments and runs with document ids.

    Notes
    -----
    Terms are divided and added from left to right in rank order, in 64-bit floats. One value is
    computed for each query; the caller computes the mean.

    References
    ----------
    K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. ACM TOIS 20(4),
    2002. C. Burges et al.: Learning to rank using gradient descent. ICML 2005.

    Examples
    --------
    >>> round(ndcg([3, 2, 3, 0, 1]), 4)
    0.9724
    >>> round(ndcg([3, 2, 3, 0, 1], k=3, gain="exponential"), 4)
    0.9595
    >>> round(ndcg([3, 0], ideal=[3, 3, 2, 1]), 4)
    0.4744

    Labels and scores, one row per query:

    >>> import numpy as np
    >>> labels = np.array([[0, 1, 3, 2], [1, 0, 0, 0]])
    >>> scores = np.array([[1.0, 1.0, 1.0, 0.5], [0.2, 0.4, 0.1, 0.3]])
    >>> ndcg(labels, scores=scores, k=3).round(4)
    array([0.5967, 0.5   ])

    Queries of different length, one after the other:

    >>> ndcg([1, 0, 0, 1, 0], scores=[3, 2, 1, 1, 2], groups=[3, 2])
    [1.0, 0.6309297535714575]
    >>> ndcg([1, 1, 0, 0, 0], scores=[3, 1, 2, 1, 2], queries=["a", "b", "a", "a", "b"])
    [1.0, 0.6309297535714575]
    """
    if (
        not more
        and not unknown
        and ideal is scores is groups is queries is threads is None
        and gain is _LINEAR
        and discount is _LOG2
        and base is _TWO
        and ideal_order is _SORTED
        and ties is _EXPECTED
        and no_relevant is _NOTHING
        and negative is _ZERO
    ):
        value = _plain(_NDCG, grades, k)
        if value is not None:
            return value
    return _compute(
        _NDCG,
        grades,
        more,
        unknown,
        k=k,
        ideal=ideal,
        scores=scores,
        gain=gain,
        discount=discount,
        base=base,
        ideal_order=ideal_order,
        ties=ties,
        no_relevant=no_relevant,
        negative=negative,
        groups=groups,
        queries=queries,
        threads=threads,
    )


@suggest_keywords
def formula(
    *, k: int | None = None, gain: Gain = _LINEAR, discount: Discount = _LOG2, base: float = _TWO
) -> str:
    """Return the formula of DCG on one line.

    Parameters
    ----------
    k, gain, discount, base
        As in `ndcg`.

    Raises
    ------
    ArgumentError, ParameterError
        As in `ndcg`.

    Examples
    --------
    >>> formula(k=10)
    'DCG@10 = Σ grade / log2(rank + 1)'
    >>> formula(gain="exponential", discount="jarvelin-kekalainen")
    'DCG = Σ (2^grade - 1) / max(1, log2(rank))'
    >>> formula(gain={1: 1, 2: 10}, discount=(1, 0.5))
    'DCG = Σ gain(grade) × weight(rank), gain {1: 1, 2: 10}, weight (1, 0.5)'
    """
    return formula_text(k=k, gain=gain, discount=discount, base=base)


def _compute(
    code: int,
    grades: Any,
    more: tuple[object, ...],
    unknown: dict[str, object],
    **arguments: Any,
) -> Any:
    """Check all arguments and convert the numbers."""
    if unknown:
        from gainful.keywords import unknown_keyword

        name = ("cg", "dcg", "idcg", "ndcg")[code]
        raise unknown_keyword(name, next(iter(unknown)), ("grades", *arguments))
    return compute(code, grades, more, arguments)
