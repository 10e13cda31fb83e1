"""Show a comparison as tables: pairs, slices, coverage, and systems × measures."""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import attrgetter
from string import ascii_lowercase

from gainful.comparison.notes import POSTERIOR_RANKS, error_rate, notes
from gainful.comparison.notes import notes as all_notes
from gainful.comparison.pair import Pair, mirrored
from gainful.comparison.tables import (
    bayes_table,
    detail_table,
    leaderboard_table,
    pair_table,
    posterior_ranks_table,
    risk_table,
    segment_tables,
    worst_table,
)
from gainful.evaluation.summary_tables import count_queries, name_measures
from gainful.formats.markup import Figure
from gainful.formats.numbers import digits, probability, span, with_sign
from gainful.formats.table import Column, Note, Table, TableFormat, noted
from gainful.measures.budgets import budget_of
from gainful.references import refer
from gainful.vocabulary import CORRECTIONS, SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gainful.comparison.data import ComparisonData, SliceDifference
    from gainful.comparison.paired_result import PairedResult
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure
    from gainful.records import Interval

__all__ = [
    "MOST_PAIRS",
    "coverage_rows",
    "describe_segment_family",
    "describe_slice_differences",
    "is_over_budgets",
    "matrix_tables",
    "tables",
]

#: The most pairs that a sentence names.
_MOST = 5


def describe_slice_differences(every: Iterable[SliceDifference], alpha: float) -> Iterator[str]:
    """Say for each measure and attribute which differences vary between slices."""
    for (measure, attribute), group in groupby(every, attrgetter("measure", "attribute")):
        tests = sorted(group, key=attrgetter("p_adjusted"))
        named = [
            f"{test.system} vs. {test.baseline} ({_show_p(test)})"
            for test in tests
            if test.p_adjusted <= alpha
        ]
        subject = f"{measure}, slices of {attribute} (permutation test"
        if named:
            more = f" and {len(named) - _MOST:,} more" if len(named) > _MOST else ""
            pairs = ", ".join(named[:_MOST]) + more
            yield f"{subject}): the difference varies significantly between slices for {pairs}."
        else:
            smallest = "smallest " if len(tests) > 1 else ""
            yield (
                f"{subject}, {smallest}{_show_p(tests[0])}): no difference varies significantly"
                " between slices."
            )


def _show_p(test: SliceDifference) -> str:
    corrected = "p (Holm)" if test.p_adjusted != test.p else "p"
    return f"{corrected} {probability(test.p_adjusted)}"


#: From so many budgets on, a table has them as rows.
_FEW = 3

#: With more pairs, the table has the means only.
_PAIRS = 3


def is_over_budgets(measures: Sequence[Measure]) -> bool:
    """Return whether the measures are one coverage at several budgets."""
    others = {
        tuple((name, value) for name, value in measure.params.items() if name != "budget")
        for measure in measures
    }
    budgets = [budget_of(measure) for measure in measures]
    return len(budgets) >= _FEW and None not in budgets and len(others) == 1


def _coverage_table(comparison: ComparisonData) -> Table:
    """Return one row per budget: the mean of each system, and differences with verdicts."""
    couples = _couples(comparison)
    shown = couples if len(couples) <= _PAIRS else []
    columns = [
        Column("budget", show=lambda budget: f"{budget:,}"),
        *(Column(system, show=digits) for system in comparison.systems),
    ]
    for system, baseline in shown:
        name = f"{system} - {baseline}"
        columns += [
            Column(f"{name} difference", f"{system} − {baseline}", with_sign),
            Column(f"{name} interval", f"{100 * (1 - comparison.alpha):g}% CI", _ends),
            Column(f"{name} verdict", "verdict"),
        ]
    rows = []
    for measure in comparison.measures:
        means = comparison.means(measure)
        row: list[object] = [budget_of(measure), *(means[name] for name in comparison.systems)]
        for couple in shown:
            pair = comparison.pair(*couple, measure=measure)
            row += [pair.difference, pair.interval or "", pair.verdict_text]
        rows.append(row)
    unit = comparison.measures[0].params.get("unit") or "units"
    return Table(columns, rows, title=f"Coverage of the relevant text by {unit} read")


def coverage_rows(evaluations: Sequence[Evaluation]) -> list[dict[str, object]]:
    """Return the mean of each system at each budget with its interval, for a picture."""
    rows: list[dict[str, object]] = []
    for measure in evaluations[0].measures:
        for evaluation in evaluations:
            for system in evaluation.systems:
                summary = evaluation.summary(measure, system)
                low, high = summary.ends
                rows.append(
                    {
                        "system": system,
                        "at": budget_of(measure),
                        "value": summary.mean,
                        "low": low,
                        "high": high,
                    }
                )
    return rows


def _describe_crossings(comparison: ComparisonData) -> Iterator[str]:
    """Yield where the better system of a pair changes with the budget."""
    for couple in _couples(comparison):
        pairs = [comparison.pair(*couple, measure=measure) for measure in comparison.measures]
        pairs = [pair if pair.system == couple[0] else mirrored(pair) for pair in pairs]
        decided = [
            (budget_of(measure), pair)
            for measure, pair in zip(comparison.measures, pairs, strict=True)
            if pair.verdict in SIGNIFICANT
        ]
        crossings = [
            (before, after)
            for before, after in pairwise(decided)
            if before[1].verdict != after[1].verdict
        ]
        for (last, before), (first, _) in crossings:
            leader, other = couple if before.verdict == "better" else couple[::-1]
            yield (
                f"The winner depends on the budget: {leader} covers more up to {last:,}, {other}"
                f" from {first:,}."
            )
        signs = _changes_of_sign(comparison, pairs)
        if not crossings and signs:
            yield (
                f"The means of {' and '.join(couple)} cross between {signs[0][0]:,} and"
                f" {signs[0][1]:,}."
            )


def _changes_of_sign(
    comparison: ComparisonData, pairs: Sequence[Pair]
) -> list[tuple[int | None, int | None]]:
    """Return the budgets between which a difference changes its sign."""
    known = [
        (budget_of(measure), pair.difference)
        for measure, pair in zip(comparison.measures, pairs, strict=True)
        if pair.difference
    ]
    return [
        (before, after)
        for (before, one), (after, other) in pairwise(known)
        if (one > 0) != (other > 0)
    ]


def _couples(comparison: ComparisonData) -> list[tuple[str, str]]:
    return list(dict.fromkeys((pair.system, pair.baseline) for pair in comparison.pairs))


def _ends(ends: Interval | str) -> str:
    return ends if isinstance(ends, str) else span(ends.low, ends.high, with_sign)


#: With more pairs, only the leaderboard and its groups are shown.
MOST_PAIRS = 45

_RISK = "TRisk below -2: the risk is significant. Above 2: the system is better despite the risk."


def tables(
    comparison: ComparisonData,
    *,
    details: bool = False,
    risk: float | None = None,
    worst: int = 0,
) -> list[Table]:
    """Return the comparison as tables; the notes are below the last."""
    if is_over_budgets(comparison.measures) and not comparison.segments:
        below = [
            *noted("crossings", _describe_crossings(comparison)),
            *notes(comparison, comparison.pairs),
        ]
        return [_coverage_table(comparison).replace(notes=below)]
    listed: list[Table] = []
    shown: list[Pair] = []
    winning: list[Pair] = []
    chances = comparison.posterior_ranks
    for measure in comparison.measures:
        pairs = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
        shown += pairs
        if not comparison.baselines and len(comparison.systems) > 2:
            listed.append(leaderboard_table(comparison, measure))
            if repr(measure) in chances:
                listed.append(posterior_ranks_table(comparison, chances[repr(measure)], measure))
            if worst or len(pairs) <= MOST_PAIRS:
                pairs = _list_by_rank(comparison, measure)
        # Only a table of all pairs is longer than one of the systems.
        if comparison.baselines or len(pairs) <= MOST_PAIRS:
            for group in _group_by_table(comparison, pairs):
                listed.append(pair_table(comparison, group))
            if comparison.choices.bayes:
                listed.append(bayes_table(comparison, pairs))
            if details:
                listed.append(detail_table(comparison, pairs))
        listed += further_tables(comparison, measure, pairs, risk=risk, worst=worst)
        if worst:
            winning += [pair for pair in pairs if not comparison.worst(pair, 1)]
    below = notes(comparison, shown)
    if not comparison.baselines and len(shown) > MOST_PAIRS * len(comparison.measures):
        all_pairs = refer("records", "tsv", python="Comparison.pairs")
        text = f"Export all {len(shown):,} pairs with {all_pairs}."
        below.insert(0, Note("pairs", text))
    if chances:
        below[1:1] = noted("posterior_ranks", [POSTERIOR_RANKS])
    if comparison.segments:
        below[1:1] = noted("segments", describe_segment_family(comparison))
        differing = describe_slice_differences(comparison.slice_differences, comparison.alpha)
        below[1:1] = noted("slice_differences", differing)
    if risk is not None:
        below.insert(1, Note("risk", _RISK, explains=True))
    if winning:
        below.insert(1, Note("worst", _describe_no_losses(winning)))
    return [*listed[:-1], listed[-1].replace(notes=below)]


def further_tables(
    comparison: ComparisonData,
    measure: Measure,
    pairs: Sequence[Pair],
    *,
    risk: float | None = None,
    worst: int = 0,
) -> list[Table]:
    """Return the requested tables of slices, risk and largest losses for a measure."""
    listed: list[Table] = []
    if comparison.segments:
        listed += segment_tables(comparison, measure)
    if risk is not None:
        listed.append(risk_table(comparison, measure, risk))
    if worst:
        losses = (worst_table(comparison, pair, worst) for pair in pairs)
        listed += [table for table in losses if table.rows]
    return listed


def _describe_no_losses(pairs: Sequence[Pair]) -> str:
    """Return a note that names pairs without losses."""
    named = [f"{pair.system} vs. {pair.baseline} ({pair.measure})" for pair in pairs[:3]]
    more = f", and {len(pairs) - 3:,} more" if len(pairs) > 3 else ""
    return f"No losses: {', '.join(named)}{more}."


def _list_by_rank(comparison: ComparisonData, measure: Measure) -> list[Pair]:
    """Return all pairs in leaderboard order, the better system first."""
    order = [standing.system for standing in comparison.leaderboard(measure)]
    return [
        comparison.pair(system, other, measure=measure)
        for index, system in enumerate(order)
        for other in order[index + 1 :]
    ]


def _group_by_table(comparison: ComparisonData, pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Group pairs by the table that shows them: one per baseline, or all in one."""
    if not comparison.baselines:
        return [list(pairs)]
    groups = [[pair for pair in pairs if pair.baseline == name] for name in comparison.baselines]
    return [group for group in groups if group]


def describe_segment_family(comparison: PairedResult) -> list[str]:
    """Return a sentence about the correction over the slices; empty without one."""
    pairs = [pair for segment in comparison.segments.values() for pair in segment]
    if not pairs or pairs[0].correction == "none":
        return []
    family = pairs if comparison.choices.family == "all" else pairs[: _count_first_measure(pairs)]
    correction = pairs[0].correction
    if correction == "tukey":
        blocks = len({(pair.measure, pair.segment) for pair in family})
        corrected = f"one randomized Tukey HSD over all {blocks} of them"
    else:
        corrected = (
            f"p corrected by {CORRECTIONS[correction]} over {len(family)} pairs and for skewness"
        )
    return [
        f"The slices are a separate family: {corrected}; simultaneous"
        f" {100 * (1 - comparison.alpha):g}% confidence intervals."
    ]


def _count_first_measure(pairs: Sequence[Pair]) -> int:
    return sum(pair.measure == pairs[0].measure for pair in pairs)


def matrix_tables(
    comparison: ComparisonData,
    look: TableFormat | None = None,
    *,
    details: bool = False,
    risk: float | None = None,
    worst: int = 0,
) -> list[Table]:
    r"""Return a table of the systems' means with significance marks.

    Marks above a mean are the letters of the systems than which it is significantly better, marks
    below those than which it is worse. Slices and other requested tables follow.

    Examples
    --------
    >>> import gainful
    >>> from gainful.formats.markup import latex
    >>> qrels = {f"q{n}": {"a": 2, "b": 1} for n in range(12)}
    >>> runs = {"old": {q: ["b", "a"] for q in qrels}, "new": {q: ["a", "b"] for q in qrels}}
    >>> [table] = matrix_tables(gainful.compare(qrels, runs, "nDCG@10"))
    >>> print(latex(table, "comparison"), end="")
    \begin{table}
    \centering
    \caption{nDCG@10 over 12 queries. Superscripts: significantly better than these...}
    \label{tab:comparison}
    \begin{tabular}{llr}
    \toprule
     & system & nDCG@10 \\
    \midrule
    a & old & .8597$_{b}$ \\
    b & new & \textbf{1.0000}$^{a}$ \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    look = look or TableFormat()
    systems = _order(comparison, look)
    letters = {system: _letter(index) for index, system in enumerate(systems)}
    measured = [_figures(comparison, measure, letters, look) for measure in comparison.measures]
    columns = [
        Column(
            repr(measure),
            look.heading(measure, comparison.convention),
            show=str,
            best=measure.direction,
        )
        for measure in comparison.measures
    ]
    # This table shows neither group letters nor intervals.
    texts = [
        note
        for note in all_notes(comparison, comparison.pairs)
        if note.key not in ("group", "intervals", "ends")
    ]
    matrix = Table(
        [Column("letter", ""), Column("system"), *columns],
        [
            [letters[system], system, *(figures[system] for figures in measured)]
            for system in systems
        ],
        notes=[Note("marks", _describe_marks(comparison)), *texts],
        caption=_caption(comparison),
    )
    further = [
        table
        for measure in comparison.measures
        for table in _further(comparison, measure, details, risk, worst)
    ]
    return [matrix, *further]


def _order(comparison: ComparisonData, look: TableFormat) -> list[str]:
    means = {
        (repr(measure), system): mean
        for measure in (comparison.measures if look.sort is not None else ())
        for system, mean in comparison.means(measure).items()
    }
    return look.order(comparison.systems, comparison.measures, means)


def _further(
    comparison: ComparisonData, measure: Measure, details: bool, risk: float | None, worst: int
) -> list[Table]:
    pairs = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
    tables = [detail_table(comparison, pairs)] if details else []
    return tables + further_tables(comparison, measure, pairs, risk=risk, worst=worst)


def _figures(
    comparison: ComparisonData, measure: Measure, letters: dict[str, str], look: TableFormat
) -> dict[str, Figure]:
    """Return the means with their marks."""
    above: dict[str, list[str]] = {system: [] for system in letters}
    below: dict[str, list[str]] = {system: [] for system in letters}
    for pair in comparison.pairs:
        if pair.measure != repr(measure) or pair.verdict not in SIGNIFICANT:
            continue
        one, two = pair.system, pair.baseline
        if pair.verdict == "worse":
            one, two = two, one
        above[one].append(letters[two])
        below[two].append(letters[one])
    times = 100 if look.scaled(measure, comparison.convention) else 1
    figures = {}
    means = comparison.means(measure)
    for system in letters:
        mean = times * means.get(system, float("nan"))
        marks = ("".join(sorted(number[system])) for number in (above, below))
        figures[system] = Figure(look.text(mean), mean, None, None, "", *marks)
    return figures


def _caption(comparison: ComparisonData) -> str:
    """Return what the table shows, with its marks and the error rate."""
    queries = count_queries({pair.n for pair in comparison.pairs})
    marks = _describe_marks(comparison).removesuffix(".")
    measures = name_measures(comparison.measures)
    return f"{measures} over {queries}. {marks}{error_rate(comparison.alpha)}."


def _describe_marks(comparison: ComparisonData) -> str:
    text = "Superscripts: significantly better than these systems. Subscripts: significantly worse."
    if comparison.baselines:
        text += f" Compared only with {', '.join(comparison.baselines)}."
    return text


def _letter(number: int) -> str:
    around, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + ("'" * around)
