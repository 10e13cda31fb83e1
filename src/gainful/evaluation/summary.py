"""The summary of a measure for one system."""

from __future__ import annotations


class Summary:
    """The summary of a measure over the queries of one system.

    Attributes
    ----------
    n : int
        Number of queries that count.
    mean : float
        The mean; NaN without queries. With weights, the weighted mean. For GMAP and GMbpref the
        geometric mean, exp of the mean of log(max(value, 0.00001)).
    sum : float
        The sum, which counting measures (``NumRel``) report.
    median, minimum, maximum, lower_quartile, upper_quartile : float
        Quantiles with linear interpolation; not weighted.
    standard_deviation : float
        Sample standard deviation, with n - 1; NaN below two queries. For a geometric mean, that of
        the logarithms.
    low, high : float or None
        The 95% confidence interval of the mean over queries, by `gainful.inference.mean_interval`.
        For a geometric mean it is computed from the logarithms. None below two queries, or if all
        values are equal and the measure has no upper limit.
    interval_method : str or None
        ``bounded-t``: Student's t, adjusted for the measure's range; ``t``: Student's t, for
        measures without an upper or lower limit, such as IDCG. None without an interval.
    effective : float or None
        With weights, the effective number of queries: (sum of weights)^2 / sum of their squares.
    no_relevant : int
        Number of queries without relevant documents for the measure, whether they count or not.
    judged : float or None
        The judged share of the documents above the measure's cutoff, over all queries in the table;
        without a cutoff, of all retrieved documents. None if nothing was retrieved.
    lowest, highest : float or None
        The lowest and highest possible figure (mean, or sum of a count) over the labels of unjudged
        documents. None without ``bounds``.
    """

    __slots__ = (
        "aggregate",
        "effective",
        "high",
        "highest",
        "interval_method",
        "judged",
        "low",
        "lower_quartile",
        "lowest",
        "maximum",
        "mean",
        "median",
        "minimum",
        "n",
        "no_relevant",
        "standard_deviation",
        "sum",
        "upper_quartile",
    )

    n: int
    mean: float
    sum: float
    median: float
    minimum: float
    maximum: float
    lower_quartile: float
    upper_quartile: float
    standard_deviation: float
    low: float | None
    high: float | None
    interval_method: str | None
    effective: float | None
    no_relevant: int
    judged: float | None
    lowest: float | None
    highest: float | None
    aggregate: str

    def __init__(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a summary cannot be changed ({name})")

    def replace(self, **values: object) -> Summary:
        """Return the summary with other values."""
        return Summary(**{name: getattr(self, name) for name in self.__slots__} | values)

    @property
    def value(self) -> float:
        """The figure of the system: the mean, or the sum of a count."""
        return self.sum if self.aggregate == "sum" else self.mean

    def to_dict(self) -> dict[str, float | int | str | None]:
        """Return the figures; NaN as None."""
        # The main figure comes first, for people who read the JSON.
        first = ("mean", "median", "low", "high", "n")
        last = ("aggregate",) if self.lowest is not None else ("aggregate", "highest", "lowest")
        if self.effective is None:
            last = (*last, "effective")
        rest = (name for name in self.__slots__ if name not in (*first, *last))
        return {name: _finite(getattr(self, name)) for name in (*first, *sorted(rest))}

    def __repr__(self) -> str:
        interval = "" if self.low is None else f", low={self.low:.4f}, high={self.high:.4f}"
        return f"Summary(n={self.n}, mean={self.mean:.4f}{interval}, median={self.median:.4f})"


def _finite(value: float | int | str | None) -> float | int | str | None:
    return None if value is None or value != value else value
