"""The section of a page on judgments of people and of a model."""

from __future__ import annotations

from html import escape

from gainful.report.appendix import render_titled_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.evaluation.predicted import PredictedEvaluation

__all__ = ["render_predicted"]

_ABOUT = (
    "Means, differences and verdicts of the leaderboard combine the judgments of people with those"
    " of a model. The values by query, curves and data checks are those of people."
)


def render_predicted(found: PredictedEvaluation) -> str:
    """Return the means of people, of the model, and combined."""
    # Another section of the page shows the convention.
    [table] = found.tables()
    notes = [note for note in table.notes if note.key != "convention"]
    return f"<p>{escape(_ABOUT)}</p>{render_titled_table(table.replace(notes=notes))}"
