"""The result of comparing offline with online differences."""

from __future__ import annotations

from dataclasses import dataclass

from gainful import charts
from gainful.agreement.online_tables import columns, document, tables
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.agreement.experiments import Experiment
    from gainful.formats.table import Table

__all__ = ["VERDICTS", "OnlineAgreement", "OnlineSeries"]

#: What a series can come to, in words.
VERDICTS = {
    "follows": "online follows offline",
    "opposes": "online goes the other way",
    "inconclusive": "inconclusive",
    "too few": "too few to conclude",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineSeries:
    """One offline measure beside one online metric, over past experiments.

    Attributes
    ----------
    measure, metric : str
        Their names; empty where the experiments do not say.
    experiments : int
        How many there are.
    signed : int
        Those whose offline and online differences are both other than 0.
    same_sign, offline_up, online_up : int
        Of these, those whose differences have the same sign, those that rose offline, and those
        that rose online.
    same_low, same_high : float
        The interval for the share of the same sign; exact (Clopper and Pearson).
    by_chance : float or None
        The share of the same sign that is expected of two unrelated series that rise as often as
        these two: their agreement has to be more.
    clear, clear_same : int or None
        Experiments whose online difference is clear, farther from 0 than the interval's width at
        its standard error, and those of them with the same sign; None without standard errors.
    rho, rho_low, rho_high : float or None
        Spearman's rank correlation with its interval.
    slope, slope_low, slope_high : float or None
        Online units by offline unit, corrected for the errors of the offline differences, with its
        interval; None where `no_slope` says why.
    uncorrected : float or None
        The slope of least squares, which these errors flatten.
    reliability : float or None
        The share of the variance of the offline differences that their errors do not explain.
    no_slope : str
        Why there is no slope; empty where there is one.
    verdict : str
        ``follows`` or ``opposes`` where the interval of Spearman's correlation leaves out 0,
        ``inconclusive``, or ``too few``.
    least_rho : float or None
        The correlation from which this number of experiments would tell that it is not 0.
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
    def words(self) -> str:
        """The verdict in words."""
        return VERDICTS[self.verdict]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class OnlineAgreement(Result):
    """How offline differences went online, by measure and metric.

    ``print`` shows it as tables; it exports its rows as an Arrow stream, so
    ``polars.DataFrame(agreement)`` works.

    Attributes
    ----------
    series : tuple of OnlineSeries
        One for each pair of measure and metric that has experiments.
    minimum : int
        With fewer experiments nothing is concluded.
    level : float
        Of the intervals.
    name : str
        Where the experiments come from.
    experiments : tuple of Experiment
        All of them, as they were given.
    """

    RECORDS = ("series",)
    PICTURES = ("offline_online",)

    series: tuple[OnlineSeries, ...]
    minimum: int
    level: float
    name: str
    experiments: tuple[Experiment, ...]

    def to_dict(self) -> dict[str, object]:
        """Return it as the JSON contract ``gainful.online/1`` has it."""
        return document(self)

    def tables(self) -> list[Table]:
        """Return it as tables of text: the signs, then how much."""
        return tables(self)

    def _records(self, name: str) -> Records:
        return columns(self)

    def _picture(self, name: str) -> Any:
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
        return charts.offline_online(rows)

    def __repr__(self) -> str:
        told = ", ".join(f"{each.experiments} experiments: {each.words}" for each in self.series)
        return f"<OnlineAgreement of {told}>"
