"""Offline beside online differences, as tables, as rows and as JSON: ``gainful.online/1``.

The contract's schema is ``online-1.json``, next to this file.
"""

from __future__ import annotations

from gainful.formats.table import TextTable, digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.agreement.online_result import OnlineAgreement, OnlineSeries


def tables(agreement: OnlineAgreement) -> list[TextTable]:
    """Return the signs, then correlations, slopes and verdicts."""
    headers = _headers(agreement)
    level = f"{agreement.level * 100:g} % interval"
    signs = TextTable(
        [*headers, "experiments", "same sign", "share", level, "by chance", "clear online"],
        [[*_start(agreement, each), *_signs(each)] for each in agreement.series],
        align="l" * len(headers) + "r" * 6,
        title="Do they go the same way?",
    )
    amounts = TextTable(
        [*headers, "Spearman", level, "slope", level, "verdict"],
        [[*_start(agreement, each), *_amounts(each)] for each in agreement.series],
        align="l" * len(headers) + "rrrrl",
        title="Does more offline mean more online?",
        notes=_notes(agreement),
    )
    return [signs, amounts]


def _headers(agreement: OnlineAgreement) -> list[str]:
    return [
        name
        for name in ("measure", "metric")
        if any(getattr(each, name) for each in agreement.series)
    ]


def _start(agreement: OnlineAgreement, each: OnlineSeries) -> list[str]:
    return [getattr(each, name) for name in _headers(agreement)]


def _signs(each: OnlineSeries) -> list[str]:
    return [
        str(each.experiments),
        f"{each.same_sign} of {each.signed}",
        digits(each.same_sign / each.signed, 2) if each.signed else "–",
        _interval(each.same_low, each.same_high, 2) if each.signed else "–",
        digits(each.by_chance, 2),
        "–" if each.clear is None else f"{each.clear_same} of {each.clear}",
    ]


def _amounts(each: OnlineSeries) -> list[str]:
    slope = "–" if each.slope is None else f"{each.slope:.3g}"
    ends = "–"
    if each.slope_low is not None:
        ends = f"{each.slope_low:.3g} to {each.slope_high:.3g}"
    return [
        digits(each.rho, 2),
        _interval(each.rho_low, each.rho_high, 2),
        slope,
        ends,
        each.words,
    ]


def _interval(low: float | None, high: float | None, places: int) -> str:
    if low is None:
        return "–"
    return f"{digits(low, places)} to {digits(high, places)}"


def _notes(agreement: OnlineAgreement) -> list[str]:
    notes = [
        "Verdict: whether the interval of Spearman's correlation leaves out 0; from"
        f" {agreement.minimum} experiments on."
    ]
    for each in agreement.series:
        notes += _remarks(agreement, each)
    notes.append(
        "by chance: the share of the same sign if the two were unrelated. Compare with it, not"
        " with one half."
    )
    if any(each.clear is not None for each in agreement.series):
        notes.append(
            "clear online: experiments whose online interval leaves out 0, and those of the same"
            " sign."
        )
    if any(each.slope is not None for each in agreement.series):
        notes.append(
            "slope: online units by one offline unit, corrected for the errors of the offline"
            " differences."
        )
    if len(agreement.series) > 1:
        notes.append(
            f"The best of {len(agreement.series)} rows looks better than it is: it was chosen for"
            " its luck, too."
        )
    notes.append(
        "Only what was tried online is here. What was held back for its offline result is not."
    )
    return notes


def _remarks(agreement: OnlineAgreement, each: OnlineSeries) -> list[str]:
    name = " and ".join(filter(None, (each.measure, each.metric)))
    start = f"{name}: " if len(agreement.series) > 1 and name else ""
    told = []
    if each.verdict == "inconclusive" and each.least_rho is not None:
        told.append(
            f"{start}{'of' if start else 'Of'} {each.experiments} experiments a correlation of"
            f" {digits(each.least_rho, 2)} could be told from 0."
        )
    for side, up in (("offline", each.offline_up), ("online", each.online_up)):
        if each.signed and up in (0, each.signed):
            told.append(
                f"{start}{'all' if start else 'All'} differences {side} have one sign, so that the"
                " share of the same sign tells nothing."
            )
    if each.no_slope and each.verdict != "too few":
        told.append(f"{start}{'no' if start else 'No'} slope: {each.no_slope}.")
    if each.reliability is not None and each.uncorrected is not None and each.slope is not None:
        told.append(
            f"{start}{_percent(1 - each.reliability)} of the variance offline is error; the slope"
            f" of least squares is {each.uncorrected:.3g}."
        )
    return told


def _percent(share: float) -> str:
    return f"{max(share, 0.0):.0%}".replace("%", " %")


_COLUMNS = (
    *("measure", "metric", "experiments", "signed", "same_sign", "same_low", "same_high"),
    *("offline_up", "online_up"),
    *("by_chance", "clear", "clear_same", "rho", "rho_low", "rho_high", "least_rho"),
    *("slope", "slope_low", "slope_high", "uncorrected", "reliability", "no_slope", "verdict"),
)


def columns(agreement: OnlineAgreement) -> dict[str, list[object]]:
    """Return the series column by column."""
    return {name: [getattr(each, name) for each in agreement.series] for name in _COLUMNS}


def document(agreement: OnlineAgreement) -> dict[str, object]:
    """Return the whole of it as plain values, for JSON."""
    return {
        "schema": "gainful.online/1",
        "experiments": agreement.name,
        "minimum": agreement.minimum,
        "level": agreement.level,
        "series": [
            {**{name: getattr(each, name) for name in _COLUMNS}, "words": each.words}
            for each in agreement.series
        ],
    }
