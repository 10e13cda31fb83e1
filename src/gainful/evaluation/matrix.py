"""An evaluation as a table of systems × measures, the best system first."""

from __future__ import annotations

from gainful.errors import MatchError, ParameterError
from gainful.evaluation.tables import ordered, round_sum, summary_table
from gainful.formats.look import Look
from gainful.formats.markup import Figure
from gainful.formats.numbers import digits, percent
from gainful.formats.table import Column, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

__all__ = ["html_table", "marked_table", "matrix_table"]

#: Sign flips for significance marks.
_RESAMPLES = 10_000


def html_table(evaluation: Evaluation) -> Table:
    """Return the table for notebooks: systems × measures, or one row per system or measure."""
    look = Look(sort=repr(evaluation.measures[0]))
    if len(evaluation.systems) == 1:
        return summary_table(evaluation)
    if len(evaluation.measures) > 1 and evaluation.bounds_of is None:
        return matrix_table(evaluation, look)
    return summary_table(evaluation, look)


def matrix_table(evaluation: Evaluation, look: Look | None = None) -> Table:
    """Return one row per system and one column per measure, with intervals.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": {"q": ["b", "a"]}, "dense": {"q": ["a", "b"]}}
    >>> found = gainful.evaluate({"q": {"a": 1}}, runs=runs, measures=["RR", "P@1"])
    >>> table = matrix_table(found, Look(sort="RR"))
    >>> [list(map(str, row)) for row in table.rows]
    [['dense', '1.0000', '1.0000'], ['bm25', '.5000', '.0000']]
    """
    look = look or Look()
    columns = [
        Column(
            repr(measure),
            look.heading(measure, evaluation.convention),
            show=str,
            best=measure.direction if measure.aggregate != "sum" else 0,
        )
        for measure in evaluation.measures
    ]
    rows = [
        [system, *(_figure(evaluation, measure, system, look) for measure in evaluation.measures)]
        for system in ordered(evaluation, look)
    ]
    summary = summary_table(evaluation)
    return Table([Column("system"), *columns], rows, notes=summary.notes, caption=summary.caption)


def marked_table(evaluation: Evaluation, look: Look) -> Table:
    """Return `matrix_table` with significance marks, if the systems can be compared."""
    # Comparisons are a layer above: only the public function is called.
    import gainful

    plain = matrix_table(evaluation, look)
    try:
        comparison = gainful.compare(evaluation, bootstrap=0, resamples=_RESAMPLES)
    except (MatchError, ParameterError):
        # One system, or too few queries: the means are shown without marks.
        return plain
    marked, *_ = comparison.tables(
        wide=True, digits=look.places, sort=look.sort, percent=look.percent
    )
    notes = [note for note in marked.notes if note.key in ("marks", "verdict")]
    return marked.replace(notes=[*notes, *plain.notes])


def _figure(evaluation: Evaluation, measure: Measure, system: str, look: Look) -> Figure:
    summary = evaluation.summary(measure, system)
    summed = measure.aggregate == "sum"
    times = 100 if look.scaled(measure, evaluation.convention) else 1
    value = round_sum(times * summary.value, summed)
    text = "–" if value is None else look.text(value)
    parts = [f"{measure!r} of {system}: {text}"]
    low, high = (None if summed else summary.interval) or (None, None)
    if low is not None and high is not None:
        parts.append(f"95% CI {digits(low)} to {digits(high)}")
    parts.append(f"{summary.n:,} quer{'y' if summary.n == 1 else 'ies'}")
    if summary.judged is not None:
        parts.append(f"{percent(summary.judged)} judged")
    return Figure(text, value, low, high, ", ".join(parts))
