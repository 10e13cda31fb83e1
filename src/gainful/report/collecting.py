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
from gainful.evaluation import Evaluation
from gainful.evaluation.arguments import judgments_for
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.curves import CUTOFFS, Curves
from gainful.evaluation.predicted import check_averages, combine_evaluations, two_phase_sample
from gainful.evaluation.selection import SelectedInputs
from gainful.measures import Measure
from gainful.report.listing import Listing, find_listable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from gainful.data import Qrels, Run
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.data.samples import QuerySample
    from gainful.evaluation.predicted import PredictedEvaluation, TwoPhaseSample
    from gainful.evaluation.summary import Selection

__all__ = ["Collector", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """The source of judgments or of a run.

    Attributes
    ----------
    role : {"judgments", "predictions", "run"}
        Whether these are the judgments, those of a model, or a run.
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
        predicted: QrelsLike | None = None,
        drawn: QuerySample | None = None,
        selection: Mapping[str, Any] | None = None,
    ) -> None:
        self.qrels: Qrels = judgments_for(measures, qrels, duplicates=convention.duplicates)
        self.model: Qrels | None = None
        self.sample: TwoPhaseSample | None = None
        self.model_tables: dict[str, _kernel.Evaluated] = {}
        if predicted is not None:
            check_averages(measures)
            self.model = judgments_for(measures, predicted, duplicates=convention.duplicates)
            self.sample = two_phase_sample(self.qrels, self.model, drawn)
            self.qrels = self.sample.restrict(self.qrels)
        self.measures, self.convention, self.depth = measures, convention, depth
        self.tables: dict[str, _kernel.Evaluated] = {}
        cutoffs = sorted({*CUTOFFS, *(m.cutoff for m in measures if m.cutoff is not None)})
        self.curves = Curves(
            measures[0], convention, [cutoff for cutoff in cutoffs if cutoff <= 100]
        )
        self.listing: Listing | None = None
        self.sources = [
            Source(
                role, source.name or role, source.source, len(source), source.rows, source.digest
            )
            for role, source in (("judgments", self.qrels), ("predictions", self.model))
            if source is not None
        ]
        self._selected = None
        if selection:
            self._selected = SelectedInputs(self.qrels, convention, **selection)
            self.qrels = self._selected.judgments
        self.highest_grade = _find_highest_grade(self.qrels)

    def summarize_selection(self) -> Selection | None:
        """Return which documents were left out and merged, after all runs."""
        return None if self._selected is None else self._selected.summarize()

    def read(self, runs: Mapping[str, RunLike]) -> Iterator[tuple[str, tuple[Run, str]]]:
        """Yield each run with its digest; a thread reads the next file meanwhile."""

        def load(run: RunLike) -> tuple[Run, str]:
            loaded = as_run(run, duplicates="count", judgments=self.qrels)
            return loaded, loaded.digest

        with ThreadPoolExecutor(1) as reader:
            following: Future[tuple[Run, str]] | None = None
            for index, (name, run) in enumerate(runs.items()):
                current = load(run) if following is None else following.result()
                after = next(islice(runs.values(), index + 1, None), None)
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
        if self._selected is not None:
            loaded = self._selected.select(name, loaded)
        runs = evaluate_runs(
            self.qrels,
            {name: loaded},
            self.measures,
            self.convention,
            weights=weights,
            threads=threads,
            progress=progress,
        )
        self.tables[name] = runs._tables[name]
        if self.model is not None:
            other = evaluate_runs(
                self.model,
                {name: loaded},
                self.measures,
                self.convention,
                weights=weights,
                threads=threads,
            )
            self.model_tables[name] = other._tables[name]
        self.curves.add(self.qrels, name, loaded, weights=weights, threads=threads)
        if len(self.tables) == 1:
            measure = next(find_listable(self.measures, self.convention, self.qrels, loaded), None)
            if measure is not None:
                self.listing = Listing(measure, self.convention, self.depth)
        if self.listing is not None:
            self.listing.add(self.qrels, loaded, threads=threads)

    def combine(self, people: Evaluation) -> PredictedEvaluation | None:
        """Return the means that combine people and the model; None without a model."""
        if self.model is None or self.sample is None:
            return None
        model = Evaluation(
            self.model_tables, self.measures, self.convention, people._weights, self.model
        )
        return combine_evaluations(people, model, self.sample)


def _find_highest_grade(qrels: Qrels) -> float:
    assert isinstance(qrels, Judgments)
    grades = (
        max(values, default=0.0)
        for qrel in qrels.values()
        if (values := [v for v in qrel.values() if isinstance(v, (int, float))])
    )
    return float(max(grades, default=1.0)) or 1.0
