"""Compare offline differences with the results of A/B tests."""

from __future__ import annotations

from gainful.agreement.experiments import Experiment, experiments_of
from gainful.agreement.online_result import OnlineAgreement, OnlinePrediction, OnlineSeries
from gainful.errors import ParameterError
from gainful.inference.interval import check_level
from gainful.inference.proportions import binomial_interval
from gainful.inference.regression import Slope, errors_in_variables, prediction_interval
from gainful.inference.spearman import Spearman, least_correlation, spearman
from gainful.keywords import suggest_keywords
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.agreement.experiments import ExperimentsLike

__all__ = ["MINIMUM", "compare_online"]

#: With 15 experiments a correlation must be .54 to be significant, and the interval of a share of
#: one half has a half-width of .26. The limit is a judgment call.
MINIMUM = 15
#: The smallest `minimum`.
_LEAST = 5


@suggest_keywords
def compare_online(
    experiments: ExperimentsLike,
    *,
    predict: float | Sequence[float] = (),
    minimum: int = MINIMUM,
    level: float = 0.95,
) -> OnlineAgreement:
    """Compare past offline differences with the results of A/B tests.

    Each experiment is one change, with its effect on a measure offline and on a business metric
    online. Each pair of measure and metric is a series.

    Parameters
    ----------
    experiments : path, or iterable of Experiment or of mappings
        A path is a TSV, CSV or JSON lines file. Columns (or keys): ``offline_difference`` and
        ``online_difference``; optionally their standard errors ``offline_se`` and ``online_se``,
        ``measure`` and ``metric`` if there are several, and the name ``experiment``.
    predict : float or several, optional
        Offline differences of new changes, whose online differences to predict.
    minimum : int, default 15
        The number of experiments required for a verdict, a slope and a prediction, at least 5.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    OnlineAgreement
        For each series, how often both differences have the same sign, Spearman's correlation, and
        the slope corrected for the errors of the offline differences, with their intervals, and a
        verdict; and the predictions.

    Raises
    ------
    SourceError, FormatError, ColumnError
        If the file cannot be read; the message names the line.
    ParameterError
        If there are no experiments, ``minimum`` is below 5, ``level`` is out of range, or a
        difference to predict with is not finite.

    Notes
    -----
    The verdict follows from the interval of Spearman's correlation: D. G. Bonett, T. A. Wright:
    Sample size requirements for estimating Pearson, Kendall and Spearman correlations.
    Psychometrika 65(1), 2000. The interval of the share of the same sign is exact (Clopper and
    Pearson, 1934), and the slope is that of `gainful.inference.regression`. Measurement
    errors on either side lower the correlation, which is not corrected for them.

    With k series that have enough experiments, the intervals of the correlation are at the level
    1 - (1 - level) / k (Bonferroni), so the probability of any wrong verdict is at most 1 - level.

    Predictions are those of `gainful.inference.regression.prediction_interval`. They assume that
    the offline difference of the new change is measured as precisely as those of the past.

    Examples
    --------
    >>> import gainful
    >>> past = [{"offline_difference": x / 100, "online_difference": y, "offline_se": 0.004}
    ...         for x, y in enumerate([-1, 2, 1, 3, 2, 4, 6, 5, 7, 6, 9, 8, 9, 12, 10, 13])]
    >>> found = gainful.compare_online(past)
    >>> series = found.series[0]
    >>> print(series.verdict_text, round(series.rho, 3), round(series.slope))
    online follows offline 0.973 83
    """
    check_level(level)
    if minimum < _LEAST:
        raise ParameterError(
            found=f"minimum={minimum!r}",
            expected=f"{_LEAST} or more",
        )
    news = _offline_differences(predict)
    name, known = experiments_of(experiments)
    groups: dict[tuple[str, str], list[Experiment]] = {}
    for difference in known:
        groups.setdefault((difference.measure, difference.metric), []).append(difference)
    tested = sum(len(group) >= minimum for group in groups.values())
    return OnlineAgreement(
        series=tuple(
            _series(measure, metric, group, minimum, level, max(tested, 1))
            for (measure, metric), group in groups.items()
        ),
        predictions=tuple(
            _predict(measure, metric, group, new, minimum, level)
            for (measure, metric), group in groups.items()
            for new in news
        ),
        minimum=minimum,
        level=level,
        name=name,
        experiments=tuple(known),
    )


def _offline_differences(predict: float | Sequence[float]) -> tuple[float, ...]:
    values = (predict,) if isinstance(predict, (int, float)) else tuple(predict)
    for value in values:
        if not abs(value) < float("inf"):
            raise ParameterError(
                where="predict", found=repr(value), expected="a finite offline difference"
            )
    return values


def _predict(
    measure: str,
    metric: str,
    group: Sequence[Experiment],
    new: float,
    minimum: int,
    level: float,
) -> OnlinePrediction:
    offline = [difference.offline_difference for difference in group]
    interval = None
    if len(group) >= minimum:
        online = [difference.online_difference for difference in group]
        interval = prediction_interval(offline, online, new, level=level)
    return OnlinePrediction(
        measure=measure,
        metric=metric,
        offline_difference=new,
        predicted=None if interval is None else interval.value,
        interval=None if interval is None else Interval(interval.low, interval.high),
        extrapolated=not min(offline) <= new <= max(offline),
    )


def _series(
    measure: str,
    metric: str,
    group: Sequence[Experiment],
    minimum: int,
    level: float,
    tested: int,
) -> OnlineSeries:
    n = len(group)
    offline = [difference.offline_difference for difference in group]
    online = [difference.online_difference for difference in group]
    signed = [(a > 0, b > 0) for a, b in zip(offline, online, strict=True) if a and b]
    same = sum(a == b for a, b in signed)
    simultaneous = 1.0 - (1.0 - level) / tested
    correlation = spearman(offline, online, level=simultaneous)
    slope, why_not = _slope(group, minimum, level)
    clear = _clear(group, level)
    return OnlineSeries(
        measure=measure,
        metric=metric,
        experiments=n,
        signed=len(signed),
        same_sign=same,
        offline_up=sum(up for up, _ in signed),
        online_up=sum(up for _, up in signed),
        same_interval=Interval(*binomial_interval(same, len(signed), level=level)),
        by_chance=_by_chance(signed),
        clear=None if clear is None else len(clear),
        clear_same=None if clear is None else sum(clear),
        rho=None if correlation is None else correlation.rho,
        rho_interval=None if correlation is None else _interval(correlation.low, correlation.high),
        slope=None if slope is None else slope.slope,
        slope_interval=None if slope is None else _interval(slope.low, slope.high),
        uncorrected=None if slope is None else slope.uncorrected,
        reliability=None if slope is None else slope.reliability,
        no_slope=why_not,
        verdict="too few" if n < minimum else _verdict(correlation),
        least_rho=least_correlation(n, level=simultaneous),
    )


def _interval(low: float | None, high: float | None) -> Interval | None:
    return None if low is None or high is None else Interval(low, high)


def _verdict(correlation: Spearman | None) -> str:
    if correlation is None or correlation.low is None or correlation.high is None:
        return "inconclusive"
    if correlation.low > 0.0:
        return "follows"
    return "opposes" if correlation.high < 0.0 else "inconclusive"


def _by_chance(signed: Sequence[tuple[bool, bool]]) -> float | None:
    if not signed:
        return None
    up, gained = (sum(difference[side] for difference in signed) / len(signed) for side in (0, 1))
    return up * gained + (1.0 - up) * (1.0 - gained)


def _clear(group: Sequence[Experiment], level: float) -> list[bool] | None:
    """Return whether signs agree, for each experiment that is significant online."""
    if any(difference.online_se is None for difference in group):
        return None
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    return [
        (difference.offline_difference > 0) == (difference.online_difference > 0)
        for difference in group
        if difference.offline_difference
        and abs(difference.online_difference) > z * (difference.online_se or 0.0)
    ]


def _slope(group: Sequence[Experiment], minimum: int, level: float) -> tuple[Slope | None, str]:
    if len(group) < minimum:
        return None, f"fewer than {minimum} experiments"
    errors = [difference.offline_se for difference in group if difference.offline_se is not None]
    if len(errors) < len(group):
        return None, "some standard errors of the offline differences are unknown"
    fit = errors_in_variables(
        [difference.offline_difference for difference in group],
        [difference.online_difference for difference in group],
        errors,
        level=level,
    )
    if fit is None:
        return None, "all offline differences are equal"
    if fit.slope is None:
        return fit, "the offline differences vary little more than their errors"
    return fit, ""
