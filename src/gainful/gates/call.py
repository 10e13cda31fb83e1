"""The call: a run checked against a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from os import PathLike

from gainful.conventions import Convention, get
from gainful.data.coercion import as_run, run_name
from gainful.errors import ArgumentError, ConventionError, MatchError, MeasureError, ParameterError
from gainful.evaluation import evaluate
from gainful.evaluation.judgments import judgments_for
from gainful.gates.counting import count_look
from gainful.gates.files import read_snapshot
from gainful.gates.made import comparable, judgments_digest, values_of
from gainful.gates.measured import GatedMeasure
from gainful.gates.result import GateResult
from gainful.gates.snapshot import Snapshot
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from gainful.data import Qrels
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.data.paths import Path
    from gainful.measures import Measure

__all__ = ["gate"]


def gate(
    qrels: QrelsLike,
    run: RunLike,
    snapshot: Snapshot | Path,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    margin: float = 0.01,
    alpha: float = 0.05,
    fail_on: str = "margin",
    inconclusive: str | None = None,
    rescore: bool = False,
    convention: Convention | str | None = None,
    weights: Mapping[str, float] | None = None,
    clusters: Mapping[str, Hashable] | None = None,
    name: str | None = None,
    count: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> GateResult:
    """Judge whether a run is no worse than a snapshot, up to a margin.

    A run passes where the lower bound of its difference to the snapshot lies above -`margin`, and
    fails where the upper bound lies below it. Between the two nothing is shown, and that is
    inconclusive.

    Parameters
    ----------
    qrels, run, threads, progress
        As `gainful.evaluate` has them.
    snapshot : Snapshot or path
        What `make_snapshot` made, or the file that it was written to.
    measures : Measure, str, or several of them, optional
        Of those that the snapshot has; without it all of them.
    margin : float
        How much worse is no harm, in units of the measure: 0 or more.
    alpha : float
        The error rate, between 0 and 0.5: how often a run that is worse by the margin may pass,
        and how often one that is not may fail.
    fail_on : {"margin", "decrease"}
        With ``"decrease"`` a run also fails where the upper bound lies below 0: it is worse, by
        however little.
    inconclusive : {"fail", "pass"}, optional
        What an inconclusive verdict counts as in `GateResult.status`; without it as itself.
    rescore : bool
        Measure the snapshot's rankings with these judgments, instead of taking its values as they
        were.
    convention : Convention or str, optional
        Refused if it is not the snapshot's, which is taken without it.
    weights : mapping of query id to float, optional
        How much each query counts in the means.
    clusters : mapping of query id to label, optional
        Queries of one label, such as a user's, stand or fall together.
    name : str, optional
        What to call the run; without it its own name.
    count : bool
        Write the look into the file, where `snapshot` is one.

    Returns
    -------
    GateResult
        The verdict, and for each measure the difference with its bounds.

    Raises
    ------
    ConventionError, MeasureError
        If the snapshot has another convention, or does not have the measure.
    MatchError
        If snapshot and judgments have no query in common, or no measure has a value for one.
    ParameterError
        For an illegal margin, alpha or choice.
    GainfulError
        For whatever cannot be read, matched or measured.

    Notes
    -----
    With d the differences of the n queries that both have a value for, the bounds are
    mean(d) ± t(1 - alpha, n - 1) s / sqrt(n): two one-sided tests, of non-inferiority and of
    inferiority. With fewer than 10 queries whose value changed they are those of the randomisation
    test (`gainful.inference.randomisation_bound`), and where none changed the run passes.

    If the snapshot declares a budget of B looks, alpha / B stands for alpha (Bonferroni), and after
    B looks nothing can be concluded. Of k measures all have to pass, which needs no correction; but
    one that fails is enough, so upper bounds are taken at alpha / k. S. Wellek: Testing Statistical
    Hypotheses of Equivalence and Noninferiority, 2nd edition, CRC Press 2010.

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
    margin, alpha = _checked(margin, alpha, fail_on, inconclusive)
    _check_mappings(weights=weights, clusters=clusters)
    if not isinstance(snapshot, (Snapshot, str, PathLike)):
        raise ArgumentError(
            where="gate",
            found=f"{type(snapshot).__name__} as a snapshot",
            expected="a Snapshot, or the path of its file",
        )
    kept = snapshot if isinstance(snapshot, Snapshot) else read_snapshot(snapshot)
    where = kept.file or "the snapshot"
    policies = _same_convention(convention, kept, where)
    chosen = _known_measures(measures, kept, where)
    # As the snapshot read them: with subtopics if any of its measures needs them.
    judged = judgments_for(kept.measures, qrels, duplicates=policies.duplicates)
    ranked = as_run(run, duplicates="count")
    system = name or run_name(ranked) or "run"
    options = {"convention": policies, "threads": threads, "progress": progress}
    found = values_of(evaluate(judged, runs={system: ranked}, measures=chosen, **options))  # type: ignore[arg-type]
    known = kept.resolved
    places = [known.index(each.resolve(policies)) for each in chosen]
    before = {query: tuple(own.values[at] for at in places) for query, own in kept.queries.items()}
    if rescore:
        again = evaluate(judged, runs={system: kept.ranking()}, measures=chosen, **options)  # type: ignore[arg-type]
        today = values_of(again)
        before = {query: today[query] for query in before if query in today}
    common = [query for query in found if query in before]
    if not common:
        raise MatchError(
            where=where,
            found="no query in common with the judgments",
            expected="some that both have",
        )
    # A query of weight 0 neither changes nor loses anything; if all are, `Design` refuses them.
    common = [query for query in common if not weights or weights.get(query) != 0.0] or common
    digest = ranked.digest
    pairs = {}
    for at, measure in enumerate(chosen):
        own = {
            query: (old, new)
            for query in common
            if (old := before[query][at]) is not None and (new := found[query][at]) is not None
        }
        if not own:
            raise MatchError(
                where=repr(measure),
                found="no query that both have a value for",
                expected="one or more",
            )
        pairs[repr(measure)] = own

    def judge(kept: Snapshot) -> GateResult:
        spent = _looks(kept, digest)
        share = alpha if kept.budget is None else alpha / kept.budget
        if kept.budget is not None and spent > kept.budget:
            share = 0.0
        gated = (
            GatedMeasure.of(
                measure,
                own,
                left_out=len(common) - len(own),
                margin=margin,
                fail_on=fail_on,
                alpha_low=share,
                alpha_high=share / len(chosen),
                weights=weights,
                clusters=clusters,
            )
            for measure, own in pairs.items()
        )
        return GateResult(
            system=system,
            snapshot=kept,
            convention=policies,
            margin=margin,
            alpha=alpha,
            alpha_used=share,
            fail_on=fail_on,
            inconclusive=inconclusive,
            measures=tuple(gated),
            judgments=judged.digest,
            run=digest,
            rescored=rescore,
            judgments_changed=_changed(judged, kept, common),
            added=tuple(query for query in found if query not in kept.queries),
            removed=tuple(query for query in kept.queries if query not in found),
            look=spent,
            values=pairs,
        )

    result = judge(kept)
    if not count or isinstance(snapshot, Snapshot):
        return result
    return count_look(result, snapshot, judge)


def _checked(
    margin: float, alpha: float, fail_on: str, inconclusive: str | None
) -> tuple[float, float]:
    if not isinstance(margin, Real) or not 0.0 <= margin < float("inf"):
        raise ParameterError(
            where="margin", found=repr(margin), expected="a finite number of 0 or more"
        )
    if not isinstance(alpha, Real) or not 0.0 < alpha < 0.5:
        raise ParameterError(
            where="alpha", found=repr(alpha), expected="a number between 0 and 0.5"
        )
    if fail_on not in ("margin", "decrease"):
        raise ParameterError(where="fail_on", found=repr(fail_on), expected="margin or decrease")
    if inconclusive not in (None, "fail", "pass"):
        raise ParameterError(
            where="inconclusive", found=repr(inconclusive), expected="fail or pass"
        )
    return float(margin), float(alpha)


def _check_mappings(**given: object) -> None:
    for name, value in given.items():
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentError(
                where=name, found=type(value).__name__, expected="a mapping of query ids"
            )


def _same_convention(asked: Convention | str | None, kept: Snapshot, where: str) -> Convention:
    if asked is None or get(asked) == kept.convention:
        return kept.convention
    raise ConventionError(
        where=where,
        found=f"values made under {kept.convention.label}",
        expected=f"{get(asked).label}, as asked for",
        hint="ask for the snapshot's convention, or save a snapshot under the other",
    )


def _known_measures(
    asked: Measure | str | Iterable[Measure | str] | None, kept: Snapshot, where: str
) -> tuple[Measure, ...]:
    if asked is None:
        return kept.measures
    chosen = comparable(choose_measures(asked, kept.convention))
    for measure in chosen:
        if measure.resolve(kept.convention) not in kept.resolved:
            raise MeasureError(
                where=where,
                found=f"values of {', '.join(map(repr, kept.measures))}",
                expected=f"{measure!r}, as asked for",
                hint="save a snapshot with that measure",
            )
    return chosen


def _looks(kept: Snapshot, run: str) -> int:
    """Return the number of this look; 0 for the snapshot's own run, of which nothing is learned."""
    if run == kept.run:
        return 0
    return kept.looked(run) or len(kept.looks) + 1


def _changed(judged: Qrels, kept: Snapshot, common: Iterable[str]) -> tuple[str, ...]:
    if judged.digest == kept.judgments:
        return ()
    return tuple(
        query
        for query in common
        if judgments_digest(judged, query) != kept.queries[query].judgments
    )
