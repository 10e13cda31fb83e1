"""The result of a gate: the verdict, the measures and what changed in the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from gainful.errors import ParameterError
from gainful.exit_statuses import INCONCLUSIVE, NEGATIVE, SUCCESS
from gainful.gates.rendering import figures, markdown, table
from gainful.gates.sentences import remarks, sentence
from gainful.gates.spending import expected_wrong_passes
from gainful.results import Records, Result, as_records
from gainful.vocabulary import GATE_VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.conventions import Convention
    from gainful.evaluation.predicted import TwoPhaseSample
    from gainful.formats.table import Table
    from gainful.gates.gated_measure import GatedMeasure
    from gainful.gates.snapshot import Snapshot
    from gainful.plots import Plot

__all__ = ["STATUSES", "GateResult"]

#: The exit status for each verdict.
STATUSES = {"pass": SUCCESS, "fail": NEGATIVE, "inconclusive": INCONCLUSIVE}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class GateResult(Result):
    """The result of checking a run against a snapshot.

    ``print`` shows a table. It exports the Arrow C stream, with one row per measure and query.

    Attributes
    ----------
    system : str
        The name of the run.
    snapshot : Snapshot
        The snapshot; with this look counted, if requested and possible.
    convention : Convention
        The convention of both sides.
    margin, anchor_margin, alpha : float
        As requested.
    alpha_used : float
        The error rate of this look: alpha over the budget of looks, 0 if the budget is used up, or
        the part of alpha that spending leaves to this look.
    fail_on, inconclusive
        As requested.
    measures : tuple of GatedMeasure
        The result for each measure.
    anchored : tuple of GatedMeasure
        The result for each measure against the snapshot's anchor; empty without an anchor.
    judgments, run : str
        Digests of today's judgments and of the run.
    rescored : bool
        Whether the snapshot's rankings were evaluated with today's judgments.
    judgments_changed : tuple of str
        Compared queries whose judgments changed since the snapshot was saved.
    added, removed : tuple of str
        Queries only in the run's evaluation, and only in the snapshot; they are not compared.
    look : int
        The number of this look at these queries; 0 for the snapshot's own run.
    sample : TwoPhaseSample or None
        With predictions of a model, the queries that people judged, among all.
    counted : bool or None
        Whether the look is in the file; None if not requested.
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
    nDCG@10   .7193  .7581      +.0388  -.0930  +.1757      5/6  inconclusive
    ...
    """

    RECORDS = {"changes": None, "measures": None}
    PICTURES = ("differences",)

    system: str
    snapshot: Snapshot
    convention: Convention
    margin: float
    anchor_margin: float
    alpha: float
    alpha_used: float
    fail_on: str
    inconclusive: str | None
    measures: tuple[GatedMeasure, ...]
    anchored: tuple[GatedMeasure, ...] = ()
    judgments: str
    run: str
    rescored: bool
    judgments_changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    look: int
    counted: bool | None = None
    sample: TwoPhaseSample | None = field(default=None, compare=False)
    values: Mapping[str, Mapping[str, tuple[float, float]]] = field(hash=False)

    @property
    def comparisons(self) -> tuple[GatedMeasure, ...]:
        """The result for each measure against the snapshot, then against its anchor."""
        return self.measures + self.anchored

    @property
    def looks(self) -> int:
        """The number of different runs that were checked on these queries, with this one."""
        return max(len(self.snapshot.looks), self.look)

    @property
    def expected_wrong_passes(self) -> float:
        """The most passes to expect of all looks if each run were worse by the margin."""
        new = self.alpha_used if self.look > len(self.snapshot.looks) else 0.0
        return expected_wrong_passes(self.snapshot.looks, self.alpha_used) + new

    @property
    def verdict(self) -> str:
        """``fail`` if a comparison fails, else ``inconclusive`` if one is, else ``pass``."""
        found = {each.verdict for each in self.comparisons}
        return next(each for each in GATE_VERDICTS if each in found)

    @property
    def status(self) -> int:
        """The exit status: 0 pass, 3 inconclusive, 4 fail, unless that counts as pass or fail."""
        verdict = self.verdict
        if verdict == "inconclusive":
            verdict = self.inconclusive or verdict
        return STATUSES[verdict]

    def worst(self, measure: str | None = None, k: int = 5) -> list[tuple[str, float]]:
        """Return the queries with the largest losses in a measure (default: the first measure).

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

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract ``gainful.gate/1`` has it."""
        return {
            "schema": "gainful.gate/1",
            "verdict": self.verdict,
            "status": self.status,
            "system": self.system,
            "snapshot": self.snapshot.system,
            "convention": {**self.convention.to_dict(), "text": str(self.convention)},
            "margin": self.margin,
            "anchor_margin": self.anchor_margin,
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
            "anchor": None
            if self.snapshot.anchor is None
            else {
                "system": self.snapshot.anchor.system,
                "run": self.snapshot.anchor.run,
                "measures": [
                    {**each.to_dict(), "text": sentence(each, self)} for each in self.anchored
                ],
            },
            "rescored": self.rescored,
            "judgments": {"snapshot": self.snapshot.judgments, "now": self.judgments},
            "runs": {"snapshot": self.snapshot.run, "now": self.run},
            "judgments_changed": list(self.judgments_changed),
            "added": list(self.added),
            "removed": list(self.removed),
            "look": self.look,
            "looks": self.looks,
            "expected_wrong_passes": self.expected_wrong_passes,
            "budget": self.snapshot.budget,
            "spending": self.snapshot.spending,
            "counted": self.counted,
            "notes": remarks(self),
        }

    def __repr__(self) -> str:
        measures = ", ".join(f"{each.measure} {each.verdict}" for each in self.comparisons)
        return f"<GateResult of {self.system} vs. {self.snapshot.system}: {measures}>"

    def tables(self) -> list[Table]:
        """Return one table of the measures with notes."""
        return [table(self)]

    def to_markdown(self, *, notes: bool = False) -> str:
        """Return the result as a comment for a pull request."""
        return markdown(self)

    def _picture(self, name: str) -> Plot:
        """Draw the change of each measure, with its one-sided bounds and the margin."""
        from gainful import plots

        rows = [
            {
                "system": each.measure,
                "difference": each.difference,
                "low": each.low if isfinite(each.low) else None,
                "high": each.high if isfinite(each.high) else None,
                "verdict": each.verdict,
            }
            for each in self.measures
        ]
        title = f"{self.system} − the snapshot of {self.snapshot.system}"
        return plots.differences(rows, title, margins=(-self.margin,))

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
