"""Collect and check the entries of a judgment list."""

from __future__ import annotations

from gainful.data.grades import grade_of
from gainful.data.judgment_lists.judgment_list import JudgmentList, ListedQuery
from gainful.errors import DuplicateError, FormatError, GradeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.data.judgment_lists.list_format import ListFormat

__all__ = ["Entries"]


class Entries:
    """The queries and ratings of a list, added one by one.

    Parameters
    ----------
    format : ListFormat
        The format.
    duplicates : str
        How duplicate documents of a query are handled. With ``"error"``, identical ratings are
        skipped and counted.
    """

    def __init__(self, format: ListFormat, duplicates: str) -> None:
        self.format = format
        self.duplicates = duplicates
        self.queries: dict[str, ListedQuery] = {}
        self.rows: list[tuple[str, str, float]] = []
        self.entries = self.unrated = self.repeated = 0
        self.decided = ""
        #: The current file, for messages.
        self.file = ""
        self._texts_are_ids = format.texts_are_ids
        self._scale = format.scale
        self._grades: dict[tuple[str, str], float] = {}

    def add_query(
        self,
        own: str | None,
        text: str | None,
        fields: Mapping[str, object] | None = None,
        *,
        line: int | None = None,
        where: str | None = None,
    ) -> str:
        """Add a query by id, text or both, and return its id in the judgments.

        Raises
        ------
        FormatError
            For a query with neither, or with the id of another query.
        """
        id = text if self._texts_are_ids or own is None else own
        if not id:
            wanted = "the text of the query" if own is None or self._texts_are_ids else "its id"
            raise FormatError(
                "the query has no text" if own else "no query",
                file=self.file,
                line=line,
                where=where,
                query=own or None,
                hint=f"add {wanted}",
            )
        known = self.queries.get(id)
        if known is None:
            self.queries[id] = ListedQuery(id, text, fields or {})
        elif known.text != text and None not in (known.text, text):
            raise FormatError(
                f"two texts for one id: {text!r} and, before, {known.text!r}",
                file=self.file,
                line=line,
                where=where,
                query=id,
            )
        elif (known.text is None and text is not None) or (fields and not known.fields):
            self.queries[id] = ListedQuery(id, known.text or text, known.fields or fields or {})
        return id

    def add_rating(
        self,
        query: str,
        document: object,
        grade: object,
        *,
        line: int | None = None,
        where: str | None = None,
    ) -> None:
        """Add a rating; without a grade it is counted as unrated.

        Raises
        ------
        FormatError, GradeError, DuplicateError
            For a document without an id, an invalid grade or one outside the scale, and a second
            grade.
        """
        id = self.identifier(document, query=query, line=line, where=where)
        try:
            value = grade_of(grade, query, id, self.file, line)
        except FormatError as error:
            raise error.inside(where) if where else error from None
        self.entries += 1
        if value is None:
            self.unrated += 1
            return
        place: dict[str, Any] = {"file": self.file, "query": query, "document": id}
        self.check_scale(value, **place, line=line, where=where)
        if self.duplicates == "error":
            before = self._grades.setdefault((query, id), value)
            if (query, id) in self._grades and before != value:
                raise DuplicateError(
                    f"two grades for the document: {before:g} and {value:g}",
                    **place,
                    line=line,
                    where=where,
                    hint="keep one with ⟪duplicates=first⟫, last or max, or their mean with mean",
                )
            if len(self._grades) == len(self.rows):
                self.repeated += 1
                return
        self.rows.append((query, id, int(value) if value == int(value) else value))

    def check_scale(self, grade: float, **place: Any) -> None:
        """Refuse a grade outside the scale, if there is one.

        Raises
        ------
        GradeError
            With its location.
        """
        if self._scale is not None and not self._scale[0] <= grade <= self._scale[1]:
            low, high = self._scale
            raise GradeError(
                f"grade {grade:g} is outside the scale from {low:g} to {high:g}", **place
            )

    def identifier(
        self,
        value: object,
        *,
        query: str | None = None,
        line: int | None = None,
        where: str | None = None,
    ) -> str:
        """Return an id as text; whole numbers are converted."""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value:
            raise FormatError(
                f"document id {value!r} is neither text nor a whole number"
                if value
                else "a document without an id",
                file=self.file,
                line=line,
                where=where,
                query=query,
            )
        return value

    def cell(
        self, row: Mapping[str, object], column: str | None, line: int | None = None
    ) -> str | None:
        """Return a cell as text; numbers are converted.

        Raises
        ------
        FormatError
            For other types in JSON.
        """
        value = None if column is None else row.get(column)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise FormatError(
            f"{column} {value!r} is neither text nor a whole number", file=self.file, line=line
        )

    def finish(self, source: str) -> JudgmentList:
        """Return the list."""
        return JudgmentList(
            source,
            self.format,
            tuple(self.queries.values()),
            self.rows,
            entries=self.entries,
            unrated=self.unrated,
            repeated=self.repeated,
            decided=self.decided,
            duplicates=self.duplicates,
        )
