"""The macro-average: each collection counts the same, whatever its number of queries."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Macro", "macro_average"]


class Macro:
    """The mean of a measure's means over several collections.

    Attributes
    ----------
    mean : float
        The sum of the collections' means, divided by their number.
    low, high : float or None
        The 95 % interval for it, clipped to the measure's range. None where a collection has fewer
        than two queries.
    standard_error : float or None
        Of the mean.
    df : int or None
        Degrees of freedom: queries less collections.
    n : int
        Queries in all.
    collections : tuple of str
        What is averaged.
    """

    __slots__ = ("collections", "df", "high", "low", "mean", "n", "standard_error")

    mean: float
    low: float | None
    high: float | None
    standard_error: float | None
    df: int | None
    n: int
    collections: tuple[str, ...]

    def __init__(
        self,
        mean: float,
        collections: tuple[str, ...],
        n: int,
        *,
        standard_error: float | None = None,
        df: int | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "mean", mean)
        put(self, "collections", collections)
        put(self, "n", n)
        put(self, "standard_error", standard_error)
        put(self, "df", df)
        put(self, "low", low)
        put(self, "high", high)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a macro-average cannot be changed ({name})")

    def to_dict(self) -> dict[str, object]:
        """Return the figures by name."""
        return {
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
            "df": self.df,
            "n": self.n,
            "collections": list(self.collections),
        }

    def __repr__(self) -> str:
        interval = "" if self.low is None else f", low={self.low:.4f}, high={self.high:.4f}"
        return f"Macro(mean={self.mean:.4f}{interval}, collections={len(self.collections)})"


def macro_average(
    means: Sequence[float],
    errors: Sequence[float | None],
    counts: Sequence[int],
    collections: Sequence[str],
    *,
    bounds: tuple[float | None, float | None] = (None, None),
) -> Macro:
    """Return the macro-average of a system over collections, with its interval.

    Parameters
    ----------
    means : sequence of float
        The mean over the queries of each collection.
    errors : sequence of float or None
        Their standard errors; None for fewer than two queries.
    counts : sequence of int
        The queries that each mean is over.
    collections : sequence of str
        Their names.
    bounds : (float or None, float or None)
        The measure's range, to which the interval is clipped.

    Returns
    -------
    Macro

    Notes
    -----
    The collections are strata of equal weight: with C of them, means m_c and standard errors e_c,
    the mean is sum(m_c) / C, its standard error sqrt(sum(e_c^2)) / C, and the interval
    mean -/+ t * error, with t the 97.5 % quantile of Student's t distribution with
    sum(n_c) - C degrees of freedom. W. G. Cochran: Sampling Techniques, third edition, 1977,
    chapter 5. It is about new queries of these very collections, and says nothing of others.

    Examples
    --------
    >>> macro_average([0.5, 0.7], [0.03, 0.04], [50, 300], ["a", "b"]).standard_error
    0.025
    >>> macro_average([0.5, 0.7], [None, 0.04], [1, 300], ["a", "b"])
    Macro(mean=0.6000, collections=2)
    """
    from gainful.inference.student_t import quantile

    number = len(means)
    mean = sum(means) / number
    known = [error for error in errors if error is not None]
    if len(known) < number:
        return Macro(mean, tuple(collections), sum(counts))
    error = sum(each * each for each in known) ** 0.5 / number
    df = sum(counts) - number
    half = -quantile(0.025, df) * error
    low, high = mean - half, mean + half
    if bounds[0] is not None:
        low = max(low, min(bounds[0], mean))
    if bounds[1] is not None:
        high = min(high, max(bounds[1], mean))
    return Macro(
        mean, tuple(collections), sum(counts), standard_error=error, df=df, low=low, high=high
    )
