"""Evaluate runs for a report, one at a time."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from os import PathLike

from gainful import _kernel
from gainful.conventions import Convention
from gainful.data.coercion import as_run
from gainful.data.qrels import Qrels as Judgments
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.curves import CUTOFFS, Curves
from gainful.evaluation.judgments import judgments_for
from gainful.measures import Measure
from gainful.report.listing import Listing, find_listable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gainful.data import Qrels, Run
    from gainful.data.inputs import QrelsLike, RunLike

__all__ = ["Collector", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """The source of judgments or of a run.

    Attributes
    ----------
    role : {"judgments", "run"}
        Whether these are the judgments or a run.
    name : str
        The name of the system or of the judgments.
    file : str or None
        The file; None for data in memory.
    queries, rows : int
        The number of queries and of rows.
    digest : str
        `Qrels.digest` or `Run.digest`.
    """

    role: str
    name: str
    file: str | None
    queries: int
    rows: int
    digest: str


class Collector:
    """A collector of the results of runs, which keeps no run in memory."""

    def __init__(
        self,
        qrels: QrelsLike,
        measures: tuple[Measure, ...],
        convention: Convention,
        depth: int,
    ) -> None:
        self.qrels: Qrels = judgments_for(measures, qrels, duplicates=convention.duplicates)
        self.measures, self.convention, self.depth = measures, convention, depth
        self.tables: dict[str, _kernel.Evaluated] = {}
        cutoffs = sorted({*CUTOFFS, *(m.cutoff for m in measures if m.cutoff is not None)})
        self.curves = Curves(measures[0], convention, [at for at in cutoffs if at <= 100])
        self.listing: Listing | None = None
        name = self.qrels.name or "judgments"
        self.sources = [
            Source(
                "judgments",
                name,
                self.qrels.source,
                len(self.qrels),
                self.qrels.rows,
                self.qrels.digest,
            )
        ]
        self.highest_grade = _find_highest_grade(self.qrels)

    def read(self, runs: Mapping[str, RunLike]) -> Iterator[tuple[str, tuple[Run, str]]]:
        """Yield each run with its digest; a thread reads the next file meanwhile."""

        def load(run: RunLike) -> tuple[Run, str]:
            loaded = as_run(run, duplicates="count", judgments=self.qrels)
            return loaded, loaded.digest

        with ThreadPoolExecutor(1) as reader:
            following: Future[tuple[Run, str]] | None = None
            for at, (name, run) in enumerate(runs.items()):
                current = load(run) if following is None else following.result()
                after = next(islice(runs.values(), at + 1, None), None)
                # A cursor of a database can be read only by the thread that opened it.
                following = (
                    reader.submit(load, after) if isinstance(after, (str, PathLike)) else None
                )
                yield name, current

    def add(
        self,
        name: str,
        run: tuple[Run, str],
        *,
        weights: Mapping[str, float] | None,
        threads: int | None,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        """Evaluate a run, and list its rankings."""
        loaded, digest = run
        self.sources.append(Source("run", name, loaded.source, len(loaded), loaded.rows, digest))
        found = evaluate_runs(
            self.qrels,
            {name: loaded},
            self.measures,
            self.convention,
            weights=weights,
            threads=threads,
            progress=progress,
        )
        self.tables[name] = found._tables[name]
        self.curves.add(self.qrels, name, loaded, weights=weights, threads=threads)
        if len(self.tables) == 1:
            measure = next(find_listable(self.measures, self.convention, self.qrels, loaded), None)
            if measure is not None:
                self.listing = Listing(measure, self.convention, self.depth)
        if self.listing is not None:
            self.listing.add(self.qrels, loaded, threads=threads)


def _find_highest_grade(qrels: Qrels) -> float:
    assert isinstance(qrels, Judgments)
    grades = (
        max(values, default=0.0)
        for each in qrels.values()
        if (values := [v for v in each.values() if isinstance(v, (int, float))])
    )
    return float(max(grades, default=1.0)) or 1.0
