"""The result of a gate: the verdict, what it rests on, and what else was met."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import ParameterError
from gainful.gates.rendering import figures, markdown, table
from gainful.gates.words import remarks, sentence
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.conventions import Convention
    from gainful.formats.table import Table
    from gainful.gates.measured import GatedMeasure
    from gainful.gates.snapshot import Snapshot

__all__ = ["STATUSES", "GateResult"]

#: What a program that ran the gate exits with; 2 is that of errors.
STATUSES = {"pass": 0, "fail": 1, "inconclusive": 3}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class GateResult(Result):
    """What came of checking a run against a snapshot.

    ``print`` shows it as a table; `gainful.gates.rendering` writes it as Markdown, JUnit XML, JSON
    and annotations of GitHub. It exports the Arrow C stream, a row a measure and query.

    Attributes
    ----------
    system : str
        The run.
    snapshot : Snapshot
        What it was checked against; with this look counted, if that was asked for and possible.
    convention : Convention
        Under which both sides were measured.
    margin, alpha : float
        As they were asked for.
    alpha_used : float
        What of alpha this look may use: alpha over the budget of looks, 0 after it is spent.
    fail_on, inconclusive
        As they were asked for.
    measures : tuple of GatedMeasure
        One a measure.
    judgments, run : str
        Digests of today's judgments and of the run.
    rescored : bool
        Whether the snapshot's rankings were measured with today's judgments.
    judgments_changed : tuple of str
        Queries on both sides whose judgments are not those that the snapshot was made with.
    added, removed : tuple of str
        Queries that only the run was measured on, and only the snapshot; they are not compared.
    look : int
        The number of this look at these queries; 0 for the snapshot's own run.
    counted : bool or None
        Whether the look is in the file; None if that was not asked for.
    values : mapping of str to mapping of str to (float, float)
        The snapshot's value and the run's, by measure and query.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> print(gainful.gate("qrels.txt", "dense.run", snapshot, margin=0.05))
    Gate inconclusive: dense vs. the snapshot of bm25
    measure  before    now  difference   lower   upper  changed  verdict
    ─────────────────────────────────────────────────────────────────────────
    nDCG@10   .7193  .7581      +.0388  -.0967  +.1660      5/6  inconclusive
    ...
    """

    RECORDS = ("changes", "measures")

    system: str
    snapshot: Snapshot
    convention: Convention
    margin: float
    alpha: float
    alpha_used: float
    fail_on: str
    inconclusive: str | None
    measures: tuple[GatedMeasure, ...]
    judgments: str
    run: str
    rescored: bool
    judgments_changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    look: int
    counted: bool | None = None
    values: Mapping[str, Mapping[str, tuple[float, float]]] = field(hash=False)

    @property
    def verdict(self) -> str:
        """``fail`` if a measure fails, else ``inconclusive`` if one is, else ``pass``."""
        found = {each.verdict for each in self.measures}
        return next(each for each in ("fail", "inconclusive", "pass") if each in found)

    @property
    def status(self) -> int:
        """What a program exits with: 0 pass, 1 fail, 3 inconclusive, unless that counts as one."""
        verdict = self.verdict
        if verdict == "inconclusive":
            verdict = self.inconclusive or verdict
        return STATUSES[verdict]

    def worst(self, measure: str | None = None, k: int = 5) -> list[tuple[str, float]]:
        """Return the queries that lost most, with their differences; of the first measure if none.

        Examples
        --------
        >>> import gainful
        >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
        >>> result = gainful.gate("qrels.txt", "dense.run", snapshot)
        >>> [(query, round(lost, 4)) for query, lost in result.worst()]
        [('q4', -0.2033)]
        """
        name = self.measures[0].measure if measure is None else measure
        if name not in self.values:
            raise ParameterError(
                where="measure", found=repr(name), expected=f"one of {', '.join(self.values)}"
            )
        changes = [(new - old, query) for query, (old, new) in self.values[name].items()]
        return [(query, change) for change, query in sorted(changes)[:k] if change < 0]

    def to_dict(self) -> dict[str, object]:
        """Return the result as the JSON contract ``gainful.gate/1`` has it."""
        return {
            "schema": "gainful.gate/1",
            "verdict": self.verdict,
            "status": self.status,
            "system": self.system,
            "snapshot": self.snapshot.system,
            "convention": {**self.convention.to_dict(), "text": str(self.convention)},
            "margin": self.margin,
            "alpha": self.alpha,
            "alpha_used": self.alpha_used,
            "fail_on": self.fail_on,
            "measures": [
                {
                    **each.to_dict(),
                    "text": sentence(each, self),
                    "worst": [
                        {"query_id": query, "difference": lost}
                        for query, lost in self.worst(each.measure)
                    ],
                }
                for each in self.measures
            ],
            "rescored": self.rescored,
            "judgments": {"snapshot": self.snapshot.judgments, "now": self.judgments},
            "runs": {"snapshot": self.snapshot.run, "now": self.run},
            "judgments_changed": list(self.judgments_changed),
            "added": list(self.added),
            "removed": list(self.removed),
            "look": self.look,
            "budget": self.snapshot.budget,
            "counted": self.counted,
            "notes": remarks(self),
        }

    def __repr__(self) -> str:
        measures = ", ".join(f"{each.measure} {each.verdict}" for each in self.measures)
        return f"<GateResult of {self.system} beside {self.snapshot.system}: {measures}>"

    def tables(self) -> list[Table]:
        """Return the measures, with what else is to know, as a table."""
        return [table(self)]

    def to_markdown(self, *, notes: bool = False) -> str:
        """Return the result as a comment for a pull request."""
        return markdown(self)

    def _records(self, name: str) -> Records:
        if name == "measures":
            return as_records(*figures(self))
        names = ("measure", "query_id", "snapshot", "value", "difference")
        return as_records(
            names,
            [
                (measure, query, old, new, new - old)
                for measure, values in self.values.items()
                for query, (old, new) in values.items()
            ],
        )
