"""The tables and notes of a comparison over several collections."""

from __future__ import annotations

from gainful.comparison.families import describe_extreme_baselines, describe_families
from gainful.comparison.notes import (
    describe_margins,
    describe_test,
    name_tied_for_first,
    power_notes,
)
from gainful.comparison.pair import mirrored, pair_table_of, places_of
from gainful.comparison.rendering import MOST_PAIRS, describe_segment_family
from gainful.comparison.tables import labels_of, slice_table
from gainful.formats.numbers import digits, short, spans, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference.effects import FEWEST_EFFECTS
from gainful.records.tables import table_of
from gainful.suite.predictions import estimate_effects
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.comparison import Pair
    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.result import Suite

__all__ = [
    "aggregate_label",
    "comparison_notes",
    "gap_tables",
    "pair_tables",
    "slice_means_table",
    "slice_tables",
]


def pair_tables(comparison: SuiteComparison, measure: Measure) -> list[Table]:
    """Return the tables of pairs over all collections, and over other collections like these."""
    tables = []
    for pairs in _list_shown_pairs(comparison, measure):
        tables.append(_pair_table(comparison, pairs, measure))
        if len(comparison.suite.over) >= FEWEST_EFFECTS:
            tables.append(_effects_table(comparison, pairs, measure))
    return tables


def _list_shown_pairs(comparison: SuiteComparison, measure: Measure) -> list[list[Pair]]:
    """Return the pairs of each table: one per baseline, or one of all pairs if they are few."""
    pairs = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
    groups = [[pair for pair in pairs if pair.baseline == name] for name in comparison.baselines]
    sign = measure.direction
    if not comparison.baselines and len(pairs) <= MOST_PAIRS:
        # The better system and the largest difference come first.
        groups = [[pair if sign * pair.difference >= 0 else mirrored(pair) for pair in pairs]]
    return [sorted(group, key=lambda pair: -sign * pair.difference) for group in groups if group]


def _pair_table(comparison: SuiteComparison, pairs: Sequence[Pair], measure: Measure) -> Table:
    number = len(comparison.suite.over)
    where = f"{number} collections" if number > 1 else comparison.suite.over[0]
    places = places_of(pairs)
    title = f"{measure!r}, {where}"
    if comparison.baselines:
        title += f", baseline {pairs[0].baseline} ({digits(pairs[0].baseline_mean, places)})"
    left_out = {"n", "wins", "baseline" if comparison.baselines else ""}
    labels = labels_of(comparison.alpha, pairs)
    table = pair_table_of(pairs, "pairs", labels, title=title)
    table = table.only(lambda column: column.key not in left_out)
    *others, verdict = (
        # Drop this column first on narrow screens: the first table has the macro-averages too.
        Column("mean", aggregate_label(comparison.suite), column.show, priority=1)
        if column.key == "mean"
        else column
        for column in table.columns
    )
    return table.replace(
        columns=[*others, Column("ahead", "ahead in", align="r", priority=2), verdict],
        rows=[
            [*row[:-1], _count_ahead(comparison, pair), row[-1]]
            for row, pair in zip(table.rows, pairs, strict=True)
        ],
    )


def _effects_table(comparison: SuiteComparison, pairs: Sequence[Pair], measure: Measure) -> Table:
    """Return the differences of pairs over collections like those of the suite."""
    level = f"{100 * (1 - comparison.alpha):g}%"
    versus = f", baseline {pairs[0].baseline}" if comparison.baselines else ""
    table = table_of(
        estimate_effects(comparison, pairs),
        "effects",
        title=f"{measure!r}, other collections like these{versus}",
        labels={"level": level},
    )
    return table.only(lambda column: not versus or column.key != "baseline")


def aggregate_label(suite: Suite) -> str:
    """Return the heading of the macro-averages: ``macro``, ``standardized`` or ``empirical``."""
    return "macro" if suite.aggregate == "mean" else suite.aggregate


def gap_tables(comparison: SuiteComparison, measure: Measure, order: Sequence[str]) -> list[Table]:
    """Return tables of differences by collection, with significance marks, per baseline."""
    names = comparison.suite.collections
    listed = []
    for baseline in comparison.baselines:
        rows = []
        for system in order:
            if system != baseline:
                pairs = [comparison.pair(system, baseline, measure, name) for name in names]
                if any(pairs):
                    rows.append([system, *pairs])
        if rows:
            columns = [Column(f"collection.{name}", name, _mark_significant) for name in names]
            title = f"{measure!r}, difference from {baseline}"
            listed.append(
                Table([Column("system"), *columns], rows, title=title, turned="collection")
            )
    return listed


def slice_tables(comparison: SuiteComparison, measure: Measure) -> list[Table]:
    """Return the tables of the slices: one per baseline, or one of all systems or both."""
    pairs = [
        pair
        for part in comparison.segments.values()
        for pair in part
        if pair.measure == repr(measure)
    ]
    if len(comparison.systems) > 2 and not comparison.baselines:
        return [slice_means_table(comparison.suite, measure, comparison)] if pairs else []
    by = comparison.suite.attribute or "slice"
    return [
        slice_table(comparison, [pair for pair in pairs if pair.baseline == name], by, "wins")
        for name in dict.fromkeys(pair.baseline for pair in pairs)
    ]


def slice_means_table(
    suite: Suite, measure: Measure, comparison: SuiteComparison | None = None
) -> Table:
    """Return the macro-averages of the systems in each slice, with letters if compared."""
    rows: list[list[object]] = []
    sign = measure.direction
    for name in suite.slices:
        macros = {system: suite.macro(system, measure, name) for system in suite.systems}
        known = {system: macro for system, macro in macros.items() if macro is not None}
        letters: dict[str, str] = {}
        if comparison is not None:
            letters = comparison.letters(measure, name)
        for index, system in enumerate(
            sorted(known, key=lambda system: -sign * known[system].mean)
        ):
            macro = known[system]
            start = [name, macro.n, len(macro.collections)] if index == 0 else ["", "", ""]
            row = [*start, system, macro.mean, macro.interval, letters.get(system, "")]
            rows.append(row)
    by = suite.attribute or "slice"
    table = Table(
        [
            Column("slice", by),
            Column("n", "queries", str),
            Column("collections", show=str),
            Column("system"),
            Column("macro", show=digits),
            Column("macro_interval", "95% CI", spans(), around="macro"),
            Column("group", align="r"),
        ],
        rows,
        title=f"{measure!r}, by {by}",
    )
    return table.only(lambda column: comparison is not None or column.key != "group")


def comparison_notes(comparison: SuiteComparison) -> list[Note]:
    """Return the notes about tests, power and systems that were not compared."""
    choices, pairs = comparison.choices, comparison.pairs
    measures = len({pair.measure for pair in pairs})
    several = len(comparison.suite.over) > 1
    of = " of macro-averages" if several else ""
    where = ", distributed over the collections as here" if several else ""
    return [
        *([Note("verdict", describe_test(comparison, pairs, of))] if pairs else []),
        *noted("first", name_tied_for_first(comparison, pairs)),
        *noted("family", describe_families(choices, measures)),
        *noted("p_all_pairs", describe_extreme_baselines(pairs, choices.alpha)),
        *noted("new_collections", _describe_new_collections(comparison)),
        *noted("cells", _cells(comparison)),
        *noted("slices", describe_segment_family(comparison)),
        *power_notes(comparison, pairs, where),
        *noted("margin", describe_margins(comparison, pairs)),
        *noted("left_out", _not_compared(comparison)),
        *noted("ahead", _explanations(comparison), explains=True),
    ]


def _describe_new_collections(comparison: SuiteComparison) -> Iterator[str]:
    """Say of the largest difference of each table whether it holds in other collections."""
    count = len(comparison.suite.over)
    if comparison.pairs and 1 < count < FEWEST_EFFECTS:
        yield (
            f"{count} collections cannot show whether a difference holds in other collections; at"
            f" least {FEWEST_EFFECTS} are required."
        )
    for measure in comparison.suite.measures:
        for pairs in _list_shown_pairs(comparison, measure):
            (effect,) = estimate_effects(comparison, pairs[:1])
            if effect.verdict is not None and effect.prediction_interval is not None:
                verdicts = {"inconclusive": "not significantly different"}
                verdict = verdicts.get(effect.verdict, effect.verdict)
                low, high = map(with_sign, effect.prediction_interval)
                yield (
                    f"{effect.system} vs. {effect.baseline}, {measure!r}: {verdict} on average over"
                    " collections like these. In a new collection, expect a difference between"
                    f" {low} and {high}."
                )


def _explanations(comparison: SuiteComparison) -> Iterator[str]:
    measures = len(comparison.suite.measures)
    if not comparison.baselines and len(comparison.pairs) > MOST_PAIRS * measures:
        return  # No table of pairs is shown.
    if comparison.pairs:
        yield "ahead in: number of collections on which the system has the higher mean."
    if len(comparison.pairs) > 1:
        level = f"{100 * (1 - comparison.alpha):g}%"
        yield f"The intervals of differences are simultaneous {level} confidence intervals."


def _cells(comparison: SuiteComparison) -> Iterator[str]:
    pairs = [pair for gap in comparison.gaps.values() for pair in gap]
    if not pairs:
        return
    cells = len(pairs)
    if comparison.choices.family != "all":
        cells = sum(pair.measure == pairs[0].measure for pair in pairs)
    holm = f", p corrected by Holm over {cells} cells and for skewness" if cells > 1 else ""
    yield (
        f"* significant on that collection at alpha {short(comparison.alpha)}"
        f" (randomization test{holm}). No mark does not mean equal."
    )


def _not_compared(comparison: SuiteComparison) -> Iterator[str]:
    suite = comparison.suite
    incomplete = [name for name in comparison.baselines if name not in suite.complete]
    for name in incomplete:
        where = ", ".join(collection for system, collection in suite.missing if system == name)
        yield (
            f"{name} has no run for {where}, so no system is compared with it over all collections."
        )
    if not comparison.baselines and len(suite.complete) < 2:
        yield "Fewer than two systems have a run for each collection, so none are compared."
    left_out = max((pair.left_out for pair in comparison.pairs), default=0)
    if left_out and comparison.baselines:
        yield f"Queries left out because only one system has a value: up to {left_out}."
    elif left_out:
        yield (
            f"Ranks and differences leave out up to {left_out} queries for which a system has no"
            " value; means do not."
        )
    if suite.weighted:
        yield "Means and tests weight the queries of each collection."


def _count_ahead(comparison: SuiteComparison, pair: Pair) -> str:
    suite = comparison.suite
    ahead = 0
    for name in suite.over:
        value = suite.value(pair.system, name, pair.measure)
        other = suite.value(pair.baseline, name, pair.measure)
        ahead += value is not None and other is not None and value > other
    return f"{ahead} of {len(suite.over)}"


def _mark_significant(pair: Pair) -> str:
    """Return a difference as text, with a mark if it is significant."""
    mark = "* " if pair.verdict in SIGNIFICANT else ""
    return mark + with_sign(pair.difference)
