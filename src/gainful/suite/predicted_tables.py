"""The tables and notes of a suite on the judgments of a model."""

from __future__ import annotations

from gainful.evaluation.predicted_tables import (
    condition_notes,
    describe_worth,
    explanations,
    worth_of,
)
from gainful.formats.table import Column, Note
from gainful.records.tables import columns_of, table_of_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.suite.result import Suite

__all__ = ["predicted_notes", "predicted_tables"]


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
    for name, found in suite.predictions.items():
        own = [(f"{each.measure} of {each.system}", worth_of(each)) for each in found.estimates]
        said = [
            Note("worth", describe_worth([each for _, each in own])),
            *condition_notes(found.sample, own),
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
