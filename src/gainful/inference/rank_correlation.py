"""How far two orders of the same things agree."""

from __future__ import annotations

from math import sqrt

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["kendall_tau"]


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b between two orders of the same things, such as systems.

    1 says that both put them in the same order, -1 in the reverse one, and 0 that knowing one order
    says nothing of the other. It is about pairs: with no ties, tau is the share of pairs that both
    put the same way round less the share that they put opposite ways.

    Parameters
    ----------
    first, second : sequence of float
        What each of n things has under either, in the same order of things; equal values are ties.

    Returns
    -------
    float or None
        From -1 to 1; ``None`` where it is not defined: for fewer than two things, if all values of
        one side are equal, and if any is NaN.

    Raises
    ------
    ParameterError
        If the two are not of the same length.

    Notes
    -----
    (C - D) / sqrt((C + D + T1) * (C + D + T2)), with C the pairs that stand the same way round in
    both, D those that stand opposite ways, T1 and T2 those tied in the first or the second alone.
    M. G. Kendall: A new measure of rank correlation. Biometrika 30(1/2), 1938; with ties, M. G.
    Kendall: The treatment of ties in ranking problems. Biometrika 33(3), 1945. Every pair is looked
    at, which suits the hundreds of systems that are ever compared.

    Examples
    --------
    >>> kendall_tau([0.41, 0.39, 0.35], [0.52, 0.47, 0.48])
    0.3333333333333333
    >>> kendall_tau([1, 2, 3], [7, 7, 7]) is None
    True
    """
    if len(first) != len(second):
        raise ParameterError(
            where="kendall_tau",
            found=f"{len(first)} and {len(second)} values",
            expected="as many of one as of the other",
        )
    if any(value != value for value in (*first, *second)):
        return None
    balance = apart_first = apart_second = 0
    for i, (mine, other) in enumerate(zip(first, second, strict=True)):
        for j in range(i):
            one = (mine > first[j]) - (mine < first[j])
            two = (other > second[j]) - (other < second[j])
            balance += one * two
            apart_first += one * one
            apart_second += two * two
    if not apart_first or not apart_second:
        return None
    # One root of the product would be inexact for two orders that are the same.
    if apart_first == apart_second:
        return balance / apart_first
    return balance / sqrt(apart_first * apart_second)
