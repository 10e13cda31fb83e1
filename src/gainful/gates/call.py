"""Check runs for regressions against a snapshot."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter
from os import PathLike
from typing import NamedTuple

from gainful.conventions import Convention, get
from gainful.data.coercion import as_run, run_name
from gainful.errors import (
    ArgumentError,
    ConventionError,
    FormatError,
    MatchError,
    MeasureError,
    ParameterError,
    SourceError,
)
from gainful.evaluation import Evaluation, evaluate
from gainful.evaluation.arguments import judgments_for
from gainful.evaluation.selection import SelectedInputs
from gainful.gates.creation import (
    carry_over_looks,
    check_averaged,
    given_values,
    judgments_digest,
    read_snapshot,
    required_run,
    values_of,
)
from gainful.gates.gated_measure import GatedMeasure
from gainful.gates.result import Digests, GateResult, look_alpha
from gainful.gates.snapshot import Look, Snapshot
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.parameters.gating import ALPHA, ANCHOR_MARGIN, FAIL_ON, INCONCLUSIVE, MARGIN
from gainful.progress import Bar, show_progress
from gainful.writing import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import Any, Unpack

    from gainful.data import Qrels, Run
    from gainful.data.paths import Path
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.data.samples import Sampled
    from gainful.evaluation.predicted import TwoPhaseSample
    from gainful.evaluation.selection import ClassesLike, Pairs
    from gainful.inference.prediction_powered import PredictedMean
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords

    Values = Mapping[str, tuple[float | None, ...]]

__all__ = ["gate", "save_snapshot"]


class Paired(NamedTuple):
    """The saved value and the run's, by query, and the number of queries with only one of them."""

    values: dict[str, tuple[float, float]]
    left_out: int


def pair_values(
    saved: Snapshot,
    measures: Sequence[Measure],
    found: Values,
    queries: Iterable[str],
    *,
    rescored: Values | None = None,
) -> dict[str, Paired]:
    """Return the pairs of values for each measure, by its name."""
    known = saved.resolved
    places = [known.index(measure.resolve(saved.convention)) for measure in measures]
    before: Values = {
        query: tuple(row.values[place] for place in places) for query, row in saved.queries.items()
    }
    absent = [all(row[index] is None for row in before.values()) for index in range(len(places))]
    if rescored is not None:
        before = {query: rescored[query] for query in before if query in rescored}
    common = [query for query in queries if query in before]
    pairs = {}
    for measure_number, measure in enumerate(measures):
        values = {
            query: (old, new)
            for query in common
            if not absent[measure_number]
            and (old := before[query][measure_number]) is not None
            and (new := found[query][measure_number]) is not None
        }
        pairs[repr(measure)] = Paired(values, len(common) - len(values))
    return pairs


class SnapshotPredictions:
    """The values of a model for a run and for the rankings of snapshots."""

    def __init__(
        self,
        sample: TwoPhaseSample,
        measure_run: Callable[[Run], Values],
        run: Run,
        weights: Mapping[str, float] | None,
        clusters: Mapping[str, Hashable] | None,
    ) -> None:
        self.sample, self._measure_run = sample, measure_run
        self._after = measure_run(run)
        self._before: dict[int, Values] = {}
        self._weights, self._clusters = weights, clusters

    def estimate(self, measure: int, paired: Paired, reference: Snapshot) -> PredictedMean:
        """Estimate the difference between the run and a snapshot in one measure."""
        absent = sum(query not in reference.queries for query in self.sample.queries)
        if absent:
            raise MatchError(
                f"the snapshot has no rankings for {absent:,} queries of the predictions",
                where="predicted",
                hint="save the snapshot with the judgments of the model",
            )
        if id(reference) not in self._before:
            self._before[id(reference)] = self._measure_run(reference.ranking())
        before = self._before[id(reference)]
        people = paired.values
        model = {
            query: (before[query][measure] or 0.0, row[measure] or 0.0)
            for query, row in self._after.items()
            if query in before
        }

        def estimate(value: Callable[[tuple[float, float]], float]) -> PredictedMean:
            return self.sample.estimate(
                {query: value(pair) for query, pair in people.items()},
                {query: value(pair) for query, pair in model.items()},
                self._weights,
                self._clusters,
            )

        gain = estimate(lambda pair: pair[1] - pair[0])
        means = estimate(itemgetter(0)), estimate(itemgetter(1))
        # A sample of easy queries may have the usual differences. By Bonferroni.
        p_random = min(1.0, 3 * min(mean.p_random for mean in (gain, *means)))
        return replace(gain, p_random=p_random)


def count_look(
    result: GateResult, path: Path, judge: Callable[[Snapshot], GateResult]
) -> GateResult:
    """Write the look of a result into the snapshot's file."""
    name = os.fspath(path)
    if result.look <= len(result.snapshot.looks):
        return result.replace(counted=True)
    if not os.path.isfile(name):
        # A pipe cannot be read a second time.
        return result.replace(counted=False)
    try:
        with locked(name):
            result = _up_to_date(result, read_snapshot(name), judge)
            if result.look > len(result.snapshot.looks):
                look = Look(
                    run=result.runs.now,
                    system=result.system,
                    verdict=result.verdict,
                    alpha=result.alpha_used,
                )
                after = result.snapshot.with_look(look)
                _write(after, name)
                result = result.replace(snapshot=after)
    except SourceError:
        return result.replace(counted=False)
    return result.replace(counted=True)


def _up_to_date(
    result: GateResult, now: Snapshot, judge: Callable[[Snapshot], GateResult]
) -> GateResult:
    read = result.snapshot
    if now == read:
        return result
    if now.replace(looks=read.looks) != read:
        raise _replaced(now, "while the gate ran")
    return judge(now)


def _replaced(now: Snapshot, when: str) -> FormatError:
    return FormatError(
        file=now.file,
        found=f"a snapshot that was replaced {when}",
        expected="the same snapshot",
        hint="run the gate again",
    )


def save_snapshot(made: Snapshot, path: Path, after: Snapshot | None = None) -> Snapshot:
    """Write a snapshot to a file, keeping the looks of the snapshot that it replaces."""
    name = os.fspath(path)
    if os.path.exists(name) and not os.path.isfile(name):
        made.write(name)
        return made
    with locked(name):
        if os.path.exists(name) and os.path.getsize(name):
            now = read_snapshot(name)
            if after is None or now.replace(looks=after.looks) != after:
                raise _replaced(now, "while the run was evaluated")
            made = carry_over_looks(now, made)
        _write(made, name)
    return made


def _write(snapshot: Snapshot, name: str) -> None:
    if sys.platform == "win32":
        # Windows cannot replace a file while another process reads it.
        for _ in range(100):
            try:
                return snapshot.write(name)
            except SourceError as error:
                if not isinstance(error.__cause__, PermissionError):
                    raise
                time.sleep(0.02)
    snapshot.write(name)


@show_progress(Bar)
@suggest_keywords
def gate(
    qrels: QrelsLike | Evaluation,
    run: RunLike | None,
    snapshot: Snapshot | Path,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    margin: float = 0.01,
    anchor_margin: float | None = None,
    alpha: float = 0.05,
    fail_on: str = "margin",
    inconclusive: str | None = None,
    rescore: bool = False,
    growing: bool = False,
    convention: Convention | str | None = None,
    weights: Mapping[str, float] | None = None,
    clusters: Mapping[str, Hashable] | None = None,
    exclude: Pairs | None = None,
    same: ClassesLike | None = None,
    predicted: QrelsLike | None = None,
    sampled: Sampled | None = None,
    name: str | None = None,
    count: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> GateResult:
    """Test whether a run is worse than a snapshot by more than a margin.

    A run passes if the lower bound of its difference from the snapshot is above -`margin`. It fails
    if the upper bound is below -`margin`. Otherwise the verdict is inconclusive. If the snapshot
    has an anchor, the run is checked against both.

    Parameters
    ----------
    qrels, run, threads, progress
        As for `gainful.evaluate`. Or an `Evaluation`, such as `Evaluation.from_values` returns, and
        the name of one of its systems, or None for the only one.
    snapshot : Snapshot or path
        A snapshot from `make_snapshot`, or the file that it was written to.
    measures : Measure, str, or several of them, optional
        Measures of the snapshot. Default: all.
    margin : float
        The non-inferiority margin, in units of the measure: 0 or more.
    anchor_margin : float, optional
        The margin for the loss since the anchor. Default: `margin`.
    alpha : float
        The error rate, between 0 and 0.5: how often a run that is worse by the margin may pass, and
        how often a run that is not worse by the margin may fail.
    fail_on : {"margin", "decrease"}
        With ``"decrease"`` a run also fails if the upper bound is below 0, so that it is
        significantly worse by any amount.
    inconclusive : {"fail", "pass"}, optional
        How `GateResult.status` counts an inconclusive verdict. Default: status 3.
    rescore : bool
        Whether to evaluate the snapshot's rankings with these judgments, instead of using its saved
        values.
    growing : bool
        Whether the run is checked again as queries are added, in random order: `alpha` is then the
        error rate of the checks at all numbers of queries together.
    convention : Convention or str, optional
        The convention of the snapshot; any other one is an error. Default: the snapshot's.
    weights : mapping of query id to float, optional
        The weight of each query in the means.
    clusters : mapping of query id to label, optional
        The cluster of each query, such as its user. Queries of one cluster are not independent.
    exclude, same
        Documents to leave out, and the classes of documents, as for `evaluate`: those with which
        the snapshot was saved.
    predicted : judgments, optional
        The judgments of a model for all queries, if people judged only a random sample of them, as
        for `evaluate`. The rankings of the snapshot, which must include all these queries, are then
        evaluated again with both: save it with the judgments of the model.
    sampled : {"random"}, path or Pool, optional
        The pool of `gainful.pool` whose random sample of queries people judged, as for `evaluate`;
        ``"random"`` declares that they judged one.
    name : str, optional
        The name of the run in the result. Default: its own.
    count : bool
        Whether to record this look, a check of one run, in the file, if `snapshot` is a path.

    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    GateResult
        The verdict, and the difference with its bounds for each measure.

    Raises
    ------
    ConventionError, MeasureError
        If the snapshot has another convention or lacks the measure.
    MatchError
        If snapshot and judgments have no query in common, or no query has a value for a measure.
    ParameterError
        For an invalid margin, alpha or choice.
    GainfulError
        For anything that cannot be read, matched or evaluated.

    Notes
    -----
    With d the differences of the n queries that both have a value for, the bounds are
    mean(d) ± t(1 - alpha, n - 1) s / sqrt(n): two one-sided tests, of non-inferiority and of
    inferiority. If fewer than 10, and fewer than half, of the queries changed, the bounds allow for
    another one that changes as much as the most changed one. If no value changed, the run passes.

    If the snapshot declares a budget of B looks, each test is at alpha / B (Bonferroni); after B
    looks the verdict is inconclusive. With spending, look i is tested at 6 alpha / (pi i)^2. If
    queries are `growing`, bounds are those of `gainful.inference.always_valid_bound`; for measures
    without limits, weights, clusters and predictions, these rates are reduced by
    `gainful.inference.always_valid_alpha`. All k comparisons, of each measure with snapshot and
    anchor, have to pass, which needs no correction. One failure is enough to fail, so upper bounds
    are taken at alpha / k. S. Wellek: Testing Statistical Hypotheses of Equivalence and
    Noninferiority, 2nd edition, CRC Press 2010.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> gainful.gate("qrels.txt", "bm25.run", snapshot).verdict
    'pass'
    >>> result = gainful.gate("qrels.txt", "dense.run", snapshot, margin=0.05)
    >>> result.verdict, result.status
    ('inconclusive', 3)
    """
    margin, alpha = float(MARGIN.check(margin)), float(ALPHA.check(alpha))
    FAIL_ON.check(fail_on)
    INCONCLUSIVE.check(inconclusive)
    total = margin if anchor_margin is None else float(ANCHOR_MARGIN.check(anchor_margin))
    _check_mappings(weights=weights, clusters=clusters)
    if not isinstance(snapshot, (Snapshot, str, PathLike)):
        raise ArgumentError(
            where="gate",
            found=f"{type(snapshot).__name__} as a snapshot",
            expected="a Snapshot, or the path of its file",
        )
    saved = snapshot if isinstance(snapshot, Snapshot) else read_snapshot(snapshot)
    where = saved.file or "the snapshot"
    if policies:
        convention = get(saved.convention if convention is None else convention, **policies)
    rules = _same_convention(convention, saved, where)
    chosen = _known_measures(measures, saved, where)
    directions = {repr(measure): measure.direction for measure in chosen}
    # Geometric means are compared on the log scale.
    limits = {
        repr(measure): (None, None) if measure.aggregate == "geometric" else measure.range(rules)
        for measure in chosen
    }
    # Read the judgments with subtopics if any measure of the snapshot needs them.
    selection = {"exclude": exclude, "same": same}
    selected = precomputed = None
    digests: Mapping[str, str | None] = {}
    judged: Any = None
    ranked: Any = None
    if isinstance(qrels, Evaluation):
        required = {"rescore": rescore or None, "predicted": predicted, **selection}
        for option, value in required.items():
            if value is not None:
                raise ArgumentError(f"⟪{option}⟫ requires judgments and a run, not an evaluation")
        _same_convention(qrels.convention, saved, where)
        precomputed = given_values(qrels, run, chosen)
        system = name or precomputed.system
    else:
        _check_selection(selection, saved, where)
        judged = judgments_for(saved.measures, qrels, duplicates=rules.duplicates)
        ranked = as_run(required_run(run), duplicates="count")
        system = name or run_name(ranked) or "run"
        if exclude is not None or same is not None:
            if predicted is not None:
                raise ArgumentError("⟪exclude⟫ and ⟪same⟫ cannot be combined with ⟪predicted⟫")
            selected = SelectedInputs(judged, rules, exclude=exclude, same=same)
            judged, ranked = selected.judgments, selected.select(system, ranked)
            digests = selected.summarize().digests or {}
    options: dict[str, Any] = {"convention": rules, "threads": threads, "progress": progress}

    def measure_run(ranking: Run) -> Values:
        return values_of(evaluate(judged, runs={system: ranking}, measures=chosen, **options))

    predictions = None
    if predicted is not None or sampled is not None:
        from gainful.evaluation.predicted import check_averages, check_sampled, two_phase_sample

        drawn = check_sampled(sampled, has_predictions=predicted is not None)
        assert predicted is not None
        check_averages(chosen)
        rescore = True
        other = judgments_for(saved.measures, predicted, duplicates=rules.duplicates)
        predictions = SnapshotPredictions(
            two_phase_sample(judged, other, drawn),
            lambda ranking: values_of(
                evaluate(other, runs={system: ranking}, measures=chosen, **options)
            ),
            ranked,
            weights,
            clusters,
        )

    def pairs_of(reference: Snapshot) -> dict[str, Paired]:
        again = None
        if rescore:
            ranking = reference.ranking()
            again = measure_run(selected.select(system, ranking) if selected else ranking)
        return pair_values(reference, chosen, values, common, rescored=again)

    values: Values = measure_run(ranked) if precomputed is None else precomputed.values
    common = [query for query in values if query in saved.queries]
    if predictions is not None:
        common = [query for query in common if query in predictions.sample.judged]
    if not common:
        raise MatchError(
            where=where,
            found="no query in common with the judgments",
            expected="at least one",
        )
    # A query of weight 0 has no effect; if all weights are 0, `Design` rejects them.
    common = [query for query in common if not weights or weights.get(query) != 0.0] or common
    digest = ranked.digest if precomputed is None else precomputed.digest
    now = judged.digest if precomputed is None else precomputed.judgments
    pairs = pairs_of(saved)
    for measure, paired in pairs.items():
        if not paired.values:
            raise MatchError(
                where=measure,
                found="no query with a value on both sides",
                expected="at least one",
            )
    anchored = {} if saved.anchor is None else pairs_of(saved.anchor)
    tests = len(pairs) + sum(bool(paired.values) for paired in anchored.values())

    def judge(saved: Snapshot) -> GateResult:
        look = _look_number(saved, digest)
        share = look_alpha(alpha, max(look, 1), budget=saved.budget, spending=saved.spending)

        def gated(
            pairs: dict[str, Paired], reference: str, margin: float
        ) -> tuple[GatedMeasure, ...]:
            source = saved if reference == "snapshot" else saved.anchor
            return tuple(
                GatedMeasure.of(
                    measure,
                    paired.values,
                    direction=directions[measure],
                    reference=reference,
                    left_out=paired.left_out,
                    margin=margin,
                    fail_on=fail_on,
                    alpha_low=share,
                    alpha_high=share / tests,
                    growing=growing,
                    limits=limits[measure],
                    weights=weights,
                    clusters=clusters,
                    predicted=None
                    if predictions is None or source is None
                    else predictions.estimate(index, paired, source),
                )
                for index, (measure, paired) in enumerate(pairs.items())
                if paired.values
            )

        measures = gated(pairs, "snapshot", margin)
        others = gated(anchored, "anchor", total)
        return GateResult(
            system=system,
            snapshot=saved,
            convention=rules,
            margin=margin,
            anchor_margin=total,
            alpha=alpha,
            alpha_used=max(comparison.alpha_low for comparison in measures + others),
            fail_on=fail_on,
            inconclusive=inconclusive,
            measures=measures,
            anchored=others,
            judgments=Digests(snapshot=saved.judgments, now=now),
            runs=Digests(snapshot=saved.run, now=digest),
            rescored=rescore,
            selection_changed=tuple(
                name for name, digest in digests.items() if digest != (saved.selection or {})[name]
            ),
            growing=growing,
            judgments_changed=() if precomputed is not None else _changed(judged, saved, common),
            added=tuple(query for query in values if query not in saved.queries),
            removed=tuple(query for query in saved.queries if query not in values),
            look=look,
            sample=None if predictions is None else predictions.sample,
            values={measure: paired.values for measure, paired in pairs.items()},
        )

    result = judge(saved)
    if not count or isinstance(snapshot, Snapshot):
        return result
    return count_look(result, snapshot, judge)


def _check_mappings(**given: object) -> None:
    for name, value in given.items():
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentError(
                where=name, found=type(value).__name__, expected="a mapping of query ids"
            )


def _same_convention(requested: Convention | str | None, saved: Snapshot, where: str) -> Convention:
    if requested is None or get(requested) == saved.convention:
        return saved.convention
    raise ConventionError(
        where=where,
        found=f"values under {saved.convention.label}",
        expected=get(requested).label,
        hint="use the snapshot's convention, or save a snapshot under the other one",
    )


def _check_selection(selection: Mapping[str, object], saved: Snapshot, where: str) -> None:
    now = [name for name, value in selection.items() if value is not None]
    before = list(saved.selection or ())
    if now != before:
        raise ParameterError(
            where=where,
            found=f"a snapshot {_with(before)}",
            expected=f"one {_with(now)}",
            hint="use the options of the snapshot, or save another one",
        )


def _with(options: Sequence[str]) -> str:
    names = " and ".join(f"⟪{name}⟫" for name in options)
    return f"with {names}" if names else "without ⟪exclude⟫ and ⟪same⟫"


def _known_measures(
    requested: Measure | str | Iterable[Measure | str] | None, saved: Snapshot, where: str
) -> tuple[Measure, ...]:
    if requested is None:
        return saved.measures
    chosen = check_averaged(choose_measures(requested, saved.convention))
    for measure in chosen:
        if measure.resolve(saved.convention) not in saved.resolved:
            raise MeasureError(
                where=where,
                found=f"values of {', '.join(map(repr, saved.measures))}",
                expected=repr(measure),
                hint="save a snapshot that includes this measure",
            )
    return chosen


def _look_number(saved: Snapshot, run: str) -> int:
    """Return the number of this look; 0 for the snapshot's own run, which reveals nothing."""
    if run == saved.run:
        return 0
    return saved.look_number(run) or len(saved.looks) + 1


def _changed(judged: Qrels, saved: Snapshot, common: Iterable[str]) -> tuple[str, ...]:
    if judged.digest == saved.judgments:
        return ()
    return tuple(
        query
        for query in common
        if judgments_digest(judged, query) != saved.queries[query].judgments
    )
