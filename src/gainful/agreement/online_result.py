"""The result of comparing offline with online differences."""

from __future__ import annotations

from dataclasses import dataclass

from gainful import plots
from gainful.agreement.online_tables import columns, document, tables
from gainful.results import Records, Result
from gainful.vocabulary import ONLINE_VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.agreement.experiments import Experiment
    from gainful.formats.table import Table
    from gainful.plots import Plot

__all__ = ["OnlineAgreement", "OnlinePrediction", "OnlineSeries"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineSeries:
    """One offline measure vs. one online metric, over past experiments.

    Attributes
    ----------
    measure, metric : str
        The names; empty if the experiments have none.
    experiments : int
        The number of experiments.
    signed : int
        The number of experiments whose offline and online differences are both not 0.
    same_sign, offline_up, online_up : int
        The numbers of these with the same sign, with an improvement offline, and online.
    same_low, same_high : float
        The exact interval of the share of the same sign (Clopper and Pearson).
    by_chance : float or None
        The share of the same sign expected of two unrelated series with as many improvements.
    clear, clear_same : int or None
        The number of experiments with a significant online difference, and of those with the same
        sign; None without standard errors.
    rho, rho_low, rho_high : float or None
        Spearman's rank correlation with its interval, simultaneous over the series that have enough
        experiments for a verdict.
    slope, slope_low, slope_high : float or None
        Online units per offline unit, corrected for the errors of the offline differences, with its
        interval; None if `no_slope` has a reason.
    uncorrected : float or None
        The slope of ordinary least squares, which these errors bias towards 0.
    reliability : float or None
        The share of the variance of the offline differences that is not error.
    no_slope : str
        Why the slope is not available, or "".
    verdict : str
        ``follows`` or ``opposes`` if the interval of Spearman's correlation excludes 0,
        ``inconclusive``, or ``too few``.
    least_rho : float or None
        The smallest correlation that is significant with this number of experiments.
    """

    measure: str
    metric: str
    experiments: int
    signed: int
    same_sign: int
    offline_up: int
    online_up: int
    same_low: float
    same_high: float
    by_chance: float | None
    clear: int | None
    clear_same: int | None
    rho: float | None
    rho_low: float | None
    rho_high: float | None
    slope: float | None
    slope_low: float | None
    slope_high: float | None
    uncorrected: float | None
    reliability: float | None
    no_slope: str
    verdict: str
    least_rho: float | None

    @property
    def verdict_text(self) -> str:
        """The verdict as text."""
        return ONLINE_VERDICTS[self.verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlinePrediction:
    """The online difference that an offline difference predicts.

    Attributes
    ----------
    measure, metric : str
        The names; empty if the experiments have none.
    offline_difference : float
        The offline difference of the new experiment.
    predicted, low, high : float or None
        The predicted online difference, and its prediction interval: that of the result of a single
        new experiment. None with fewer experiments than the minimum, or equal offline differences.
    extrapolated : bool
        Whether the offline difference is outside the range of past experiments.
    """

    measure: str
    metric: str
    offline_difference: float
    predicted: float | None
    low: float | None
    high: float | None
    extrapolated: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class OnlineAgreement(Result):
    """The agreement of offline and online differences, by measure and metric.

    ``print`` shows it as tables; it exports its rows as an Arrow stream, so
    ``polars.DataFrame(agreement)`` works.

    Attributes
    ----------
    series : tuple of OnlineSeries
        One for each pair of measure and metric.
    minimum : int
        The number of experiments required for a verdict.
    level : float
        The confidence level.
    name : str
        The source of the experiments.
    experiments : tuple of Experiment
        All experiments, in the given order.
    predictions : tuple of OnlinePrediction
        For each series, one for each requested offline difference.
    """

    RECORDS = ("series", "predictions")
    PICTURES = ("offline_online",)

    series: tuple[OnlineSeries, ...]
    minimum: int
    level: float
    name: str
    experiments: tuple[Experiment, ...]
    predictions: tuple[OnlinePrediction, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract ``gainful.online/1``."""
        return document(self)

    def tables(self) -> list[Table]:
        """Return tables: agreement of signs, correlations and slopes, predictions."""
        return tables(self)

    def _records(self, name: str) -> Records:
        return columns(self, name)

    def _picture(self, name: str) -> Plot:
        rows = [
            {
                "experiment": each.experiment,
                "series": " and ".join(filter(None, (each.measure, each.metric))) or "experiments",
                "offline": each.offline_difference,
                "offline_low": each.offline_difference - (each.offline_se or 0.0),
                "offline_high": each.offline_difference + (each.offline_se or 0.0),
                "online": each.online_difference,
                "online_low": each.online_difference - (each.online_se or 0.0),
                "online_high": each.online_difference + (each.online_se or 0.0),
            }
            for each in self.experiments
        ]
        return plots.offline_online(rows)

    def __repr__(self) -> str:
        series = ", ".join(
            f"{each.experiments} experiments: {each.verdict_text}" for each in self.series
        )
        return f"<OnlineAgreement of {series}>"
