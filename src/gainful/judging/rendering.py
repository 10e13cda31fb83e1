"""Show an assessment of judgments as sentences and tables."""

from __future__ import annotations

from gainful.formats.table import noted
from gainful.judging.audit_tables import audit_tables
from gainful.judging.systems_result import means_table, verdicts_table
from gainful.judging.tables import (
    agreement_table,
    confusion_table,
    coverage_table,
    raters_table,
    slices_table,
    sources_table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.formats.table import Table
    from gainful.judging import JudgmentQuality

__all__ = ["heading", "tables"]


def tables(quality: JudgmentQuality) -> list[Table]:
    """Return the assessment as tables.

    Parameters
    ----------
    quality : JudgmentQuality
        The assessment.

    Examples
    --------
    >>> import gainful
    >>> quality = gainful.assess_judgments([("q1", "d1", "ana", 1), ("q1", "d1", "ben", 0)])
    >>> [table.title for table in tables(quality)]
    ['Grades by rater', 'Inter-annotator agreement', "Confusion matrix: ana's grades in rows, ..."]
    """
    systems = quality.systems
    every = [
        sources_table(quality),
        raters_table(quality) if quality.raters else None,
        agreement_table(quality),
        confusion_table(quality),
        coverage_table(quality),
        means_table(systems) if systems else None,
        verdicts_table(systems) if systems else None,
        *audit_tables(quality),
        slices_table(quality),
    ]
    *found, last = (table for table in every if table is not None)
    return [*found, last.replace(notes=[*last.notes, *noted("scoring", _ending(quality))])]


def heading(quality: JudgmentQuality) -> Iterator[str]:
    """Yield a summary of the judgments in sentences."""
    coverage, raters = quality.coverage, len(quality.raters)
    yield (
        f"{_counted(coverage.queries, 'query')} with"
        f" {_counted(coverage.documents, 'judged document')}:"
        f" {_counted(coverage.labels, 'label')} from {_counted(raters, 'rater')}."
    )
    parts = []
    least, median, most = coverage.per_query
    if least == most:
        parts.append(f"{_counted(least, 'document')} per query.")
    else:
        parts.append(f"{least} to {_counted(most, 'document')} per query, median {median:g}.")
    if raters > 1:
        parts.append(_rated(coverage.rated_by))
    if coverage.blank:
        parts.append(f"{_counted(coverage.blank, 'empty cell')}.")
    if quality.ratings.final:
        parts.append(f"Final grades: {quality.ratings.final}.")
    without = coverage.no_relevant
    if without:
        named = f": {', '.join(without)}" if len(without) <= 5 else ""
        parts.append(
            f"{_counted(len(without), 'query')} with no relevant documents"
            f" (grade 1 or more){named}."
        )
    yield " ".join(parts)


def _rated(rated_by: dict[int, int]) -> str:
    if len(rated_by) == 1:
        (often,) = rated_by
        return f"{_counted(often, 'label')} per document."
    parts = [f"{documents:,} with {often}" for often, documents in sorted(rated_by.items())]
    return f"Documents by number of labels: {', '.join(parts)}."


def _ending(quality: JudgmentQuality) -> Iterator[str]:
    if quality.alphas and not quality.pairs:
        yield "No document was graded by two raters, so kappa and alpha are not defined."
    if quality.not_scored:
        yield f"The systems were not scored by rater: {quality.not_scored}."
    if quality.systems is not None:
        yield str(quality.systems.convention)


def _counted(n: int, thing: str) -> str:
    many = {"query": "queries"}.get(thing, f"{thing}s")
    return f"{n:,} {thing if n == 1 else many}"
