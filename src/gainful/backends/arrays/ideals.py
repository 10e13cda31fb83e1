"""DCG of the ideal ranking, in every variant."""

from __future__ import annotations

from gainful.backends.arrays.gains import Discount, Gain, first_places
from gainful.backends.arrays.namespace import added, constants, highest
from gainful.backends.arrays.ranking import Ranked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def ideal_sum(
    kind: Any, lists: Ranked, judged: Ranked, gain: Gain, discount: Discount, k: int | None
) -> Any:
    """Return the DCG of the ideal ranking of each list.

    Parameters
    ----------
    kind
        As the parameter ``ideal`` of `nDCG`; ``"max-grade"`` is a pair with the highest grade.
    lists, judged : Ranked
        The rankings, and the judged items.
    gain, discount, k
        Those of the ranking.
    """
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
