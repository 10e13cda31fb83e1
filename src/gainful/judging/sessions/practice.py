"""Practice documents, whose grades are known."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from gainful.byte_order import in_byte_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gainful.data.corpus import Text

__all__ = ["PracticeDocument", "choose_practice"]


@dataclass(frozen=True, slots=True)
class PracticeDocument:
    """A document with a known grade, on which a judge practices.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    query, document : Text or None
        Their titles and texts, if the session has them.
    grade : float or None
        The first grade of the judge; None before it.
    expected : float or None
        The known grade; None before the judge has graded the document.
    """

    query_id: str
    doc_id: str
    query: Text | None
    document: Text | None
    grade: float | None
    expected: float | None


def choose_practice(
    judged: Mapping[str, Mapping[str, float]], scale: Collection[float], count: int
) -> dict[tuple[str, str], float]:
    """Return the known grades of practice documents, in the order in which they are shown.

    The queries with the most different grades come first, with one document for each grade.

    Parameters
    ----------
    judged : mapping of str to mapping
        Known grades by query and document.
    scale : collection of float
        The grades that a judge can give; documents with another one are left out.
    count : int
        The maximum number of documents.

    Examples
    --------
    >>> judged = {"q1": {"a": 0, "b": 0}, "q2": {"c": 2, "d": 0, "e": 2}}
    >>> choose_practice(judged, [0, 1, 2], 3)
    {('q2', 'd'): 0, ('q2', 'c'): 2, ('q1', 'a'): 0}
    """
    known: dict[str, dict[float, str]] = {}
    for query in in_byte_order(judged):
        for document in in_byte_order(judged[query]):
            grade = judged[query][document]
            if grade in scale:
                known.setdefault(query, {}).setdefault(grade, document)
    queries = sorted(known, key=lambda query: -len(known[query]))
    chosen: dict[tuple[str, str], float] = {}
    for query in queries:
        documents = list(known[query].items())
        # The order must not give the grades away.
        Random(query).shuffle(documents)
        for grade, document in documents[: count - len(chosen)]:
            chosen[query, document] = grade
    return chosen
