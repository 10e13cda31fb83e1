"""A power analysis as tables, as rows and as JSON: the contract ``gainful.power/1``.

The contract's schema is ``power-1.json``, next to this file.
"""

from __future__ import annotations

from gainful.formats.table import TextTable, digits, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.agreement.power_result import MeasurePower, PowerAnalysis

#: Columns of a bar of power 1.
BAR = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"


def tables(analysis: PowerAnalysis, *, bars: bool = True) -> list[TextTable]:
    """Return queries needed, differences found, and the curve between them.

    Parameters
    ----------
    bars : bool
        Whether the curve of a single measure is drawn; without it only its numbers stand there.
    """
    shown = _needed_tables(analysis)
    shown.append(_found_table(analysis))
    for difference, measures in _by_difference(analysis).items():
        curve = _curve(analysis, difference, measures, bars)
        if curve is not None:
            shown.append(curve)
    return [*shown[:-1], shown[-1].told(notes=_notes(analysis))]


def _needed_tables(analysis: PowerAnalysis) -> list[TextTable]:
    """Return one table for all measures that are asked about the same differences."""
    groups: dict[tuple[float, ...], list[MeasurePower]] = {}
    for each in analysis.measures:
        groups.setdefault(analysis.differences(each), []).append(each)
    spread = any(each.pairs for each in analysis.measures)
    headers = [*_headers(analysis), *(["of the pairs"] if spread else [])]
    return [
        TextTable(
            [*headers, *map(short, differences)],
            [
                [
                    *_start(analysis, each),
                    *([_pairs(each)] if spread else []),
                    *(_needed(analysis, each, difference) for difference in differences),
                ]
                for each in measures
            ],
            align="l" * _named(analysis) + "r" * (1 + spread + len(differences)),
            title=f"Queries that find a difference with power {digits(analysis.power, 2)}",
        )
        for differences, measures in groups.items()
    ]


def _found_table(analysis: PowerAnalysis) -> TextTable:
    rows = [
        [
            *_start(analysis, each),
            *(
                digits(
                    each.detectable(n, power=analysis.power, alpha=analysis.alpha)
                    if each.deviation
                    else None
                )
                for n in analysis.queries
            ),
        ]
        for each in analysis.measures
    ]
    return TextTable(
        [*_headers(analysis), *(f"{n:,}" for n in analysis.queries)],
        rows,
        align="l" * _named(analysis) + "r" * (1 + len(analysis.queries)),
        title="Smallest difference that so many queries find with that power",
    )


def _by_difference(analysis: PowerAnalysis) -> dict[float, list[MeasurePower]]:
    """Return the measures by the difference that a curve is shown for, in the middle."""
    groups: dict[float, list[MeasurePower]] = {}
    for each in analysis.measures:
        differences = analysis.differences(each)
        groups.setdefault(differences[(len(differences) - 1) // 2], []).append(each)
    return groups


def _curve(
    analysis: PowerAnalysis, difference: float, measures: list[MeasurePower], bars: bool
) -> TextTable | None:
    curves = [each.curve(difference, alpha=analysis.alpha) for each in measures]
    counts = sorted({n for curve in curves for n, _ in curve})
    if not counts:
        return None
    drawn = bars and len(measures) == 1
    rows = []
    for n in counts:
        powers = [each.achieved(n, difference, alpha=analysis.alpha) for each in measures]
        rows.append([f"{n:,}", *map(_power, powers), *([bar(powers[0])] if drawn else [])])
    names = [each.measure or "power" for each in measures]
    of = f" in {names[0]}" if drawn and measures[0].measure else ""
    return TextTable(
        ["queries", *(["power", ""] if drawn else names)],
        rows,
        align="rrl" if drawn else "r" * (1 + len(names)),
        title=f"Chance to find a difference of {short(difference)}{of}",
    )


def bar(share: float, columns: int = BAR) -> str:
    """Return a bar of blocks, by eighths of a column.

    Examples
    --------
    >>> bar(0.5, 8), bar(0.3, 8), bar(0.0, 8)
    ('████', '██▍', '')
    """
    whole, rest = divmod(round(share * columns * 8), 8)
    return "█" * whole + _EIGHTHS[rest].strip()


def _headers(analysis: PowerAnalysis) -> list[str]:
    return ["measure", "deviation"] if _named(analysis) else ["deviation"]


def _start(analysis: PowerAnalysis, each: MeasurePower) -> list[str]:
    return [*([each.measure or ""] if _named(analysis) else []), digits(each.deviation)]


def _named(analysis: PowerAnalysis) -> bool:
    return any(each.measure for each in analysis.measures)


def _needed(analysis: PowerAnalysis, each: MeasurePower, difference: float) -> str:
    number = each.needed(difference, power=analysis.power, alpha=analysis.alpha)
    return "–" if number is None else f"{number:,}"


def _pairs(each: MeasurePower) -> str:
    if each.pairs is None:
        return "–"
    least, _, most = each.pairs
    return digits(least) if least == most else f"{digits(least)} to {digits(most)}"


def _power(power: float) -> str:
    # Power is never quite 1.
    return ">.99" if power >= 0.995 else digits(power, 2)


def _notes(analysis: PowerAnalysis) -> list[str]:
    notes = [
        f"Paired t test, two-sided, alpha {short(analysis.alpha)}; its power is exact, by the"
        " noncentral t."
    ]
    past = [each for each in analysis.measures if each.past]
    if not past:
        return notes
    notes.append("The deviation is that of a difference between two systems on one query.")
    pairs = {sum(len(one.pair_deviations) for one in each.past) for each in past}
    if pairs == {1}:
        notes.append("There was one pair of systems; others may differ more, or less.")
    else:
        notes.append(
            "Pairs whose deviation is above this mean of all need more queries, those below fewer:"
            " with the square of it."
        )
    same = [each.measure or "" for each in past if not each.deviation]
    if same:
        notes.append(
            f"{', '.join(same)}: the systems differ by the same on every query, from which nothing"
            " follows for others."
        )
    notes += _origins(past)
    if analysis.convention:
        notes.append(analysis.convention)
    return notes


def _origins(measures: Sequence[MeasurePower]) -> list[str]:
    """Return where the estimates come from; once if it is the same for all measures."""
    told: dict[str, list[str]] = {}
    for each in measures:
        parts = [
            f"{past.name} ({past.systems} systems, {past.queries} queries"
            + (f"; {past.left_out} more do not count for all" if past.left_out else "")
            + ")"
            for past in each.past
        ]
        told.setdefault(", ".join(parts), []).append(each.measure or "")
    return [
        f"From {text}." if len(told) == 1 else f"{', '.join(names)}: from {text}."
        for text, names in told.items()
    ]


# --- for programs -------------------------------------------------------------------------------


def columns(analysis: PowerAnalysis) -> dict[str, list[object]]:
    """Return questions and answers as rows: ``found`` says which of the three is the answer."""
    names = ("measure", "deviation", "found", "queries", "difference", "power")
    rows: list[tuple[object, ...]] = []
    for each in analysis.measures:
        start = (each.measure, each.deviation)
        differences = analysis.differences(each)
        for difference in differences:
            number = each.needed(difference, power=analysis.power, alpha=analysis.alpha)
            rows.append((*start, "queries", number, difference, analysis.power))
        for n in analysis.queries:
            least = each.detectable(n, power=analysis.power, alpha=analysis.alpha)
            rows.append((*start, "difference", n, least, analysis.power))
        for difference in differences:
            for n, power in each.curve(difference, alpha=analysis.alpha):
                rows.append((*start, "power", n, difference, power))
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def document(analysis: PowerAnalysis) -> dict[str, object]:
    """Return the analysis as plain values, for JSON."""
    return {
        "schema": "gainful.power/1",
        "test": "paired t, two-sided",
        "power": analysis.power,
        "alpha": analysis.alpha,
        "convention": analysis.convention,
        "measures": [_measure(analysis, each) for each in analysis.measures],
    }


def _measure(analysis: PowerAnalysis, each: MeasurePower) -> dict[str, object]:
    power, alpha = analysis.power, analysis.alpha
    differences = analysis.differences(each)
    pairs = each.pairs
    return {
        "measure": each.measure,
        "deviation": each.deviation,
        "df": each.df,
        "pairs": None
        if pairs is None
        else dict(zip(("low", "median", "high"), pairs, strict=True)),
        "past": [
            {
                "name": past.name,
                "systems": past.systems,
                "queries": past.queries,
                "left_out": past.left_out,
                "deviation": past.deviation,
                "df": past.df,
            }
            for past in each.past
        ],
        "needed": [
            {"difference": d, "queries": each.needed(d, power=power, alpha=alpha)}
            for d in differences
        ],
        "detectable": [
            {"queries": n, "difference": each.detectable(n, power=power, alpha=alpha)}
            for n in analysis.queries
        ],
        "curves": [
            {
                "difference": d,
                "points": [
                    {"queries": n, "power": value} for n, value in each.curve(d, alpha=alpha)
                ],
            }
            for d in differences
        ],
    }
