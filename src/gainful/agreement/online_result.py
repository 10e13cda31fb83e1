"""The result of comparing offline with online differences."""

from __future__ import annotations

from gainful import plots
from gainful.formats.numbers import digits, short
from gainful.formats.table import Note, Table, noted
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import table_of
from gainful.results import Result
from gainful.vocabulary import ONLINE_VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.agreement.experiments import Experiment
    from gainful.plots import Plot

__all__ = ["OnlineAgreement", "OnlinePrediction", "OnlineSeries"]

_COUNT = {"minimum": 0}
_SHARE = {"minimum": 0, "maximum": 1}


def _two(value: float) -> str:
    return digits(value, 2)


def _three(value: float) -> str:
    return f"{value:.3g}"


def _difference(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{short(abs(value))}"


def _of(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}"


class OnlineSeries(Record):
    """One offline measure vs. one online metric, over past experiments."""

    measure: str = field(tables="signs amounts", if_any=True)
    """The offline measure; empty if the experiments have none."""
    metric: str = field(tables="signs amounts", if_any=True)
    """The online metric; empty if the experiments have none."""
    experiments: int = field(tables="signs", show=str, json=_COUNT)
    """The number of experiments."""
    signed: int = field(json=_COUNT)
    """The number of experiments whose offline and online differences are both not 0."""
    same_sign: int = field(
        tables="signs",
        label="same sign",
        show=_of,
        cell=lambda series: (series.same_sign, series.signed),
        json=_COUNT,
    )
    """The number of these with the same sign."""
    share: float | None = derived(
        lambda series: series.same_sign / series.signed if series.signed else None,
        key="",
        tables="signs",
        show=_two,
    )
    """The share of these with the same sign; None without any."""
    same_interval: Interval = field(
        tables="signs",
        label="{level} CI",
        show=_two,
        cell=lambda series: series.same_interval if series.signed else None,
        json=_SHARE,
    )
    """The exact interval of the share of the same sign (Clopper and Pearson)."""
    offline_up: int = field(json=_COUNT)
    """The number of these with an improvement offline."""
    online_up: int = field(json=_COUNT)
    """The number of these with an improvement online."""
    by_chance: float | None = field(tables="signs", label="by chance", show=_two, json=_SHARE)
    """The share of the same sign expected of two unrelated series with as many improvements."""
    clear: int | None = field(json=_COUNT)
    """The number of experiments with a significant online difference; null without standard errors.
    """
    clear_same: int | None = field(
        tables="signs",
        label="clear online",
        show=_of,
        cell=lambda series: None if series.clear is None else (series.clear_same, series.clear),
        json=_COUNT,
    )
    """The number of those with the same sign."""
    rho: float | None = field(tables="amounts", label="Spearman", show=_two)
    """Spearman's rank correlation."""
    rho_interval: Interval | None = field(tables="amounts", label="{level} CI", show=_two)
    """Its interval, simultaneous over the series that have enough experiments for a verdict."""
    least_rho: float | None
    """The smallest correlation that is significant with this number of experiments."""
    slope: float | None = field(tables="amounts", show=_three)
    """Online units per offline unit, corrected for the errors of the offline differences; null if
    `no_slope` has a reason."""
    slope_interval: Interval | None = field(tables="amounts", label="{level} CI", show=_three)
    """Its interval."""
    uncorrected: float | None
    """The slope of ordinary least squares, which these errors bias towards 0."""
    reliability: float | None
    """The share of the variance of the offline differences that is not error."""
    no_slope: str
    """Why the slope is not available, or empty."""
    verdict: str = field(
        tables="amounts",
        cell=lambda series: series.verdict_text,
        fit="whole",
        json={"enum": list(ONLINE_VERDICTS)},
    )
    """``follows`` or ``opposes`` if the interval of Spearman's correlation excludes 0,
    ``inconclusive``, or ``too few``."""
    verdict_text: str = derived(lambda series: ONLINE_VERDICTS[series.verdict])
    """The verdict as text."""


class OnlinePrediction(Record):
    """The online difference that an offline difference predicts."""

    measure: str = field(tables="predictions", if_any=True)
    """The offline measure; empty if the experiments have none."""
    metric: str = field(tables="predictions", if_any=True)
    """The online metric; empty if the experiments have none."""
    offline_difference: float = field(
        tables="predictions", label="offline difference", show=_difference
    )
    """The offline difference of the new experiment."""
    predicted: float | None = field(tables="predictions", show=_three)
    """The predicted online difference; null with fewer experiments than the minimum, or equal
    offline differences."""
    interval: Interval | None = field(
        tables="predictions", label="{level} prediction interval", show=_three
    )
    """Its prediction interval: that of the result of a single new experiment."""
    extrapolated: bool
    """Whether the offline difference is outside the range of past experiments."""


class OnlineAgreement(Result):
    """The agreement of offline and online differences, by measure and metric.

    ``print`` shows it as tables; it exports its rows as an Arrow stream, so
    ``polars.DataFrame(agreement)`` works.
    """

    SCHEMA = "gainful.online/1"
    COMMAND = "compare-online"
    RECORDS = {"series": OnlineSeries, "predictions": OnlinePrediction}
    PICTURES = ("offline_online",)

    name: str = field(key="experiments")
    """The source of the experiments."""
    minimum: int = field(json=_COUNT)
    """The number of experiments required for a verdict."""
    level: float = field(json=_SHARE)
    """The confidence level."""
    series: tuple[OnlineSeries, ...]
    """One for each pair of measure and metric."""
    predictions: tuple[OnlinePrediction, ...] = ()
    """For each series, one for each requested offline difference."""
    experiments: tuple[Experiment, ...] = field(key="")
    """All experiments, in the given order."""

    def tables(self) -> list[Table]:
        """Return tables: agreement of signs, correlations and slopes, predictions."""
        labels = {"level": f"{self.level * 100:g}%"}
        tables = [
            table_of(self.series, "signs", title="Agreement of signs", labels=labels),
            table_of(self.series, "amounts", title="Correlation and slope", labels=labels),
        ]
        if self.predictions:
            title = "Predicted online difference"
            tables.append(table_of(self.predictions, "predictions", title=title, labels=labels))
        return [*tables[:-1], tables[-1].replace(notes=_notes(self))]

    def _picture(self, name: str) -> Plot:
        rows = [
            {
                "experiment": run.experiment,
                "series": " and ".join(filter(None, (run.measure, run.metric))) or "experiments",
                "offline": run.offline_difference,
                "offline_low": run.offline_difference - (run.offline_se or 0.0),
                "offline_high": run.offline_difference + (run.offline_se or 0.0),
                "online": run.online_difference,
                "online_low": run.online_difference - (run.online_se or 0.0),
                "online_high": run.online_difference + (run.online_se or 0.0),
            }
            for run in self.experiments
        ]
        return plots.offline_online(rows)

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{series.experiments} experiments: {series.verdict_text}" for series in self.series
        )
        return f"<OnlineAgreement of {counts}>"


def _notes(agreement: OnlineAgreement) -> list[Note]:
    tested = sum(series.verdict != "too few" for series in agreement.series)
    correction = f", simultaneous over {tested} series" if tested > 1 else ""
    remarks = [
        f"Verdict: from the interval of Spearman's correlation{correction}, with at least"
        f" {agreement.minimum} experiments."
    ]
    remarks += _prediction_remarks(agreement)
    for series in agreement.series:
        remarks += _remarks(agreement, series)
    explanations = ["by chance: share of the same sign expected of unrelated differences."]
    if any(series.slope is not None for series in agreement.series):
        explanations.append(
            "slope: online units per offline unit, corrected for the errors of the offline"
            " differences."
        )
    if any(series.clear is not None for series in agreement.series):
        explanations.append("clear online: same sign, among significant online differences.")
    if len(agreement.series) > 1:
        explanations.append("The best of several rows is partly best by chance.")
    explanations.append("Changes that were never tested online are not included.")
    return [*noted("agreement", remarks), *noted("columns", explanations, explains=True)]


def _prediction_remarks(agreement: OnlineAgreement) -> list[str]:
    predictions, remarks = agreement.predictions, []
    if any(new.predicted is None for new in predictions):
        remarks.append(f"No prediction with fewer than {agreement.minimum} experiments.")
    if any(new.extrapolated and new.predicted is not None for new in predictions):
        outside = dict.fromkeys(
            _difference(new.offline_difference) for new in predictions if new.extrapolated
        )
        remarks.append(
            f"Outside the range of past offline differences, so the prediction of"
            f" {', '.join(outside)} is unreliable."
        )
    return remarks


def _remarks(agreement: OnlineAgreement, series: OnlineSeries) -> list[str]:
    name = " and ".join(filter(None, (series.measure, series.metric)))
    start = f"{name}: " if len(agreement.series) > 1 and name else ""
    remarks = []
    if series.verdict == "inconclusive" and series.least_rho is not None:
        remarks.append(
            f"{start}{'with' if start else 'With'} {series.experiments} experiments a correlation"
            f" of {digits(series.least_rho, 2)} would be significant."
        )
    for side, up in (("offline", series.offline_up), ("online", series.online_up)):
        if series.signed and up in (0, series.signed):
            remarks.append(
                f"{start}{'all' if start else 'All'} {side} differences have the same sign, so the"
                " share of the same sign is not informative."
            )
    if series.no_slope and series.verdict != "too few":
        remarks.append(f"{start}{'no' if start else 'No'} slope: {series.no_slope}.")
    if (
        series.reliability is not None
        and series.uncorrected is not None
        and series.slope is not None
    ):
        remarks.append(
            f"{start}{_percent(1 - series.reliability)} of the offline variance is error; the slope"
            f" of ordinary least squares is {series.uncorrected:.3g}."
        )
    return remarks


def _percent(share: float) -> str:
    return f"{max(share, 0.0):.0%}"
