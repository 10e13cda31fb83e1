"""Show an assessment of judgments as sentences and tables."""

from __future__ import annotations

from gainful.formats.table import noted
from gainful.judging.system_tables import means_table, verdicts_table
from gainful.judging.tables import (
    agreement_table,
    confusion_table,
    coverage_table,
    raters_table,
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
    ['Grades of each rater', 'Agreement', "Confusion: ana's grade down, ben's across"]
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
    ]
    *found, last = (table for table in every if table is not None)
    return [*found, last.replace(notes=[*last.notes, *noted("scoring", _ending(quality))])]


def heading(quality: JudgmentQuality) -> Iterator[str]:
    """Yield a summary of the judgments in sentences."""
    coverage, raters = quality.coverage, len(quality.raters)
    yield (
        f"{_counted(coverage.documents, 'document')} of {_counted(coverage.queries, 'query')}"
        f" {'is' if coverage.documents == 1 else 'are'} judged:"
        f" {_counted(coverage.labels, 'label')} of {_counted(raters, 'rater')}."
    )
    parts = []
    least, median, most = coverage.per_query
    if least == most:
        parts.append(f"A query has {_counted(least, 'document')}.")
    else:
        parts.append(f"A query has {least} to {_counted(most, 'document')}, median {median:g}.")
    if raters > 1:
        parts.append(_rated(coverage.rated_by))
    if coverage.blank:
        places = "1 place for a grade is" if coverage.blank == 1 else "places for a grade are"
        number = "" if coverage.blank == 1 else f"{coverage.blank:,} "
        parts.append(f"{number}{places} empty.")
    if quality.ratings.final:
        parts.append(f"Grades settled on: {quality.ratings.final}.")
    nothing = coverage.no_relevant
    if nothing:
        named = f": {', '.join(nothing)}" if len(nothing) <= 5 else ""
        verb = "1 query has" if len(nothing) == 1 else f"{len(nothing):,} queries have"
        parts.append(f"{verb} nothing relevant (grade 1 or more){named}.")
    yield " ".join(parts)


def _rated(rated_by: dict[int, int]) -> str:
    if len(rated_by) == 1:
        (often,) = rated_by
        return f"Each document has {_counted(often, 'label')}."
    parts = [f"{documents:,} have {often}" for often, documents in sorted(rated_by.items())]
    return f"Of the documents, by labels: {', '.join(parts)}."


def _ending(quality: JudgmentQuality) -> Iterator[str]:
    if quality.alphas and not quality.pairs:
        yield "No document was graded by two raters: kappa and alpha are not defined."
    if quality.not_scored:
        yield f"The systems are not scored under each rater: {quality.not_scored}."
    if quality.systems is not None:
        yield str(quality.systems.convention)


def _counted(n: int, thing: str) -> str:
    many = {"query": "queries"}.get(thing, f"{thing}s")
    return f"{n:,} {thing if n == 1 else many}"
