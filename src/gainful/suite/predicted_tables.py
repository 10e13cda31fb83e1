"""The tables and notes of a suite on the judgments of a model."""

from __future__ import annotations

from gainful.evaluation.predicted_tables import (
    condition_notes,
    describe_worth,
    estimate_cells,
    estimate_columns,
    explanations,
    worth_of,
)
from gainful.formats.table import Column, Note, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures import Measure
    from gainful.suite.result import Suite

__all__ = ["predicted_notes", "predicted_tables"]


def predicted_tables(suite: Suite, measure: Measure) -> list[Table]:
    """Return a table of people, model and combined, by collection and system."""
    rows: list[list[object]] = []
    for name, found in suite.predictions.items():
        start = [name, f"{len(found.sample.judged):,} of {len(found.sample.queries):,}"]
        for system in found.systems:
            rows.append([*start, system, *estimate_cells(found.estimate(measure, system))])
            start = ["", ""]
    if not rows:
        return []
    columns = [
        Column("collection"),
        Column("judged", "judged queries", align="r", priority=2),
        Column("system"),
        *estimate_columns(),
    ]
    return [Table(columns, rows, title=f"{measure!r}, people and model")]


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
