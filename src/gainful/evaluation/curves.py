"""Curves of means by cutoff, of precision by recall, and of judged shares."""

from __future__ import annotations

from gainful.conventions import Convention, get
from gainful.data.coercion import as_run
from gainful.errors import ConventionError, MeasureError, TieError
from gainful.evaluation.arguments import judgments_for
from gainful.evaluation.call import evaluate_runs
from gainful.formats.numbers import digits, short
from gainful.formats.table import Column, Table
from gainful.measures import Measure, describe
from gainful.measures.choosing import choose_measure
from gainful.plots import coverage, precision_recall
from gainful.plots import cutoffs as draw_cutoffs
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.data import Qrels
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation.result import Evaluation
    from gainful.plots import Plot

    Curve = dict[str, dict[float, float]]

__all__ = ["CUTOFFS", "Curves", "curves"]

CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
LEVELS = tuple(level / 10 for level in range(11))


class Curves(Result):
    """The curves of several systems.

    Attributes
    ----------
    family : str
        The measure of the curve by cutoff, written without a cutoff.
    cutoffs : dict of str to dict of int to float
        The mean by system and cutoff; empty for a measure without cutoffs.
    precision_recall : dict of str to dict of float to float
        The mean interpolated precision by system and level of recall (0, 0.1, ... 1); empty for
        judgments of subtopics.
    coverage : dict of str to dict of int to float
        By system and cutoff, the judged share of the returned documents above the cutoff, over all
        queries together.
    """

    RECORDS = {"points": None}
    PICTURES = ("cutoffs", "precision_recall", "coverage")

    __slots__ = (
        *("_by_cutoff", "_by_depth", "_by_level", "_convention"),
        *("coverage", "cutoffs", "family", "precision_recall"),
    )

    def __init__(
        self, measure: Measure, convention: Convention, cutoffs: Sequence[int] = CUTOFFS
    ) -> None:
        self.cutoffs: Curve = {}
        self.precision_recall: Curve = {}
        self.coverage: Curve = {}
        family = describe(measure.family)
        base = Measure(measure.family, measure.params, None)
        self.family = repr(base)
        self._convention = convention
        by_cutoff: dict[float, Measure] = {}
        if family.takes_cutoff:
            by_cutoff = {cutoff: base @ cutoff for cutoff in cutoffs}
        by_level: dict[float, Measure] = {}
        judged: dict[int, Measure] = {}
        if family.judgments == "grades":
            rel = {"rel": measure.params["rel"]} if "rel" in measure.params else {}
            by_level = {level: Measure("IPrec", {**rel, "recall": level}, None) for level in LEVELS}
            judged = {cutoff: Measure("Judged", {}, cutoff) for cutoff in cutoffs}
        self._by_cutoff, self._by_level, self._by_depth = by_cutoff, by_level, judged

    def add(
        self,
        qrels: Qrels,
        system: str,
        run: RunLike,
        *,
        weights: Mapping[str, float] | None = None,
        threads: int | None = None,
    ) -> None:
        """Add the curves of a system.

        A curve that the convention does not allow stays empty.
        """

        def evaluate(measures: Iterable[Measure]) -> Evaluation | None:
            try:
                return evaluate_runs(
                    qrels,
                    {system: run},
                    measures,
                    self._convention,
                    weights=weights,
                    threads=threads,
                )
            except (MeasureError, ConventionError, TieError):
                return None

        parts = (self._by_cutoff, self._by_level, self._by_depth)
        # One pass over the run; a pass per curve if the convention does not allow all of them.
        whole = evaluate(dict.fromkeys(count for part in parts for count in part.values()))
        by_cutoff, by_level, by_depth = (
            whole or (evaluate(part.values()) if part else None) for part in parts
        )
        for curve, measures, result in (
            (self.cutoffs, self._by_cutoff, by_cutoff),
            (self.precision_recall, self._by_level, by_level),
        ):
            if measures and result is not None:
                curve[system] = {
                    measure: result.value_of(m, system) for measure, m in measures.items()
                }
        if self._by_depth and by_depth is not None:
            shares = {
                depth: by_depth.judged_share(depth, by_depth.table_of(system))
                for depth in self._by_depth
            }
            self.coverage[system] = {
                depth: share for depth, share in shares.items() if share is not None
            }

    def ticks(self, name: str) -> list[float]:
        """Return the x-values of a curve, a name in `PICTURES`."""
        return sorted({point for points in getattr(self, name).values() for point in points})

    def _axes(self, name: str) -> tuple[str, str]:
        return {
            "cutoffs": ("k", f"mean {self.family}@k"),
            "precision_recall": ("recall", "mean interpolated precision"),
            "coverage": ("k", "judged share of the top k"),
        }[name]

    def tables(self) -> list[Table]:
        """Return one table per curve, with one column per system."""
        return [
            Table(
                [Column("at", x, short), *(Column(system, show=digits) for system in curve)],
                [
                    [tick, *(points.get(tick) for points in curve.values())]
                    for tick in self.ticks(name)
                ],
                title=y[0].upper() + y[1:],
            )
            for name in self.PICTURES
            if (curve := getattr(self, name))
            for x, y in [self._axes(name)]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the measure, and the points by curve and system."""
        return {
            "measure": self.family,
            **{
                name: {
                    system: list(map(list, points.items()))
                    for system, points in getattr(self, name).items()
                }
                for name in self.PICTURES
            },
        }

    def _points(self, name: str) -> list[dict[str, Any]]:
        return [
            {"system": system, "at": point, "value": value}
            for system, points in getattr(self, name).items()
            for point, value in points.items()
        ]

    def _records(self, name: str) -> Records:
        rows = [
            (picture, *row.values()) for picture in self.PICTURES for row in self._points(picture)
        ]
        return as_records(("curve", "system", "at", "value"), rows)

    def _picture(self, name: str, systems: Sequence[str] | None = None) -> Plot:
        """Draw a curve of some systems; default: the first eight."""
        shown = list(getattr(self, name))[:8] if systems is None else systems
        rows = [row for row in self._points(name) if row["system"] in shown]
        if name == "cutoffs":
            return draw_cutoffs(rows, self.family)
        return (precision_recall if name == "precision_recall" else coverage)(rows)

    def __repr__(self) -> str:
        return f"<Curves of {', '.join(self.coverage or self.cutoffs)}: {self.family}>"


def curves(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measure: Measure | str | None = None,
    *,
    convention: Convention | str = "gainful-1",
    cutoffs: Sequence[int] = CUTOFFS,
    weights: Mapping[str, float] | None = None,
    threads: int | None = None,
) -> Curves:
    """Compute the curves of several systems.

    Parameters
    ----------
    qrels, runs
        As for `gainful.evaluate`.
    measure : Measure or str, optional
        The measure; its cutoff is ignored. Default: nDCG, or a measure that the convention is
        verified for.
    convention : Convention or str
        The policies, or the name of a preset.
    cutoffs : sequence of int
        The cutoffs.
    weights, threads
        As for `gainful.evaluate`.

    Examples
    --------
    >>> found = curves("qrels.txt", {"bm25": "bm25.run"}, "nDCG@10", cutoffs=(1, 10))
    >>> {at: round(value, 4) for at, value in found.cutoffs["bm25"].items()}
    {1: 0.8333, 10: 0.7193}
    >>> found.coverage["bm25"]
    {1: 1.0, 10: 0.9565217391304348}
    """
    policies = get(convention)
    chosen = choose_measure(measure, policies)
    judged = judgments_for([chosen], qrels, duplicates=policies.duplicates)
    result = Curves(chosen, policies, cutoffs)
    for system, run in runs.items():
        table = as_run(run, duplicates="count", judgments=judged)
        result.add(judged, system, table, weights=weights, threads=threads)
    return result
