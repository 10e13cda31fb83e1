"""Measures of arrays that need to know which documents are relevant, and user models."""

from __future__ import annotations

from gainful.backends.arrays.cumulated import Discount, mean_rank_within, pool_of, summed
from gainful.backends.arrays.ranking import (
    Ranked,
    added,
    checked_depth,
    constants,
    is_any,
    places,
    ranked,
    running,
)
from gainful.errors import ConventionError, GradeError, ParameterError
from gainful.formulas.arguments import checked_cutoff, checked_no_relevant, checked_parameter
from gainful.measures.definitions.averaged_precision import NORM
from gainful.measures.definitions.rbp import MAX_GRADE as SCALE
from gainful.measures.definitions.rbp import PERSISTENCE
from gainful.measures.definitions.user_models import MAX_GRADE, STOP
from gainful.measures.parameters import REL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_COUNTED = Discount("none")


def precision(
    grades: Any, *, k: int | None = None, rel: float = 1, to_depth: bool = False, **options: Any
) -> Any:
    """Return the share of the first k ranks with a relevant item.

    Parameters
    ----------
    grades : array, shape (..., n)
        As in `ndcg`.
    k : int, optional
        The cutoff, 1 or more, which is the divisor even for shorter lists. Default: the length of
        the list.
    rel : float, default 1
        The lowest relevant grade, 0 or more.
    to_depth : bool, default False
        Divide by min(k, n) instead of k, for a list of n items.
    **options
        ``scores``, ``where``, ``ties`` and ``dtype`` as in `ndcg`; ``judged`` and ``judged_where``,
        the grades of all judged items of each list (default: `grades`); and ``no_relevant``, the
        value where none of them is relevant.

    Returns
    -------
    array, shape (...)
        One value per list, from 0 to 1; NaN if a grade or score of the list is not finite.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    Examples
    --------
    >>> import numpy as np
    >>> precision(np.array([[1, 0, 1, 0], [0, 0, 0, 1]]), k=2)
    array([0.5, 0. ])
    """
    asked = JudgedItems(grades, rel, k, options)
    whole = asked.whole(k)
    if to_depth:
        whole = asked.lists.xp.minimum(whole, asked.whole(None))
    return asked.settled(asked.hits() / whole)


def recall(
    grades: Any,
    *,
    k: int | None = None,
    rel: float = 1,
    capped: bool = False,
    listed: bool = False,
    **options: Any,
) -> Any:
    """Return the share of the relevant items that are in the first k ranks.

    Parameters
    ----------
    grades, k, rel, **options
        As in `precision`; without k, all ranks.
    capped : bool, default False
        Divide by min(k, R) instead of R, the number of relevant items.
    listed : bool, default False
        Count only items of the list in R.

    Returns
    -------
    array, shape (...)
        As in `precision`.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    Examples
    --------
    >>> import numpy as np
    >>> held_out = np.array([[1, 1, 1, 0], [0, 0, 0, 1]])
    >>> recall(np.array([[1, 0], [0, 0]]), judged=held_out, k=2).round(4)
    array([0.3333, 0.    ])
    """
    asked = JudgedItems(grades, rel, k, options, listed=listed)
    return asked.settled(asked.hits() / asked.relevant_or_one(k if capped else None))


def average_precision(
    grades: Any, *, k: int | None = None, rel: float = 1, norm: str = "relevant", **options: Any
) -> Any:
    r"""Return average precision: the mean precision at the relevant items.

    .. math:: \mathrm{AP@}k = \frac{1}{R} \sum_{r \le k,\, \mathrm{relevant}} \mathrm{P@}r

    Parameters
    ----------
    grades, k, rel, **options
        As in `precision`; without k, all ranks.
    norm : str, default "relevant"
        What the sum is divided by. ``"relevant"``: the number R of relevant items. ``"capped"``:
        min(k, R). ``"capped-to-depth"``: min(k, R, n) for a list of n items. ``"list"``: the number
        L of relevant items in the list. ``"list-capped"``: min(k, L). ``"list-cut"``: the number of
        relevant items in the first k ranks; not available with ``ties="expected"``.

    Returns
    -------
    array, shape (...)
        As in `precision`.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    References
    ----------
    With ties: F. McSherry, M. Najork: Computing information retrieval performance measures
    efficiently in the presence of tied scores. ECIR 2008.

    Examples
    --------
    >>> import numpy as np
    >>> average_precision(np.array([[1, 0, 1, 0], [0, 0, 0, 1]])).round(4)
    array([0.8333, 0.25  ])
    """
    checked_parameter(NORM, norm)
    asked = JudgedItems(grades, rel, k, options, listed=norm in ("list", "list-capped"))
    refuse_shared_ranks(asked.lists)
    lists, xp, relevant = asked.lists, asked.lists.xp, asked.relevant
    ranks = asked.ranks()
    if lists.ties == "expected" and norm == "list-cut":
        raise ConventionError(
            "AP(norm='list-cut') is not available with ties='expected'", hint="order the ties"
        )
    if lists.ties == "expected":
        size, total = lists.tied_size(), lists.tied_total(asked.worth)
        above = lists.at(running(xp, relevant), lists.starts)
        within = ranks - 1 - xp.astype(lists.starts, lists.dtype)
        one = xp.ones_like(size)
        others = xp.where(total > 1, (total - 1) / xp.where(size > 1, size - 1, one), 0 * one)
        terms = total / size * (above + 1 + within * others) / ranks
        terms = xp.where(total > 0, terms, xp.zeros_like(terms))
    else:
        terms = relevant * (xp.cumulative_sum(relevant, axis=-1) / ranks)
    whole = asked.relevant_or_one(k if "capped" in norm else None)
    if norm == "capped-to-depth":
        whole = xp.minimum(whole, asked.whole(None))
    elif norm == "list-cut":
        hits = asked.hits()
        whole = xp.maximum(hits, xp.ones_like(hits))
    return asked.settled(added(xp, terms[..., : asked.depth]) / whole)


def reciprocal_rank(grades: Any, *, k: int | None = None, rel: float = 1, **options: Any) -> Any:
    """Return 1 / the rank of the first relevant item; 0 if the first k have none.

    Parameters
    ----------
    grades, k, rel, **options
        As in `precision`; without k, all ranks.

    Returns
    -------
    array, shape (...)
        As in `precision`.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    Examples
    --------
    >>> import numpy as np
    >>> reciprocal_rank(np.array([[0, 0, 1, 1], [0, 0, 0, 0], [2, 0, 0, 0]])).round(4)
    array([0.3333, 0.    , 1.    ])
    """
    asked = JudgedItems(grades, rel, k, options)
    lists, xp = asked.lists, asked.lists.xp
    if lists.ties == "expected":
        here, none_before = asked.first_of_tied()
        terms = here * none_before / asked.ranks()
        return asked.settled(added(xp, terms[..., : asked.depth]))
    first = xp.logical_and(asked.relevant > 0, xp.cumulative_sum(asked.relevant, axis=-1) == 1)
    if lists.share_ranks:
        halves = lists.twice_the_ranks()
        terms = 1 / (xp.astype(halves, lists.dtype) / 2)
        first = xp.logical_and(first, mean_rank_within(lists, asked.depth))
        return asked.settled(added(xp, xp.where(first, terms, xp.zeros_like(terms))))
    terms = xp.astype(first, lists.dtype) / asked.ranks()
    return asked.settled(added(xp, terms[..., : asked.depth]))


def success(grades: Any, *, k: int | None = None, rel: float = 1, **options: Any) -> Any:
    """Return 1 if the first k ranks have a relevant item, else 0 (mean: hit rate).

    Parameters
    ----------
    grades, k, rel, **options
        As in `precision`; without k, all ranks. With ``ties="expected"`` the value is a
        probability.

    Returns
    -------
    array, shape (...)
        As in `precision`.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    Examples
    --------
    >>> import numpy as np
    >>> grades = np.array([[0, 0, 1], [0, 0, 0]])
    >>> success(grades, k=3)
    array([1., 0.])
    >>> success(grades, k=1, scores=np.zeros((2, 3))).round(4)
    array([0.3333, 0.    ])
    """
    asked = JudgedItems(grades, rel, k, options)
    xp = asked.lists.xp
    if asked.lists.ties == "expected":
        here, none_before = asked.first_of_tied()
        return asked.settled(added(xp, (here * none_before)[..., : asked.depth]))
    return asked.settled(xp.astype(asked.hits() > 0, asked.lists.dtype))


class JudgedItems:
    """Ranked lists with the options of one measure.

    Parameters
    ----------
    grades, rel, k, options
        As in `precision`.
    listed
        Whether only items of the list count as judged.
    """

    def __init__(
        self,
        grades: Any,
        rel: float,
        k: int | None,
        options: dict[str, Any],
        *,
        listed: bool = False,
    ) -> None:
        self.rel = float(checked_parameter(REL, rel))  # type: ignore[arg-type]
        self.lists, self.pool, self.no_relevant = lists_of(grades, options, k)
        if listed:
            self.pool = self.lists.whole
        self.depth = checked_depth(k, self.lists.n)
        self.relevant = self.lists.relevant(self.rel)

    def ranks(self) -> Any:
        """Return 1, 2, … as floats."""
        xp = self.lists.xp
        return xp.astype(places(xp, self.lists.n, self.lists.grades) + 1, self.lists.dtype)

    def worth(self, lists: Ranked) -> Any:
        """Return 1 for each relevant item of lists."""
        return lists.relevant(self.rel)

    def hits(self) -> Any:
        """Return the expected number of relevant items down to the cutoff."""
        return summed(self.lists, self.worth, self.depth, _COUNTED)

    def whole(self, k: int | None) -> Any:
        """Return k, or the lengths of the lists."""
        xp, lists = self.lists.xp, self.lists
        if k is not None or lists.length is None:
            return constants(xp, [float(k or lists.n)], lists.grades, lists.dtype)[0]
        return xp.astype(xp.maximum(lists.length, xp.ones_like(lists.length)), lists.dtype)

    def judged_relevant(self) -> Any:
        """Return the number of relevant judged items."""
        return self.lists.xp.sum(self.pool.relevant(self.rel), axis=-1)

    def relevant_or_one(self, most: int | None) -> Any:
        """Return the number of relevant judged items, at most `most`; 1 if there are none."""
        xp = self.lists.xp
        count = self.judged_relevant()
        count = xp.maximum(count, xp.ones_like(count))
        return count if most is None else xp.minimum(count, xp.full_like(count, float(most)))

    def first_of_tied(self) -> tuple[Any, Any]:
        """Return two probabilities at each place for the first relevant item.

        The first is that this item is relevant if none above is: r / (m − j) at the j-th place of a
        group of m with r relevant. The second is that none above is relevant.
        """
        lists, xp = self.lists, self.lists.xp
        total = lists.tied_total(self.worth)
        above = lists.at(running(xp, self.relevant), lists.starts)
        in_first = xp.logical_and(total > 0, above == 0)
        left = xp.astype(lists.ends, lists.dtype) - (self.ranks() - 1)
        here = xp.where(in_first, total / left, xp.zeros_like(total))
        here = xp.minimum(here, xp.ones_like(here))
        certain = here >= 1
        # Instead of the logarithm of 0: far below the logarithm of the smallest float.
        never = xp.full_like(here, -1e5)
        going = xp.where(certain, never, xp.log1p(-xp.where(certain, xp.zeros_like(here), here)))
        return here, xp.exp(running(xp, going)[..., :-1])

    def settled(self, value: Any) -> Any:
        """Return values, `no_relevant` for lists with no relevant items, NaN for faulty lists."""
        return with_nothing(self.lists, value, self.judged_relevant() == 0, self.no_relevant)


def lists_of(
    grades: Any, options: dict[str, Any], depth: int | None
) -> tuple[Ranked, Ranked, float | None]:
    """Return ranked lists, the judged items, and the value of lists with no relevant items."""
    known = {"scores", "where", "ties", "dtype", "judged", "judged_where", "no_relevant"}
    unknown = sorted(options.keys() - known)
    if unknown:
        raise ParameterError(
            where="arguments", found=unknown[0], expected=f"one of {', '.join(sorted(known))}"
        )
    judged, judged_where = options.get("judged"), options.get("judged_where")
    check_judged(judged, judged_where)
    shown = {
        name: options[name] for name in ("scores", "where", "ties", "dtype") if name in options
    }
    lists = ranked(grades, depth=checked_cutoff(depth), **shown)
    pool = (
        lists.whole
        if judged is None
        else pool_of(lists, judged, judged_where, "zero", name="judged")
    )
    return lists, pool, checked_no_relevant(options.get("no_relevant", 0.0))


def check_judged(judged: Any, judged_where: Any) -> None:
    """Refuse a mask of judged items without judged items."""
    if judged is None and judged_where is not None:
        raise ParameterError("needs judged=", where="judged_where")


def refuse_shared_ranks(lists: Ranked) -> None:
    """Refuse shared ranks of tied items if a measure looks at what is above each item."""
    if lists.share_ranks:
        raise ConventionError(
            f"ties={lists.ties!r} is not defined for this measure", hint="use ties='expected'"
        )


def with_nothing(lists: Ranked, value: Any, nothing: Any, no_relevant: float | None) -> Any:
    """Return values, `no_relevant` where nothing is relevant, and NaN for faulty lists."""
    xp = lists.xp
    if no_relevant is None:
        if is_any(xp, xp.logical_and(nothing, xp.logical_not(lists.faulty)), "no_relevant='error'"):
            raise GradeError(
                "a list has no relevant items",
                hint="set the value of such lists with no_relevant=0.0, 1.0 or nan",
            )
        no_relevant = 0.0
    return lists.finished(xp.where(nothing, xp.full_like(value, no_relevant), value))


def err(
    grades: Any,
    *,
    k: int | None = None,
    max_grade: float = 4,
    stop: str = "exponential",
    **options: Any,
) -> Any:
    r"""Return the expected reciprocal rank at which a user is satisfied.

    .. math:: \mathrm{ERR@}k = \sum_{r=1}^{k} \frac{s_r}{r} \prod_{i<r} (1 - s_i), \qquad
        s = \frac{2^\mathrm{grade} - 1}{2^{\mathrm{max\_grade}}}

    Parameters
    ----------
    grades, k, **options
        As in `precision`; without k, all ranks. With ``ties="expected"`` memory grows with the
        square of the list's length.
    max_grade : float, default 4
        The highest grade of the scale, above 0 and at most 1000.
    stop : {"exponential", "linear"}
        The probability s that a user stops at a document: as above, or
        ``grade / (max_grade + 1)``.

    Returns
    -------
    array, shape (...)
        One value per list, from 0 to 1; NaN if a grade is above `max_grade`, or a grade or score
        is not finite.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    References
    ----------
    O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal rank for graded relevance.
    CIKM 2009.

    Examples
    --------
    >>> import numpy as np
    >>> err(np.array([[3, 2, 4], [0, 0, 0]])).round(4)
    array([0.6331, 0.    ])
    """
    highest = float(checked_parameter(MAX_GRADE, max_grade))  # type: ignore[arg-type]
    lists, pool, no_relevant = lists_of(grades, options, None)
    refuse_shared_ranks(lists)
    xp, depth = lists.xp, checked_depth(k, lists.n)
    above = xp.logical_or(
        xp.any(lists.grades > highest, axis=-1), xp.any(pool.only(pool.grades) > highest, axis=-1)
    )
    lists.faulty = xp.logical_or(lists.faulty, above)
    graded = xp.where(lists.grades > 0, lists.grades, xp.zeros_like(lists.grades))
    graded = xp.minimum(graded, xp.full_like(graded, highest))
    if checked_parameter(STOP, stop) == "linear":
        stops = graded / (highest + 1)
    else:
        # In this form no intermediate value overflows 32-bit floats.
        stops = 2.0 ** (graded - highest) - 2.0 ** (-highest)
    stops = xp.where(graded > 0, stops, xp.zeros_like(stops))
    ranks = xp.astype(places(xp, lists.n, lists.grades) + 1, lists.dtype)
    if lists.ties == "expected":
        still, after = _still_reading(lists, 1 - _below_one(xp, stops))
        terms = (still - after) / ranks
    else:
        still = xp.exp(running(xp, xp.log1p(-_below_one(xp, stops)))[..., :-1])
        terms = still * stops / ranks
    nothing = xp.logical_not(xp.any(pool.only(pool.grades) > 0, axis=-1))
    return with_nothing(lists, added(xp, terms[..., :depth]), nothing, no_relevant)


def _below_one(xp: Any, values: Any) -> Any:
    """Replace probabilities that 32-bit floats round to 1 by the largest float below 1."""
    return xp.minimum(values, xp.full_like(values, 1 - float(xp.finfo(values.dtype).eps)))


def _still_reading(lists: Ranked, goes: Any) -> tuple[Any, Any]:
    """Return the probabilities that the user reaches each place, and goes on after it.

    After the first j of a group of tied items it is the mean, over all choices of j of them, of the
    product of their probabilities to go on. The means for all j are computed item by item.
    """
    xp, n = lists.xp, lists.n
    chosen = xp.astype(places(xp, n + 1, goes), lists.dtype)
    zero = xp.zeros_like(goes)
    alone = xp.astype(chosen == 0, lists.dtype)
    nobody = xp.broadcast_to(alone, (*goes.shape[:-1], n + 1))
    means, kept = nobody, []
    for place in range(n):
        start = lists.starts[..., place : place + 1]
        means = xp.where(start == place, nobody, means)
        count = xp.astype(place + 1 - start, lists.dtype)
        shifted = xp.concat([xp.zeros_like(means[..., :1]), means[..., :-1]], axis=-1)
        without = means * xp.maximum(count - chosen, xp.zeros_like(chosen)) / count
        taken = shifted * goes[..., place : place + 1] * chosen / count
        means = xp.where(chosen <= count, without + taken, xp.zeros_like(means))
        kept.append(means)
    # All places of a group use the table that its last item completes.
    table = xp.stack(kept, axis=-2)
    flat = xp.reshape(table, (*goes.shape[:-1], n * (n + 1)))
    last = (lists.ends - 1) * (n + 1)
    within = places(xp, n, goes) - lists.starts
    before = xp.take_along_axis(flat, last + within, axis=-1)
    after = xp.take_along_axis(flat, last + within + 1, axis=-1)
    # The groups above, each as a whole.
    least = xp.full_like(after, float(xp.finfo(lists.dtype).smallest_normal))
    last_of_group = lists.ends - 1 == places(xp, n, goes)
    whole = xp.where(last_of_group, xp.log(xp.maximum(after, least)), zero)
    above = xp.exp(lists.at(running(xp, whole), lists.starts))
    return above * before, above * after


def _top_of_scale(asked: JudgedItems, max_grade: Any) -> Any:
    """Return the highest grade of the scale; lists with higher grades become faulty."""
    lists, xp = asked.lists, asked.lists.xp
    if max_grade == "judged":
        most = xp.max(asked.pool.only(asked.pool.grades), axis=-1, keepdims=True)
        return xp.maximum(most, xp.ones_like(most))
    highest = float(max_grade)
    over = xp.any(lists.whole.only(lists.whole.grades) > highest, axis=-1)
    lists.faulty = xp.logical_or(lists.faulty, over)
    return highest


def rbp(
    grades: Any,
    *,
    k: int | None = None,
    p: float = 0.8,
    rel: float = 1,
    max_grade: float | str | None = None,
    **options: Any,
) -> Any:
    r"""Return rank-biased precision, for a user who goes on with probability p.

    .. math:: \mathrm{RBP@}k = (1 - p) \sum_{r=1}^{k} \mathrm{gain}(\mathrm{grade}_r) \, p^{r-1}

    Parameters
    ----------
    grades, k, rel, **options
        As in `precision`; without k, all ranks.
    p : float, default 0.8
        The probability to go on from one rank to the next, between 0 and 1, both excluded.
    max_grade : float or "judged", optional
        The highest grade of the scale: the gain is then grade / max_grade, instead of 1 from grade
        `rel` on. ``"judged"`` uses the highest grade of the list, at least 1.

    Returns
    -------
    array, shape (...)
        One value per list, from 0 to 1; NaN if a grade is above `max_grade`, or a grade or score
        is not finite.

    Raises
    ------
    ArgumentError, ParameterError, ConventionError, GradeError, TieError
        As in `ndcg`.

    References
    ----------
    A. Moffat, J. Zobel: Rank-biased precision for measurement of retrieval effectiveness. ACM TOIS
    27(1), 2008.

    Examples
    --------
    >>> import numpy as np
    >>> rbp(np.array([[1, 0, 1], [0, 1, 0]]), p=0.5)
    array([0.625, 0.25 ])
    """
    persistence = float(checked_parameter(PERSISTENCE, p))  # type: ignore[arg-type]
    asked = JudgedItems(grades, rel, k, options)
    lists, xp, worth = asked.lists, asked.lists.xp, asked.worth
    nothing = asked.judged_relevant() == 0
    if max_grade is not None:
        highest = _top_of_scale(asked, checked_parameter(SCALE, max_grade))

        def worth(lists: Ranked) -> Any:
            shares = lists.only(lists.grades / highest)
            return xp.where(shares > 0, shares, xp.zeros_like(shares))

        nothing = xp.logical_not(xp.any(asked.pool.only(asked.pool.grades) > 0, axis=-1))
    if lists.share_ranks:
        halves = lists.twice_the_ranks()
        weights = persistence ** (xp.astype(halves, lists.dtype) / 2 - 1) * (1 - persistence)
        within = mean_rank_within(lists, asked.depth)
        terms = xp.where(within, worth(lists) * weights, xp.zeros_like(weights))
        return with_nothing(lists, added(xp, terms), nothing, asked.no_relevant)
    worths = lists.tied_mean(worth) if lists.ties == "expected" else worth(lists)
    weighed = [persistence**rank * (1 - persistence) for rank in range(asked.depth)]
    terms = worths[..., : asked.depth] * constants(xp, weighed, worths, lists.dtype)
    return with_nothing(lists, added(xp, terms), nothing, asked.no_relevant)
