"""Evaluate runs for a report, one at a time, and list the documents of each query once."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike

from gainful import _kernel
from gainful.conventions import Convention
from gainful.data.coercion import as_run
from gainful.data.qrels import Qrels as Judgments
from gainful.data.table import kernel_rows
from gainful.errors import ConventionError, MeasureError, TieError
from gainful.evaluation import Evaluation
from gainful.evaluation.arguments import judgments_for
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.curves import CUTOFFS, Curves
from gainful.evaluation.predicted import check_averages, combine_evaluations, two_phase_sample
from gainful.evaluation.selection import SelectedInputs
from gainful.measures import Measure
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.comparison import Comparison
    from gainful.data import Qrels, Run
    from gainful.data.corpus import Texts
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.data.samples import QuerySample
    from gainful.evaluation.predicted import PredictedEvaluation, TwoPhaseSample
    from gainful.evaluation.summary import Selection, Summary
    from gainful.input_files import Digest
    from gainful.judging import JudgmentQuality
    from gainful.published import PublishedScore
    from gainful.trends import Trend

__all__ = ["DEEPEST", "Listing", "ReportData", "ReportSource", "RunCollector"]

#: The maximum number of ranks in a report.
DEEPEST = 20


class Listing:
    """The top ranks of several systems under a convention.

    Parameters
    ----------
    measure : Measure
        The measure whose contributions by rank are listed.
    convention : Convention
        The convention that orders the documents and computes the contributions.
    depth : int
        The number of ranks.

    Attributes
    ----------
    measure, depth
        As above.
    """

    def __init__(self, measure: Measure, convention: Convention, depth: int) -> None:
        self.measure, self.depth = measure, depth
        self._convention = convention
        self._listing = _kernel.Listing()
        # The queries of the judgments, which the kernel numbers.
        self._numbers: dict[str, int] = {}

    @property
    def sums(self) -> bool:
        """Whether the measure is a sum of contributions by rank, such as nDCG, DCG and CG."""
        return self._listing.sums

    def add(
        self,
        qrels: Qrels,
        run: Run,
        *,
        threads: int | None = None,
    ) -> None:
        """Add the run of one system."""
        self._listing.add(
            kernel_rows(qrels),
            kernel_rows(run),
            self._convention.spec(),
            (repr(self.measure), *self.measure.spec(self._convention, kernel_rows(qrels).grades)),
            depth=self.depth,
            threads=thread_count(threads),
        )
        if not self._numbers:
            self._numbers = {query: number for number, query in enumerate(qrels)}

    def documents(self, queries: Sequence[str] | None = None) -> list[str]:
        """Return the documents of some queries in the order of `columns`. Default: of all."""
        return self._listing.documents(None if queries is None else self._find(queries))

    def columns(
        self, queries: Sequence[str]
    ) -> tuple[dict[str, bytes], list[float], list[float], str | None]:
        """Return the rankings of some queries."""
        return self._listing.columns(self._find(queries))

    def _find(self, queries: Sequence[str]) -> list[int]:
        return [self._numbers[query] for query in queries]


def find_listable(
    measures: tuple[Measure, ...], convention: Convention, qrels: Qrels, run: Run
) -> Iterator[Measure]:
    """Yield the measures for which `Listing` can list rankings."""
    one_query = qrels.select(list(qrels)[:1])
    for measure in measures:
        try:
            Listing(measure, convention, 1).add(one_query, run, threads=1)
        except (MeasureError, ConventionError, TieError):
            continue
        yield measure


@dataclass(frozen=True, slots=True)
class ReportSource:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """What a report shows; see `gainful.report.Report`."""

    evaluation: Evaluation
    comparison: Comparison | None
    curves: Curves
    listing: Listing | None
    sources: tuple[ReportSource, ...]
    queries: Texts | None = None
    documents: Texts | None = None
    title: str = "Ranking report"
    command: str | None = None
    highest_grade: float = 1.0
    audit: JudgmentQuality | None = None
    predicted: PredictedEvaluation | None = None
    published: tuple[PublishedScore, ...] = ()
    history: Trend | None = None
    inputs: list[Digest] = field(default_factory=list)

    def summary(self, measure: Measure, system: str) -> Summary:
        """Return the summary of a system, with the combined mean if there is one."""
        return (self.predicted or self.evaluation).summary(measure, system)

    def scores(
        self, collection: str | None = None, source: str | None = None
    ) -> tuple[PublishedScore, ...]:
        """Return the means, for `gainful.published.write_published`."""
        from gainful.published import summarize_published

        predictions = self.predicted or self.evaluation
        return summarize_published(predictions, collection=collection, source=source)


class RunCollector:
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
            ReportSource(
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
        self.sources.append(
            ReportSource("run", name, loaded.source, len(loaded), loaded.rows, digest)
        )
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
        self.tables[name] = runs.kernel_tables[name]
        if self.model is not None:
            other = evaluate_runs(
                self.model,
                {name: loaded},
                self.measures,
                self.convention,
                weights=weights,
                threads=threads,
            )
            self.model_tables[name] = other.kernel_tables[name]
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
            self.model_tables, self.measures, self.convention, people.weights, self.model
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
