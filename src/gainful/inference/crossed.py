"""Two crossed random samples: queries, and raters or parts of a corpus."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from gainful.errors import ParameterError
from gainful.inference.interval import check_level, quantile
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["CrossedMean", "ShardEffect", "crossed_mean", "shard_anova", "shard_differences"]


class CrossedMean(NamedTuple):
    """A mean over queries and raters, and the standard errors that both samples contribute."""

    mean: float
    low: float
    high: float
    query_error: float
    rater_error: float


@suggest_keywords
def crossed_mean(values: ArrayLike, *, level: float = 0.95) -> CrossedMean | None:
    """Return the mean over queries and raters like these, with its confidence interval.

    Parameters
    ----------
    values : array_like, shape (n, m)
        The value of each of n queries by the judgments of each of m raters, such as the difference
        of two systems.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    CrossedMean or None
        The mean with its interval, and its standard error over queries and over raters. None for
        fewer than two queries or raters, or if all have the same mean.

    Raises
    ------
    ParameterError
        If a value is not finite, or ``level`` is not between 0 and 1.

    Notes
    -----
    Queries and raters are random samples, crossed: each rater judged each query. With Q and R the
    mean squares of queries and of raters in a two-way analysis of variance, the squared standard
    errors are Q / (n m) and R / (n m), and the interval is mean -/+ t sqrt((Q + R) / (n m)). Both
    mean squares include the residual variance, so the interval is at least as long as that over
    queries alone. The degrees of freedom of t are those of Satterthwaite, (Q + R)^2 /
    (Q^2 / (n - 1) + R^2 / (m - 1)). With two raters these can be far too many, so the interval is
    mean -/+ sqrt((t_Q^2 Q + t_R^2 R) / (n m)), t with n - 1 and 1 degrees of freedom: right if
    either vanishes, longer than needed otherwise. R. L. Brennan: Generalizability Theory. Springer
    2001; A. C. Cameron, J. B. Gelbach, D. L. Miller: Robust inference with multiway clustering.
    Journal of Business and Economic Statistics 29(2), 2011. `docs/evidence.md` has the coverage.

    Examples
    --------
    >>> differences = [[0.3, 0.2, 0.3], [0.1, 0.0, 0.2], [0.2, 0.2, 0.3], [0.0, 0.1, 0.1]]
    >>> [round(value, 3) for value in crossed_mean(differences)]
    [0.167, 0.016, 0.318, 0.049, 0.03]
    """
    table = np.asarray(values, np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ParameterError(
            where="crossed_mean",
            found=f"values of shape {table.shape}, or not finite",
            expected="a finite number for each query and rater",
        )
    check_level(level)
    n, m = table.shape
    if n < 2 or m < 2:
        return None
    mean = float(table.mean())
    queries, raters = (float(table.mean(axis=axis).var(ddof=1)) / k for axis, k in ((1, n), (0, m)))
    if queries + raters == 0.0:
        return None
    if m == 2:
        ends = ((queries, n - 1), (raters, 1))
        half = sqrt(sum(part * quantile((1.0 - level) / 2, df) ** 2 for part, df in ends))
        return CrossedMean(mean, mean - half, mean + half, sqrt(queries), sqrt(raters))
    return _over_both(mean, (queries, n - 1), (raters, m - 1), level)


def _over_both(
    mean: float, queries: tuple[float, int], others: tuple[float, int], level: float
) -> CrossedMean:
    """Return the interval of two squared standard errors with their degrees of freedom."""
    squared = queries[0] + others[0]
    df = squared**2 / sum(part**2 / freedom for part, freedom in (queries, others))
    half = -quantile((1.0 - level) / 2, df) * sqrt(squared)
    return CrossedMean(mean, mean - half, mean + half, sqrt(queries[0]), sqrt(others[0]))


class ShardEffect(NamedTuple):
    """A row of an analysis of variance of values by query, system and shard."""

    source: str
    df: int
    sum_of_squares: float
    mean_square: float
    f: float | None
    omega_squared: float | None


@suggest_keywords
def shard_anova(values: ArrayLike) -> list[ShardEffect]:
    """Return the analysis of variance of queries, systems and parts of a corpus.

    Parameters
    ----------
    values : array_like, shape (n, m, k)
        The value of each of n queries for each of m systems on each of k shards, two or more each.

    Returns
    -------
    list of ShardEffect
        Three main effects, three interactions of two and the residual, which is their interaction.
        F and omega squared are None for the residual, and if the residual is 0.

    Raises
    ------
    ParameterError
        If a value is not finite, or there are fewer than two queries, systems or shards.

    Notes
    -----
    F is the mean square divided by that of the residual. The partial omega squared is
    df (F - 1) / (df (F - 1) + n m k), or 0 for F below 1. E. M. Voorhees, D. Samarov, I. Soboroff:
    Using replicates in information retrieval evaluation. TOIS 36(2), 2017; N. Ferro, M. Sanderson:
    Improving the accuracy of system performance estimation by using shards. SIGIR 2019. Such an F
    of systems is about these queries and shards, not about others like them.

    Examples
    --------
    >>> values = [[[0.3, 0.4], [0.5, 0.5]], [[0.1, 0.3], [0.2, 0.2]], [[0.6, 0.8], [0.9, 0.8]]]
    >>> [(row.source, row.df, round(row.sum_of_squares, 3)) for row in shard_anova(values)][:3]
    [('query', 2, 0.672), ('system', 1, 0.03), ('shard', 1, 0.013)]
    """
    table = _cube(values)
    effects = _effects(table)
    *_, residual = effects.values()
    *_, freedom = (_freedom(table, axes) for axes in _SOURCES.values())
    error = float((residual**2).sum()) / freedom
    rows = []
    for name, axes in _SOURCES.items():
        effect = effects[name]
        df = _freedom(table, axes)
        squares = float((effect**2).sum()) * table.size / effect.size
        f = omega = None
        if len(axes) < table.ndim and error > 0.0:
            f = squares / df / error
            excess = df * max(f - 1.0, 0.0)
            omega = excess / (excess + table.size)
        rows.append(ShardEffect(name, df, squares, squares / df, f, omega))
    return rows


@suggest_keywords
def shard_differences(
    values: ArrayLike, pairs: Sequence[tuple[int, int]], *, level: float = 0.95
) -> list[CrossedMean | None]:
    """Return mean differences of systems over queries and documents like these, with intervals.

    Parameters
    ----------
    values : array_like, shape (n, m, k)
        As for `shard_anova`.
    pairs : sequence of (int, int)
        The columns of the systems: of each pair, the second is subtracted from the first.
    level : float, default 0.95
        The simultaneous confidence level, between 0 and 1, by Bonferroni's correction.

    Returns
    -------
    list of CrossedMean or None
        One per pair; None for systems with equal values. `CrossedMean.rater_error` is the standard
        error over shards.

    Raises
    ------
    ParameterError
        As for `shard_anova`, or if ``level`` is not between 0 and 1.

    Notes
    -----
    As `crossed_mean`, with queries and shards crossed. A shard has the variance of the interaction
    of systems and shards, pooled over all systems, since two shards alone say little; that of
    queries is of the pair. So the test keeps its error for other queries and documents, and
    Tukey's HSD with the residual as error does not (docs/evidence).

    Examples
    --------
    >>> values = [[[0.3, 0.4], [0.5, 0.5]], [[0.1, 0.3], [0.2, 0.2]], [[0.6, 0.8], [0.9, 0.8]]]
    >>> mean = shard_differences(values, [(1, 0)])[0]
    >>> round(mean.mean, 3), round(mean.query_error, 3), round(mean.rater_error, 3)
    (0.1, 0.05, 0.1)
    """
    table = _cube(values)
    check_level(level)
    n, m, k = table.shape
    effect = _effects(table)["system × shard"]
    df = (m - 1) * (k - 1)
    shards = 2.0 * float((effect**2).sum()) / df / k
    means = table.mean(axis=2)
    estimates: list[CrossedMean | None] = []
    for system, baseline in pairs:
        if (table[:, system] == table[:, baseline]).all():
            estimates.append(None)
            continue
        differences = means[:, system] - means[:, baseline]
        queries = float(differences.var(ddof=1)) / n
        if queries + shards == 0.0:
            estimates.append(None)
            continue
        alone = 1.0 - (1.0 - level) / len(pairs)
        mean = float(differences.mean())
        estimates.append(_over_both(mean, (queries, n - 1), (shards, df), alone))
    return estimates


#: The axes of each effect: queries, systems, shards.
_SOURCES = {
    "query": (0,),
    "system": (1,),
    "shard": (2,),
    "query × system": (0, 1),
    "query × shard": (0, 2),
    "system × shard": (1, 2),
    "residual": (0, 1, 2),
}


def _cube(values: ArrayLike) -> Floats:
    table = np.asarray(values, np.float64)
    if table.ndim != 3 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise ParameterError(
            where="values",
            found=f"values of shape {table.shape}, or not finite",
            expected="a finite number for each of two or more queries, systems and shards",
        )
    return table


def _freedom(table: Floats, axes: tuple[int, ...]) -> int:
    df = 1
    for axis in axes:
        df *= table.shape[axis] - 1
    return df


def _effects(table: Floats) -> dict[str, Floats]:
    """Return the effects, each the mean over the other axes without all smaller effects."""
    effects: dict[str, Floats] = {}
    for name, axes in _SOURCES.items():
        others = tuple(axis for axis in range(table.ndim) if axis not in axes)
        effect = table.mean(axis=others, keepdims=True) - table.mean()
        for smaller, part in effects.items():
            if set(_SOURCES[smaller]) < set(axes):
                effect = effect - part
        effects[name] = effect
    return effects
