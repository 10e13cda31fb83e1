"""Judgments as the measures that are asked for need them."""

from __future__ import annotations

from gainful.errors import MeasureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gainful.data import Qrels
    from gainful.data.inputs import QrelsLike
    from gainful.measures import Measure

__all__ = ["judgments_for"]


def judgments_for(measures: Iterable[Measure], qrels: QrelsLike, **options: Any) -> Qrels:
    """Return judgments, read with their subtopics, groups or strata where a measure needs these.

    Parameters
    ----------
    measures : iterable of Measure
        What is going to be measured.
    qrels
        What `Qrels` takes; `Qrels` themselves are returned as they are.
    **options
        The keyword arguments of `Qrels`.

    Raises
    ------
    MeasureError
        For a measure of diversity where all judgments are of one subtopic: then the column that was
        read for it is one that nobody uses.

    Examples
    --------
    >>> from gainful.measures import AP_JG, alpha_nDCG, nDCG
    >>> rows = [("q1", "1", "d1", 1), ("q1", "2", "d1", 0)]
    >>> judgments_for([alpha_nDCG @ 10], rows).has_subtopics
    True
    >>> judgments_for([nDCG @ 10], "qrels.txt").has_subtopics
    False
    >>> judgments_for([alpha_nDCG @ 10], "qrels.txt")
    Traceback (most recent call last):
    ...
    gainful.errors.MeasureError: alpha_nDCG@10: found judgments that are all of the subtopic...
    """
    from gainful.data import Qrels

    if isinstance(qrels, Qrels):
        return qrels
    needed = {measure.declaration.judgments: measure for measure in measures}
    if not needed.keys() & {"subtopics", "groups", "strata"}:
        return Qrels(qrels, **options)
    judged = Qrels(qrels, subtopics=True, **options)
    names = judged._rows.label_names()
    if "subtopics" in needed and len(names) == 1:
        raise MeasureError(
            where=repr(needed["subtopics"]),
            found=f"judgments that are all of the subtopic {names[0]!r}",
            expected="judgments of several subtopics",
            hint="in other judgments that column is not used; where there is really but one "
            "subtopic, read_qrels(..., subtopics=True) says so",
        )
    return judged
