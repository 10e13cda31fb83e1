"""Labels as they are read: one after the other, each checked, none twice."""

from __future__ import annotations

from typing import NamedTuple

from gainful.data.grades import grade_of
from gainful.errors import DuplicateError, ParameterError
from gainful.judging.source import Rater, Source

__all__ = ["Collector", "Label"]

DUPLICATES = ("error", "first", "last")


class Label(NamedTuple):
    """One grade that one rater gave.

    Attributes
    ----------
    query_id, doc_id : str
        What was judged.
    rater : Rater
        Who or what judged.
    grade : float
        What they said.
    """

    query_id: str
    doc_id: str
    rater: Rater
    grade: float


class Collector:
    """Where labels are gathered, whatever they are read from.

    Parameters
    ----------
    duplicates : {"error", "first", "last"}
        What to do with a second label of a rater for one document under one query.
    sources : dict of str to Source
        Who or what the raters are, by name, as the caller knows it.
    """

    def __init__(self, duplicates: str, sources: dict[str, Source]) -> None:
        if duplicates not in DUPLICATES:
            raise ParameterError(
                where="duplicates", found=repr(duplicates), expected=", ".join(DUPLICATES)
            )
        self.duplicates = duplicates
        self.sources = sources
        #: By name and source of the rater, the grade by query and document.
        self.grades: dict[tuple[str, Source], dict[tuple[str, str], float]] = {}
        self.final: dict[tuple[str, str], float] = {}
        #: What the settled grades are called; empty where there are none.
        self.final_name = ""
        #: Rows, or cells of rows, without a grade.
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
        """Take a label; one without a grade is counted as blank."""
        value = grade_of(grade, query, document, file, line)
        if value is None:
            self.blank += 1
            return
        known = self.sources.get(rater, source)
        held = self.grades.setdefault((rater, known), {})
        self._put(held, (query, document), value, f"by {rater}" if rater else "", file, line)

    def settle(
        self,
        query: str,
        document: str,
        grade: object,
        *,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        """Take a grade that was settled on."""
        value = grade_of(grade, query, document, file, line)
        if value is not None:
            self._put(self.final, (query, document), value, "as the settled one", file, line)

    def _put(
        self,
        held: dict[tuple[str, str], float],
        at: tuple[str, str],
        value: float,
        whose: str,
        file: str | None,
        line: int | None,
    ) -> None:
        if at in held:
            if self.duplicates == "error":
                raise DuplicateError(
                    file=file,
                    line=line,
                    query=at[0],
                    document=at[1],
                    found=" ".join(part for part in ("a second grade", whose) if part),
                    expected="one grade of each rater for a document",
                    hint="duplicates='first' or 'last' says which is kept; where somebody judged"
                    " twice on purpose, give the second round a rater's name of its own",
                )
            if self.duplicates == "first":
                return
        held[at] = value
