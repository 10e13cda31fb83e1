"""The macro-average, in which each collection has the same weight."""

from __future__ import annotations

from itertools import islice
from math import hypot, nan, sqrt

from gainful.inference.interval import clip_interval, unclipped_interval
from gainful.inference.unequal_units import satterthwaite_df
from gainful.records import Interval, Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Macro", "macro_average"]

_COUNT = {"minimum": 0}


class Macro(Record):
    """The mean of a measure's means over several collections."""

    mean: float
    """The mean of the collections' means."""
    interval: Interval | None = None
    """The 95% confidence interval of the mean; None if a collection has no interval."""
    standard_error: float | None = field(default=None, json=_COUNT)
    """The standard error of the mean; None if a collection has fewer than two queries."""
    df: float | None = field(default=None, json=_COUNT)
    """The degrees of freedom of the interval; None like the standard error."""
    queries: int = field(json=_COUNT)
    """The total number of queries."""
    collections: tuple[str, ...]
    """The averaged collections."""

    def __repr__(self) -> str:
        ends = self.interval
        interval = "" if ends is None else f", low={ends.low:.4f}, high={ends.high:.4f}"
        return f"Macro(mean={self.mean:.4f}{interval}, collections={len(self.collections)})"


def macro_average(
    values: Mapping[str, Mapping[str, float]],
    means: Sequence[float],
    weights: Mapping[str, Mapping[str, float]],
    *,
    clusters: Sequence[str] | None = None,
    bounds: tuple[float | None, float | None] = (None, None),
) -> Macro:
    """Return the macro-average of a system over collections, with its interval.

    Parameters
    ----------
    values : mapping of str to mapping of str to float
        The values of each collection by query, at least one.
    means : sequence of float
        The mean of each collection.
    weights : mapping of str to mapping of str to float
        The weight of each query, for collections with weights.
    clusters : sequence of str, optional
        The cluster of each query, in the order of `values`.
    bounds : (float or None, float or None)
        The measure's range.

    Returns
    -------
    Macro

    Notes
    -----
    With C collections, means m_c and standard errors e_c, the mean is sum(m_c) / C, and its
    standard error sqrt(sum(e_c^2)) / C. The interval combines those of the collections, (l_c, u_c)
    of `gainful.inference.mean_interval` before they are clipped to the range: its ends are
    sqrt(sum((m_c - l_c)^2)) / C below and sqrt(sum((u_c - m_c)^2)) / C above the mean. All use
    the same degrees of freedom, sum(v_c)^2 / sum(v_c^2 / (n_c - 1)) (Satterthwaite), for
    v_c = e_c^2 or v_c = 1 / n_c, whichever gives fewer: the errors of small collections are
    imprecise, and with one that is too small by chance the first gives too many. n_c is the number
    of queries or clusters. W. G. Cochran: Sampling Techniques, 3rd edition, Wiley 1977, section
    5.4; G. Y. Zou, A. Donner: Construction of confidence limits about effect measures: a general
    approach. Statistics in Medicine 27(10), 2008. The interval is for new queries of these
    collections, not for other collections. `docs/evidence.md` has the coverage.

    Examples
    --------
    >>> values = {"a": {"q1": 0.4, "q2": 0.6}, "b": {"q1": 0.5, "q2": 0.7, "q3": 0.9}}
    >>> found = macro_average(values, [0.5, 0.7], {})
    >>> found.mean, round(found.standard_error, 4), round(found.df, 1)
    (0.6, 0.0764, 2.3)
    """
    from gainful.inference.design import Design

    mean, names = sum(means) / len(means), tuple(values)
    queries = sum(map(len, values.values()))
    labels = iter(clusters or ())
    designs = [
        Design(
            len(scores),
            weights=[weights.get(name, {}).get(query, 1.0) for query in scores]
            if weights
            else None,
            clusters=list(islice(labels, len(scores))) if clusters else None,
        )
        for name, scores in values.items()
    ]
    if any(design.df < 1 for design in designs):
        return Macro(mean=mean, collections=names, queries=queries)
    spreads = [
        design.spread(list(scores.values()))
        for design, scores in zip(designs, values.values(), strict=True)
    ]
    dfs = [df for _, _, df in spreads]
    variances = [deviation**2 / n for deviation, n, _ in spreads]
    df = min(
        satterthwaite_df(variances, dfs), satterthwaite_df([1 / n for _, n, _ in spreads], dfs)
    )
    ends = [
        unclipped_interval(middle, deviation, n, low=bounds[0], high=bounds[1], df=df) or (nan, nan)
        for middle, (deviation, n, _) in zip(means, spreads, strict=True)
    ]
    below, above = (
        hypot(*(end[side] - middle for end, middle in zip(ends, means, strict=True))) / len(means)
        for side in (0, 1)
    )
    interval = Interval(*clip_interval((mean - below, mean + above), mean, *bounds))
    return Macro(
        mean=mean,
        interval=interval if interval.low == interval.low else None,
        standard_error=sqrt(sum(variances)) / len(means),
        df=df,
        queries=queries,
        collections=names,
    )
