"""Show offline vs. online differences as tables, rows and the contract ``gainful.online/1``."""

from __future__ import annotations

from gainful.formats.numbers import digits, short, spans
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.agreement.online_result import OnlineAgreement, OnlineSeries


def tables(agreement: OnlineAgreement) -> list[Table]:
    """Return the agreement of signs, then correlations, slopes and verdicts."""
    level = f"{agreement.level * 100:g}% CI"
    names = [
        name
        for name in ("measure", "metric")
        if any(getattr(each, name) for each in agreement.series)
    ]
    start = [Column(name) for name in names]
    signs = Table(
        [
            *start,
            Column("experiments", show=str),
            Column("same_sign", "same sign", _of),
            Column("share", show=_two),
            Column("same_interval", level, spans(_two)),
            Column("by_chance", "by chance", _two),
            Column("clear", "clear online", _of),
        ],
        [[*(getattr(each, name) for name in names), *_signs(each)] for each in agreement.series],
        title="Agreement of signs",
    )
    amounts = Table(
        [
            *start,
            Column("rho", "Spearman", _two),
            Column("rho_interval", level, spans(_two)),
            Column("slope", show=_three),
            Column("slope_interval", level, spans(_three)),
            Column("verdict", fit="whole"),
        ],
        [[*(getattr(each, name) for name in names), *_amounts(each)] for each in agreement.series],
        title="Correlation and slope",
    )
    found = [signs, amounts, *_prediction_tables(agreement, start)]
    return [*found[:-1], found[-1].replace(notes=_notes(agreement))]


def _prediction_tables(agreement: OnlineAgreement, start: list[Column]) -> list[Table]:
    """Return the predictions, if any."""
    if not agreement.predictions:
        return []
    level = f"{agreement.level * 100:g}% prediction interval"
    columns = [
        *start,
        Column("offline_difference", "offline difference", _difference),
        Column("predicted", "predicted", _three),
        Column("interval", level, spans(_three)),
    ]
    rows = [
        [
            *(getattr(each, column.key) for column in start),
            each.offline_difference,
            each.predicted,
            (each.low, each.high),
        ]
        for each in agreement.predictions
    ]
    return [Table(columns, rows, title="Predicted online difference")]


def _difference(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{short(abs(value))}"


def _two(value: float) -> str:
    return digits(value, 2)


def _three(value: float) -> str:
    return f"{value:.3g}"


def _of(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}"


def _signs(each: OnlineSeries) -> list[object]:
    return [
        each.experiments,
        (each.same_sign, each.signed),
        each.same_sign / each.signed if each.signed else None,
        (each.same_low, each.same_high) if each.signed else None,
        each.by_chance,
        None if each.clear is None else (each.clear_same, each.clear),
    ]


def _amounts(each: OnlineSeries) -> list[object]:
    slopes = (each.slope_low, each.slope_high)
    return [each.rho, (each.rho_low, each.rho_high), each.slope, slopes, each.verdict_text]


def _notes(agreement: OnlineAgreement) -> list[Note]:
    tested = sum(each.verdict != "too few" for each in agreement.series)
    correction = f", simultaneous over {tested} series" if tested > 1 else ""
    remarks = [
        f"Verdict: from the interval of Spearman's correlation{correction}, with at least"
        f" {agreement.minimum} experiments."
    ]
    remarks += _prediction_remarks(agreement)
    for each in agreement.series:
        remarks += _remarks(agreement, each)
    explanations = ["by chance: share of the same sign expected of unrelated differences."]
    if any(each.slope is not None for each in agreement.series):
        explanations.append(
            "slope: online units per offline unit, corrected for the errors of the offline"
            " differences."
        )
    if any(each.clear is not None for each in agreement.series):
        explanations.append("clear online: same sign, among significant online differences.")
    if len(agreement.series) > 1:
        explanations.append("The best of several rows is partly best by chance.")
    explanations.append("Changes that were never tested online are not included.")
    return [*noted("agreement", remarks), *noted("columns", explanations, explains=True)]


def _prediction_remarks(agreement: OnlineAgreement) -> list[str]:
    predictions, remarks = agreement.predictions, []
    if any(each.predicted is None for each in predictions):
        remarks.append(f"No prediction with fewer than {agreement.minimum} experiments.")
    if any(each.extrapolated and each.predicted is not None for each in predictions):
        outside = dict.fromkeys(
            _difference(each.offline_difference) for each in predictions if each.extrapolated
        )
        remarks.append(
            f"Outside the range of past offline differences, so the prediction of"
            f" {', '.join(outside)} is unreliable."
        )
    return remarks


def _remarks(agreement: OnlineAgreement, each: OnlineSeries) -> list[str]:
    name = " and ".join(filter(None, (each.measure, each.metric)))
    start = f"{name}: " if len(agreement.series) > 1 and name else ""
    remarks = []
    if each.verdict == "inconclusive" and each.least_rho is not None:
        remarks.append(
            f"{start}{'with' if start else 'With'} {each.experiments} experiments a correlation of"
            f" {digits(each.least_rho, 2)} would be significant."
        )
    for side, up in (("offline", each.offline_up), ("online", each.online_up)):
        if each.signed and up in (0, each.signed):
            remarks.append(
                f"{start}{'all' if start else 'All'} {side} differences have the same sign, so the"
                " share of the same sign is not informative."
            )
    if each.no_slope and each.verdict != "too few":
        remarks.append(f"{start}{'no' if start else 'No'} slope: {each.no_slope}.")
    if each.reliability is not None and each.uncorrected is not None and each.slope is not None:
        remarks.append(
            f"{start}{_percent(1 - each.reliability)} of the offline variance is error; the slope"
            f" of ordinary least squares is {each.uncorrected:.3g}."
        )
    return remarks


def _percent(share: float) -> str:
    return f"{max(share, 0.0):.0%}"


_COLUMNS = (
    *("measure", "metric", "experiments", "signed", "same_sign", "same_low", "same_high"),
    *("offline_up", "online_up"),
    *("by_chance", "clear", "clear_same", "rho", "rho_low", "rho_high", "least_rho"),
    *("slope", "slope_low", "slope_high", "uncorrected", "reliability", "no_slope", "verdict"),
)


_PREDICTED = (
    *("measure", "metric", "offline_difference"),
    *("predicted", "low", "high", "extrapolated"),
)


def columns(agreement: OnlineAgreement, records: str = "series") -> dict[str, list[object]]:
    """Return the series or the predictions column by column."""
    if records == "predictions":
        return {
            name: [getattr(each, name) for each in agreement.predictions] for name in _PREDICTED
        }
    return {name: [getattr(each, name) for each in agreement.series] for name in _COLUMNS}


def document(agreement: OnlineAgreement) -> dict[str, object]:
    """Return the result as JSON values; the schema is ``online-1.json``."""
    return {
        "schema": "gainful.online/1",
        "experiments": agreement.name,
        "minimum": agreement.minimum,
        "level": agreement.level,
        "series": [
            {**{name: getattr(each, name) for name in _COLUMNS}, "verdict_text": each.verdict_text}
            for each in agreement.series
        ],
        "predictions": [
            {name: getattr(each, name) for name in _PREDICTED} for each in agreement.predictions
        ],
    }
