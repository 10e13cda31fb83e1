"""A power analysis as tables, as rows and as JSON: the contract ``gainful.power/1``.

The contract's schema is ``schemas/power-1.json`` beside this file.
"""

from __future__ import annotations

from gainful.table import TextTable, digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.agreement.power_result import MeasurePower, PowerAnalysis

#: Columns of a bar of power 1.
BAR = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"


def tables(analysis: PowerAnalysis, *, bars: bool = True) -> list[TextTable]:
    """Return queries needed, differences found, and the curve between them for each measure.

    Parameters
    ----------
    bars : bool
        Whether the curve is drawn; without it only its numbers stand there.
    """
    needed = _by_differences(analysis)
    found = TextTable(
        [*_headers(analysis), *(f"{n:,}" for n in analysis.queries)],
        [
            [
                *_row_start(analysis, each),
                *(
                    digits(each.detectable(n, power=analysis.power, alpha=analysis.alpha))
                    for n in analysis.queries
                ),
            ]
            for each in analysis.measures
        ],
        align=_align(analysis) + "r" * len(analysis.queries),
        title="Smallest difference that so many queries find with that power",
    )
    drawn = [_curve(analysis, each, bars) for each in analysis.measures]
    shown = [*needed, found, *(each for each in drawn if each is not None)]
    last = shown[-1]
    shown[-1] = TextTable(
        last.headers, last.rows, align=last.align, title=last.title, notes=_notes(analysis)
    )
    return shown


def _by_differences(analysis: PowerAnalysis) -> list[TextTable]:
    """Return one table for all measures that are asked about the same differences."""
    groups: dict[tuple[float, ...], list[MeasurePower]] = {}
    for each in analysis.measures:
        groups.setdefault(analysis.differences(each), []).append(each)
    title = f"Queries that find a difference with power {digits(analysis.power, 2)}"
    return [
        TextTable(
            [*_headers(analysis), *map(_short, differences)],
            [
                [*_row_start(analysis, each), *(_needed(analysis, each, d) for d in differences)]
                for each in measures
            ],
            align=_align(analysis) + "r" * len(differences),
            title=title,
        )
        for differences, measures in groups.items()
    ]


def _headers(analysis: PowerAnalysis) -> list[str]:
    return ["measure", "deviation"] if _named(analysis) else ["deviation"]


def _align(analysis: PowerAnalysis) -> str:
    return "lr" if _named(analysis) else "r"


def _row_start(analysis: PowerAnalysis, each: MeasurePower) -> list[str]:
    return [*([each.measure or ""] if _named(analysis) else []), digits(each.deviation)]


def _named(analysis: PowerAnalysis) -> bool:
    return any(each.measure for each in analysis.measures)


def _needed(analysis: PowerAnalysis, each: MeasurePower, difference: float) -> str:
    number = each.needed(difference, power=analysis.power, alpha=analysis.alpha)
    return "–" if number is None else f"{number:,}"


def _short(difference: float) -> str:
    text = f"{difference:g}"
    return text[1:] if text.startswith("0.") else text


def _curve(analysis: PowerAnalysis, each: MeasurePower, bars: bool) -> TextTable | None:
    """Return power by the number of queries, for the difference in the middle of those asked."""
    differences = analysis.differences(each)
    difference = differences[(len(differences) - 1) // 2]
    points = each.curve(difference, alpha=analysis.alpha)
    if not points:
        return None
    named = f" of {_short(difference)}" + (f" in {each.measure}" if each.measure else "")
    rows = [[f"{n:,}", digits(power, 2), *([bar(power)] if bars else [])] for n, power in points]
    return TextTable(
        ["queries", "power", *([""] if bars else [])],
        rows,
        align="rrl" if bars else "rr",
        title=f"Chance to find a difference{named}",
    )


def bar(share: float, columns: int = BAR) -> str:
    """Return a bar of blocks, by eighths of a column.

    Examples
    --------
    >>> bar(0.5, 8), bar(0.3, 8), bar(0.0, 8)
    ('████', '██▍', '')
    """
    eighths = round(share * columns * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + _EIGHTHS[rest].strip()


def _notes(analysis: PowerAnalysis) -> list[str]:
    notes = [f"Paired t test, two-sided, alpha {_short(analysis.alpha)}; exact by the noncentral t."]
    past = [each for each in analysis.measures if each.past]
    if past:
        notes.append(
            "deviation: of a difference between two systems on a query, the mean over the pairs of"
            " the past."
        )
        for each in past:
            notes.append(_pairs(each))
        notes += _origins(past)
        if analysis.convention:
            notes.append(analysis.convention)
    return notes


def _pairs(each: MeasurePower) -> str:
    assert each.pairs is not None
    least, median, most = map(digits, each.pairs)
    number = sum(len(past.pair_deviations) for past in each.past)
    if number == 1:
        return f"{each.measure}: from 1 pair of systems, and other pairs may lie far from it."
    return (
        f"{each.measure}: {number} pairs lay between {least} and {most}, half of them below"
        f" {median}; what they need goes with the square."
    )


def _origins(measures: Sequence[MeasurePower]) -> list[str]:
    """Return where the estimates come from; once if it is the same for all measures."""
    told: dict[str, list[str]] = {}
    for each in measures:
        parts = [
            f"{past.name} ({past.systems} systems, {past.queries} queries"
            + (f", {past.left_out} left out that do not count for all" if past.left_out else "")
            + ")"
            for past in each.past
        ]
        told.setdefault("; ".join(parts), []).append(each.measure or "")
    return [
        f"from {text}" if len(told) == 1 else f"{', '.join(names)} from {text}"
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
        "pairs": None if pairs is None else dict(zip(("low", "median", "high"), pairs, strict=True)),
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
