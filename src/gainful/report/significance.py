"""The significance tests of a page: notes below a leaderboard, and all of them as its method."""

from __future__ import annotations

from html import escape

from gainful.comparison.families import describe_families
from gainful.comparison.notes import notes
from gainful.published import select_published
from gainful.report.appendix import MOST_NOTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.formats.table import Note
    from gainful.report.leaderboard import Board

__all__ = ["render_notes", "render_tests"]

#: The notes that can be below it, the most urgent first.
_URGENT = (
    "random",
    "few_errors",
    "few_values",
    "worth",
    "few",
    "unreliable",
    "scale",
    "correction",
    "margin",
    "group",
    "power",
)
#: Other sections of the page show these.
_ELSEWHERE = ("counts", "convention", "family", "judgments")


def render_notes(board: Board) -> str:
    """Return the notes below a leaderboard as paragraphs."""
    urgent: list[str] = [note for note in _notes(board) if note.key in _URGENT]
    urgent.sort(key=lambda note: _URGENT.index(note.key))  # type: ignore[attr-defined]
    published = board.report.published
    measure = board.report.evaluation.measures[board.measure]
    if published and next(select_published(published, measure), None) is None:
        urgent.insert(0, f"No published score is of {board.name}.")
    elif published:
        urgent.insert(0, "Published scores have no values by query, so they are not tested.")
    return "".join(f"<p>{escape(note)}</p>" for note in urgent[:MOST_NOTES])


def render_tests(boards: list[Board]) -> str:
    """Return how the differences were tested, by measure."""
    report = boards[0].report
    if report.comparison is None:
        return ""
    # Reports have no parameter for it.
    remedy = "gainful compare --family all"
    shared = describe_families(report.comparison.choices, len(boards), remedy)
    by_measure: dict[str, list[str]] = {}
    for board in boards:
        text = "".join(f"<p>{escape(note)}</p>" for note in _notes(board))
        by_measure.setdefault(text, []).append(board.name)
    several = len(by_measure) > 1
    return (
        "<h3>Significance tests</h3>"
        + "".join(
            f"<p><b>{escape(', '.join(names))}</b></p>{text}" if several else text
            for text, names in by_measure.items()
        )
        + "".join(f"<p>{escape(line)}</p>" for line in shared)
    )


def _notes(board: Board) -> list[Note]:
    comparison = board.report.comparison
    if comparison is None:
        return []
    pairs = [pair for pair in comparison.pairs if pair.measure == board.name]
    return [note for note in notes(comparison, pairs) if note.key not in _ELSEWHERE]
