"""An evaluation as a table of systems × measures, the best system first."""

from __future__ import annotations

from gainful.evaluation.tables import format_figure, round_sum, summary_table
from gainful.formats.html import Figure
from gainful.formats.numbers import digits, percent
from gainful.formats.table import Column, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

__all__ = ["html_table", "matrix_table", "ordered"]


def ordered(evaluation: Evaluation) -> list[str]:
    """Return the systems by the first measure, the highest first; those without a value last."""

    def key(system: str) -> tuple[bool, float]:
        value = evaluation.summary(evaluation.measures[0], system).value
        return (value != value, -value)

    return sorted(evaluation.systems, key=key)


def html_table(evaluation: Evaluation) -> Table:
    """Return the table for notebooks: systems × measures, or one row per system or measure."""
    table = summary_table(evaluation)
    if len(evaluation.systems) == 1:
        return table
    if len(evaluation.measures) > 1 and evaluation.bounds_of is None:
        return matrix_table(evaluation).replace(notes=table.notes)
    place = {system: at for at, system in enumerate(ordered(evaluation))}
    # The sort is stable, so the measures of a system keep their order.
    return table.replace(rows=sorted(table.rows, key=lambda row: place[str(row[0])]))


def matrix_table(evaluation: Evaluation) -> Table:
    """Return one row per system and one column per measure, with intervals.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": {"q": ["b", "a"]}, "dense": {"q": ["a", "b"]}}
    >>> found = gainful.evaluate({"q": {"a": 1}}, runs=runs, measures=["RR", "P@1"])
    >>> table = matrix_table(found)
    >>> [list(map(str, row)) for row in table.rows]
    [['dense', '1.0000', '1.0000'], ['bm25', '.5000', '.0000']]
    """
    columns = [
        Column(repr(measure), show=str, best=measure.aggregate != "sum")
        for measure in evaluation.measures
    ]
    rows = [
        [system, *(_figure(evaluation, measure, system) for measure in evaluation.measures)]
        for system in ordered(evaluation)
    ]
    return Table([Column("system"), *columns], rows)


def _figure(evaluation: Evaluation, measure: Measure, system: str) -> Figure:
    summary = evaluation.summary(measure, system)
    summed = measure.aggregate == "sum"
    value = round_sum(summary.value, summed)
    text = "–" if value is None else format_figure(value)
    parts = [f"{measure!r} of {system}: {text}"]
    low, high = (None, None) if summed else (summary.low, summary.high)
    if low is not None and high is not None:
        parts.append(f"95% CI {digits(low)} to {digits(high)}")
    parts.append(f"{summary.n:,} quer{'y' if summary.n == 1 else 'ies'}")
    if summary.judged is not None:
        parts.append(f"{percent(summary.judged)} judged")
    return Figure(text, value, low, high, ", ".join(parts))
