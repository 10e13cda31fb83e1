"""What the labels of a session mean for systems, and what further labels could change."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.judging import Session
    from gainful.measures import Measure
    from gainful.unjudged import Contest

__all__ = ["Effect", "effect_of_labels"]


@dataclass(frozen=True, slots=True)
class Effect:
    """The order of systems by the labels of a session, and whether further labels could reverse it.

    Attributes
    ----------
    measure : str
        The measure.
    contests : tuple of Contest
        Each system vs. the next by mean.
    priority : dict of (str, str) to float
        How much the final grade of a document with different grades can change a difference between
        two systems, by query and document: the argument of `Session.disagreements`.
    """

    measure: str
    contests: tuple[Contest, ...]
    priority: dict[tuple[str, str], float]

    @property
    def is_settled(self) -> bool:
        """Whether no label can reverse the order of two systems."""
        return all(each.verdict == "settled" for each in self.contests)


def effect_of_labels(
    session: Session,
    runs: Mapping[str, Run],
    *,
    judged: Mapping[str, Mapping[str, float]] | None = None,
    measure: Measure | str | None = None,
    convention: Convention | str = "gainful-1",
) -> Effect | None:
    """Return what the labels of a session mean for systems; None without labels.

    Parameters
    ----------
    session : Session
        The session.
    runs : mapping of str to Run
        The systems, two or more.
    judged : mapping of str to mapping, optional
        Judgments that exist already, by query and document.
    measure, convention : optional
        As for `gainful.find_unjudged`.
    """
    from gainful.unjudged import find_unjudged

    grades = session.final_grades()
    known: dict[str, dict[str, float]] = {
        query: {**(judged or {}).get(query, {}), **grades.get(query, {})}
        for query in dict.fromkeys([*(judged or {}), *grades])
    }
    if not known or len(runs) < 2:
        return None
    found = find_unjudged(known, runs, measure, convention=convention, scale=session.scale)
    disputed = {(each.query_id, each.doc_id) for each in session.disagreements()}
    priority: dict[tuple[str, str], float] = {}
    if disputed:
        undisputed = {
            query: {name: grade for name, grade in own.items() if (query, name) not in disputed}
            for query, own in known.items()
        }
        # Without their grades these documents are unjudged, which have a value.
        without = find_unjudged(
            undisputed, runs, measure, convention=convention, scale=session.scale
        )
        priority = {
            (each.query, each.document): each.value
            for each in without.documents
            if (each.query, each.document) in disputed
        }
    return Effect(repr(found.evaluation.measures[0]), found.contests, priority)
