"""Compare the systems of runs or evaluations, and withhold verdicts that other chunks decide."""

from __future__ import annotations

from gainful.comparison.choices import (
    CompareOptions,
    check_baselines,
    check_correction,
    check_systems,
    check_tests,
    chosen_tests,
    list_couples,
)
from gainful.comparison.families import add_p_of_all_pairs, compare_family
from gainful.comparison.predictions import Predictions, check_choices
from gainful.comparison.result import Comparison
from gainful.comparison.scores import Scores, align_scores
from gainful.conventions import Convention, get
from gainful.data.coercion import as_run
from gainful.data.inputs import is_read_once
from gainful.data.named_runs import like_a_path, runs_by_name
from gainful.data.paths import as_paths
from gainful.data.table import kernel_rows
from gainful.errors import ArgumentError, MatchError, MeasureError, ParameterError
from gainful.evaluation import Evaluation, evaluate
from gainful.evaluation.arguments import check_weights
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.predicted import PredictedEvaluation, check_sampled
from gainful.evaluation.query_groups import QueryGroups, read_query_groups, slice_by_attribute
from gainful.keywords import suggest_keywords
from gainful.measures import Measure, parse_measures
from gainful.measures.choosing import choose_measures
from gainful.progress import Bar, show_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias, TypeGuard, Unpack

    from gainful.comparison.pair import Pair
    from gainful.comparison.predictions import Combining
    from gainful.data import Run
    from gainful.data.named_runs import Runs
    from gainful.data.qrels import QrelsLike
    from gainful.data.query_attributes import QueryIds
    from gainful.data.samples import Sampled
    from gainful.evaluation.query_groups import Attribute, By
    from gainful.evaluation.selection import ClassesLike, Pairs
    from gainful.formats.table import Table, TableFormat
    from gainful.policies import PolicyKeywords

    #: By measure, system and baseline, why the pair has no verdict.
    Reasons = dict[tuple[str, str, str], str]
    Measures: TypeAlias = Measure | str | Iterable[Measure | str]

__all__ = ["compare", "compare_queries", "compare_segments"]

#: The measure of how much is read, which is itself no measure of quality.
_UNITS = "SpanUnits"

#: Coverage from which all is found, whatever the rounding.
_ALL = 1 - 1e-12


def _without_verdict(
    evaluation: Evaluation,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    couples: Iterable[tuple[str, str]],
    policies: Convention,
) -> Reasons:
    """Return the pairs of systems and measures that get no verdict, with the reason.

    At a rank, systems with other chunks have read other amounts of text. Within a budget they have
    not, unless a list ends before it.
    """
    couples = list(couples)
    reasons: Reasons = {}
    same: dict[tuple[str, str], bool] = {}
    short = _Lengths(evaluation, runs, policies)
    for measure in measures:
        if measure.family == _UNITS:
            continue
        resolved = measure.resolve(policies)
        budget = resolved.params.get("budget") or resolved.params.get("L")
        unit = resolved.params.get("unit")
        for couple in couples:
            if not runs.keys() >= set(couple):
                reason: str | None = "the chunks are unknown; compare the runs"
            elif budget is None:
                if couple not in same:
                    one, other = (kernel_rows(runs[system]) for system in couple)
                    same[couple] = one.same_chunks(other)
                reason = None if same[couple] else "other chunks; compare within a budget"
            else:
                reason = short.reason(couple, float(str(budget)), unit)
            if reason is not None:
                reasons[repr(measure), *couple] = reason
    return reasons


class _Lengths:
    """How many units the lists of systems have, and how much of the relevant text they cover."""

    def __init__(
        self, evaluation: Evaluation, runs: Mapping[str, Run], policies: Convention
    ) -> None:
        judged: Any = evaluation.judgments
        self._inputs = judged, runs, policies
        self._by_unit: dict[object, Evaluation] = {}

    def reason(self, couple: tuple[str, str], budget: float, unit: object) -> str | None:
        """Return which list ends before the budget without all of the relevant text."""
        judged, runs, policies = self._inputs
        if unit not in self._by_unit:
            measures = [Measure(_UNITS, {} if unit is None else {"unit": unit}), Measure("SpanR")]
            self._by_unit[unit] = evaluate_runs(judged, runs, measures, policies)
        read, covered = self._by_unit[unit].measures
        for system in couple:
            lengths = self._by_unit[unit].per_query(read, system)
            coverage = self._by_unit[unit].per_query(covered, system)
            ended = [
                length
                for query, length in lengths.items()
                if length < budget and coverage.get(query, 1.0) < _ALL
            ]
            if ended:
                lists = "1 list" if len(ended) == 1 else f"{len(ended):,} lists"
                return (
                    f"{lists} of {system} {'ends' if len(ended) == 1 else 'end'} before"
                    f" {budget:,.0f}, the shortest at {min(ended):,.0f}"
                )
        return None


def _withhold_verdicts(pairs: Iterable[Pair], reasons: Reasons) -> list[Pair]:
    """Return pairs, some of them without a verdict."""
    return [
        pair
        if (reason := reasons.get((pair.measure, pair.system, pair.baseline))) is None
        else pair.replace(verdict="not comparable", withheld=reason, within_margin=False)
        for pair in pairs
    ]


@show_progress(Bar)
@suggest_keywords
def compare(
    qrels: QrelsLike | Evaluation | PredictedEvaluation | Sequence[Evaluation],
    runs: Runs | Evaluation | Measure | None = None,
    measures: Measures | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    convention: Convention | str | None = None,
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
    queries: QueryIds | None = None,
    exclude: Pairs | None = None,
    same: ClassesLike | None = None,
    margin: float | None = None,
    detect: float | None = None,
    alpha: float = 0.05,
    tie_margin: float = 0.0,
    tests: str | Sequence[str] = (),
    bayes: bool = False,
    family: str = "measure",
    correction: str | None = None,
    resamples: int = 100_000,
    bootstrap: int = 9_999,
    predicted: QrelsLike | None = None,
    sampled: Sampled | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Comparison:
    """Compare systems query by query with paired significance tests.

    Parameters
    ----------
    qrels
        The judgments, as for `evaluate`. Or, in place of judgments and runs, one or more
        `Evaluation` objects of at least two systems, with the same convention and judgments, or
        what `evaluate` returns with `predicted`.
    runs : mapping of str to run, or sequence of paths and `Run`, optional
        At least two runs by name, as for `evaluate`; files are named after themselves. After an
        `Evaluation`, another one, or the measures: ``compare(evaluation, "nDCG@10")``.
    measures : Measure, str, or several of them, optional
        The measures to compare. Default: nDCG@10, or the measures that the convention is verified
        for; for evaluations, all their measures.
    baseline : str or sequence of str, optional
        The system or systems to compare the others with, each on the queries that count for both.
        Default: compare all pairs, each system with those before it, on the queries that count for
        all systems, so that ranks, means and differences agree.
    convention : Convention or str, optional
        The convention of the values. Default: gainful-1. Evaluations have their own.
    weights : mapping of query id to float, optional
        The weight of each query. Default: equal weights, or those of the evaluations.
    clusters : mapping of query id to value, or path, optional
        Queries that belong together, such as those of one user or intent: they are resampled,
        flipped and permuted together. A path is a file as for `--clusters`.
    by : mapping of query id to value, or path, optional
        An attribute that slices the queries: each slice is compared too, and all slices of a
        measure are one family of tests. Several attributes are a list of paths, or a mapping of
        their names to such mappings.
    queries, exclude, same
        Compare only these queries, without these documents, and by these classes of documents, as
        for `evaluate`.
    margin : float, optional
        The equivalence margin, in units of the measure, above 0; for geometric means of their
        natural logarithm. With it systems can be equivalent, by two one-sided tests, unless fewer
        than 10 queries differ.
    detect : float, optional
        The difference for which to report the required number of queries. Default: `margin`.
    alpha : float
        The family-wise error rate. The confidence level of intervals is 1 - alpha.
    tie_margin : float
        Differences up to this are ties, in the counts of wins and losses and in the sign test.
    tests : {"wilcoxon", "sign"} or several of them
        Further tests to run.
    bayes : bool
        Whether to add posterior probabilities of each mean difference: better, within the margin,
        worse. They are not corrected for multiple comparisons, and the verdict does not use them.
        `gainful.inference.mean_posterior` documents the model and its priors.
    family : {"measure", "all"}
        Which pairs are corrected together: the pairs of each measure, or all pairs.
    correction : {"max-t", "tukey", "holm"}, optional
        How p-values and intervals are corrected. Default: max-T for all pairs of three or more
        systems, Holm for comparisons with baselines. Randomized Tukey HSD is for all pairs only,
        and its family-wise error rate exceeds `alpha` if the systems' variances differ.
    resamples : int
        Number of sign flips and permutations. With up to 20 queries whose values differ, the
        p-value of a single pair enumerates all sign flips instead.
    bootstrap : int
        Number of resamples for the BCa interval; 0 for no interval.
    predicted : judgments, optional
        The judgments of a model for all queries, if people judged only a random sample of them.
        Differences, intervals and verdicts then combine both, as for `evaluate`.
    sampled : {"random"}, path or Pool, optional
        The pool of `gainful.pool` whose random sample of queries people judged, as for `evaluate`;
        ``"random"`` declares that they judged one.
    seed : int
        The random seed. The result does not depend on the number of threads.
    threads : int, optional
        Number of threads.
    progress : callable, optional
        As for `evaluate`, called while the runs are read.
    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Comparison
        A `Pair` for each two systems and measure.

    Raises
    ------
    ParameterError
        For fewer than two runs, an unknown baseline, or a value out of range.
    MatchError
        If two systems have no query in common, or evaluations differ in their conventions or
        judgments.
    GainfulError
        If an input cannot be read, matched or evaluated.

    Notes
    -----
    The verdict is that of the randomization test, corrected over the family. All pairs are
    corrected by max-T (`gainful.inference.max_t_pairs`; `gainful.inference.max_t` if a slice has no
    query of some system), comparisons with baselines by Holm. "tukey" corrects all pairs,
    in all measures or segments of a family at once, by randomized Tukey HSD
    (`gainful.inference.joint_tukey`; B. Carterette: Multiple testing in statistical analysis of
    systems-based information retrieval experiments. TOIS 30(1), 2012). No corrected p is less than
    the p of the pair alone.

    Geometric means (GMAP, GMbpref) are compared by the mean difference of log(max(value, 0.00001)),
    whose exponential is the ratio of the two means; differences, intervals and margins are on that
    scale.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
    >>> pair = result.pairs[0]
    >>> pair.system, pair.baseline, round(pair.difference, 4), pair.verdict
    ('dense', 'bm25', 0.0388, 'inconclusive')
    >>> pair.wins, pair.ties, pair.losses, pair.p, pair.exact
    (4, 1, 1, 0.5625, True)

    Compare evaluations without evaluating again:

    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> evaluation = gainful.evaluate("qrels.txt", runs=runs, measures=["nDCG@10", "AP"])
    >>> [pair.measure for pair in gainful.compare(evaluation).pairs]
    ['nDCG@10', 'AP']
    """
    choices = CompareOptions(
        alpha=alpha,
        margin=margin,
        detect=detect,
        tie_margin=tie_margin,
        tests=chosen_tests(tests),
        bayes=bool(bayes),
        family=family,
        correction=correction,
        resamples=resamples,
        bootstrap=bootstrap,
        seed=seed,
        threads=threads,
    )
    if isinstance(qrels, Evaluation) and isinstance(runs, Evaluation):
        qrels, runs = [qrels, runs], None
    if measures is None and _are_evaluations(qrels) and _are_measures(runs):
        measures, runs = runs, None
    check_sampled(sampled, has_predictions=predicted is not None)
    combined = None
    if predicted is not None or isinstance(qrels, PredictedEvaluation):
        check_choices(choices)
    if isinstance(qrels, PredictedEvaluation):
        combined, qrels = qrels, qrels.people
    evaluations = _find_evaluations(qrels, runs, convention)
    selection = {"queries": queries, "exclude": exclude, "same": same}
    if evaluations:
        required = {"predicted": predicted, **selection, **policies}
        for name, value in required.items():
            if value is not None:
                raise ArgumentError(f"⟪{name}⟫ requires judgments and runs, not evaluations")
        chosen, shares, known = _check_evaluations(evaluations, measures, weights)
    else:
        assert runs is not None
        assert not isinstance(runs, (Evaluation, Measure))
        named = runs_by_name(runs)
        check_systems(list(named))
        rules = get("gainful-1" if convention is None else convention, **policies)
        options: dict[str, Any] = {
            "measures": choose_measures(measures, rules),
            "convention": rules,
            "weights": weights,
            "threads": threads,
            "progress": progress,
            **selection,
        }
        if predicted is not None:
            combined = evaluate(qrels, runs=named, predicted=predicted, sampled=sampled, **options)
            evaluation = combined.people
        else:
            evaluation = evaluate(qrels, runs=named, **options)
        evaluations, chosen, shares = [evaluation], evaluation.measures, evaluation.weights
        known = QueryGroups()
    query_groups = read_query_groups(clusters=clusters, by=by)
    groups = QueryGroups(
        weights=None if shares is None else dict(shares),
        clusters=known.clusters if clusters is None else query_groups.clusters,
        cluster=known.cluster if clusters is None else query_groups.cluster,
        slices=known.slices if by is None else query_groups.slices,
    )
    compared = _compare(evaluations, chosen, baseline, groups, choices, combined)
    return _withhold(compared)


def _withhold(compared: Comparison) -> Comparison:
    """Return a comparison without verdicts on systems whose runs return other or unknown chunks.

    Values that were computed elsewhere keep theirs, unless they measure spans.
    """
    evaluation = compared.evaluations[0]
    if not evaluation.has_places:
        return compared
    computed = evaluation.given or ()
    measures = [
        measure
        for measure in compared.measures
        if repr(measure) not in computed or measure.declaration.judgments == "spans"
    ]
    runs = {
        name: as_run(run, duplicates="count")
        for one in compared.evaluations
        for name, run in (one.runs or {}).items()
        if not is_read_once(as_paths(run) or [])
    }
    couples = {(pair.system, pair.baseline): None for pair in compared.pairs}
    reasons = _without_verdict(evaluation, runs, measures, couples, evaluation.convention)
    return compared.replace(
        pairs=tuple(_withhold_verdicts(compared.pairs, reasons)),
        segments={
            segment: tuple(_withhold_verdicts(pairs, reasons))
            for segment, pairs in compared.segments.items()
        },
    )


def _are_evaluations(qrels: object) -> bool:
    several = qrels if isinstance(qrels, (list, tuple)) else [qrels]
    return any(isinstance(evaluation, (Evaluation, PredictedEvaluation)) for evaluation in several)


def _are_measures(runs: object) -> TypeGuard[Measures]:
    several = runs if isinstance(runs, (list, tuple)) else [runs]
    return bool(several) and all(map(_is_measure, several))


def _is_measure(word: object) -> bool:
    """Return whether a word is a measure, or looks like one rather than like a file."""
    if not isinstance(word, str):
        return isinstance(word, Measure)
    try:
        parse_measures(word)
    except MeasureError:
        return not like_a_path(word)
    return True


def _find_evaluations(qrels: object, runs: object, convention: object) -> list[Evaluation]:
    """Return the evaluations passed in place of judgments; empty with judgments."""
    if isinstance(runs, Evaluation):
        raise ArgumentError(
            "an evaluation after judgments",
            where="runs",
            hint="pass evaluations alone: compare([first, second])",
        )
    several = list(qrels) if isinstance(qrels, (list, tuple)) else [qrels]
    evaluations = [evaluation for evaluation in several if isinstance(evaluation, Evaluation)]
    if len(evaluations) < len(several) or not several:
        if runs is None:
            others = [
                type(evaluation).__name__
                for evaluation in several
                if not isinstance(evaluation, Evaluation)
            ]
            raise ArgumentError(
                where="qrels",
                found=f"{others[0]} without runs" if others else "no evaluation",
                expected="judgments and runs, or one or more evaluations",
            )
        return []
    for name, value in (("runs", runs), ("convention", convention)):
        if value is not None:
            raise ArgumentError(
                f"{name} cannot be combined with evaluations",
                where=name,
                hint="pass evaluations, or judgments and runs"
                if name == "runs"
                else "evaluations already have a convention",
            )
    return evaluations


def _check_evaluations(
    evaluations: Sequence[Evaluation],
    measures: Measures | None,
    weights: Mapping[str, float] | None,
) -> tuple[tuple[Measure, ...], Mapping[str, float] | None, QueryGroups]:
    """Return the common measures, weights, clusters and slices of evaluations."""
    check_systems([system for evaluation in evaluations for system in evaluation.systems])
    _check_comparable(evaluations)
    first = evaluations[0]
    chosen = first.measures if measures is None else _find_measures(first, measures)
    for other in evaluations[1:]:
        _find_measures(other, chosen)
    groups = first.groups or QueryGroups()
    if any((evaluation.groups or QueryGroups()) != groups for evaluation in evaluations):
        raise MatchError(
            "the clusters or slices of the queries differ",
            where="evaluations",
            hint="evaluate all systems with the same ⟪clusters⟫ and ⟪by⟫",
        )
    if weights is not None:
        return chosen, check_weights(weights), groups
    if any(evaluation.weights != first.weights for evaluation in evaluations):
        raise MatchError(
            "the query weights differ",
            where="evaluations",
            hint="set ⟪weights⟫ for all of them",
        )
    return chosen, first.weights, groups


def _compare(
    evaluations: Sequence[Evaluation],
    measures: Sequence[Measure],
    baseline: str | Sequence[str] | None,
    known: QueryGroups,
    choices: CompareOptions,
    combined: PredictedEvaluation | None,
) -> Comparison:
    scores = align_scores(
        evaluations,
        measures,
        weights=known.weights,
        clusters=known.clusters,
        by=known.slices,
        ranked=not baseline,
        further=() if combined is None else combined.sample.judged,
    )
    check_tests(choices, scores)
    predictions = None
    if combined is not None:
        predictions = Predictions(
            evaluation=combined,
            scores=scores,
            weights=known.weights,
            clusters=known.clusters,
            by=known.slices,
        )
    baselines = check_baselines(baseline, scores.systems)
    couples = list_couples(scores.systems, baselines)
    check_correction(choices, baselines)
    options: dict[str, Any] = {"every": not baselines, "predictions": predictions}
    pairs = compare_queries(scores, couples, choices, **options)
    segments = compare_segments(scores, couples, choices, **options)
    if len(pairs) < len(couples) * len(measures):
        raise _no_common_query(scores, couples, pairs)
    return Comparison(
        evaluations=tuple(evaluations),
        baselines=baselines,
        pairs=pairs,
        segments=segments,
        attributes={
            name: tuple(slices)
            for name, slices in slice_by_attribute(known.slices, scores.queries).items()
        },
        cluster=known.cluster,
        choices=choices,
        scores=scores,
        predictions=predictions,
    )


def compare_queries(
    scores: Scores,
    couples: Sequence[tuple[int, int]],
    choices: CompareOptions,
    *,
    every: bool,
    predictions: Combining | None,
) -> tuple[Pair, ...]:
    """Compare couples of systems on all queries; `every` is whether they are all pairs."""
    pairs: list[Pair] = []
    for measures in choices.families(len(scores.measures)):
        blocks = [(measure, None) for measure in measures]
        family = compare_family(
            scores, blocks, couples, choices, every=every, predictions=predictions
        )
        is_known = every or predictions is not None
        pairs += family if is_known else add_p_of_all_pairs(scores, measures, family, choices)
    return tuple(pairs)


def compare_segments(
    scores: Scores,
    couples: Sequence[tuple[int, int]],
    choices: CompareOptions,
    *,
    every: bool,
    predictions: Combining | None,
) -> dict[str, tuple[Pair, ...]]:
    """Compare couples of systems on each segment, as a family of their own."""
    pairs: list[Pair] = []
    for measures in choices.families(len(scores.measures)):
        blocks = [(measure, segment) for measure in measures for segment in scores.segments]
        pairs += compare_family(
            scores, blocks, couples, choices, every=every, predictions=predictions
        )
    return {
        segment: tuple(pair for pair in pairs if pair.segment == segment)
        for segment in scores.segments
    }


#: Sign flips for significance marks.
_RESAMPLES_OF_MARKS = 10_000


def mark_table(evaluation: Evaluation, means: Table, look: TableFormat) -> Table:
    """Return a table of means with significance marks, if the systems can be compared."""
    try:
        comparison = compare(evaluation, bootstrap=0, resamples=_RESAMPLES_OF_MARKS)
    except (MatchError, ParameterError):
        # One system, or too few queries.
        return means
    marked = comparison.tables(wide=True, digits=look.places, sort=look.sort, percent=look.percent)[
        0
    ]
    notes = [note for note in marked.notes if note.key in ("marks", "verdict")]
    return marked.replace(notes=[*notes, *means.notes])


def _check_comparable(evaluations: Sequence[Evaluation]) -> None:
    """Reject evaluations whose values are not comparable."""
    first, *others = evaluations
    digest = first.judgments_digest if others else None
    for other in others:
        if other.convention != first.convention:
            raise MatchError(
                where="evaluations",
                found=f"the conventions {first.convention.label} and {other.convention.label}",
                expected="one convention",
                hint="values of sampled candidates are not comparable with those of others"
                if other.convention.candidates != first.convention.candidates
                else "gainful.contrast explains the difference between two conventions",
            )
        # Evaluations assembled from parts may not know their judgments; a note reports it.
        judgments_digest = other.judgments_digest
        if digest is None:
            first, digest = other, judgments_digest
        elif judgments_digest is not None and judgments_digest != digest:
            raise MatchError(
                f"the judgments of {', '.join(first.systems)} differ from those of"
                f" {', '.join(other.systems)}",
                where="evaluations",
                hint="evaluate all systems with the same judgments",
            )


def _find_measures(evaluation: Evaluation, measures: Measures) -> tuple[Measure, ...]:
    return tuple(
        evaluation.measures[evaluation.index_of(measure)]
        for measure in parse_measures(measures, evaluation.convention)
    )


def _no_common_query(
    scores: Scores, couples: Sequence[tuple[int, int]], pairs: Sequence[Pair]
) -> MatchError:
    """Return the error for two systems without a common query that counts."""
    there = {(pair.measure, pair.system, pair.baseline) for pair in pairs}
    measure, one, two = next(
        names
        for measure in scores.measures
        for system, other in couples
        if (names := (repr(measure), scores.systems[system], scores.systems[other])) not in there
    )
    return MatchError(
        f"{one} and {two} have no query in common that counts for both", where=measure
    )
