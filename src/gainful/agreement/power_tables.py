"""Show a power analysis as tables, rows and the JSON contract ``gainful.power/1``."""

from __future__ import annotations

from itertools import pairwise

from gainful.formats.numbers import digits, short, span, thousands
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.agreement.power_result import MeasurePower, PowerAnalysis

#: Columns of a bar of power 1.
BAR = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"


def tables(analysis: PowerAnalysis) -> list[Table]:
    """Return the required queries, the minimum detectable differences and the power curve."""
    shown = [*_needed_tables(analysis), _found_table(analysis)]
    for difference, measures in _by_difference(analysis).items():
        curve = _curve(analysis, difference, measures)
        if curve is not None:
            shown.append(curve)
    return [*shown[:-1], shown[-1].replace(notes=_notes(analysis))]


def _needed_tables(analysis: PowerAnalysis) -> list[Table]:
    """Return one table for all measures with the same differences."""
    groups: dict[tuple[float, ...], list[MeasurePower]] = {}
    for each in analysis.measures:
        groups.setdefault(analysis.differences(each), []).append(each)
    spread = any(each.pairs for each in analysis.measures)
    return [
        Table(
            [
                *_headers(analysis),
                *([Column("pairs", "range over pairs", _pairs)] if spread else []),
                *(Column(f"queries.{d}", short(d), _queries) for d in differences),
            ],
            [
                [
                    *_start(analysis, each),
                    *([each.pairs] if spread else []),
                    *(_needed(analysis, each, difference) for difference in differences),
                ]
                for each in measures
            ],
            title=f"Queries required to detect a difference ({100 * analysis.power:g}% power)",
        )
        for differences, measures in groups.items()
    ]


def _needed(
    analysis: PowerAnalysis, each: MeasurePower, difference: float
) -> tuple[int, int | None] | None:
    """Return the required queries, and their upper limit if the deviation is an estimate."""
    options = {"power": analysis.power, "alpha": analysis.alpha}
    number = each.needed(difference, **options)
    return None if number is None else (number, each.needed_at_most(difference, **options))


def _queries(ends: tuple[int, int | None]) -> str:
    number, most = ends
    return thousands(number) if most is None else f"{thousands(number)} to {thousands(most)}"


def _found_table(analysis: PowerAnalysis) -> Table:
    def least(each: MeasurePower, n: int) -> float | None:
        if not each.deviation:
            return None
        return each.detectable(n, power=analysis.power, alpha=analysis.alpha)

    return Table(
        [
            *_headers(analysis),
            *(Column(f"difference.{n}", thousands(n), digits) for n in analysis.queries),
        ],
        [
            [*_start(analysis, each), *(least(each, n) for n in analysis.queries)]
            for each in analysis.measures
        ],
        title=f"Minimum detectable difference by queries ({100 * analysis.power:g}% power)",
    )


def _by_difference(analysis: PowerAnalysis) -> dict[float, list[MeasurePower]]:
    """Group the measures by the difference of their curve, the middle one."""
    groups: dict[float, list[MeasurePower]] = {}
    for each in analysis.measures:
        differences = analysis.differences(each)
        groups.setdefault(differences[(len(differences) - 1) // 2], []).append(each)
    return groups


def _curve(
    analysis: PowerAnalysis, difference: float, measures: list[MeasurePower]
) -> Table | None:
    curves = [each.curve(difference, alpha=analysis.alpha) for each in measures]
    counts = sorted({n for curve in curves for n, _ in curve})
    if not counts:
        return None
    drawn = len(measures) == 1
    rows = []
    for n in counts:
        powers = [each.achieved(n, difference, alpha=analysis.alpha) for each in measures]
        rows.append([n, *powers, *(powers if drawn else [])])
    columns = [Column("queries", show=thousands)]
    if drawn:
        columns += [Column("power", show=_power), Column("bar", "", bar, align="l", fit="picture")]
    else:
        columns += [Column(f"power.{each.name}", each.name or "power", _power) for each in measures]
    of = f" in {measures[0].measure}" if drawn and measures[0].measure else ""
    title = f"Power to detect a difference of {short(difference)}{of}"
    return Table(columns, rows, title=title)


def bar(share: float, columns: int = BAR) -> str:
    """Return a bar of blocks, by eighths of a column.

    Examples
    --------
    >>> bar(0.5, 8), bar(0.3, 8), bar(0.0, 8)
    ('████', '██▍', '')
    """
    whole, rest = divmod(round(share * columns * 8), 8)
    return "█" * whole + _EIGHTHS[rest].strip()


def _headers(analysis: PowerAnalysis) -> list[Column]:
    names = [Column("measure")] if _named(analysis) else []
    labels = [Column("labels")] if _is_combined(analysis) else []
    return [*names, *labels, Column("deviation", show=digits)]


def _start(analysis: PowerAnalysis, each: MeasurePower) -> list[object]:
    names: list[object] = [each.measure or ""] if _named(analysis) else []
    if _is_combined(analysis):
        names.append("combined" if each.labels == "combined" else "people only")
    return [*names, each.deviation]


def _is_combined(analysis: PowerAnalysis) -> bool:
    """Return whether the plan uses the labels of a model."""
    return any(each.labels == "combined" for each in analysis.measures)


def _named(analysis: PowerAnalysis) -> bool:
    return any(each.measure for each in analysis.measures)


def _pairs(pairs: tuple[float, float, float]) -> str:
    least, _, most = pairs
    return digits(least) if least == most else span(least, most)


def _power(power: float) -> str:
    # Power is always below 1.
    return ">.99" if power >= 0.995 else digits(power, 2)


def _notes(analysis: PowerAnalysis) -> list[Note]:
    count = analysis.comparisons
    family = f", corrected for {count:,} comparisons" if count > 1 else ""
    test = f"Two-sided test of `gainful compare`, alpha {short(analysis.alpha)}{family}."
    notes = [*noted("combined", _combined(analysis)), Note("test", test)]
    past = [each for each in analysis.measures if each.past]
    if not past:
        return notes
    text = "deviation: standard deviation of the per-query difference between two systems."
    notes.append(Note("deviation", text, explains=True))
    if any(each.upper_deviation is not None for each in past):
        text = (
            "Queries: an estimate to its upper 95% confidence limit, since past queries are a"
            " sample."
        )
        notes.append(Note("limit", text))
    pairs = {sum(len(one.pair_deviations) for one in each.past) for each in past}
    if pairs == {1}:
        text = "The deviation is that of one pair of systems. Other pairs may need more queries."
        notes.append(Note("pairs", text))
    else:
        text = "Pairs with a larger deviation need more queries, in proportion to its square."
        notes.append(Note("pairs", text, explains=True))
    same = [each.name for each in past if not each.deviation]
    if same:
        text = "every query has the same difference, so nothing can be estimated."
        notes.append(Note("same", f"{', '.join(same)}: {text}"))
    notes += noted("past", _origins(past))
    if analysis.convention:
        notes.append(Note("convention", analysis.convention))
    return notes


def _combined(analysis: PowerAnalysis) -> Iterator[str]:
    """Yield the plan with the labels of a model in words, and its condition."""
    pairs = [
        (each, alone)
        for each, alone in pairwise(analysis.measures)
        if each.labels == "combined" and alone.labels == "people"
    ]
    options = {"power": analysis.power, "alpha": analysis.alpha}
    for each, alone in pairs:
        for difference in analysis._differences:
            numbers = [one.needed(difference, **options) for one in (each, alone)]
            if None not in numbers:
                of = f" in {each.measure}" if len(pairs) > 1 else ""
                yield (
                    f"With this model, {numbers[0]:,} human-judged queries detect"
                    f" {short(difference)}{of}; without it, {numbers[1]:,}."
                )
    if pairs:
        ratios = sorted({f"{past.ratio:.3g}" for each, _ in pairs for past in each.past})
        yield (
            f"Queries are human-judged queries. The model judges {' or '.join(ratios)} times as"
            " many, as in the pilot."
        )


def _origins(measures: Sequence[MeasurePower]) -> list[str]:
    """Return the past evaluations; once if they are the same for all measures."""
    origins: dict[str, list[str]] = {}
    for each in measures:
        if each.labels == "combined":
            continue
        parts = [
            f"{past.name} ({past.systems} systems, {past.queries} queries"
            + (f", {past.left_out} left out" if past.left_out else "")
            + ")"
            for past in each.past
        ]
        origins.setdefault(", ".join(parts), []).append(each.measure or "")
    return [
        f"From {text}." if len(origins) == 1 else f"{', '.join(names)}: from {text}."
        for text, names in origins.items()
    ]


# --- for programs -------------------------------------------------------------------------------


def columns(analysis: PowerAnalysis) -> dict[str, list[object]]:
    """Return the results as rows; ``found`` names the computed column of the three."""
    labels = ("labels",) if _is_combined(analysis) else ()
    found = ("found", "queries", "difference", "power", "queries_at_most")
    names: tuple[str, ...] = ("measure", *labels, "deviation", *found)
    rows: list[tuple[object, ...]] = []
    for each in analysis.measures:
        start = (each.measure, *((each.labels,) if labels else ()), each.deviation)
        differences = analysis.differences(each)
        for difference in differences:
            number = each.needed(difference, power=analysis.power, alpha=analysis.alpha)
            most = each.needed_at_most(difference, power=analysis.power, alpha=analysis.alpha)
            rows.append((*start, "queries", number, difference, analysis.power, most))
        for n in analysis.queries:
            least = each.detectable(n, power=analysis.power, alpha=analysis.alpha)
            rows.append((*start, "difference", n, least, analysis.power, None))
        for difference in differences:
            for n, power in each.curve(difference, alpha=analysis.alpha):
                rows.append((*start, "power", n, difference, power, None))
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def document(analysis: PowerAnalysis) -> dict[str, object]:
    """Return the analysis as JSON values; the schema is ``power-1.json``."""
    return {
        "schema": "gainful.power/1",
        "test": "paired t, two-sided",
        "power": analysis.power,
        "alpha": analysis.alpha,
        "comparisons": analysis.comparisons,
        "convention": analysis.convention,
        "measures": [_measure(analysis, each) for each in analysis.measures],
    }


def _measure(analysis: PowerAnalysis, each: MeasurePower) -> dict[str, object]:
    power, alpha = analysis.power, analysis.alpha
    differences = analysis.differences(each)
    pairs = each.pairs
    return {
        "measure": each.measure,
        "labels": each.labels,
        "deviation": each.deviation,
        "upper_deviation": each.upper_deviation,
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
                "effective_df": past.effective_df,
                "ratio": past.ratio,
            }
            for past in each.past
        ],
        "needed": [
            {
                "difference": d,
                "queries": each.needed(d, power=power, alpha=alpha),
                "queries_at_most": each.needed_at_most(d, power=power, alpha=alpha),
            }
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
