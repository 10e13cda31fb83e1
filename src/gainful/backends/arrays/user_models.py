"""ERR and RBP on arrays: measures of users who read downwards and may stop."""

from __future__ import annotations

from gainful.backends.arrays.gains import mean_rank_within
from gainful.backends.arrays.namespace import added, constants, places, running
from gainful.backends.arrays.ranking import Ranked, checked_depth
from gainful.backends.arrays.relevance import Asked, lists_of, refuse_shared_ranks, with_nothing
from gainful.formulas.arguments import checked_parameter
from gainful.measures.definitions.rbp import MAX_GRADE as SCALE
from gainful.measures.definitions.rbp import PERSISTENCE
from gainful.measures.definitions.user_models import MAX_GRADE, STOP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


def _top_of_scale(asked: Asked, max_grade: Any) -> Any:
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
    asked = Asked(grades, rel, k, options)
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
    own = lists.tied_mean(worth) if lists.ties == "expected" else worth(lists)
    weighed = [persistence**rank * (1 - persistence) for rank in range(asked.depth)]
    terms = own[..., : asked.depth] * constants(xp, weighed, own, lists.dtype)
    return with_nothing(lists, added(xp, terms), nothing, asked.no_relevant)
