"""Evaluate and compare runs for a report."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from os import fspath

from gainful.comparison.rendering import is_over_budgets
from gainful.comparison.scores import refuse_geometric
from gainful.conventions import Convention, get
from gainful.data.corpus import Texts, read_documents, read_queries
from gainful.data.named_runs import runs_by_name
from gainful.errors import ArgumentError, GainfulError, ParameterError
from gainful.evaluation import Evaluation
from gainful.evaluation.arguments import add_convention_context, judgments_for, settled
from gainful.evaluation.call import checked
from gainful.evaluation.curves import Curves
from gainful.evaluation.predicted import check_sampled
from gainful.keywords import suggest_keywords
from gainful.measures import Measure
from gainful.measures.choosing import choose_measures
from gainful.progress import Bar, join_parts, show_progress
from gainful.published import as_published, of_collection
from gainful.report.collecting import DEEPEST, ReportData, ReportSource, RunCollector
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Any, Unpack

    from gainful.data.corpus import TextsLike
    from gainful.data.named_runs import Runs
    from gainful.data.qrels import QrelsLike
    from gainful.data.samples import Sampled
    from gainful.evaluation.query_groups import Attribute, By
    from gainful.evaluation.selection import ClassesLike, Pairs
    from gainful.policies import PolicyKeywords
    from gainful.published import PublishedLike, PublishedScore
    from gainful.trends import Trend
    from gainful.trends.call import Releases

__all__ = ["MEASURES", "Report", "ReportSource", "make_report"]

#: The default measures.
MEASURES = ("nDCG@10", "AP", "RR")
#: The height of the report in a notebook, in pixels.
_HEIGHT = 640

#: The default number of resamples, as in `gainful.compare`, and the smaller number for large
#: reports: those with systems squared times queries above `LARGE`.
RESAMPLES, FEWER_RESAMPLES, LARGE = 100_000, 10_000, 50_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(ReportData):
    """An HTML report with its data. `write` writes the page.

    Attributes
    ----------
    evaluation : Evaluation
        The evaluation of all systems.
    comparison : Comparison or None
        The comparison of the systems; None for a single system.
    curves : Curves
        The curves of the first measure.
    listing : Listing or None
        The rankings by query; None if no measure depends on ranks.
    sources : tuple of ReportSource
        The judgments and the runs.
    queries, documents : Texts or None
        The texts of the queries and of the listed documents.
    title : str
        The title of the page.
    command : str or None
        The command that reproduces the report, which the page shows.
    highest_grade : float
        The highest grade in the judgments.
    audit : JudgmentQuality or None
        The audit of labels by models against the judgments; None without such labels.
    predicted : PredictedEvaluation or None
        The means that combine the judgments of people with those of a model for further queries;
        None without such judgments. The other values of the report are those of people.
    published : tuple of PublishedScore
        Scores of other systems, which the leaderboards show.
    history : Trend or None
        The first measure over earlier releases and this one; None without a history.
    inputs : list of dict
        The paths and SHA-256 digests of the files of the command, for `gainful.verify`.

    Examples
    --------
    >>> report = make_report("qrels.txt", {"bm25": "bm25.run", "dense": "dense.run"})
    >>> report.comparison.pair("dense", "bm25", measure="nDCG@10").verdict
    'inconclusive'
    """

    def html(self) -> str:
        """Return the page, a self-contained HTML document.

        Raises
        ------
        GainfulError
            If the extra ``report`` is not installed.
        """
        from gainful.report.page import render_page

        return render_page(self)

    def write(self, path: str) -> None:
        """Write the page to a file atomically, in UTF-8.

        Raises
        ------
        SourceError
            If the file cannot be written.
        GainfulError
            If the extra ``report`` is not installed.
        """
        write_whole(fspath(path), [self.html().encode()])

    def _repr_html_(self) -> str:
        # The frame keeps the page's styles and scripts apart from those of a notebook.
        quoted = self.html().replace("&", "&amp;").replace('"', "&quot;")
        return (
            f'<iframe srcdoc="{quoted}" title="{escape(self.title)}"'
            f' sandbox="allow-scripts allow-popups allow-downloads" width="100%" height="{_HEIGHT}"'
            ' style="border:1px solid rgba(128,128,128,.4);border-radius:4px"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Report of {', '.join(self.evaluation.systems)}>"


@show_progress(Bar)
@suggest_keywords
def make_report(
    qrels: QrelsLike | Evaluation,
    runs: Runs | None = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
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
    judges: Mapping[str, str | PathLike[str]] | None = None,
    families: Mapping[str, str] | None = None,
    predicted: QrelsLike | None = None,
    sampled: Sampled | None = None,
    exclude: Pairs | None = None,
    same: ClassesLike | None = None,
    published: PublishedLike | None = None,
    collection: str | None = None,
    history: Releases | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Report:
    """Evaluate and compare runs for an HTML report.

    Parameters
    ----------
    qrels, runs, convention, weights, threads, progress
        As in `gainful.evaluate`. Or, in place of judgments and runs, an `Evaluation`, such as
        `Evaluation.from_values` returns; the page then has no rankings and no curves.
    measures : Measure, str, or several of them, optional
        The measures. Curves and rankings are shown for the first measure. Default: nDCG@10, AP and
        RR, or the measures that the convention is verified for.
    baseline, clusters, by, margin, detect, alpha, correction, resamples, seed
        As in `gainful.compare`. Without a baseline all pairs are compared. The default of
        `resamples` is 100,000, or 10,000 if the square of the number of systems times the number
        of queries exceeds 50,000.
    docs, queries : path or mapping, optional
        The texts of the documents and of the queries, as in `gainful.explain`.
    depth : int, optional
        Ranks to show per ranking, at most 20. Default: the cutoff of the first measure.
    title : str
        The title of the page.
    command : str, optional
        The command line to show in the section "Reproduce".
    judges : mapping of str to path, optional
        Labels by models, by name: the page has their audit against the judgments, as
        `gainful.assess_judgments` makes it for the first measure.
    families : mapping of str to str, optional
        The families of systems and of these models, for the audit: whether a model favors one.
    predicted, sampled
        As in `gainful.evaluate`: the judgments of a model for all queries. The means, differences
        and verdicts of the leaderboard then combine both.
    exclude, same
        Documents to leave out, and the classes of documents, as for `evaluate`.
    published : path, or iterable of paths and PublishedScore, optional
        Scores of other systems to show in the leaderboards, as `gainful.published.read_published`
        reads them.
    collection : str, optional
        The name of the collection in `published`. Default: the only one.
    history : path, several paths, or mapping, optional
        Earlier releases, as for `gainful.trend`: the page shows the first measure over them and
        this report, for the system called like that of the last release, or else the best one.
    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Raises
    ------
    GainfulError
        If the data cannot be read, evaluated or compared.

    Examples
    --------
    >>> report = make_report("qrels.txt", {"bm25": "bm25.run"}, "nDCG@5", docs="docs.jsonl")
    >>> report.listing.depth, report.comparison is None
    (5, True)
    """
    if isinstance(qrels, Evaluation):
        for argument, value in (
            ("runs", runs),
            ("measures", measures),
            ("weights", weights),
            ("docs", docs),
            ("depth", depth),
            ("judges", judges),
            ("families", families),
            ("predicted", predicted),
            ("sampled", sampled),
            ("exclude", exclude),
            ("same", same),
            *policies.items(),
        ):
            if value is not None:
                raise ArgumentError(f"⟪{argument}⟫ requires judgments and runs, not an evaluation")
        return _report_of_evaluation(
            qrels,
            {
                "baseline": baseline,
                "clusters": clusters,
                "by": by,
                "margin": margin,
                "detect": detect,
                "alpha": alpha,
                "correction": correction,
                "resamples": FEWER_RESAMPLES if resamples is None else resamples,
                "seed": seed,
                "threads": threads,
            },
            queries=queries,
            title=title,
            command=command,
            published=of_collection(as_published(published), collection),
            history=history,
        )
    if runs is None:
        raise ArgumentError(where="runs", found="no runs", expected="runs, or an evaluation")
    rules = get(convention, **policies)
    chosen = choose_measures(measures, rules, usual=MEASURES)
    if isinstance(runs, (dict, list, tuple)) and not runs:
        raise ParameterError(where="runs", found="no run", expected="at least one")
    runs = runs_by_name(runs)
    if len(runs) > 1:
        # A report shows differences next to means, on one scale.
        refuse_geometric(chosen)
    scores = of_collection(as_published(published), collection)
    if by is not None and len(runs) < 2:
        raise ParameterError(
            "slices are compared between systems", where="by", hint="add a second run"
        )
    drawn = check_sampled(sampled, has_predictions=predicted is not None)
    selection = {"exclude": exclude, "same": same}
    for name, value in selection.items():
        if value is not None and (judges or predicted is not None):
            other = "judges" if judges else "predicted"
            raise ArgumentError(f"⟪{name}⟫ cannot be combined with ⟪{other}⟫")
    try:
        judged = judgments_for(chosen, qrels, duplicates=rules.duplicates)
        chosen = settled(chosen, judged, rules)
        collector = RunCollector(
            judged,
            chosen,
            rules,
            _depth(depth, chosen[0], rules),
            predicted,
            drawn,
            {name: value for name, value in selection.items() if value is not None},
        )
        for index, (name, run) in enumerate(collector.read(runs)):
            part = join_parts(progress, index, len(runs))
            collector.add(name, run, weights=weights, threads=threads, progress=part)
    except GainfulError as error:
        raise add_convention_context(error, rules) from None
    plain_weights = None if weights is None else dict(weights)
    evaluation = checked(
        Evaluation(
            collector.tables,
            chosen,
            rules,
            plain_weights,
            collector.qrels,
            selection=collector.summarize_selection(),
            runs=runs,
        )
    )
    combined = collector.combine(evaluation)
    comparison = None
    if len(runs) > 1:
        from gainful.comparison import compare

        comparison = compare(
            combined or evaluation,
            baseline=baseline,
            clusters=clusters,
            by=by,
            margin=margin,
            detect=detect,
            alpha=alpha,
            correction=correction,
            # The budgets of a curve are one family.
            family="all" if is_over_budgets(chosen) else "measure",
            bayes=True,
            resamples=_resamples(len(runs), collector) if resamples is None else resamples,
            bootstrap=0,
            seed=seed,
            threads=threads,
        )
    audit = None
    if families and not judges:
        raise ParameterError("⟪families⟫ requires ⟪judges⟫")
    if judges:
        from gainful.report.sections import audit_judges

        audit = audit_judges(
            collector.qrels,
            judges,
            runs=runs,
            measure=chosen[0],
            baseline=baseline if len(runs) > 1 else None,
            margin=margin if len(runs) > 1 else None,
            convention=rules,
            weights=plain_weights,
            clusters=clusters,
            docs=docs,
            families=families,
            seed=seed,
            threads=threads,
        )
    documents, query_texts = _texts(collector, docs, queries)
    return Report(
        evaluation=evaluation,
        comparison=comparison,
        curves=collector.curves,
        listing=collector.listing,
        sources=tuple(collector.sources),
        queries=query_texts,
        documents=documents,
        title=title,
        command=command,
        highest_grade=collector.highest_grade,
        audit=audit,
        predicted=combined,
        published=scores,
        history=_follow(evaluation, history, alpha, seed, threads),
    )


def _report_of_evaluation(
    evaluation: Evaluation,
    options: dict[str, Any],
    *,
    queries: TextsLike | None,
    title: str,
    command: str | None,
    published: tuple[PublishedScore, ...],
    history: Releases | None,
) -> Report:
    """Return the report of an evaluation, without rankings."""
    comparison = None
    if len(evaluation.systems) > 1:
        from gainful.comparison import compare

        # A report shows differences next to means, on one scale.
        refuse_geometric(evaluation.measures)
        comparison = compare(evaluation, bayes=True, bootstrap=0, **options)
    known = list(evaluation.per_query(evaluation.measures[0], evaluation.systems[0]))
    return Report(
        evaluation=evaluation,
        comparison=comparison,
        curves=Curves(evaluation.measures[0], evaluation.convention),
        listing=None,
        sources=(),
        queries=None if queries is None else read_queries(queries, list(map(str, known))),
        title=title,
        command=command,
        published=published,
        history=_follow(
            evaluation, history, *(options[name] for name in ("alpha", "seed", "threads"))
        ),
    )


def _follow(
    evaluation: Evaluation,
    history: Releases | None,
    alpha: float,
    seed: int,
    threads: int | None,
) -> Trend | None:
    if history is None:
        return None
    from gainful.comparison.choices import CompareOptions
    from gainful.report.sections import follow_history

    choices = CompareOptions(alpha=alpha, seed=seed, threads=threads, bootstrap=0)
    return follow_history(evaluation, history, choices)


def _resamples(systems: int, collector: RunCollector) -> int:
    return RESAMPLES if systems**2 * len(collector.qrels) <= LARGE else FEWER_RESAMPLES


def _depth(depth: int | None, measure: Measure, convention: Convention) -> int:
    if depth is None:
        return min(measure.resolve(convention).cutoff or 10, DEEPEST)
    if type(depth) is not int or not 1 <= depth <= DEEPEST:
        raise ParameterError(
            where="depth", found=repr(depth), expected=f"a whole number from 1 to {DEEPEST}"
        )
    return depth


def _texts(
    collector: RunCollector, docs: TextsLike | None, queries: TextsLike | None
) -> tuple[Texts | None, Texts | None]:
    documents = query_texts = None
    if docs is not None and collector.listing is not None:
        documents = read_documents(docs, set(collector.listing.documents()))
    if queries is not None:
        query_texts = read_queries(queries, list(collector.qrels))
    return documents, query_texts
