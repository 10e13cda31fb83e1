"""The macro-average, in which each collection has the same weight."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from gainful.inference.interval import mean_interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["Macro", "macro_average"]


@dataclass(frozen=True)
class Macro:
    """The mean of a measure's means over several collections.

    Attributes
    ----------
    mean : float
        The mean of the collections' means.
    low, high : float or None
        The 95% confidence interval of the mean, by `gainful.inference.mean_interval`. None if a
        collection has fewer than two queries.
    standard_error : float or None
        The standard error of the mean; None like the interval.
    df : float or None
        The degrees of freedom of the interval; None like the interval.
    queries : int
        The total number of queries.
    collections : tuple of str
        The averaged collections.
    """

    mean: float
    collections: tuple[str, ...]
    queries: int
    _: KW_ONLY
    standard_error: float | None = None
    df: float | None = None
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return {
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
            "df": self.df,
            "queries": self.queries,
            "collections": list(self.collections),
        }

    def __repr__(self) -> str:
        interval = "" if self.low is None else f", low={self.low:.4f}, high={self.high:.4f}"
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
    The collections are strata of equal weight. With C collections, means m_c and standard errors
    e_c, the mean is sum(m_c) / C, and its standard error is sqrt(sum(e_c^2)) / C with
    sum(e_c^2)^2 / sum(e_c^4 / (n_c - 1)) degrees of freedom (Satterthwaite), where n_c is the
    number of queries or clusters. With n - C degrees of freedom, which assume equal variances,
    the interval would be too short if a small collection contributes most of the error. Source:
    W. G. Cochran: Sampling Techniques, 3rd edition, Wiley 1977, section 5.4. The interval is for
    new queries of these collections, not for other collections.

    Examples
    --------
    >>> values = {"a": {"q1": 0.4, "q2": 0.6}, "b": {"q1": 0.5, "q2": 0.7, "q3": 0.9}}
    >>> found = macro_average(values, [0.5, 0.7], {})
    >>> found.mean, round(found.standard_error, 4), round(found.df, 1)
    (0.6, 0.0764, 2.9)
    """
    from gainful.inference.design import Design

    mean = sum(means) / len(means)
    flat = [value for each in values.values() for value in each.values()]
    shares = [weights.get(name, {}).get(query, 1.0) for name in values for query in values[name]]
    design = Design(
        len(flat),
        weights=shares if weights else None,
        clusters=clusters,
        strata=[name for name, each in values.items() for _ in each],
    )
    error = design.standard_error(flat)
    names = tuple(values)
    if error != error:
        return Macro(mean, names, len(flat))
    deviation, n, df = design.spread(flat)
    ends = mean_interval(mean, deviation, n, low=bounds[0], high=bounds[1], df=df)
    low, high = ends or (None, None)
    return Macro(mean, names, len(flat), standard_error=error, df=df, low=low, high=high)
