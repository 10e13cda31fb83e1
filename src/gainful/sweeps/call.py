"""Search, evaluate and compare a system at many settings, and choose the best."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from difflib import get_close_matches
from math import ceil
from os import PathLike

from gainful.comparison import compare
from gainful.comparison.scores import refuse_geometric
from gainful.conventions import Convention, get
from gainful.errors import ArgumentError, ParameterError, SearchError
from gainful.evaluation.arguments import judgments_for
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.progress import QueryBar, show_progress
from gainful.sweeps.points import CURRENT, Point, format_value, list_points
from gainful.sweeps.result import Sweep, choose_best
from gainful.systems.description import read_description
from gainful.systems.fetching.base import Options
from gainful.systems.fetching.journal import journal_path
from gainful.systems.queries import Queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Unpack

    from gainful.data import Run
    from gainful.data.qrels import QrelsLike
    from gainful.evaluation.query_groups import Attribute
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords
    from gainful.sweeps.points import Grid
    from gainful.systems.protocol import System

__all__ = ["sweep"]


class PointSearches:
    """Searches of a system at the points of a sweep, with common arguments.

    Parameters
    ----------
    system : path, mapping or callable
        As for `gainful.sweep`.
    queries : Queries
        The queries.
    options : Options
        The options of each search.
    record, replay : path, optional
        For `load_system`.
    **arguments
        Further arguments of `search_with`.
    """

    def __init__(
        self,
        system: Any,
        queries: Queries,
        options: Options,
        *,
        record: str | PathLike[str] | None = None,
        replay: str | PathLike[str] | None = None,
        **arguments: Any,
    ) -> None:
        if not isinstance(system, (str, PathLike, AnyMapping)) and not callable(system):
            raise ArgumentError(
                where="system",
                found=type(system).__name__,
                expected="a description, or a function that takes the settings and returns a"
                " system",
                hint="sweep(MyRetriever, ...) calls MyRetriever(k1=0.9, b=0.4) at each point",
            )
        if callable(system) and (record is not None or replay is not None):
            raise ArgumentError(
                where="record" if record is not None else "replay",
                found="a function",
                expected="the description of a search engine over HTTP",
            )
        self.system = system
        self.record, self.replay = record, replay
        self.queries = queries
        self.options = options
        self.arguments = arguments

    def current(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the description's own values of settings; empty for a callable."""
        if callable(self.system):
            return {}
        known = read_description(self.system).settings
        return {name: known[name] for name in names if name in known}

    def run(
        self, points: Sequence[Point], progress: Callable[[int, int, int], object] | None
    ) -> dict[str, Run]:
        """Run the queries at each point, one point after the other."""
        from gainful.systems.call import no_answer
        from gainful.systems.fetching.query_jobs import VERIFIED

        self._check(points)
        runs: dict[str, Run] = {}
        number, failed = len(self.queries), 0
        # All points share the system.
        verified = ceil(VERIFIED / len(points))
        for index, point in enumerate(points):

            def report_progress(
                done: int, total: int, lost: int, at: int = index, before: int = failed
            ) -> None:
                if progress is not None:
                    progress(at * number + done, len(points) * number, before + lost)

            try:
                runs[point.name] = run = self._run(point, report_progress, verified)
            except KeyboardInterrupt as interrupt:
                interrupt.add_note(
                    f"Interrupted at point {index + 1} of {len(points)}, {point.name}."
                )
                raise
            failed += len(run.failed)
            if run.failed and len(run.failed) == number:
                assert run.account is not None  # every run of a search has one
                raise no_answer(run.account, point.name)
        return runs

    def _check(self, points: Sequence[Point]) -> None:
        """Reject settings that a description does not declare, before searching."""
        if callable(self.system):
            return
        for point in points:
            read_description(self.system, settings=point.settings)

    def _run(self, point: Point, progress: Callable[[int, int, int], object], verified: int) -> Run:
        from gainful.systems.call import search_with

        return search_with(
            self._system(point),
            self.queries,
            self.options,
            name=point.name,
            progress=progress,
            verified=verified,
            **self.arguments,
        )

    def _system(self, point: Point) -> System:
        """Return the system with the settings of a point."""
        if not callable(self.system):
            from gainful.systems import load_system

            return load_system(
                self.system,
                settings=point.settings,
                name=point.name,
                record=self.record,
                replay=self.replay,
            )
        from gainful.systems import as_system
        from gainful.systems.python.callables import Renamed

        created = _create_system(self.system, point)
        named = {name: self.arguments[name] for name in ("fields", "version")}
        settings = {name: format_value(value) for name, value in point.settings.items()}
        return Renamed(
            as_system(created, batch=self.options.batch, **named), point.name, settings=settings
        )


def _create_system(system: Callable[..., Any], point: Point) -> Any:
    """Return the system that a function or class creates from the settings of a point."""
    from inspect import signature

    named = {name.replace(".", "_"): value for name, value in point.settings.items()}
    try:
        signature(system).bind(**named)
    except TypeError as error:
        raise ArgumentError(
            where=point.name,
            found=f"a callable that rejects the settings {', '.join(named) or '()'} ({error})",
            expected="a function or class that takes them and returns a system",
        ) from None
    except ValueError:
        pass  # The callable has no signature.
    return system(**named)


#: With more points there are too many pairs to read.
MOST_POINTS = 200
#: The limit with a baseline.
MOST_WITH_BASELINE = 1_000


@show_progress(QueryBar)
@suggest_keywords
def sweep(
    system: str | PathLike[str] | Mapping[str, Any] | Callable[..., object],
    queries: Any,
    qrels: QrelsLike,
    grid: Grid,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    k: int = 100,
    sample: int | None = None,
    seed: int = 0,
    baseline: str | Mapping[str, Any] | None = None,
    journal: str | PathLike[str] | None = None,
    restart: bool = False,
    keep_answers: bool = False,
    workers: int = 8,
    batch: int | None = None,
    rate: float | None = None,
    retries: int = 4,
    timeout: float = 30.0,
    fields: str | Mapping[str, str] | None = None,
    version: str | None = None,
    record: str | PathLike[str] | None = None,
    replay: str | PathLike[str] | None = None,
    as_complete: bool = False,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    margin: float | None = None,
    detect: float | None = None,
    alpha: float = 0.05,
    correction: str | None = "max-t",
    resamples: int = 100_000,
    folds: int = 10,
    threads: int | None = None,
    progress: Callable[[int, int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Sweep:
    """Grid-search the settings of a system, with a cross-validated estimate.

    Parameters
    ----------
    system : path, mapping or callable
        A description whose settings are varied, as a file or as its content; or a function or class
        that takes the settings of a point by name, with _ for a dot, and returns anything that
        `gainful.search` accepts.
    queries
        The queries, as for `gainful.search`; those without judgments are left out.
    qrels
        The judgments, as for `gainful.evaluate`.
    grid : mapping of str to sequence or Range
        The values of each setting. Default: all combinations, in the order of the grid with the
        last setting changing fastest; see `sample`.
    measures : Measure, str, or several of them, optional
        The measures to compare. The first one chooses the best point. Default: nDCG@10, or what the
        convention is verified for.
    k : int
        Number of documents to retrieve per query.
    sample : int, optional
        Number of points to draw at random: distinct grid points with equal probability, or points
        from `gainful.sweeps.Range`. The values of a list are equally probable.
    seed : int
        The random seed, for drawing points and for tests and estimates.
    baseline : str or mapping, optional
        The point to compare the others with. Default: compare all pairs. ``"current"`` is the
        description with its own settings (a function without settings), and is added to the points
        if needed, as is a mapping of settings. Otherwise the name of a point.
    journal : path, optional
        The journal of all searches. With it an interrupted sweep resumes, and a sweep with
        additional points runs only these.
    restart, keep_answers, workers, batch, rate, retries, timeout, fields, version
        As for `gainful.search`. Points run one after the other, each with this many workers.
    record, replay : path, optional
        As for `gainful.systems.load_system`, for a description of a search engine over HTTP.
    as_complete : bool
        Whether to treat failed queries as missing from the run, under the convention. Otherwise a
        point with a failed query is an error, raised after all points have run.
    convention, weights, clusters, margin, detect, alpha, correction, resamples, threads
        As for `gainful.compare`. Points are variants of one system, which max-T suits.
    folds : int
        Number of cross-validation folds to estimate the value of the best point.
    progress : callable, optional
        Called with (queries done, total queries, failed queries), over all points. Default: a
        progress bar, as in `gainful.evaluate`.

    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Sweep

    Raises
    ------
    ArgumentError, ParameterError
        For an invalid grid, or a value out of range.
    SearchError
        If queries failed, or the journal has answers of another system under a point's name.
    MatchError
        If no query has judgments.
    GainfulError
        If an input cannot be read, searched, matched or evaluated.

    Notes
    -----
    The best of many means is biased upwards, so its value on other queries is estimated by
    cross-validation over the queries (`gainful.inference.chosen_best`). The tests are corrected for
    all points.

    Examples
    --------
    Tune the weight of a word in the title vs. the text:

    >>> import gainful
    >>> recipes = {
    ...     "r1": ("Tomato soup", "With basil and bread"),
    ...     "r2": ("Basil bread", "With tomato"),
    ...     "r3": ("Bread", "A tomato soup goes with it"),
    ... }
    >>> def retriever(title):
    ...     def search(text, k):
    ...         words = set(text.split())
    ...         found = {}
    ...         for recipe, (name, body) in recipes.items():
    ...             in_title = len(words & set(name.lower().split()))
    ...             in_body = len(words & set(body.lower().split()))
    ...             found[recipe] = title * in_title + in_body
    ...         return sorted(found.items(), key=lambda pair: -pair[1])[:k]
    ...     return search
    >>> queries = {"q1": "tomato soup", "q2": "basil bread", "q3": "bread tomato"}
    >>> qrels = {"q1": {"r1": 2, "r3": 1}, "q2": {"r2": 1}, "q3": {"r2": 1}}
    >>> result = gainful.sweep(retriever, queries, qrels, {"title": [0.5, 1, 2]})
    >>> [point.name for point in result.points]
    ['title=0.5', 'title=1', 'title=2']
    >>> result.best.settings, round(result.evaluation.mean(system="title=2"), 4)
    ({'title': 2}, 0.877)
    >>> chosen = result.choice.estimates["nDCG@10"]
    >>> round(chosen.measured, 4), round(chosen.expected, 4)
    (0.877, 0.8302)
    """
    most = MOST_POINTS if baseline is None else MOST_WITH_BASELINE
    points = list_points(grid, sample=sample, seed=seed, most=most)
    rules = get(convention, **policies)
    chosen_measures = choose_measures(measures, rules)
    judged = judgments_for(chosen_measures, qrels, duplicates=rules.duplicates)
    known = Queries.of(queries)
    searches = PointSearches(
        system,
        known.judged(judged),
        Options(k, workers, batch, rate, retries, timeout, "mark"),
        record=record,
        replay=replay,
        journal=journal_path(journal),
        restart=restart,
        keep_answers=keep_answers,
        fields=fields,
        version=version,
    )
    refuse_geometric(chosen_measures)
    base = None
    if baseline is not None:
        points, base = _with_baseline(points, baseline, searches)
    runs = searches.run(points, progress)
    if not as_complete:
        _refuse_incomplete(runs, journal)
    whole = {name: run.as_complete() if run.incomplete else run for name, run in runs.items()}
    comparison = compare(
        judged,
        whole,
        chosen_measures,
        baseline=base,
        convention=rules,
        weights=weights,
        clusters=clusters,
        margin=margin,
        detect=detect,
        alpha=alpha,
        correction=correction,
        resamples=resamples,
        bootstrap=0,
        seed=seed,
        threads=threads,
    )
    choice = choose_best(comparison, base, folds=folds, seed=seed)
    return Sweep(
        points=tuple(points),
        settings=tuple(grid),
        runs=runs,
        baseline=base,
        comparison=comparison,
        choice=choice,
        sampled=sample,
        k=k,
        skipped=len(known) - len(searches.queries),
    )


def _with_baseline(
    points: list[Point], baseline: str | Mapping[str, Any], searches: Any
) -> tuple[list[Point], str]:
    """Return the points including the baseline, and the baseline's name."""
    names = [point.name for point in points]
    if isinstance(baseline, AnyMapping):
        target = {str(name): format_value(value) for name, value in baseline.items()}
        for point in points:
            if {name: format_value(value) for name, value in point.settings.items()} == target:
                return points, point.name
        added = Point(
            name=",".join(f"{name}={text}" for name, text in target.items()),
            settings=dict(baseline),
        )
        return [added, *points], added.name
    if not isinstance(baseline, str):
        raise ArgumentError(
            where="baseline",
            found=repr(baseline),
            expected="'current', the name of a point, or its settings",
        )
    if baseline in names:
        return points, baseline
    if baseline != CURRENT:
        close = get_close_matches(baseline, [CURRENT, *names], n=1)
        raise ParameterError(
            where="baseline",
            found=repr(baseline),
            expected=f"{CURRENT}, or the name of a point, such as {names[0]}",
            hint=f"did you mean {close[0]}?" if close else None,
        )
    current = searches.current(list(points[0].settings))
    for point in points:
        if current and all(
            name in current and format_value(value) == format_value(current[name])
            for name, value in point.settings.items()
        ):
            return points, point.name
    return [Point(name=CURRENT, settings=current), *points], CURRENT


def _refuse_incomplete(runs: Mapping[str, Run], journal: object) -> None:
    failed = {name: run.failed for name, run in runs.items() if run.incomplete}
    if not failed:
        return
    name, reasons = next(iter(failed.items()))
    query, reason = next(iter(reasons.items()))
    number = sum(map(len, failed.values()))
    saved = "the journal" if journal is not None else "journal="
    raise SearchError(
        f"{number:,} quer{'y' if number == 1 else 'ies'} failed at {len(failed)} of"
        f" {len(runs)} points: {reason}",
        transient=any(run.account is not None and run.account.temporary for run in runs.values()),
        where=name,
        query=query,
        hint=f"sweep again ({saved} saves the answers, so only failed queries run), or treat failed"
        " queries as missing with ⟪as_complete=True⟫",
    )
