"""Combine the labels of several raters, and score systems under each rule."""

from __future__ import annotations

from gainful.conventions import get
from gainful.data import Qrels
from gainful.data.coercion import as_run
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.judging.combining.result import CombinedJudgments, RaterShare
from gainful.judging.combining.rules import apply_rule, check_rule, combinable_rules
from gainful.judging.systems import score_judgments
from gainful.measures.choosing import choose_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.data.inputs import RunLike
    from gainful.judging.combining.rules import CombinedLabel
    from gainful.judging.ratings import Ratings
    from gainful.judging.systems_result import SystemsByRater
    from gainful.measures import Measure

__all__ = ["combine"]


def combine(
    ratings: Ratings,
    method: str,
    *,
    owner: str | None,
    runs: Mapping[str, RunLike] | None,
    measure: Measure | str | None,
    baseline: str | Sequence[str] | None,
    margin: float | None,
    convention: Convention | str,
    weights: Mapping[str, float] | None,
    starts: int,
    seed: int,
    threads: int | None,
) -> CombinedJudgments:
    """Implement `Ratings.combine`."""
    raters = [rater.name for rater in ratings.raters]
    check_rule(method, raters, owner, ratings.final)
    if type(seed) is not int or not 0 <= seed < 2**64:
        raise ParameterError(
            where="seed", found=repr(seed), expected="a whole number from 0 to 2^64 - 1"
        )
    if runs is None and (baseline is not None or margin is not None):
        raise ArgumentError(
            where="baseline" if baseline is not None else "margin",
            found="no runs to compare",
            expected="runs to evaluate",
        )
    labels, estimates = apply_rule(method, ratings, raters, owner, starts=starts, seed=seed)
    if not labels:
        raise FormatError(file=ratings.name, found="only final grades", expected="labels of raters")
    systems: SystemsByRater | None = None
    if runs is not None:
        if not runs:
            raise ParameterError(where="runs", found="no run", expected="at least one, or None")
        from gainful.evaluation.query_groups import read_query_groups

        policies = get(convention)
        rules = combinable_rules(raters, owner, ratings.final)
        by_rule = {
            rule: _judgments(
                labels
                if rule == method
                else apply_rule(rule, ratings, raters, owner, starts=starts, seed=seed)[0]
            )
            for rule in rules
        }
        systems = score_judgments(
            by_rule,
            {name: as_run(run, duplicates="count", name=name) for name, run in runs.items()},
            choose_measure(measure, policies),
            subject="rule",
            convention=policies,
            baseline=baseline,
            margin=margin,
            groups=read_query_groups(weights=weights, clusters=None, by=None),
            level=0.95,
            resamples=1_999,
            seed=seed,
            threads=threads,
            progress=None,
        )
    return CombinedJudgments(
        method=method,
        owner=owner or ratings.final if method == "owner" else None,
        labels=labels,
        raters=tuple(_share(rater, labels) for rater in raters),
        estimates=estimates,
        systems=systems,
        name=ratings.name,
    )


def _share(rater: str, labels: Sequence[CombinedLabel]) -> RaterShare:
    own = [(label.labels[rater], label.grade) for label in labels if rater in label.labels]
    same = sum(one == other for one, other in own)
    return RaterShare(rater=rater, labels=len(own), same=same / len(own) if own else None)


def _judgments(labels: Sequence[CombinedLabel]) -> Qrels:
    return Qrels([(each.query_id, each.doc_id, each.grade) for each in labels])
