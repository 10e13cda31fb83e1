"""Means of human values, made more precise by a model's predictions: prediction-powered inference.

People judge a random sample of n of N queries, and a model all of them. The mean of the people's
values y is corrected by what the model's values f say about the other queries:

    estimate = mean over n of y - rate * (f - mean of f over all N)
             = mean over n of y - rate * (1 - n / N) * (f - mean of f over the other N - n)

Any rate that does not depend on the sample gives an unbiased estimate,
however bad the model is, and 0 leaves the mean of the people's values. This is the regression
estimator of two-phase sampling. W. G. Cochran: Sampling Techniques, 3rd edition, Wiley 1977,
chapter 12; A. N. Angelopoulos, J. C. Duchi, T. Zrnic: PPI++: Efficient Prediction-Powered
Inference, arXiv 2311.01453.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt, tanh

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats
from gainful.inference.interval import cdf, mean_interval, quantile
from gainful.keywords import suggest_keywords

__all__ = ["FEWEST_ERRORS", "FEWEST_JUDGED", "PredictedMean", "predicted_mean"]

#: With fewer human values, no estimate is made.
FEWEST_JUDGED = 10

#: With fewer queries on which people and model disagree, the error of the model is unknown.
FEWEST_ERRORS = 10

#: With fewer human values other than the most frequent one, the slope depends on few of them.
#: Chosen by simulation.
FEWEST_VALUES = 6

#: The variance of the sample's predictions, as a share of that of all queries, that their slope is
#: computed with at least. Chosen by simulation (docs/evidence).
LEAST_VARIANCE = 0.5

#: The leverage of a query on the slope that its influence is corrected for at most. Chosen by
#: simulation (docs/evidence).
HIGHEST_LEVERAGE = 0.5

# The highest correlation of which Fisher's z is computed.
_HIGHEST = 1.0 - 1e-12
#: Differences up to this are rounding errors.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PredictedMean:
    """A mean of human values that uses a model's predictions.

    Attributes
    ----------
    mean : float
        The combined estimate.
    standard_error : float
        Its standard error.
    people_mean, people_error : float
        The mean of the human values alone, and its standard error.
    model_mean : float
        The mean of the predictions for all N queries.
    rate : float
        How much of the predictions is used, λ: 0 uses people only.
    method : {"combined", "people"}
        ``people`` if the estimate and its interval are those of the human values alone.
    reason : {"", "few-errors", "few-values", "no-gain"}
        Why only the human values are used: people and model disagree on fewer than
        `FEWEST_ERRORS` queries, which says too little about the error of the model; fewer than
        `FEWEST_VALUES` human values differ from the most frequent one, as a success in few
        queries; or the predictions are not correlated with the human values.
    n, queries : int
        The number of queries with a human value, and of all queries.
    p_random : float
        The p-value of a test that the human-judged queries are a random sample of all queries, by
        their predictions.
    correlation : tuple of float or None
        Fisher's z of the correlation of human values and predictions, and its standard error; None
        if the predictions are not used, and for the average of several collections.
    values : ndarray of shape (n,)
        A value for each human-judged query, with this mean and standard error: tests and intervals
        for a mean apply to them. Without predictions they are the human values.
    design : Design
        The weights and clusters of these queries.
    """

    mean: float
    standard_error: float
    people_mean: float
    people_error: float
    model_mean: float
    rate: float
    method: str
    reason: str
    n: int
    queries: int
    p_random: float
    correlation: tuple[float, float] | None = None
    values: Floats = field(repr=False)
    design: Design = field(repr=False)

    @property
    def effective(self) -> float:
        """The number of human-judged queries that would give the same standard error alone.

        n times the ratio of the two variances.
        """
        if not self.standard_error > 0.0:
            return float(self.n)
        return self.n * (self.people_error / self.standard_error) ** 2

    def effective_interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Return the confidence interval of `effective`, None without `correlation`.

        Parameters
        ----------
        level : float, default 0.95
            The confidence level.

        Notes
        -----
        With the best rate, the combined estimate is worth n / (1 - (1 - n / N) r^2) queries, with r
        the correlation of human values and predictions. So the ends follow from those of r, by
        Student's t interval of Fisher's z = atanh(r). Its standard error is that of the jackknife
        (B. Efron, C. Stein: The jackknife estimate of variance. Annals of Statistics 9(3), 1981),
        but at least 1 / sqrt(n - 3), that of normal values. docs/evidence.md has the coverage.
        """
        if self.correlation is None:
            return None
        z, error = self.correlation
        df = max(self.design.degrees_of_freedom(self.values) - 1.0, 1.0)
        half = -quantile((1.0 - level) / 2.0, df) * error
        rest = 1.0 - self.n / self.queries
        low, high = (
            self.n / (1.0 - rest * tanh(max(end, 0.0)) ** 2) for end in (z - half, z + half)
        )
        return min(low, self.effective), max(high, self.effective)

    def interval(
        self, level: float = 0.95, low: float | None = None, high: float | None = None
    ) -> tuple[float, float] | None:
        """Return the confidence interval of the mean over new queries.

        Parameters
        ----------
        level : float, default 0.95
            The confidence level.
        low, high : float, optional
            The range of the values, as in `mean_interval`.

        Notes
        -----
        By `mean_interval`, with one degree of freedom less if the rate was estimated.
        """
        deviation, n, df = self.design.spread(self.values)
        df -= self.method == "combined"
        return mean_interval(self.mean, deviation, n, level, low, high, df=df)

    def people_interval(
        self, level: float = 0.95, low: float | None = None, high: float | None = None
    ) -> tuple[float, float] | None:
        """Return the confidence interval of the mean of the human values alone."""
        n = self.design.effective
        deviation, df = self.people_error * n**0.5, self.design.degrees_of_freedom(self.values)
        return mean_interval(self.people_mean, deviation, n, level, low, high, df=df)


@suggest_keywords
def predicted_mean(
    values: npt.ArrayLike,
    predicted: npt.ArrayLike,
    design: Design | None = None,
    *,
    judged: npt.ArrayLike | None = None,
) -> PredictedMean:
    """Estimate the mean of human values, with a model's predictions for all queries.

    The queries with a human value must be a random sample of all queries, and the model must have
    been fixed without them.

    Parameters
    ----------
    values : array_like, shape (N,)
        The human values; NaN without one.
    predicted : array_like, shape (N,)
        The model's values, finite.
    design : Design, optional
        Weights and clusters of the N queries.
    judged : array_like of bool, shape (N,), optional
        Which queries people judged. A judged query with the value NaN does not count in the mean,
        as a query without relevant documents under some conventions; the estimate is then a mean
        over the queries that count. Default: those with a value.

    Returns
    -------
    PredictedMean
        The combined estimate, next to those of people and model alone.

    Raises
    ------
    ParameterError
        If the shapes differ, a prediction is not finite, the design has strata, or fewer than
        `FEWEST_JUDGED` queries (or clusters) have a human value.

    Notes
    -----
    The rate is the slope of the regression of y on f, shrunk by
    k = max(0, 1 - 2 (1 - r^2) / (r^2 (n - 2))), with r the correlation of both in the sample. For
    the slope, the variance of f in the sample counts as at least half that of all N predictions: a
    sample without the rare large ones would have too steep a slope. If k is 0, people only are
    used. Otherwise it is cross-fitted: each query has the rate computed from the other n - 1, so
    that no value affects its own correction, and the estimate is unbiased. With
    g_i = rate_i (1 - n / N) and e_i = y_i - g_i (f_i - mean of f over the other N - n queries), it
    is the mean of e, and its variance for new queries, of which the N are a sample, is

        S^2(u) / n + g^2 S^2(f) / (N - n)

    with S^2 the sample variance, that of f over all N queries, and g the mean of g_i. u_i is the
    influence of a query on the estimate: e_i less h b_i c_i / sum(b^2) by the slope, divided by
    1 - b_i^2 / sum(b^2), or by 1/2 if that is larger, as in HC3. b_i is f_i less the mean of f, c_i
    the residual y_i - rate_i f_i less the mean of all, and h is n (1 - n / N) times the difference
    of the means of f in the sample and over the other queries. So the interval is also valid if the
    model predicts how far the values of people spread. J. G. MacKinnon, H. White: Some
    heteroskedasticity-consistent covariance matrix estimators with improved finite sample
    properties. Journal of Econometrics 29(3), 1985.

    For weights and clusters, the variances are those of `Design`, the regression is that of the
    contributions of units to the means, with (sum(w^2))^2 / sum(w^4) in the place of n in k if it
    is smaller, and the covariance of the first two terms is added if they share clusters.

    docs/evidence.md has the coverage and the width of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> model = np.arange(60) % 12 / 12
    >>> people = np.where(np.arange(60) < 20, model * 0.8 + 0.1 + (np.arange(60) % 5) / 50, np.nan)
    >>> found = predicted_mean(people, model)
    >>> found.n, found.queries, round(found.people_mean, 3), round(found.mean, 3)
    (20, 60, 0.453, 0.507)
    >>> round(found.rate, 2), round(found.effective, 1)
    (0.8, 50.7)
    >>> [round(end, 1) for end in found.effective_interval()]
    [50.7, 59.3]
    """
    y_all = np.asarray(values, dtype=np.float64)
    f_all = np.asarray(predicted, dtype=np.float64)
    if y_all.ndim != 1 or y_all.shape != f_all.shape:
        raise ParameterError(
            where="predicted_mean",
            found=f"values of shape {y_all.shape} and predictions of shape {f_all.shape}",
            expected="one of each per query",
        )
    if not np.isfinite(f_all).all():
        raise ParameterError(
            where="predicted_mean", found="a prediction that is not finite", expected="finite ones"
        )
    known = ~np.isnan(y_all)
    rows = known if judged is None else np.asarray(judged, dtype=np.bool_)
    whole = Design(len(y_all)) if design is None else design
    if whole.strata > 1:
        raise ParameterError(where="predicted_mean", found="strata", expected="one stratum")
    part = whole.part(rows) if rows.any() and whole.shares[rows].any() else None
    if part is None or part.units < FEWEST_JUDGED:
        count = 0 if part is None else part.units
        raise ParameterError(
            where="predicted_mean",
            found=f"{count} human-judged quer{'y' if count == 1 else 'ies'} or clusters",
            expected=f"{FEWEST_JUDGED} or more",
        )
    y, model_mean = _linearized(y_all[rows], part), float(whole.mean(f_all))
    # The weight of the other queries in the mean of all, and their mean.
    rest = float(whole.shares[~rows].sum())
    others = float(whole.shares[~rows] @ f_all[~rows]) / rest if rest > _ROUNDING else model_mean
    f = f_all[rows] - others
    people_mean, people_error = float(part.mean(y)), float(part.standard_error(y))
    p_random = _p_random(whole, part, f_all, f, rest)
    values, rate, reason, correlation = y, 0.0, "no-gain", None
    error, mean = people_error, people_mean
    if _count(part, abs(y_all[rows] - f_all[rows]) > _ROUNDING) < FEWEST_ERRORS:
        reason = "few-errors"
    elif _count(part, abs(y - _most_frequent(y)) > _ROUNDING) < FEWEST_VALUES:
        reason = "few-values"
    elif rest > _ROUNDING:
        least = LEAST_VARIANCE * _usual_squares(whole, part, f_all)
        rates = _rates(y, f, part, least)
        residuals = y - rates * f
        if rates.any():
            reason = "few-errors"
            errors = abs(residuals - part.mean(residuals)) > _ROUNDING
            if _count(part, errors) >= FEWEST_ERRORS:
                reason, rate = "", float(part.mean(rates))
                correlation = _fisher_z(y, f, part)
                mean = float(part.mean(y - rest * rates * f))
                influences = _influences(y, f, rates, rest, part, least)
                error = _error(rest * rate, influences, f_all - others, rows, whole, part)
                values = mean + influences * (error / float(part.standard_error(influences)))
    return PredictedMean(
        mean=mean,
        standard_error=error,
        people_mean=people_mean,
        people_error=people_error,
        model_mean=model_mean,
        rate=rate,
        method="people" if reason else "combined",
        reason=reason,
        n=int(rows.sum()),
        queries=len(y_all),
        p_random=p_random,
        correlation=correlation,
        values=values,
        design=part,
    )


def _linearized(y: Floats, design: Design) -> Floats:
    """Return values whose mean is that of the values that count, with its linearized variance.

    A ratio of two means, of value x counts and of counts. Cochran, section 6.4.
    """
    counts = ~np.isnan(y)
    if counts.all():
        return y
    share = float(design.mean(counts.astype(np.float64)))
    mean = float(design.mean(np.where(counts, y, 0.0))) / share
    return np.where(counts, mean + (y - mean) / share, mean)


def _most_frequent(values: Floats) -> float:
    distinct, counts = np.unique(values, return_counts=True)
    return float(distinct[counts.argmax()])


def _count(design: Design, which: npt.NDArray[np.bool_]) -> int:
    """Return the number of units with one of these queries."""
    return int(np.count_nonzero(design.gather(design.shares[:, None] * which[:, None])[:, 0]))


def _usual_squares(whole: Design, part: Design, f_all: Floats) -> float:
    """Return the sum of squares that the predictions of a sample have on average."""
    every = _deviations(f_all, whole)
    return float(every @ every) * whole.effective / part.effective


def _deviations(values: Floats, design: Design) -> Floats:
    """Return the contributions of units to the mean, less their expectation."""
    return design.gather((design.shares * (values - design.mean(values)))[:, None])[:, 0]


def _rates(y: Floats, f: Floats, design: Design, least: float) -> Floats:
    """Return the rate of each query, from the other units; zeros if predictions do not help.

    A sample that happens to lack the rare large predictions would have too steep a slope, so their
    sum of squares counts as at least `least`.
    """
    w, a, b = design.unit_shares(), _deviations(y, design), _deviations(f, design)
    # Without a relation, r^2 has the expectation 1 / n, or with weights sum(w^4) / sum(w^2)^2.
    size = min(design.degrees_of_freedom(y) + 1.0, float((w @ w) ** 2 / (w**2 @ w**2)))
    # An interval has one degree of freedom less than `size` minus 1. Heavy weights may leave none.
    if size < 3.0 or not _shrunk(b @ b, a @ b, a @ a, size, least * (1.0 - w @ w)).any():
        return np.zeros(len(y))
    without = _shrunk(*_without_each_unit(a, b, w), size - 1.0, least * (1.0 - w @ w - w))
    return design.spread_units(without)


def _without_each_unit(a: Floats, b: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the sums of b^2, a b and a^2 over deviations from the means of the other units."""
    # Without a unit, the means of the others move by this much per share.
    up, across = a / (1.0 - w), b / (1.0 - w)
    squares = w @ w - w * w
    return (
        b @ b - b * b + 2 * across * (b @ w - b * w) + across**2 * squares,
        a @ b - a * b + across * (a @ w - a * w) + up * (b @ w - b * w) + up * across * squares,
        a @ a - a * a + 2 * up * (a @ w - a * w) + up**2 * squares,
    )


def _fisher_z(y: Floats, f: Floats, design: Design) -> tuple[float, float]:
    """Return Fisher's z of the correlation, above 0, and its standard error by the jackknife."""
    a, b = _deviations(y, design), _deviations(f, design)
    sums = (b @ b, a @ b, a @ a), _without_each_unit(a, b, design.unit_shares())
    (z,), without = (
        np.arctanh(np.clip(fy / np.sqrt(np.maximum(ff * yy, 1e-300)), -_HIGHEST, _HIGHEST))
        for ff, fy, yy in (map(np.atleast_1d, moments) for moments in sums)
    )
    n = design.units
    error = sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    return abs(float(z)), max(error, 1.0 / sqrt(max(design.effective - 3.0, 1.0)))


def _shrunk(
    ff: npt.ArrayLike, fy: npt.ArrayLike, yy: npt.ArrayLike, size: float, least: npt.ArrayLike
) -> Floats:
    """Return the shrunk slopes from sums of squares and products, with that of f at least some."""
    ff, fy, yy = (np.atleast_1d(np.asarray(value, dtype=np.float64)) for value in (ff, fy, yy))
    varies = (ff > 1e-14) & (yy > 1e-14)
    product = np.where(varies, ff * yy, 1.0)
    share = np.where(varies, np.minimum(fy * fy / product, 1.0), 0.0)
    kept = 1.0 - 2.0 * (1.0 - share) / np.maximum(share * max(size - 2.0, 1.0), 1e-12)
    below = np.where(varies, np.maximum(ff, least), 1.0)
    slopes: Floats = np.where(varies, np.maximum(kept, 0.0) * fy / below, 0.0)
    return slopes


def _influences(
    y: Floats, f: Floats, rates: Floats, rest: float, part: Design, least: float
) -> Floats:
    """Return the influence of each query on the estimate, by its mean and by the slope."""
    residuals = y - rates * f
    b, c, w = _deviations(f, part), _deviations(residuals, part), part.unit_shares()
    squares = max(float(b @ b), least * (1.0 - float(w @ w)))
    by_slope = rest * float(part.mean(f)) * b * c / squares / w
    influences = y - rest * rates * f - part.spread_units(by_slope)
    influences = (influences - part.mean(influences)) / part.spread_units(
        1.0 - np.minimum(b * b / squares, HIGHEST_LEVERAGE)
    )
    centered: Floats = influences - part.mean(influences)
    return centered


def _error(
    rate: float,
    influences: Floats,
    f: Floats,
    rows: npt.NDArray[np.bool_],
    whole: Design,
    part: Design,
) -> float:
    """Return the standard error of the combined estimate."""
    spread = float(part.standard_error(influences))
    shares = np.where(rows, 0.0, whole.shares)
    rest = float(shares.sum())
    every = abs(rate) * float(whole.standard_error(f)) / sqrt(rest)
    sampled = np.zeros(len(f))
    sampled[rows] = part.shares * influences
    both = whole.gather(np.column_stack([sampled, shares / rest * rate * f]))
    shared = float(both[:, 0] @ both[:, 1])
    # A correlation is between -1 and 1.
    shared = max(-spread * every, min(shared, spread * every))
    return sqrt(spread**2 + every**2 + 2 * shared)


def _p_random(whole: Design, part: Design, f_all: Floats, f: Floats, rest: float) -> float:
    """Return the p-value of the difference between the sample and the other queries."""
    error = float(whole.standard_error(f_all)) / sqrt(max(rest * (1.0 - rest), _ROUNDING))
    if rest < _ROUNDING or not error > 1e-12:
        return 1.0
    return 2.0 * cdf(-abs(float(part.mean(f))) / error, max(whole.degrees_of_freedom(f_all), 1.0))
