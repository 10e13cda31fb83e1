"""The tables of a suite."""

from __future__ import annotations

from gainful.comparison.notes import MOST_SYSTEMS
from gainful.comparison.tables import rank_cells, rank_columns
from gainful.evaluation.count_ranges import describe_count_ranges
from gainful.formats.numbers import digits, spans, with_sign
from gainful.formats.table import Column, Note, Table
from gainful.references import refer
from gainful.suite.comparison_tables import (
    aggregate_label,
    comparison_notes,
    gap_tables,
    pair_tables,
    slice_means_table,
    slice_tables,
)
from gainful.suite.notes import notes
from gainful.suite.predicted_tables import predicted_notes, predicted_tables
from gainful.suite.published_means import published_means

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gainful.comparison import Rank
    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.result import Suite

__all__ = ["tables"]


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
    found = []
    large = len(suite.systems) > MOST_SYSTEMS
    for measure in suite.measures:
        order = rank_systems(suite, measure)
        build = build_ranks_table if large else build_values_table
        found.append(build(suite, measure, order, comparison))
        if comparison is not None:
            found += pair_tables(comparison, measure)
            found += gap_tables(comparison, measure, order)
        if suite.slices:
            found += (
                [slice_means_table(suite, measure)]
                if comparison is None
                else slice_tables(comparison, measure)
            )
        found += predicted_tables(suite, measure)
        if not large:
            found.append(build_oracle_table(suite, measure, order))
    if not large:
        found.append(build_checks_table(suite))
    below = comparison_notes(comparison) if comparison is not None else []
    below += predicted_notes(suite)
    further = notes(suite)
    if large:
        below += list(_describe_large(suite))
        # No table shows the oracle.
        further = [note for note in further if note.key != "oracle"]
    return [*found[:-1], found[-1].replace(notes=[*below, *further])]


def _describe_large(suite: Suite) -> Iterator[Note]:
    """Describe what the short output of many systems leaves out."""
    names = ", ".join(suite.collections)
    records = refer("records", "tsv", python="records()")
    yield Note("ranks", f"ranks: in {names}. {records} has the means.")
    evaluations = suite.evaluations.values()
    counts = [each.counts(system) for each in evaluations for system in each.systems]
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
        own = (
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
                " ".join(each.rjust(wide) for each in own),
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
    found = published_means(suite, measure)
    if not found:
        return
    for row in rows:
        row.append(suite.convention.label)
    at = next(index for index, column in enumerate(columns) if column.key == "macro")
    for each in found:
        values = {"system": each.label, "macro": each.macro}
        values |= {f"collection.{name}": mean for name, mean in each.means.items()}
        values["group"] = ""
        rows.append([*(values.get(column.key) for column in columns), each.convention or "unknown"])
    columns.append(Column("convention"))
    rows.sort(key=lambda row: -mean if isinstance(mean := row[at], float) else float("inf"))


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
        name: [each.counts(system) for system in each.systems]
        for name, each in suite.evaluations.items()
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
            if any(each[key] for found in counts.values() for each in found)
        ),
    ]
    rows: list[list[object]] = []
    for name, found in counts.items():
        row: list[object] = [name]
        for column in columns[1:]:
            if column.key == "no_relevant":
                row.append([n for each in found for n in _by_name(each, "no_relevant").values()])
            else:
                row.append([each[column.key] for each in found])
        for key in ("ties_at_cutoff", "judged_at_cutoff"):
            row += [[_by_name(each, key)[cutoff] for each in found] for cutoff in cutoffs]
        rows.append(row)
    columns += [Column(f"ties_{cutoff}", f"ties at {cutoff}", _format_range) for cutoff in cutoffs]
    columns += [
        Column(f"judged_{cutoff}", f"top {cutoff} judged", _format_shares) for cutoff in cutoffs
    ]
    return Table(columns, rows, title="Data checks")


def _by_name(counts: dict[str, object], key: str) -> dict[str, object]:
    found = counts[key]
    assert isinstance(found, dict)
    return found


def _format_range(numbers: Sequence[object]) -> str:
    least, most = min(numbers), max(numbers)  # type: ignore[type-var]
    return str(least) if least == most else f"{least} to {most}"


def _format_shares(shares: Sequence[object]) -> str:
    known = [share for share in shares if isinstance(share, float)]
    if not known:
        return "–"
    least, most = (f"{100 * share:.1f}" for share in (min(known), max(known)))
    return f"{least}%" if least == most else f"{least} to {most}%"
