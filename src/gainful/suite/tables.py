"""Tables of suites and of their comparisons."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.comparison.families import describe_extreme_baselines, describe_families
from gainful.comparison.notes import (
    MOST_SYSTEMS,
    describe_margins,
    describe_test,
    name_tied_for_first,
    power_notes,
)
from gainful.comparison.pair import mirrored, pair_table_of, places_of
from gainful.comparison.rendering import MOST_PAIRS, describe_segment_family
from gainful.comparison.tables import labels_of, rank_cells, rank_columns, slice_table
from gainful.evaluation.data_checks import checks_table, describe_count_ranges
from gainful.evaluation.notes import describe_convention
from gainful.evaluation.predicted import condition_notes, describe_worth, explanations, worth_of
from gainful.formats.numbers import digits, short, spans, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference.effects import FEWEST_EFFECTS
from gainful.published import select_published
from gainful.records.tables import columns_of, table_of, table_of_columns
from gainful.references import refer
from gainful.suite.predictions import estimate_effects
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gainful.comparison import Pair, Rank
    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.result import Suite

__all__ = ["tables"]


def _pair_tables(comparison: SuiteComparison, measure: Measure) -> list[Table]:
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
        Column("mean", _aggregate_label(comparison.suite), column.show, priority=1)
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


def _aggregate_label(suite: Suite) -> str:
    """Return the heading of the macro-averages: ``macro``, ``standardized`` or ``empirical``."""
    return "macro" if suite.aggregate == "mean" else suite.aggregate


def _gap_tables(comparison: SuiteComparison, measure: Measure, order: Sequence[str]) -> list[Table]:
    """Return tables of differences by collection, with significance marks, per baseline."""
    names = comparison.suite.collections
    listed = []
    for baseline in comparison.baselines:
        rows = []
        for system in order:
            if system != baseline:
                pairs = [
                    comparison.pair(system, baseline, measure=measure, collection=name)
                    for name in names
                ]
                if any(pairs):
                    rows.append([system, *pairs])
        if rows:
            columns = [Column(f"collection.{name}", name, _mark_significant) for name in names]
            title = f"{measure!r}, difference from {baseline}"
            listed.append(
                Table([Column("system"), *columns], rows, title=title, turned="collection")
            )
    return listed


def _slice_tables(comparison: SuiteComparison, measure: Measure) -> list[Table]:
    """Return the tables of the slices: one per baseline, or one of all systems or both."""
    pairs = [
        pair
        for part in comparison.segments.values()
        for pair in part
        if pair.measure == repr(measure)
    ]
    if len(comparison.systems) > 2 and not comparison.baselines:
        return [_slice_means_table(comparison.suite, measure, comparison)] if pairs else []
    by = comparison.suite.attribute or "slice"
    return [
        slice_table(comparison, [pair for pair in pairs if pair.baseline == name], by, "wins")
        for name in dict.fromkeys(pair.baseline for pair in pairs)
    ]


def _slice_means_table(
    suite: Suite, measure: Measure, comparison: SuiteComparison | None = None
) -> Table:
    """Return the macro-averages of the systems in each slice, with letters if compared."""
    rows: list[list[object]] = []
    sign = measure.direction
    for name in suite.slices:
        macros = {system: suite.macro(measure, system, name) for system in suite.systems}
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


def _comparison_notes(comparison: SuiteComparison) -> list[Note]:
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
        value = suite.value(pair.measure, pair.system, name)
        other = suite.value(pair.measure, pair.baseline, name)
        ahead += value is not None and other is not None and value > other
    return f"{ahead} of {len(suite.over)}"


def _mark_significant(pair: Pair) -> str:
    """Return a difference as text, with a mark if it is significant."""
    mark = "* " if pair.verdict in SIGNIFICANT else ""
    return mark + with_sign(pair.difference)


@dataclass(frozen=True, slots=True)
class PublishedMeans:
    """The published scores of one system under one convention.

    Attributes
    ----------
    system : str
        Its name.
    convention : str or None
        The convention; None if it is unknown.
    means : dict of str to float
        By collection.
    macro : float or None
        The mean over the averaged collections; None if a score is missing, or if scores relative
        to other systems are averaged.
    """

    system: str
    convention: str | None
    means: dict[str, float]
    macro: float | None

    @property
    def label(self) -> str:
        """The name in tables."""
        return f"{self.system} (published)"


def published_means(suite: Suite, measure: Measure) -> list[PublishedMeans]:
    """Return the published scores of a measure on the collections of a suite.

    Examples
    --------
    >>> import gainful
    >>> from gainful.published import PublishedScore
    >>> score = PublishedScore(
    ...     system="BM25", measure="ndcg_cut_10", mean=0.7, collection="help", convention="beir"
    ... )
    >>> suite = gainful.evaluate_suite("collections", published=[score])
    >>> published_means(suite, suite.measures[0])[0].means
    {'help': 0.7}
    """
    by_system: dict[tuple[str, str | None], dict[str, float]] = {}
    for score in select_published(suite.published, measure):
        if score.collection in suite.evaluations:
            system_means = by_system.setdefault((score.system, score.convention), {})
            system_means[str(score.collection)] = score.mean
    return [
        PublishedMeans(system, convention, means, _macro(suite, means))
        for (system, convention), means in by_system.items()
    ]


def _macro(suite: Suite, means: dict[str, float]) -> float | None:
    if suite.aggregate != "mean" or not all(name in means for name in suite.over):
        return None
    return sum(means[name] for name in suite.over) / len(suite.over)


def describe_published(suite: Suite) -> Iterator[Note]:
    """Yield notes about the published scores."""
    if not suite.published:
        return
    label = suite.convention.label
    shown = [mean for measure in suite.measures for mean in published_means(suite, measure)]
    if not shown:
        names = dict.fromkeys(score.collection or "no collection" for score in suite.published)
        yield Note(
            "published",
            f"No published score is of these measures and collections; they are of"
            f" {', '.join(names)}.",
        )
        return
    others = dict.fromkeys(
        f"{mean.system} ({mean.convention or 'unknown'})"
        for mean in shown
        if mean.convention != label
    )
    if others:
        known = next(
            (mean.convention for mean in shown if mean.convention not in (label, None)), ""
        )
        rest = f" Use {refer('convention', known)} for comparable numbers." if known else ""
        yield Note("published", f"Published under another convention: {', '.join(others)}.{rest}")
    yield Note(
        "untested",
        "Published scores are means, without values by query, so they are not tested.",
        explains=True,
    )


def predicted_tables(suite: Suite, measure: Measure) -> list[Table]:
    """Return a table of people, model and combined, by collection and system."""
    starts: list[tuple[str, str]] = []
    estimates = []
    for name, evaluation in suite.predictions.items():
        starts.append((name, evaluation.sample.counts))
        starts += [("", "")] * (len(evaluation.systems) - 1)
        estimates += [evaluation.estimate(measure, system) for system in evaluation.systems]
    if not estimates:
        return []
    columns: list[tuple[Column, Sequence[object]]] = [
        (Column("collection"), [name for name, _ in starts]),
        (Column("judged", "judged queries", align="r", priority=2), [text for _, text in starts]),
        (Column("system"), [estimate.system for estimate in estimates]),
        *columns_of(estimates, "suite"),
    ]
    return [table_of_columns(columns, title=f"{measure!r}, people and model")]


def predicted_notes(suite: Suite) -> list[Note]:
    """Return the worth of the judgments of people, by collection, and the conditions."""
    notes: list[Note] = []
    condition: list[Note] = []
    several = len(suite.predictions) > 1
    for name, prediction in suite.predictions.items():
        estimates = [
            (f"{estimate.measure} of {estimate.system}", worth_of(estimate))
            for estimate in prediction.estimates
        ]
        said = [
            Note("worth", describe_worth([estimate for _, estimate in estimates])),
            *condition_notes(prediction.sample, estimates),
        ]
        condition = [note for note in said if note.key == "condition"]
        notes += [
            Note(note.key, f"{name}: {note}") if several else note
            for note in said
            if note.key != "condition"
        ]
    if notes:
        text = "The oracle, gaps and data checks are those of the human-judged queries."
        notes += [*condition, Note("human_judged", text, explains=True), *explanations()]
    return notes


_INTERVAL = (
    "The interval of a macro-average is for new queries of these collections, not for other"
    " collections."
)


def notes(suite: Suite) -> list[Note]:
    """Return the notes: missing runs, averaged collections, oracle and convention."""
    return [
        *noted("missing", _missing(suite)),
        *noted("macro", _averaged(suite), explains=len(suite.over) == len(suite.collections)),
        *noted("aggregate", _aggregate(suite)),
        Note("macro_interval", _INTERVAL, explains=True),
        *noted("oracle", _oracle(suite), explains=True),
        *describe_published(suite),
        *noted("left_out", _left_out(suite)),
        Note("convention", describe_convention(next(iter(suite.evaluations.values())))),
    ]


def _missing(suite: Suite) -> Iterator[str]:
    by_system: dict[str, list[str]] = {}
    for system, collection in suite.missing:
        by_system.setdefault(system, []).append(collection)
    if not by_system:
        return
    which = "; ".join(f"{system} for {', '.join(names)}" for system, names in by_system.items())
    incomplete = [system for system in suite.systems if system not in suite.complete]
    line = f"Missing runs: {which}."
    if incomplete:
        line += f" No macro-average for {', '.join(incomplete)}."
    yield line


def _averaged(suite: Suite) -> Iterator[str]:
    if len(suite.over) == len(suite.collections):
        yield "macro: mean of the collections' means."
    else:
        rest = ", ".join(name for name in suite.collections if name not in suite.over)
        yield f"macro: mean over {', '.join(suite.over)}, without {rest}."


def _aggregate(suite: Suite) -> Iterator[str]:
    if suite.aggregate != "mean":
        by = "a normal distribution" if suite.aggregate == "standardized" else "rank"
        yield (
            f"{suite.aggregate}: mean of scores from 0 to 1, relative to the other systems on the"
            f" same query (by {by}). Differences and margins are in these units, and change with"
            " the set of systems."
        )


def _oracle(suite: Suite) -> Iterator[str]:
    if suite.oracle is None:
        yield "oracle: the best system for each query, an upper bound."
    else:
        yield f"{suite.oracle}: the oracle, which is not compared with the systems."


def _left_out(suite: Suite) -> Iterator[str]:
    if suite.left_out:
        yield f"Subfolders without judgments and runs: {', '.join(suite.left_out)}."


def tables(suite: Suite, comparison: SuiteComparison | None = None) -> list[Table]:
    """Return the tables of means, differences and gaps by measure, and of data checks.

    Examples
    --------
    >>> import gainful
    >>> from gainful.formats.text import text
    >>> print(text(tables(gainful.evaluate_suite("collections"))[0]))
    nDCG@10
    system        help  recipes  macro          95% CI
    ──────────────────────────────────────────────────
    fts5-tuned   .8594    .7374  .7984  .5796 to .9604
    fts5-plain   .7861    .5509  .6685  .5194 to .8017
    title-words  .4996        –      –               –
    oracle       .9004    .7374  .8189
    """
    listed = []
    large = len(suite.systems) > MOST_SYSTEMS
    for measure in suite.measures:
        order = rank_systems(suite, measure)
        build = build_ranks_table if large else build_values_table
        listed.append(build(suite, measure, order, comparison))
        if comparison is not None:
            listed += _pair_tables(comparison, measure)
            listed += _gap_tables(comparison, measure, order)
        if suite.slices:
            listed += (
                [_slice_means_table(suite, measure)]
                if comparison is None
                else _slice_tables(comparison, measure)
            )
        listed += predicted_tables(suite, measure)
        if not large:
            listed.append(build_oracle_table(suite, measure, order))
    if not large:
        counts = {
            name: [evaluation.counts(system) for system in evaluation.systems]
            for name, evaluation in suite.evaluations.items()
        }
        listed.append(checks_table(counts, "collection"))
    below = _comparison_notes(comparison) if comparison is not None else []
    below += predicted_notes(suite)
    further = notes(suite)
    if large:
        below += list(_describe_large(suite))
        # No table shows the oracle.
        further = [note for note in further if note.key != "oracle"]
    return [*listed[:-1], listed[-1].replace(notes=[*below, *further])]


def _describe_large(suite: Suite) -> Iterator[Note]:
    """Describe what the short output of many systems leaves out."""
    names = ", ".join(suite.collections)
    records = refer("records", "tsv", python="records()")
    yield Note("ranks", f"ranks: in {names}. {records} has the means.")
    evaluations = suite.evaluations.values()
    counts = [
        evaluation.counts(system) for evaluation in evaluations for system in evaluation.systems
    ]
    yield Note("counts", describe_count_ranges(counts, "in each run"))


def rank_systems(suite: Suite, measure: Measure) -> list[str]:
    """Return the systems by descending macro-average; those without one come last."""
    macros = {system: suite.macro(measure, system) for system in suite.systems}
    return sorted(
        suite.systems,
        key=lambda system: -macro.mean if (macro := macros[system]) else float("inf"),
    )


def build_ranks_table(
    suite: Suite,
    measure: Measure,
    order: Sequence[str],
    comparison: SuiteComparison | None = None,
) -> Table:
    """Return macro-averages and ranks of many systems, with the ranks by collection in one column.

    Twenty systems on ten collections fit on a screen.
    """
    ranks: dict[str, Rank] = {}
    if comparison is not None and not comparison.baselines:
        ranks = comparison.ranks(measure)
    places = {
        name: {
            system: value
            for system in suite.systems
            if (value := suite.value(measure, system, name)) is not None
        }
        for name in suite.collections
    }
    wide = len(str(len(suite.systems)))
    rows: list[list[object]] = []
    for system in order:
        macro = suite.macro(measure, system)
        further = (
            str(1 + sum(value > means[system] for value in means.values()))
            if system in means
            else "–"
            for means in places.values()
        )
        rows.append(
            [
                system,
                *(rank_cells(ranks.get(system)) if ranks else []),
                macro.mean if macro else None,
                macro.interval if macro else None,
                " ".join(rank.rjust(wide) for rank in further),
            ]
        )
    columns = [
        Column("system"),
        *(rank_columns(comparison.choices.alpha) if comparison is not None and ranks else []),
        Column("macro", _aggregate_label(suite), digits),
        Column("macro_interval", "95% CI", spans(), around="macro"),
        Column("ranks", "ranks by collection", fit="whole", priority=1),
    ]
    _add_published(suite, measure, columns, rows)
    return Table(columns, rows, title=f"{measure!r}, {len(suite.collections)} collections")


def build_values_table(
    suite: Suite,
    measure: Measure,
    order: Sequence[str],
    comparison: SuiteComparison | None = None,
) -> Table:
    """Return the means of the systems on the collections, and their macro-averages.

    If all pairs were compared, add the intervals of ranks, and the letters of systems that do not
    differ significantly.
    """
    groups: dict[str, str] = {}
    ranks: dict[str, Rank] = {}
    if comparison is not None and not comparison.baselines and len(comparison.systems) > 2:
        groups, ranks = comparison.letters(measure), comparison.ranks(measure)
    rows: list[list[object]] = []
    for system in order:
        macro = suite.macro(measure, system)
        rows.append(
            [
                system,
                *(suite.value(measure, system, name) for name in suite.collections),
                macro.mean if macro else None,
                macro.interval if macro else None,
                *([*rank_cells(ranks.get(system)), groups.get(system)] if groups else []),
            ]
        )
    columns = [
        *_columns(suite, digits, _aggregate_label(suite)),
        Column("macro_interval", "95% CI", spans(), around="macro"),
    ]
    if comparison is not None and groups:
        columns += [*rank_columns(comparison.choices.alpha), Column("group", align="r")]
    _add_published(suite, measure, columns, rows)
    best = {name: suite.oracle_mean(measure, name) for name in suite.collections}
    averaged = [mean for name in suite.over if (mean := best[name]) is not None]
    whole: float | str | None = None
    if suite.aggregate != "mean":
        whole = ""
    elif len(averaged) == len(suite.over):
        whole = sum(averaged) / len(averaged)
    rest = len(columns) - len(best) - 2
    rows.append([suite.oracle or "oracle", *best.values(), whole, *(rest * [""])])
    return Table(columns, rows, title=repr(measure), turned="collection")


def _add_published(
    suite: Suite, measure: Measure, columns: list[Column], rows: list[list[object]]
) -> None:
    """Add published scores to the rows of the systems, by descending mean, and the conventions."""
    means = published_means(suite, measure)
    if not means:
        return
    for row in rows:
        row.append(suite.convention.label)
    place = next(index for index, column in enumerate(columns) if column.key == "macro")
    for published in means:
        values = {"system": published.label, "macro": published.macro}
        values |= {f"collection.{name}": mean for name, mean in published.means.items()}
        values["group"] = ""
        rows.append(
            [*(values.get(column.key) for column in columns), published.convention or "unknown"]
        )
    columns.append(Column("convention"))
    rows.sort(key=lambda row: -mean if isinstance(mean := row[place], float) else float("inf"))


def build_oracle_table(suite: Suite, measure: Measure, order: Sequence[str]) -> Table:
    """Return each system's gap to the oracle on each collection."""
    return Table(
        _columns(suite, with_sign),
        [
            [system]
            + [suite.oracle_gap(measure, system, name) for name in (*suite.collections, None)]
            for system in order
        ],
        title=f"{measure!r}, gap to {suite.oracle or 'the oracle'}",
        turned="collection",
    )


def _columns(suite: Suite, show: Callable[[float], str], label: str = "macro") -> list[Column]:
    names = (Column(f"collection.{name}", name, show) for name in suite.collections)
    return [Column("system"), *names, Column("macro", label, show)]
