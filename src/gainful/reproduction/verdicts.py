"""The verdicts on a rerun, each from an interval that excludes the other ones."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.reproduction.result import Estimate, Verdict

__all__ = ["decide_on_improvement", "decide_on_scores"]


def decide_on_scores(difference: Estimate, margin: float, *, few: bool) -> Verdict:
    """Return whether a difference of scores is within the margin.

    Parameters
    ----------
    difference : Estimate
        Rerun minus original.
    margin : float
        The largest difference that counts as none.
    few : bool
        Whether too few queries differ to show equivalence.

    Examples
    --------
    >>> from gainful.records import Interval
    >>> from gainful.reproduction.result import Estimate
    >>> difference = Estimate(value=0.001, interval=Interval(-0.004, 0.006))
    >>> decide_on_scores(difference, 0.01, few=False)
    'reproduced'
    """
    if difference.interval is None:
        return "inconclusive"
    low, high = difference.interval
    if low > margin or high < -margin:
        return "not reproduced"
    return "reproduced" if -margin <= low and high <= margin and not few else "inconclusive"


def decide_on_improvement(
    original: Estimate,
    rerun: Estimate,
    ratio: Estimate | None,
    least_ratio: float,
    *,
    alpha: float,
    few: bool,
) -> Verdict:
    """Return whether the rerun's improvement is as large as the original's.

    Parameters
    ----------
    original, rerun : Estimate
        The improvements over the baseline.
    ratio : Estimate or None
        The effect ratio.
    least_ratio : float
        The share of the original's improvement that reproduces it.
    alpha : float
        The significance level of the improvements.
    few : bool
        Whether too few queries differ to show equivalence.

    Examples
    --------
    >>> from gainful.records import Interval
    >>> from gainful.reproduction.result import Estimate
    >>> original = Estimate(value=0.1, interval=Interval(0.06, 0.14), p=0.001)
    >>> rerun = Estimate(value=0.08, interval=Interval(0.04, 0.12), p=0.001)
    >>> ratio = Estimate(value=0.8, interval=Interval(0.5, 1.1))
    >>> decide_on_improvement(original, rerun, ratio, 0.9, alpha=0.05, few=False)
    'inconclusive'
    """
    if original.p is None or rerun.p is None or original.p > alpha or ratio is None:
        return "inconclusive"
    is_significant = rerun.p <= alpha
    if is_significant and ratio.value < 0:
        return "not reproduced"
    if ratio.interval is not None and ratio.interval.high < least_ratio:
        return "partly reproduced" if is_significant else "not reproduced"
    is_as_large = ratio.interval is not None and ratio.interval.low >= least_ratio
    return "reproduced" if is_significant and is_as_large and not few else "inconclusive"
