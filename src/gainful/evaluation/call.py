"""Evaluate judgments and runs of any supported kind, also those already in memory."""

from __future__ import annotations

from os.path import exists

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data.coercion import as_run, run_input
from gainful.data.inputs import add_location, rows_of
from gainful.data.memory import is_table
from gainful.data.read_options import ReadOptions
from gainful.data.run import Run
from gainful.data.table import kernel_rows, table_of_rows
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    FormatError,
    GainfulError,
    MatchError,
    MeasureError,
    TieError,
)
from gainful.evaluation.arguments import (
    DEFAULT_MEASURES,
    add_convention_context,
    add_input_context,
    check_bounds,
    check_weights,
    has_places,
    judgments_for,
    named_runs,
    settled,
)
from gainful.evaluation.result import Evaluation
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures, prepare_measures
from gainful.policies import is_declared
from gainful.progress import Bar, join_parts, show_progress
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Unpack, overload

    from gainful.data import Qrels
    from gainful.data.named_runs import Runs
    from gainful.data.qrels import DiskQrels, QrelsLike
    from gainful.data.query_attributes import QueryIds
    from gainful.data.run import RunLike
    from gainful.data.samples import Sampled
    from gainful.evaluation.chance import Candidates
    from gainful.evaluation.own_values import Evaluate
    from gainful.evaluation.predicted import PredictedEvaluation
    from gainful.evaluation.query_groups import Attribute, By
    from gainful.evaluation.selection import ClassesLike, Pairs
    from gainful.measures import Measure
    from gainful.measures.choosing import PreparedMeasures
    from gainful.policies import PolicyKeywords

__all__ = ["LoadedInputs", "agreed_duplicates"]

if TYPE_CHECKING:

    @overload
    def evaluate(
        qrels: QrelsLike,
        run: RunLike | Runs | None = None,
        measures: Measure | str | Iterable[Measure | str] | None = None,
        *,
        runs: Runs | None = None,
        convention: Convention | str = "gainful-1",
        weights: Mapping[str, float] | None = None,
        clusters: Attribute | None = None,
        by: By | None = None,
        queries: QueryIds | None = None,
        exclude: Pairs | None = None,
        same: ClassesLike | None = None,
        bounds: bool | str = False,
        scale: Iterable[float] | None = None,
        candidates: Candidates | None = None,
        predicted: None = None,
        sampled: None = None,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
        **policies: Unpack[PolicyKeywords],
    ) -> Evaluation: ...

    @overload
    def evaluate(
        qrels: QrelsLike,
        run: RunLike | Runs | None = None,
        measures: Measure | str | Iterable[Measure | str] | None = None,
        *,
        runs: Runs | None = None,
        convention: Convention | str = "gainful-1",
        weights: Mapping[str, float] | None = None,
        clusters: Attribute | None = None,
        by: By | None = None,
        queries: QueryIds | None = None,
        exclude: Pairs | None = None,
        same: ClassesLike | None = None,
        bounds: bool | str = False,
        scale: Iterable[float] | None = None,
        candidates: Candidates | None = None,
        predicted: QrelsLike,
        sampled: Sampled | None = None,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
        **policies: Unpack[PolicyKeywords],
    ) -> PredictedEvaluation: ...


@show_progress(Bar)
@suggest_keywords
def evaluate(
    qrels: QrelsLike,
    run: RunLike | Runs | None = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    runs: Runs | None = None,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
    queries: QueryIds | None = None,
    exclude: Pairs | None = None,
    same: ClassesLike | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    candidates: Candidates | None = None,
    predicted: QrelsLike | None = None,
    sampled: Sampled | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Evaluation | PredictedEvaluation:
    """Evaluate one or more runs against judgments.

    Parameters
    ----------
    qrels : path, mapping, data frame or Qrels
        The judgments: a path (``"-"`` is the standard input), ``{query: {document: grade}}``, an
        object with ``__arrow_c_stream__`` (polars, pyarrow, pandas, DuckDB), an iterable of
        ``(query, document, grade)``, or `Qrels`. If a measure needs subtopics, as alpha_nDCG does,
        they are read with ``subtopics=True``; see `Qrels`.
    run : path, mapping, data frame or Run, optional
        The ranking to evaluate: the same kinds with scores, or ``{query: [document, ...]}`` without
        scores. Or several runs: ``{name: run}``, a list of paths, `Run` or data frames, which are
        named after their files, by their names or by numbers, or a table with a column ``system``.
    measures : Measure, str, or several of them, optional
        ``"nDCG@10"``, ``[nDCG @ 10, AP(rel=2)]``, a trec_eval name (``"ndcg_cut_10"``), or a name
        of the tool that the convention is named after. Default: nDCG@10, AP, RR, P@10 and R@100, or
        the measures that the convention is verified for.
    runs : mapping of str to run, sequence of paths, `Run` and data frames, or table, optional
        The same as several runs in `run`.
    convention : Convention or str
        The policies, or the name of a preset: ``"gainful-1"``, ``"trec_eval-9.0.8"``.
    weights : mapping of query id to float, optional
        The weight of each query in the means.
    clusters : mapping of query id to value, or path, optional
        Queries that belong together, such as those of one user or intent: they are resampled,
        flipped and permuted together. A path is a file as for `--clusters`.
    by : mapping of query id to value, or path, optional
        An attribute that slices the queries: each slice is compared too, and all slices of a
        measure are one family of tests. Several attributes are a list of paths, or a mapping of
        their names to such mappings.
    queries : iterable of ids, or path, optional
        Evaluate only these judged queries: their ids, the path of a file that has them one per
        line or in a column such as ``query_id``, or a text of ids separated by commas.
    exclude : mapping, pairs, data frame or path, optional
        Documents to leave out: ``{query: [document, ...]}``, ``(query, document)`` pairs, or
        anything else with such pairs, whose grades do not matter. They are removed from the
        rankings before documents have ranks, and from the judgments.
    same : mapping, pairs, data frame, path, pattern or function, optional
        The class of each document, such as copies of a text or the chunks of a document, which
        counts once: ``{document: class}``, ``(document, class)`` pairs, a data frame or file with
        these columns, a function, or a pattern as in ``":^(.+)#"``, whose group is the class. A
        class has its largest grade, and the rank of its first document. The others are removed from
        the ranking, or under another policy than ``duplicates="error"`` treated as duplicates.
    bounds : bool or {"retrieved", "cutoff"}
        Whether to compute the lowest and highest possible value of each query over all labels of
        its unjudged documents, with a recomputed ideal: of all retrieved documents (``True`` or
        ``"retrieved"``), or of those above the measure's cutoff (``"cutoff"``). Other unjudged
        documents are treated as not relevant.
    scale : iterable of float, optional
        The possible grades of an unjudged document. Default: 0 and the grades of the judgments.
    candidates : int, mapping of query id to int, or path, optional
        The number of documents that each query searches, to show chance: the expected mean of a
        random order of them, exactly. A path is a file of query ids and numbers, ``FILE`` or
        ``FILE:COLUMN``.
    predicted : judgments, optional
        The judgments of a model for all queries, as for `qrels`, if people judged only a random
        sample of them. The means of people are then combined with those of the model: they stay
        right however bad the model is, and become more precise if it is good.
    sampled : {"random"}, path or Pool, optional
        The pool of `gainful.pool` with ``queries=``, whose random sample of the queries of
        `predicted` people judged; the draw is checked. ``"random"`` declares that they judged one.
    threads : int, optional
        Number of threads; it does not affect the numbers.
    progress : callable, optional
        Called about ten times a second with (bytes done, total bytes). Default: on a terminal or in
        a notebook, a progress bar appears after a second, unless ``GAINFUL_PROGRESS`` is 0.
    **policies
        Policies that differ from those of the convention, as for
        `gainful.conventions.Convention`: ``no_relevant="skip"``.

    Returns
    -------
    Evaluation or PredictedEvaluation
        The table of queries, with summaries. With `predicted`, the means of people, of the model,
        and combined; `gainful.inference.predicted_mean` documents the method.

    Raises
    ------
    GainfulError
        For input that cannot be read, matched or evaluated; see `gainful.errors`.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 3, "d2": 0, "d3": 2}, "q2": {"d4": 1}}
    >>> run = {"q1": {"d1": 9.1, "d2": 8.7, "d3": 8.0}, "q2": {"d9": 1.0, "d4": 0.5}}
    >>> result = gainful.evaluate(qrels, run, ["nDCG@10", "AP"])
    >>> round(result.mean("nDCG@10"), 4)
    0.7847
    >>> result.per_query("AP")
    {'q1': 0.8333333333333333, 'q2': 0.5}

    In q2 the first document, d9, is unjudged. If it were as good as d4, the order would be perfect:

    >>> result = gainful.evaluate(qrels, run, "nDCG@10", bounds=True)
    >>> [round(value, 4) for value in result.bounds("nDCG@10")["q2"]]
    [0.6309, 0.6309, 1.0]

    Leave out a document that is known to be a duplicate, and a query:

    >>> result = gainful.evaluate(
    ...     qrels, run, "nDCG@10", exclude={"q2": ["d9"]}, queries=["q2"], no_relevant="skip"
    ... )
    >>> result.mean(), result.convention.label
    (1.0, 'gainful-1 with no_relevant=skip')
    """
    declared: dict[str, Any] = {**policies}
    if isinstance(candidates, str) and is_declared(candidates):
        declared["candidates"], candidates = candidates, None
    rules = get(convention, **declared)
    options: dict[str, Any] = {
        "weights": weights,
        "clusters": clusters,
        "bounds": bounds,
        "scale": scale,
        "candidates": candidates,
        "threads": threads,
        "progress": progress,
    }
    try:
        runs_by_name = named_runs(run, runs, threads=threads, progress=progress)
        if predicted is not None or sampled is not None:
            refused = {"by": by, "queries": queries, "exclude": exclude, "same": same}
            for name, value in refused.items():
                if value is not None:
                    raise ArgumentError(f"⟪{name}⟫ cannot be combined with ⟪predicted⟫")
            return _evaluate_with_predictions(
                qrels, runs_by_name, measures, rules, predicted, sampled, **options
            )
        return checked(
            evaluate_runs(
                qrels,
                runs_by_name,
                measures,
                rules,
                by=by,
                queries=queries,
                exclude=exclude,
                same=same,
                **options,
            )
        )
    except GainfulError as error:
        raise add_convention_context(error, rules) from None


def _evaluate_with_predictions(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: Measure | str | Iterable[Measure | str] | None,
    policies: Convention,
    predicted: QrelsLike | None,
    sampled: Sampled | None,
    *,
    bounds: bool | str,
    scale: Iterable[float] | None,
    candidates: Candidates | None,
    **options: Any,
) -> PredictedEvaluation:
    """Evaluate named runs with the judgments of people and of a model."""
    from gainful.evaluation.predicted import (
        check_averages,
        check_sampled,
        combine_evaluations,
        two_phase_sample,
    )

    drawn = check_sampled(sampled, has_predictions=predicted is not None)
    assert predicted is not None
    if bounds or scale is not None or candidates is not None:
        raise ArgumentError(
            "⟪bounds⟫, ⟪scale⟫ and ⟪candidates⟫ cannot be combined with ⟪predicted⟫"
        )
    chosen = choose_measures(measures, policies, usual=DEFAULT_MEASURES)
    check_averages(chosen)
    read = {name: as_run(run, duplicates="count") for name, run in runs.items()}
    human, other = (
        judgments_for(chosen, source, duplicates=policies.duplicates)
        for source in (qrels, predicted)
    )
    sample = two_phase_sample(human, other, drawn)
    people = evaluate_runs(sample.restrict(human), read, chosen, policies, **options)
    model = checked(evaluate_runs(other, read, chosen, policies, **options))
    return combine_evaluations(people, model, sample)


_check: Callable[[Evaluation], None] | None = None


def checked(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation; under `gainful.strict` its data checks must pass."""
    if _check is not None:
        _check(evaluation)
    return evaluation


def set_check(check: Callable[[Evaluation], None]) -> None:
    """Set what `checked` calls; nothing is loaded for it before."""
    global _check
    _check = check


def evaluate_runs(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: Measure | str | Iterable[Measure | str] | None,
    policies: Convention,
    *,
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
    queries: QueryIds | None = None,
    exclude: Pairs | None = None,
    same: ClassesLike | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    candidates: Candidates | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Evaluation:
    """Evaluate named runs without data checks; errors do not name the convention."""
    try:
        chosen = choose_measures(measures, policies, usual=DEFAULT_MEASURES)
    except MeasureError as error:
        if isinstance(measures, str) and exists(measures):
            raise error.replace(hint=f"several runs are a list: [run, {measures!r}]") from None
        raise
    needs_grades = prepare_measures(chosen, policies).has_functions
    complete = None
    if any(measure.declaration.is_own for measure in chosen):
        from gainful.evaluation.own_values import own_values

        complete = own_values(chosen, policies)
    count = thread_count(threads)
    bounds_and_scale = check_bounds(bounds, scale, weights is not None, policies)
    query_weights = None if weights is None else check_weights(weights)
    groups = None
    if clusters is not None or by is not None:
        from gainful.evaluation.query_groups import read_query_groups

        groups = read_query_groups(clusters=clusters, by=by)
    selects = queries is not None or exclude is not None or same is not None
    selected = None
    try:
        judged: Qrels | DiskQrels
        if selects:
            from gainful.evaluation.selection import SelectedInputs

            loaded = judgments_for(chosen, qrels, duplicates=policies.duplicates)
            selected = SelectedInputs(loaded, policies, queries=queries, exclude=exclude, same=same)
            judged = selected.judgments
        elif policies.extra == "no-relevant" or candidates is not None or needs_grades:
            judged = judgments_for(chosen, qrels, duplicates=policies.duplicates)
        else:
            judged = judgments_for(
                chosen, qrels, on_disk=True, threads=count, duplicates=policies.duplicates
            )
    except ColumnError as error:
        raise add_input_context(error, "the judgments", "judgments") from None
    chosen = settled(chosen, judged, policies)
    rows: Any = kernel_rows(judged)
    prepared = prepare_measures(chosen, policies)
    grades: list[float] = []
    if needs_grades:
        labels = bounds_and_scale[1] if bounds_and_scale else None
        grades = [*rows.grades(), *(labels or ())]
    kernels = prepared.kernels(lambda: grades)
    tables = {}
    ranked: dict[str, RunLike] = {}
    keeps_runs = any(
        measure.declaration.judgments in ("spans", "alternatives") for measure in chosen
    ) and has_places(judged)
    for index, (name, one) in enumerate(runs.items()):
        part = join_parts(progress, index, len(runs))
        try:
            if selected is not None:
                one = selected.select(name, one, threads=count)
            if keeps_runs and not hasattr(one, "__next__"):
                ranked[name] = one
            tables[name] = _table(
                judged, one, prepared, kernels, count, part, bounds_and_scale, complete
            )
        except GainfulError as error:
            if len(runs) > 1 and isinstance(error, _RUN_ERRORS):
                raise add_input_context(error, f"run {name}", "run") from None
            if isinstance(error, ColumnError):
                raise add_input_context(error, "the run", "run") from None
            raise
    chance_values = None
    if candidates is not None:
        from gainful.evaluation.chance import chance

        # With candidates, judgments are not on disk.
        judgments: Any = judged
        chance_values = chance(judgments, candidates, chosen, policies, evaluate_runs)
    result = Evaluation(
        tables,
        chosen,
        policies,
        query_weights,
        judged,
        bounds=bounds_and_scale[0] if bounds_and_scale else None,
        integers=rows.integers,
        chance=chance_values,
        groups=groups,
        selection=None if selected is None else selected.summarize(),
        runs=ranked or None,
    )
    if groups is not None:
        for table in tables.values():
            groups.check(table.query_ids())
    return result


def _table(
    judged: Qrels | DiskQrels,
    run: RunLike,
    prepared: PreparedMeasures,
    kernels: list[_kernel.Kernel],
    threads: int,
    progress: Callable[[int, int], object] | None,
    bounds: tuple[str, list[float] | None] | None,
    complete: Callable[[Evaluate, object], _kernel.Evaluated] | None,
) -> _kernel.Evaluated:
    """Evaluate one run."""
    policies = prepared.convention
    # The kernel evaluates a plain dictionary without a copy.
    source = (
        run
        if type(run) is dict and not is_table(run) and policies.extra != "no-relevant"
        else run_input(
            run,
            judgments=judged,
            extra=policies.extra,
            order=policies.order,
            threads=threads,
            progress=progress,
        )
    )

    def evaluate(documents: bool) -> _kernel.Evaluated:
        return _kernel.evaluate(
            kernel_rows(judged),
            source,
            prepared.policies,
            kernels,
            threads=threads,
            report=progress,
            bounds=bounds,
            rankings=complete is not None,
            ranked_documents=documents,
        )

    try:
        return evaluate(False) if complete is None else complete(evaluate, source)
    except GainfulError as error:
        if isinstance(source, _kernel.Columnar) and error.line is not None:
            raise add_location(error, role="run") from None
        raise


#: Errors in the rows of a run, to which the name of the run is added.
_RUN_ERRORS = (ColumnError, DuplicateError, FormatError, MatchError, TieError)


def agreed_duplicates(conventions: Iterable[Convention]) -> str:
    """Return the policy on duplicate judgments that several conventions share.

    Judgments are read once, so different policies are an error.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> agreed_duplicates([get("cornac"), get("quepid")])
    'count'
    >>> agreed_duplicates([get("cornac"), get("ranx")])
    'error'
    """
    policies = {convention.duplicates for convention in conventions}
    return policies.pop() if len(policies) == 1 else "error"


class LoadedInputs:
    """Judgments and runs in memory, read once.

    Parameters
    ----------
    qrels, run, runs
        As for `evaluate`.
    measures : iterable of Measure
        The measures.
    conventions : sequence of Convention
        The conventions; they must agree on duplicate judgments (`agreed_duplicates`).
    threads, progress
        As for `evaluate`.

    Raises
    ------
    GainfulError
        If judgments or a run cannot be read.
    """

    __slots__ = ("_qrels", "_runs", "_threads")

    _qrels: Qrels
    _runs: dict[str, Run]
    _threads: int | None

    def __init__(
        self,
        qrels: QrelsLike,
        run: RunLike | None,
        runs: Mapping[str, RunLike] | None,
        measures: Iterable[Measure],
        conventions: Sequence[Convention],
        *,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        named = named_runs(run, runs)
        duplicates = agreed_duplicates(conventions)
        self._qrels = judgments_for(measures, qrels, duplicates=duplicates)
        self._runs = {}
        for name, one in named.items():
            if isinstance(one, Run):
                self._runs[name] = one
                continue
            # Keep duplicate documents; each convention has its own policy for them.
            rows, source = rows_of(
                one,
                "run",
                ReadOptions(duplicates="count"),
                judgments=self._qrels,
                threads=threads,
                progress=progress,
            )
            self._runs[name] = table_of_rows(Run, rows, name=name, source=source)
        self._threads = threads

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self._qrels

    @property
    def runs(self) -> dict[str, Run]:
        """The runs by name."""
        return self._runs

    def evaluate(
        self,
        convention: Convention,
        measures: Sequence[Measure],
        weights: Mapping[str, float] | None = None,
    ) -> Evaluation:
        """Evaluate all runs under a convention."""
        arguments = (convention, measures, weights)
        try:
            return self._evaluate(self._runs, *arguments)
        except GainfulError as error:
            where = f"under {convention.label}"
            failing = self._failing_run(error, *arguments)
            raise error.inside(f"{where}, {failing}" if failing else where) from None

    def _evaluate(
        self,
        runs: Mapping[str, Run],
        convention: Convention,
        measures: Sequence[Measure],
        weights: Mapping[str, float] | None,
    ) -> Evaluation:
        result = evaluate_runs(
            self._qrels,
            runs,
            measures,
            convention,
            weights=weights,
            threads=self._threads,
        )
        if weights is not None:
            # A missing weight is detected when a mean is computed.
            for system in result.systems:
                result.summary(result.measures[0], system)
        return result

    def _failing_run(
        self,
        original: GainfulError,
        convention: Convention,
        measures: Sequence[Measure],
        weights: Mapping[str, float] | None,
    ) -> str:
        """Return the run that causes an error; "" if all runs do."""
        failing = []
        for name, run in self._runs.items():
            try:
                self._evaluate({name: run}, convention, measures, weights)
            except GainfulError as error:
                if type(error) is type(original) and vars(error) == vars(original):
                    failing.append(name)
        return "" if len(failing) in (0, len(self._runs)) else f"run {failing[0]}"
