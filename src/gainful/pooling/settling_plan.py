"""How many labels could settle the order of systems, and how long they take."""

from __future__ import annotations

from math import ceil

from gainful.formats.table import Note
from gainful.records import Record, field
from gainful.records.tables import table_of
from gainful.results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.data import Run
    from gainful.formats.table import Table

__all__ = ["SettlingPlan", "SettlingRow", "plan_settling"]

_COUNT = {"minimum": 0}


class SettlingRow(Record):
    """The labels that could settle the order of two systems."""

    system: str = field(tables="plan")
    """The system with the higher mean."""
    baseline: str = field(tables="plan", label="vs.")
    """The other system."""
    verdict: str = field(tables="plan")
    """Whether labels of unjudged documents could reverse the order."""
    documents: int | None = field(
        tables="plan", label="documents", show=lambda count: f"{count:,}", json=_COUNT
    )
    """The fewest documents whose labels could settle it: 0 if it is settled; None if all unjudged
    documents together do not."""
    labels: int | None = field(
        tables="plan", label="labels", show=lambda count: f"{count:,}", json=_COUNT
    )
    """The labels of these documents, with those of documents that two people judge."""
    hours: float | None = field(
        tables="plan", label="hours", show=lambda hours: f"{hours:.1f}", json=_COUNT
    )
    """The work of all judges together."""
    hours_per_judge: float | None = field(
        tables="plan", label="hours per judge", show=lambda hours: f"{hours:.1f}", json=_COUNT
    )
    """The work of each judge."""


class SettlingPlan(Result):
    """How many labels could settle the order of each two systems, and how long they take."""

    RECORDS = {"pairs": SettlingRow}

    measure: str
    """The measure."""
    judges: int
    """The number of judges."""
    pace: float
    """Seconds per label."""
    pairs: tuple[SettlingRow, ...]
    """Each system vs. the next by mean."""

    def tables(self) -> list[Table]:
        """Return one row per pair of systems."""
        people = "1 judge" if self.judges == 1 else f"{self.judges:,} judges"
        note = Note(
            "documents",
            "The number assumes labels that favor one of the two systems most; others need more."
            f" {self.pace:g} seconds per label, {people}.",
        )
        title = f"Labels that could settle the order by {self.measure}"
        return [table_of(self.pairs, "plan", title=title, notes=[note])]


def plan_settling(
    judged: Mapping[str, Mapping[str, float]],
    runs: Mapping[str, Run],
    measure: str,
    *,
    judges: int = 1,
    pace: float = 30.0,
    overlap: float = 0.0,
    scale: Iterable[float] | None = None,
) -> SettlingPlan:
    """Count the labels that could settle the order of systems before anybody judges.

    Parameters
    ----------
    judged : mapping of str to mapping
        The judgments that exist, by query and document.
    runs : mapping of str to Run
        The systems, two or more.
    measure : str
        The measure.
    judges : int
        The number of people.
    pace : float
        Seconds per label.
    overlap : float
        The share of documents that two people judge.
    scale : iterable of float, optional
        As for `gainful.find_unjudged`.

    Examples
    --------
    >>> from gainful.data import Run
    >>> qrels = {"q1": {"a": 1}, "q2": {"z": 1}}
    >>> runs = {"new": Run({"q1": ["a"], "q2": ["c"]}), "old": Run({"q1": ["b"], "q2": ["d"]})}
    >>> [pair] = plan_settling(qrels, runs, "P@1", judges=2, pace=60).pairs
    >>> pair.system, pair.documents, round(pair.hours, 3), round(pair.hours_per_judge, 3)
    ('new', 1, 0.017, 0.008)
    """
    from gainful.unjudged import find_unjudged
    from gainful.unjudged.differences import count_settling

    unjudged = find_unjudged(judged, runs, measure, scale=scale)
    evaluation = unjudged.evaluation
    rows = []
    for contest in unjudged.contests:
        documents = (
            0
            if contest.verdict == "settled"
            else count_settling(
                *(judged, runs, contest.system, contest.baseline),
                *(evaluation.measures[0], evaluation.convention),
                scale=scale,
            )
        )
        labels = None if documents is None else ceil(documents * (1 + overlap))
        hours = None if labels is None else labels * pace / 3600
        rows.append(
            SettlingRow(
                system=contest.system,
                baseline=contest.baseline,
                verdict=contest.verdict_text,
                documents=documents,
                labels=labels,
                hours=hours,
                hours_per_judge=None if hours is None else hours / judges,
            )
        )
    return SettlingPlan(
        measure=repr(evaluation.measures[0]), judges=judges, pace=pace, pairs=tuple(rows)
    )
