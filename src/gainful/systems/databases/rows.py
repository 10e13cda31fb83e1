"""Convert the rows of a statement to an answer."""

from __future__ import annotations

from math import isfinite
from numbers import Integral, Real

from gainful.errors import SearchError
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Columns"]


class Columns:
    """The columns of the documents' ids and scores.

    Parameters
    ----------
    document, score : str, optional
        Their names, ignoring case. By default the id is the column ``id``, or else the first, and
        the score the column ``score``, or else the second of two; a single column is a ranking
        without scores. ``-distance`` is a column in which smaller numbers are better.

    Examples
    --------
    >>> Columns().answer(["id", "score"], [("d2", 1.5), (7, 1)], 10)
    Answer(documents=['d2', '7'], scores=[1.5, 1.0])
    >>> Columns(score="-rank").answer(["id", "rank"], [("d4", -8.5), ("d1", -2.0)], 10)
    Answer(documents=['d4', 'd1'], scores=[8.5, 2.0])
    >>> Columns().answer(["title", "id"], [("Lamp", "d1"), ("Bed", "d3")], 1)
    Answer(documents=['d1'], scores=None)
    """

    def __init__(self, document: str | None = None, score: str | None = None) -> None:
        self.document = document
        self.sign = -1.0 if score is not None and score.startswith("-") else 1.0
        self.score = None if score is None else score.removeprefix("-")

    def places(self, names: Sequence[str]) -> tuple[int, int | None]:
        """Return the indexes of the columns, counted from 0; None without scores.

        Raises
        ------
        SearchError
            If a column is not among the names.
        """
        lower = [name.lower() for name in names]
        document = self._named(self.document, lower, names)
        if document is None:
            document = lower.index("id") if "id" in lower else 0
        score = self._named(self.score, lower, names)
        if score is None and "score" in lower:
            score = lower.index("score")
        if score is None and len(names) == 2 and document == 0:
            score = 1
        return document, score

    @staticmethod
    def _named(name: str | None, lower: Sequence[str], names: Sequence[str]) -> int | None:
        if name is None:
            return None
        if name.lower() not in lower:
            raise SearchError(
                f"no column {name!r}",
                where="[results]",
                hint="the statement returns " + ", ".join(names),
            )
        return lower.index(name.lower())

    def answer(self, names: Sequence[str], rows: Sequence[Sequence[Any]], k: int) -> Answer:
        """Return the first `k` rows as an answer.

        Raises
        ------
        SearchError
            If an id is missing or invalid, a score is not a number, or scores increase.
        """
        document, score = self.places(names)
        rows = rows[:k]
        documents = [_id(row[document], at) for at, row in enumerate(rows, 1)]
        if score is None:
            return Answer(documents)
        scores = [self.sign * _score(row[score], at) for at, row in enumerate(rows, 1)]
        for at in range(1, len(scores)):
            if scores[at] > scores[at - 1]:
                raise SearchError(
                    f"score {scores[at]:g} is higher than the one before, {scores[at - 1]:g}",
                    where=f"row {at + 1}",
                    hint="end the statement with `order by score desc`; if smaller is better, as "
                    'for distances and SQLite\'s bm25(), write [results] score = "-NAME"',
                )
        return Answer(documents, scores)


def _id(value: Any, row: int) -> str:
    if isinstance(value, str):
        return value
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    # A UUID, or a decimal number without a fraction, such as PostgreSQL's numeric.
    if whole or type(value).__name__ == "UUID":
        return str(value)
    if type(value).__name__ == "Decimal" and value == value.to_integral_value():
        return str(int(value))
    raise SearchError(
        "the id is NULL"
        if value is None
        else f"the id is a {type(value).__name__}, not text or a whole number",
        where=f"row {row}",
        hint="cast it to text in the statement" if value is not None else None,
    )


def _score(value: Any, row: int) -> float:
    number = isinstance(value, Real) or type(value).__name__ == "Decimal"
    if number and not isinstance(value, bool) and isfinite(value):
        return float(value)
    found = "no score (NULL)" if value is None else f"the score {value!r}"
    raise SearchError(where=f"row {row}", found=found, expected="a finite number")
