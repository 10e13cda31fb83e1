"""Tables and notes of the results on several collections."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.comparison.notes import MOST_SYSTEMS
from gainful.comparison.tables import rank_cells, rank_columns
from gainful.evaluation.data_checks import describe_count_ranges
from gainful.evaluation.notes import describe_convention
from gainful.evaluation.predicted import condition_notes, describe_worth, explanations, worth_of
from gainful.formats.numbers import digits, spans, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.published import select_published
from gainful.records.tables import columns_of, table_of_columns
from gainful.references import refer
from gainful.suite.comparison_tables import (
    aggregate_label,
    comparison_notes,
    gap_tables,
    pair_tables,
    slice_means_table,
    slice_tables,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gainful.comparison import Rank
    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.result import Suite

__all__ = ["tables"]


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
        starts.append((name, f"{evaluation.judged:,} of {evaluation.queries:,}"))
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

    Parameters
    ----------
    suite : Suite
        The suite to show.
    comparison : SuiteComparison, optional
        The comparison of its systems, to add pairs and verdicts.

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
            listed += pair_tables(comparison, measure)
            listed += gap_tables(comparison, measure, order)
        if suite.slices:
            listed += (
                [slice_means_table(suite, measure)]
                if comparison is None
                else slice_tables(comparison, measure)
            )
        listed += predicted_tables(suite, measure)
        if not large:
            listed.append(build_oracle_table(suite, measure, order))
    if not large:
        listed.append(build_checks_table(suite))
    below = comparison_notes(comparison) if comparison is not None else []
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
    macros = {system: suite.macro(system, measure) for system in suite.systems}
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
            if (value := suite.value(system, name, measure)) is not None
        }
        for name in suite.collections
    }
    wide = len(str(len(suite.systems)))
    rows: list[list[object]] = []
    for system in order:
        macro = suite.macro(system, measure)
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
        Column("macro", aggregate_label(suite), digits),
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
        macro = suite.macro(system, measure)
        rows.append(
            [
                system,
                *(suite.value(system, name, measure) for name in suite.collections),
                macro.mean if macro else None,
                macro.interval if macro else None,
                *([*rank_cells(ranks.get(system)), groups.get(system)] if groups else []),
            ]
        )
    columns = [
        *_columns(suite, digits, aggregate_label(suite)),
        Column("macro_interval", "95% CI", spans(), around="macro"),
    ]
    if comparison is not None and groups:
        columns += [*rank_columns(comparison.choices.alpha), Column("group", align="r")]
    _add_published(suite, measure, columns, rows)
    best = {name: suite.oracle_mean(name, measure) for name in suite.collections}
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
            + [suite.oracle_gap(system, name, measure) for name in (*suite.collections, None)]
            for system in order
        ],
        title=f"{measure!r}, gap to {suite.oracle or 'the oracle'}",
        turned="collection",
    )


def _columns(suite: Suite, show: Callable[[float], str], label: str = "macro") -> list[Column]:
    names = (Column(f"collection.{name}", name, show) for name in suite.collections)
    return [Column("system"), *names, Column("macro", label, show)]


def build_checks_table(suite: Suite) -> Table:
    """Return the data checks of each collection: the range over its systems."""
    counts = {
        name: [evaluation.counts(system) for system in evaluation.systems]
        for name, evaluation in suite.evaluations.items()
    }
    cutoffs = list(next(iter(counts.values()))[0]["judged_at_cutoff"])
    columns = [
        Column("collection"),
        Column("judged_queries", "queries", _format_range),
        Column("no_relevant", "no relevant documents", _format_range),
        Column("missing", "not in the run", _format_range),
        *(
            Column(key, label, _format_range)
            for label, key in (("only in the run", "extra"), ("duplicates", "duplicates"))
            if any(count[key] for group in counts.values() for count in group)
        ),
    ]
    rows: list[list[object]] = []
    for name, counts_by_system in counts.items():
        row: list[object] = [name]
        for column in columns[1:]:
            if column.key == "no_relevant":
                row.append(
                    [
                        n
                        for count in counts_by_system
                        for n in _by_name(count, "no_relevant").values()
                    ]
                )
            else:
                row.append([count[column.key] for count in counts_by_system])
        for key in ("ties_at_cutoff", "judged_at_cutoff"):
            row += [
                [_by_name(count, key)[cutoff] for count in counts_by_system] for cutoff in cutoffs
            ]
        rows.append(row)
    columns += [Column(f"ties_{cutoff}", f"ties at {cutoff}", _format_range) for cutoff in cutoffs]
    columns += [
        Column(f"judged_{cutoff}", f"top {cutoff} judged", _format_shares) for cutoff in cutoffs
    ]
    return Table(columns, rows, title="Data checks")


def _by_name(counts: dict[str, object], key: str) -> dict[str, object]:
    total = counts[key]
    assert isinstance(total, dict)
    return total


def _format_range(numbers: Sequence[object]) -> str:
    least, most = min(numbers), max(numbers)  # type: ignore[type-var]
    return str(least) if least == most else f"{least} to {most}"


def _format_shares(shares: Sequence[object]) -> str:
    known = [share for share in shares if isinstance(share, float)]
    if not known:
        return "–"
    least, most = (f"{100 * share:.1f}" for share in (min(known), max(known)))
    return f"{least}%" if least == most else f"{least} to {most}%"
