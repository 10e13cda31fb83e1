"""The error rate of each look at the same queries, and the wrong passes to expect from all."""

from __future__ import annotations

from math import pi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.gates.snapshot import Look

__all__ = ["expected_wrong_passes", "look_alpha"]


def look_alpha(
    alpha: float, look: int, *, budget: int | None = None, spending: bool = False
) -> float:
    """Return the error rate at which a look is tested.

    Parameters
    ----------
    alpha : float
        The error rate of a single look, or of all looks together with a budget or with spending.
    look : int
        The number of the look, from 1.
    budget : int, optional
        The declared number of looks.
    spending : bool
        Whether alpha is spent over any number of looks.

    Returns
    -------
    float
        From 0 to alpha; 0 after the budget is used up.

    Notes
    -----
    A budget of B looks gives alpha / B to each. Spending gives 6 alpha / (pi i)^2 to look i; these
    rates sum to alpha over all looks. Both bound the chance of any wrong pass by alpha under any
    dependence between runs, by the union bound. For the idea see D. P. Foster, R. A. Stine:
    α-investing: a procedure for sequential control of expected false discoveries. Journal of the
    Royal Statistical Society B 70, 2008.

    Examples
    --------
    >>> [float(f"{look_alpha(0.05, look, spending=True):.1g}") for look in (1, 2, 10, 100)]
    [0.03, 0.008, 0.0003, 3e-06]
    >>> look_alpha(0.05, 2, budget=2), look_alpha(0.05, 3, budget=2), look_alpha(0.05, 3)
    (0.025, 0.0, 0.05)
    """
    if spending:
        return 6.0 * alpha / (pi * look) ** 2
    if budget is None:
        return alpha
    return alpha / budget if look <= budget else 0.0


def expected_wrong_passes(looks: Iterable[Look]) -> float:
    """Return the most wrong passes to expect from several looks.

    A wrong pass is the pass of a run that is worse by the margin or more. The expected number is at
    most the sum of the looks' error rates, whatever the dependence between runs.

    Parameters
    ----------
    looks : iterable of Look
        The looks.

    Examples
    --------
    >>> from gainful.gates import Look
    >>> looks = [Look(run=name, system=name, verdict="pass", alpha=0.05) for name in "abc"]
    >>> round(expected_wrong_passes(looks), 2)
    0.15
    """
    return sum(look.alpha for look in looks)
