"""What a report is made from, gathered one run at a time."""

from __future__ import annotations

from dataclasses import dataclass
from os import fspath

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data.coercion import as_run
from gainful.data.corpus import Texts, read_documents, read_queries
from gainful.data.qrels import Qrels as Judgments
from gainful.errors import GainfulError, ParameterError
from gainful.evaluation import Evaluation
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.curves import CUTOFFS, Curves
from gainful.evaluation.error_context import add_convention_context
from gainful.evaluation.judgments import judgments_for
from gainful.measures import Measure
from gainful.measures.choosing import choose_measures
from gainful.report.listing import DEEPEST, Listing, listable
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gainful.comparison import Comparison
    from gainful.comparison.arguments import Attribute
    from gainful.data import Qrels
    from gainful.data.corpus import TextsLike
    from gainful.data.inputs import QrelsLike, RunLike

__all__ = ["MEASURES", "Report", "Source", "make_report"]

#: What is measured when nothing is named.
MEASURES = ("nDCG@10", "AP", "RR")
#: Sign flips and permutations when nothing is said: as many as `gainful.compare` makes where that
#: takes seconds, and fewer where the square of the systems times the queries is beyond `MUCH`.
RESAMPLES, FEWER, MUCH = 100_000, 10_000, 50_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where judgments or a run came from.

    Attributes
    ----------
    role : {"judgments", "run"}
        Which of them.
    name : str
        The system, or what the judgments are called.
    file : str or None
        The file read; None for what was in memory.
    queries, rows : int
        Its size.
    digest : str
        `Qrels.digest` or `Run.digest`.
    """

    role: str
    name: str
    file: str | None
    queries: int
    rows: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report:
    """Everything that the page shows. `write` writes it.

    Attributes
    ----------
    evaluation : Evaluation
        Of all systems.
    comparison : Comparison or None
        None for a single system.
    curves : Curves
        By cutoff and by recall, of the first measure.
    listing : Listing or None
        The rankings; None where no rank adds to any of the measures.
    sources : tuple of Source
        The judgments and the runs.
    queries, documents : Texts or None
        What was searched for, and titles and texts of the documents listed.
    title : str
        What the page is called.
    command : str or None
        How it was called for.
    highest_grade : float
        The largest grade of the judgments.

    Examples
    --------
    >>> report = make_report("qrels.txt", {"bm25": "bm25.run", "dense": "dense.run"})
    >>> report.comparison.pair("dense", "bm25", "nDCG@10").verdict
    'inconclusive'
    """

    evaluation: Evaluation
    comparison: Comparison | None
    curves: Curves
    listing: Listing | None
    sources: tuple[Source, ...]
    queries: Texts | None = None
    documents: Texts | None = None
    title: str = "Ranking report"
    command: str | None = None
    highest_grade: float = 1.0

    def html(self) -> str:
        """Return the page: one document that needs no network.

        Raises
        ------
        GainfulError
            Where the extra ``report`` is not installed.
        """
        from gainful.report.document import document

        return document(self)

    def write(self, path: str) -> None:
        """Write the page to a file, in UTF-8, whole or not at all.

        Raises
        ------
        SourceError
            If it cannot be written.
        GainfulError
            Where the extra ``report`` is not installed.
        """
        write_whole(fspath(path), [self.html().encode()])

    def __repr__(self) -> str:
        return f"<Report of {', '.join(self.evaluation.systems)}>"


def make_report(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    docs: TextsLike | None = None,
    queries: TextsLike | None = None,
    margin: float | None = None,
    detect: float | None = None,
    alpha: float = 0.05,
    correction: str | None = None,
    resamples: int | None = None,
    seed: int = 0,
    depth: int | None = None,
    title: str = "Ranking report",
    command: str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Report:
    """Evaluate and compare runs, and gather what a report shows of them.

    Parameters
    ----------
    qrels, runs, convention, weights, threads, progress
        As `gainful.evaluate` takes them.
    measures : Measure, str, or several of them, optional
        What is measured; the first is what rankings and curves are about. Default: nDCG@10, AP and
        RR, or what the convention is verified for.
    baseline, clusters, margin, detect, alpha, correction, resamples, seed
        As `gainful.compare` takes them. Without a baseline all pairs are compared. Without
        `resamples` there are 100,000, and 10,000 where the square of the number of systems times
        the number of queries is above 50,000.
    docs, queries : path or mapping, optional
        Titles and texts of the documents, and what was searched for, as `gainful.explain` takes
        them.
    depth : int, optional
        Ranks to show of each ranking, 20 at most; without it those down to the cutoff of the first
        measure.
    title : str
        What the page is called.
    command : str, optional
        The command line, for the section that says how to make the report again.

    Raises
    ------
    GainfulError
        For whatever cannot be read, matched, measured or compared.

    Examples
    --------
    >>> report = make_report("qrels.txt", {"bm25": "bm25.run"}, "nDCG@5", docs="docs.jsonl")
    >>> report.listing.depth, report.comparison is None
    (5, True)
    """
    policies = get(convention)
    chosen = choose_measures(measures, policies, usual=MEASURES)
    if not runs:
        raise ParameterError(where="runs", found="no run", expected="at least one")
    try:
        gathered = _Gathered(qrels, chosen, policies, _depth(depth, chosen[0], policies))
        for name, run in runs.items():
            gathered.add(name, run, weights=weights, threads=threads, progress=progress)
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    shares = None if weights is None else dict(weights)
    evaluation = Evaluation(gathered.tables, chosen, policies, shares, gathered.qrels)
    comparison = None
    if len(runs) > 1:
        from gainful.comparison import compare

        comparison = compare(
            evaluation,
            baseline=baseline,
            clusters=clusters,
            margin=margin,
            detect=detect,
            alpha=alpha,
            correction=correction,
            resamples=_resamples(len(runs), gathered) if resamples is None else resamples,
            bootstrap=0,
            seed=seed,
            threads=threads,
        )
    texts, words = _texts(gathered, docs, queries)
    return Report(
        evaluation=evaluation,
        comparison=comparison,
        curves=gathered.curves,
        listing=gathered.listing,
        sources=tuple(gathered.sources),
        queries=words,
        documents=texts,
        title=title,
        command=command,
        highest_grade=gathered.highest,
    )


class _Gathered:
    """What is known after some runs: each is read, measured and let go."""

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
        self.highest = _highest(self.qrels)

    def add(
        self,
        name: str,
        run: RunLike,
        *,
        weights: Mapping[str, float] | None,
        threads: int | None,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        held = as_run(run, duplicates="count", judgments=self.qrels)
        self.sources.append(Source("run", name, held.source, len(held), held.rows, held.digest))
        found = evaluate_runs(
            self.qrels,
            {name: held},
            self.measures,
            self.convention,
            weights=weights,
            threads=threads,
            progress=progress,
        )
        self.tables[name] = found._tables[name]
        self.curves.add(self.qrels, name, held, weights=weights, threads=threads)
        if len(self.tables) == 1:
            measure = next(listable(self.measures, self.convention, self.qrels, held), None)
            if measure is not None:
                self.listing = Listing(measure, self.convention, self.depth)
        if self.listing is not None:
            self.listing.add(self.qrels, held, threads=threads)


def _resamples(systems: int, gathered: _Gathered) -> int:
    return RESAMPLES if systems**2 * len(gathered.qrels) <= MUCH else FEWER


def _depth(asked: int | None, measure: Measure, convention: Convention) -> int:
    if asked is None:
        return min(measure.resolve(convention).cutoff or 10, DEEPEST)
    if type(asked) is not int or not 1 <= asked <= DEEPEST:
        raise ParameterError(
            where="depth", found=repr(asked), expected=f"a whole number from 1 to {DEEPEST}"
        )
    return asked


def _highest(qrels: Qrels) -> float:
    assert isinstance(qrels, Judgments)
    grades = (
        max(values, default=0.0)
        for each in qrels.values()
        if (values := [v for v in each.values() if isinstance(v, (int, float))])
    )
    return float(max(grades, default=1.0)) or 1.0


def _texts(
    gathered: _Gathered, docs: TextsLike | None, queries: TextsLike | None
) -> tuple[Texts | None, Texts | None]:
    texts = words = None
    if docs is not None and gathered.listing is not None:
        texts = read_documents(docs, gathered.listing.documents())
    if queries is not None:
        words = read_queries(queries, list(gathered.qrels))
    return texts, words
