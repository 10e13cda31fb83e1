"""Show combined labels as tables."""

from __future__ import annotations

from gainful.formats.numbers import digits, percent, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.judging.combining.rules import FEW_PER_DOCUMENT, FEW_PER_RATER
from gainful.judging.system_tables import means_table, verdicts_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.judging.combining.result import CombinedJudgments

__all__ = ["tables"]

_TIES = {
    "majority": "Ties go to the grade nearest to the median, then to the lower one.",
    "median": "For an even number of labels, the mean of the middle two.",
    "mean": "",
    "dawid-skene": "Of equally probable grades, the lowest.",
    "owner": "Documents without a grade of the owner get the majority grade; ties go to the grade"
    " nearest to the median, then to the lower one.",
}

_MODEL = Note(
    "accuracy",
    "accuracy: estimated probability that a rater gives the true grade. quality weight: its log"
    " odds; below 0, a vote counts against its grade.",
    explains=True,
)


def tables(found: CombinedJudgments) -> list[Table]:
    """Return the raters, and the means and verdicts under each rule."""
    columns = [
        Column("rater"),
        Column("labels", show=lambda count: f"{count:,}", align="r"),
        Column("same", "same as combined", percent),
    ]
    rows: list[list[object]] = [list(each) for each in found.raters]
    model = found.estimates
    if model is not None:
        columns += [
            Column("accuracy", show=digits),
            Column("weight", "quality weight", lambda value: with_sign(value, 2), align="r"),
        ]
        for row in rows:
            row += [model.accuracy[str(row[0])], model.weight[str(row[0])]]
    title = f"Labels combined by {found.method}"
    if found.owner is not None:
        title += f" ({found.owner})"
    notes = noted("combined", _notes(found))
    if model is not None:
        notes.append(_MODEL)
    first = Table(columns, rows, title=title, notes=notes)
    if found.systems is None:
        return [first]
    second = means_table(found.systems)
    third = verdicts_table(found.systems)
    return [first, second, *([third] if third else [])]


def _notes(found: CombinedJudgments) -> Iterator[str]:
    parts = [f"{count:,} {name}" for name, count in found.decided_by().items()]
    yield f"{len(found):,} documents, decided by: {', '.join(parts)}. {_TIES[found.method]}".strip()
    model = found.estimates
    if model is None:
        return
    yield (
        f"Log-likelihood {model.log_likelihood:.1f}; {model.agreeing_starts} of {model.starts}"
        " starts reached it."
    )
    if not model.converged:
        yield "The estimates did not converge: use majority or median."
    counts = [each.labels for each in found.raters]
    if sum(counts) / len(found) < FEW_PER_DOCUMENT or min(counts) < FEW_PER_RATER:
        yield (
            f"With fewer than {FEW_PER_DOCUMENT:g} labels per document or {FEW_PER_RATER} per"
            " rater, majority or median is as good or better."
        )
