"""A comparison as a table of systems × measures with significance marks."""

from __future__ import annotations

from string import ascii_lowercase

from gainful.comparison.notes import error_rate
from gainful.comparison.notes import notes as all_notes
from gainful.comparison.rendering import further_tables
from gainful.comparison.tables import detail_table
from gainful.evaluation.tables import count_queries, name_measures
from gainful.formats.look import Look
from gainful.formats.markup import Figure
from gainful.formats.table import Column, Note, Table
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison import Comparison
    from gainful.measures import Measure

__all__ = ["matrix_tables"]


def matrix_tables(
    comparison: Comparison,
    look: Look | None = None,
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
    look = look or Look()
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


def _order(comparison: Comparison, look: Look) -> list[str]:
    means = {
        (repr(measure), system): mean
        for measure in (comparison.measures if look.sort is not None else ())
        for system, mean in comparison.means(measure).items()
    }
    return look.order(comparison.systems, comparison.measures, means)


def _further(
    comparison: Comparison, measure: Measure, details: bool, risk: float | None, worst: int
) -> list[Table]:
    pairs = [pair for pair in comparison.pairs if pair.measure == repr(measure)]
    tables = [detail_table(comparison, pairs)] if details else []
    return tables + further_tables(comparison, measure, pairs, risk=risk, worst=worst)


def _figures(
    comparison: Comparison, measure: Measure, letters: dict[str, str], look: Look
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


def _caption(comparison: Comparison) -> str:
    """Return what the table shows, with its marks and the error rate."""
    queries = count_queries({pair.n for pair in comparison.pairs})
    marks = _describe_marks(comparison).removesuffix(".")
    measures = name_measures(comparison.measures)
    return f"{measures} over {queries}. {marks}{error_rate(comparison.alpha)}."


def _describe_marks(comparison: Comparison) -> str:
    text = "Superscripts: significantly better than these systems. Subscripts: significantly worse."
    if comparison.baselines:
        text += f" Compared only with {', '.join(comparison.baselines)}."
    return text


def _letter(at: int) -> str:
    around, place = divmod(at, len(ascii_lowercase))
    return ascii_lowercase[place] + ("'" * around)
