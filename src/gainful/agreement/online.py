"""Compare offline differences with the results of past A/B tests."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from gainful import plots
from gainful._kernel import names_of, names_with
from gainful.data.records import Record as InputRecord
from gainful.data.records import finite, read_records
from gainful.errors import ArgumentError, ColumnError, FormatError, ParameterError
from gainful.formats.numbers import digits, short
from gainful.formats.table import Note, Table, noted
from gainful.inference.interval import check_level
from gainful.inference.proportions import binomial_interval
from gainful.inference.rank_correlation import Spearman, least_correlation, spearman
from gainful.inference.regression import Slope, errors_in_variables, prediction_interval
from gainful.keywords import suggest_keywords
from gainful.quoting import names_shown
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import table_of
from gainful.results import Result
from gainful.vocabulary import ONLINE_VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike
    from typing import TypeAlias

    from gainful.plots import Plot

    ExperimentsLike: TypeAlias = str | PathLike[str] | Iterable["Experiment | Mapping[str, object]"]

__all__ = ["Experiment", "OnlineAgreement", "OnlinePrediction", "OnlineSeries", "compare_online"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One change that was evaluated offline and in an A/B test.

    Attributes
    ----------
    offline_difference, online_difference : float
        The new system minus the old one, each in its own unit.
    offline_se, online_se : float or None
        Their standard errors, at least 0; None if unknown.
    experiment : str
        The name of the experiment.
    measure, metric : str
        The offline measure and the online metric; empty if there is only one.
    """

    offline_difference: float
    online_difference: float
    offline_se: float | None = None
    online_se: float | None = None
    experiment: str = ""
    measure: str = ""
    metric: str = ""


def _experiments_of(given: ExperimentsLike) -> tuple[str, list[Experiment]]:
    r"""Return a name for messages, and the experiments.

    Examples
    --------
    >>> rows = [{"offline": 0.02, "online": 0.8, "offline_se": 0.006}]
    >>> _experiments_of(rows)[1][0].offline_se
    0.006
    """
    if isinstance(given, (str, os.PathLike)):
        table = read_records(given)
        name, records = table.name, table.rows
        keys = _keys(name, table.columns)
        experiments = [_experiment(name, record, keys) for record in records]
    else:
        name, experiments = "experiments", []
        if not hasattr(given, "__iter__"):
            raise ArgumentError(
                where=name,
                found=type(given).__name__,
                expected="a path, or experiments or mappings",
            )
        columns: tuple[str, ...] | None = None
        for number, experiment in enumerate(given, 1):
            if isinstance(experiment, Experiment):
                experiments.append(experiment)
                continue
            where = f"experiment {number}"
            if not hasattr(experiment, "items"):
                raise ArgumentError(
                    where=where,
                    found=type(experiment).__name__,
                    expected="an Experiment or a mapping",
                )
            cells = {str(key): value for key, value in experiment.items()}
            if columns != tuple(cells):
                columns = tuple(cells)
                keys = _keys(where, columns)
            experiments.append(_experiment(where, InputRecord(None, cells), keys))
    if not experiments:
        raise ParameterError("at least one experiment is required", where=name)
    return name, experiments


def _keys(name: str, columns: tuple[str, ...]) -> dict[str, str]:
    """Return the column of each known field."""
    keys: dict[str, str] = {}
    parts = [field.name for field in fields(Experiment)]
    for part in parts:
        known = names_with(list(columns), part)
        if len(known) > 1:
            raise ColumnError(f"{' and '.join(known)} are both columns of {part}", file=name)
        keys.update((part, column) for column in known)
    for part in ("offline_difference", "online_difference"):
        if part not in keys:
            raise ColumnError(
                file=name,
                found=f"the columns {names_shown(columns)}",
                expected=f"a column of {part} ({', '.join(names_of(part))})",
                hint=f"the columns are {', '.join(parts)}; only the two differences are required",
            )
    return keys


def _experiment(name: str, record: InputRecord, keys: Mapping[str, str]) -> Experiment:
    def cell(field: str) -> object:
        return record.cells.get(keys[field]) if field in keys else None

    def number(field: str, expected: str, least: float = float("-inf")) -> float | None:
        if cell(field) in (None, ""):
            return None
        return finite(name, record, keys[field], expected=expected, least=least)

    def difference(field: str) -> float:
        value = number(field, "a finite number")
        if value is None:
            raise FormatError(f"{keys[field]} is missing", file=name, line=record.line)
        return value

    def error(field: str) -> float | None:
        return number(field, "a finite number of 0 or more", 0.0)

    def text(field: str) -> str:
        value = cell(field)
        return "" if value is None else str(value)

    return Experiment(
        offline_difference=difference("offline_difference"),
        online_difference=difference("online_difference"),
        offline_se=error("offline_se"),
        online_se=error("online_se"),
        experiment=text("experiment"),
        measure=text("measure"),
        metric=text("metric"),
    )


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
    experiments: int = field(tables="signs")
    """The number of experiments."""
    signed: int
    """The number of experiments whose offline and online differences are both not 0."""
    same_sign: int = field(
        tables="signs",
        label="same sign",
        show=_of,
        cell=lambda series: (series.same_sign, series.signed),
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
    offline_up: int
    """The number of these with an improvement offline."""
    online_up: int
    """The number of these with an improvement online."""
    by_chance: float | None = field(tables="signs", label="by chance", show=_two, json=_SHARE)
    """The share of the same sign expected of two unrelated series with as many improvements."""
    clear: int | None
    """The number of experiments with a significant online difference; null without standard errors.
    """
    clear_same: int | None = field(
        tables="signs",
        label="clear online",
        show=_of,
        cell=lambda series: None if series.clear is None else (series.clear_same, series.clear),
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
    minimum: int
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


#: With 15 experiments a correlation must be .54 to be significant, and the interval of a share of
#: one half has a half-width of .26. The limit is a judgment call.
_MINIMUM = 15

#: The smallest `minimum`.
_LEAST = 5


@suggest_keywords
def compare_online(
    experiments: ExperimentsLike,
    *,
    predict: float | Sequence[float] = (),
    minimum: int = _MINIMUM,
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
    name, known = _experiments_of(experiments)
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
