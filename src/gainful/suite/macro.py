"""Means over collections: macro averages, standardized scores and the best system of each."""

from __future__ import annotations

from math import erf, hypot, nan, sqrt

import numpy as np

from gainful.evaluation.summary import MeanEstimate
from gainful.inference.design import satterthwaite_df
from gainful.inference.interval import clip_interval, unclipped_interval
from gainful.records import Interval, Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from gainful.inference.design import Design

    Floats = NDArray[np.float64]

__all__ = [
    "Macro",
    "Oracle",
    "OracleGaps",
    "compute_mean",
    "macro_average",
    "standardize",
    "take_best_values",
]


def standardize(scores: ArrayLike, aggregate: str) -> Floats:
    """Return scores between 0 and 1 relative to all systems on the same query.

    A query on which all systems have high or similar scores then counts as much as any other. The
    result depends on the set of systems.

    Notes
    -----
    "standardized" is Phi((x - mean) / s), with s the standard deviation over the systems (with
    m - 1). W. Webber, A. Moffat, J. Zobel: Score standardization for inter-collection comparison of
    retrieval systems. SIGIR 2008. "empirical" is the empirical distribution function. J. Urbano, H.
    Lima, A. Hanjalic: A new perspective on score standardization. SIGIR 2019.

    Examples
    --------
    >>> standardize([[0.1, 0.2, 0.6], [0.5, 0.5, 0.5]], "empirical").round(3).tolist()
    [[0.167, 0.5, 0.833], [0.5, 0.5, 0.5]]
    >>> standardize([[0.1, 0.2, 0.6], [0.5, 0.5, 0.5]], "standardized").round(3).tolist()
    [[0.225, 0.353, 0.872], [0.5, 0.5, 0.5]]
    """
    array = np.array(scores, dtype=np.float64)
    if aggregate == "mean":
        return array
    there = ~np.isnan(array)
    if aggregate == "empirical":
        below = (array[:, None, :] < array[:, :, None]).sum(axis=2)
        equal = (array[:, None, :] == array[:, :, None]).sum(axis=2)
        shares = (below + equal / 2) / np.maximum(there.sum(axis=1, keepdims=True), 1)
        return np.where(there, shares, np.nan)
    values = np.full(array.shape, np.nan)
    for row, is_present, target in zip(array, there, values, strict=True):
        # Equal scores can differ from their mean by rounding.
        if is_present.any():
            target[is_present] = (
                0.5 if np.ptp(row[is_present]) == 0.0 else _normal_shares(row[is_present])
            )
    return values


def _normal_shares(scores: Floats) -> Floats:
    """Return the share of a normal distribution with their mean and deviation below scores."""
    standard = (scores - scores.mean()) / scores.std(ddof=1)
    return np.array([(1.0 + erf(share / sqrt(2.0))) / 2.0 for share in standard])


_COUNT = {"minimum": 0}


class Macro(MeanEstimate):
    """The mean of a measure's means over several collections."""

    mean: float
    """The mean of the collections' means."""
    interval: Interval | None = None
    """The 95% confidence interval of the mean; None if a collection has no interval."""
    standard_error: float | None = field(default=None, json=_COUNT)
    """The standard error of the mean; None if a collection has fewer than two queries."""
    df: float | None = field(default=None, json=_COUNT)
    """The degrees of freedom of the interval; None like the standard error."""
    n: int = field(key="queries")
    """The total number of queries."""
    collections: tuple[str, ...]
    """The averaged collections."""

    def __repr__(self) -> str:
        return f"Macro({self._text()}, collections={len(self.collections)})"


def macro_average(
    parts: Mapping[str, tuple[float, Floats, Design]],
    bounds: tuple[float | None, float | None] = (None, None),
) -> Macro:
    """Return the macro-average of a system over collections, with its interval.

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
    >>> from gainful.inference.design import Design
    >>> first, second = np.array([0.4, 0.6]), np.array([0.5, 0.7, 0.9])
    >>> parts = {"a": (0.5, first, Design(2)), "b": (0.7, second, Design(3))}
    >>> macro = macro_average(parts)
    >>> round(macro.mean, 4), round(macro.standard_error, 4), round(macro.df, 1)
    (0.6, 0.0764, 2.3)
    """
    means, columns, designs = zip(*parts.values(), strict=True)
    mean, names, queries = sum(means) / len(means), tuple(parts), sum(map(len, columns))
    if any(design.df < 1 for design in designs):
        return Macro(mean=mean, collections=names, n=queries)
    spreads = [design.spread(values) for design, values in zip(designs, columns, strict=True)]
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
        n=queries,
        collections=names,
    )


class OracleGaps(Record):
    """The means of a system minus those of the oracle."""

    collections: dict[str, float | None]
    """By collection, over the common queries; None without a run."""
    macro: float | None
    """The mean of the gaps on the averaged collections."""


class Oracle(Record):
    """The oracle, and the gaps to it."""

    run: str | None
    """The run used as the oracle; None for the best system for each query."""
    means: dict[str, dict[str, float | None]]
    """By measure and collection."""
    gaps: dict[str, dict[str, OracleGaps]]
    """By measure and system: its mean minus the oracle's."""


def take_best_values(values: Iterable[Mapping[str, float]], direction: int = 1) -> dict[str, float]:
    """Return the best value over systems for each query.

    Examples
    --------
    >>> take_best_values([{"q1": 0.2, "q2": 0.9}, {"q1": 0.5}])
    {'q1': 0.5, 'q2': 0.9}
    """
    best: dict[str, float] = {}
    for system_values in values:
        for query, value in system_values.items():
            if query not in best or direction * value > direction * best[query]:
                best[query] = value
    return best


def compute_mean(values: Mapping[str, float], weights: Mapping[str, float] | None) -> float:
    """Return the mean of values by query, weighted if there are weights.

    Examples
    --------
    >>> values = {"q1": 0.5, "q2": 1.0}
    >>> compute_mean(values, None), compute_mean(values, {"q1": 3, "q2": 1})
    (0.75, 0.625)
    """
    if weights is None:
        return sum(values.values()) / len(values)
    total = sum(weights[query] for query in values)
    return sum(weights[query] * value for query, value in values.items()) / total
