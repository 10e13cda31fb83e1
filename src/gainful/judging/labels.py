"""Collect labels, checking each and rejecting duplicates."""

from __future__ import annotations

from typing import NamedTuple

from gainful.data.judgment_lists.entries import grade_of
from gainful.errors import DuplicateError, ParameterError
from gainful.judging.evidence import Evidence
from gainful.judging.source import Rater, Source
from gainful.vocabulary import RATER_DUPLICATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Collector", "Label"]


class Label(NamedTuple):
    """A grade from a rater.

    Attributes
    ----------
    query_id, doc_id : str
        The judged document.
    rater : Rater
        The name and source of the rater.
    grade : float
        The grade.
    """

    query_id: str
    doc_id: str
    rater: Rater
    grade: float


class Collector:
    """Collect labels from any source.

    Parameters
    ----------
    duplicates : {"error", "first", "last"}
        How to treat a second label by one rater for a document and query.
    sources : dict of str to Source
        The sources of raters by name, as the caller specified them.
    """

    def __init__(self, duplicates: str, sources: dict[str, Source]) -> None:
        if duplicates not in RATER_DUPLICATES:
            raise ParameterError(
                where="duplicates", found=repr(duplicates), expected=", ".join(RATER_DUPLICATES)
            )
        self.duplicates = duplicates
        self.sources = sources
        #: The grade by query and document, for each name and source of a rater.
        self.grades: dict[tuple[str, Source], dict[tuple[str, str], float]] = {}
        self.final: dict[tuple[str, str], float] = {}
        #: The name of the final grades; empty without them.
        self.final_name = ""
        #: What files say about the labels of models, for each name and source of a rater.
        self.evidence: dict[tuple[str, Source], Evidence] = {}
        #: Number of rows or cells without a grade.
        self.blank = 0

    def add(
        self,
        query: str,
        document: str,
        rater: str,
        source: Source,
        grade: object,
        *,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        """Add a label; count it as blank if it has no grade."""
        value = grade_of(grade, query, document, file, line)
        if value is None:
            self.blank += 1
            return
        known = self.sources.get(rater, source)
        grades = self.grades.setdefault((rater, known), {})
        self._put(grades, (query, document), value, f"by {rater}" if rater else "", file, line)

    def note(
        self, query: str, document: str, rater: str, source: Source, row: Mapping[str, object]
    ) -> None:
        """Add what a row of a model says besides the grade."""
        known = self.sources.get(rater, source)
        self.evidence.setdefault((rater, known), Evidence()).add(query, document, row)

    def settle(
        self,
        query: str,
        document: str,
        grade: object,
        *,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        """Add a final grade."""
        value = grade_of(grade, query, document, file, line)
        if value is not None:
            self._put(self.final, (query, document), value, "as the final grade", file, line)

    def _put(
        self,
        grades: dict[tuple[str, str], float],
        at: tuple[str, str],
        value: float,
        whose: str,
        file: str | None,
        line: int | None,
    ) -> None:
        if at in grades:
            if self.duplicates == "error":
                raise DuplicateError(
                    file=file,
                    line=line,
                    query=at[0],
                    document=at[1],
                    found=" ".join(part for part in ("a second grade", whose) if part),
                    expected="one grade per rater and document",
                    hint="set ⟪duplicates=first⟫ or ⟪duplicates=last⟫ to keep one; if a rater"
                    " judged twice on purpose, give the second round another rater's name",
                )
            if self.duplicates == "first":
                return
        grades[at] = value
