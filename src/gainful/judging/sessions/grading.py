"""How each judge of a session grades: the distribution of grades, and agreement with a model."""

from __future__ import annotations

from collections import Counter

from gainful.judging.sessions.assignment import Kind
from gainful.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.judging.sessions.state import State

__all__ = ["JudgeGrades", "grades_of_judges"]


class JudgeGrades(Record):
    """The grades of one judge."""

    judge: str
    """The name."""
    counts: tuple[int, ...]
    """Number of documents with each grade of the scale, from the lowest to the highest."""
    suggested: int
    """Number of graded documents for which a model suggests a grade."""
    same: int
    """Number of these with the same grade."""
    difference: float | None
    """The mean of the judge's grade minus the model's; None without suggestions."""
    confusion: tuple[tuple[float, float, int], ...]
    """The judge's grade, the model's, and the number of documents with both."""


def grades_of_judges(
    state: State, scale: Iterable[float], suggestions: Mapping[str, Mapping[str, float]]
) -> list[JudgeGrades]:
    """Return the grades of each judge who graded a document."""
    scale = list(scale)
    rows = []
    for judge in state.judges:
        answers = [events[-1] for events in state.answered(judge).values()]
        graded = [
            (event.grade, suggestions.get(event.query_id, {}).get(event.doc_id))
            for event in answers
            if event.kind is Kind.GRADE and event.grade is not None
        ]
        if not graded:
            continue
        pairs = Counter((grade, model) for grade, model in graded if model is not None)
        total = pairs.total()
        counts = Counter(grade for grade, _ in graded)
        rows.append(
            JudgeGrades(
                judge=judge,
                counts=tuple(counts[grade] for grade in scale),
                suggested=total,
                same=sum(count for (grade, model), count in pairs.items() if grade == model),
                difference=sum((grade - model) * count for (grade, model), count in pairs.items())
                / total
                if total
                else None,
                confusion=tuple((*pair, count) for pair, count in sorted(pairs.items())),
            )
        )
    return rows
