"""The rules that combine the labels of several raters."""

from __future__ import annotations

from math import log

from gainful.data.judgment_lists.entries import combine_grades
from gainful.errors import ParameterError
from gainful.judging.cells import grade_value
from gainful.records import Record, field
from gainful.vocabulary import COMBINING_RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    Pair = tuple[str, str]
    Labels = Mapping[Pair, float]

    class Rated(Protocol):
        """The part of `Ratings` that rules need."""

        final: str | None

        @property
        def pairs(self) -> tuple[Pair, ...]: ...
        def grades(self, rater: str) -> Labels: ...


__all__ = ["CombinedLabel", "Estimates", "apply_rule", "check_rule", "combinable_rules"]

#: With fewer labels than this per document or per rater, the model is worse than a majority.
FEW_PER_DOCUMENT, FEW_PER_RATER = 3.0, 100

_SHARE = {"minimum": 0, "maximum": 1}
_POSITIVE = {"minimum": 1}


class CombinedLabel(Record):
    """The combined grade of a document, with the labels that it comes from."""

    query_id: str
    """The query."""
    doc_id: str
    """The document."""
    grade: float
    """The combined grade."""
    decided_by: str = field(json={"enum": ["unanimous", "tie", *COMBINING_RULES]})
    """``unanimous`` if all labels are equal, ``tie`` if a majority or a model had to choose between
    equal candidates, else the rule; ``majority`` also where the owner has no label."""
    probability: float | None = field(default=None, json=_SHARE)
    """The probability of the grade under the model of ``dawid-skene``."""
    labels: dict[str, float]
    """The grade of each rater."""

    def to_dict(self) -> dict[str, Any]:
        """Return the label as plain values for JSON; whole grades are integers, as in judgments."""
        labels = {rater: grade_value(grade) for rater, grade in self.labels.items()}
        return {**super().to_dict(), "grade": grade_value(self.grade), "labels": labels}


class Estimates(Record):
    """What the model of Dawid and Skene estimates."""

    accuracy: dict[str, float] = field(json={"additionalProperties": {"type": "number", **_SHARE}})
    """By rater, the probability of the true grade."""
    weight: dict[str, float | None]
    """By rater, the weight of a vote: the logarithm of the odds of the true grade to another one,
    in nats. Below 0, a vote counts against its grade. Infinite (null) for a rater who is always
    right."""
    log_likelihood: float
    """The log-likelihood of the labels, in nats."""
    starts: int = field(json=_POSITIVE)
    """The number of starts."""
    agreeing_starts: int = field(json=_POSITIVE)
    """How many of them reached this solution."""
    converged: bool
    """Whether the best start converged."""


def check_rule(rule: str, raters: Sequence[str], owner: str | None, final: str | None) -> None:
    """Refuse a rule that the labels do not allow.

    Raises
    ------
    ParameterError
        For an unknown rule or owner, ``owner`` without one, or ``dawid-skene`` with fewer than
        three raters.
    """
    from gainful.inference.rater_model import FEWEST_RATERS

    if rule not in COMBINING_RULES:
        raise ParameterError(
            where="method", found=repr(rule), expected=f"one of {', '.join(COMBINING_RULES)}"
        )
    if owner is not None and owner not in (*raters, final):
        names = ", ".join(filter(None, [*raters, final]))
        raise ParameterError(where="owner", found=repr(owner), expected=f"one of {names}")
    if rule == "owner" and owner is None and final is None:
        raise ParameterError(
            "the rule 'owner' needs an owner or final grades",
            where="method",
            hint="name the rater whose labels decide with ⟪owner=NAME⟫",
        )
    if rule == "dawid-skene" and len(raters) < FEWEST_RATERS:
        raise ParameterError(
            where="method",
            found=f"dawid-skene with {len(raters)} rater{'s' if len(raters) != 1 else ''}",
            expected=f"{FEWEST_RATERS} or more raters",
            hint="the error rates of fewer raters cannot be estimated; use majority or median",
        )


def combinable_rules(raters: Sequence[str], owner: str | None, final: str | None) -> list[str]:
    """Return the rules that the labels allow."""
    found = []
    for rule in COMBINING_RULES:
        try:
            check_rule(rule, raters, owner, final)
        except ParameterError:
            continue
        found.append(rule)
    return found


def apply_rule(
    rule: str,
    ratings: Rated,
    raters: Sequence[str],
    owner: str | None,
    *,
    starts: int,
    seed: int,
) -> tuple[list[CombinedLabel], Estimates | None]:
    """Return the combined labels in the order of the ratings, and the estimates of a model.

    Parameters
    ----------
    rule : str
        One of `COMBINING_RULES`, as `check_rule` accepts it.
    ratings : Ratings
        The labels.
    raters : sequence of str
        The names of the raters.
    owner : str or None
        The rater whose labels decide under ``owner``. Default: the final grades.
    starts, seed : int
        As for `gainful.inference.dawid_skene`.
    """
    by_rater = {rater: ratings.grades(rater) for rater in raters}
    labels: dict[Pair, dict[str, float]] = {}
    for pair in ratings.pairs:
        own = {rater: grades[pair] for rater, grades in by_rater.items() if pair in grades}
        if own:
            labels[pair] = own
    if rule == "dawid-skene":
        return _by_model(labels, raters, starts, seed)
    decisions: Labels = {}
    if rule == "owner":
        decisions = ratings.grades(owner or ratings.final or "")
        for pair in decisions:
            labels.setdefault(pair, {})
    return [
        _decided(rule, pair, labels[pair], decisions.get(pair))
        for pair in ratings.pairs
        if pair in labels
    ], None


def _decided(rule: str, pair: Pair, own: dict[str, float], decision: float | None) -> CombinedLabel:
    if decision is not None:
        return _label(pair, decision, "owner", own)
    how = "majority" if rule == "owner" else rule
    grade, is_clear = combine_grades(how, list(own.values()))
    assert grade is not None
    by = "unanimous" if len(set(own.values())) == 1 else how if is_clear else "tie"
    return _label(pair, grade, by, own)


def _label(
    pair: Pair, grade: float, by: str, labels: dict[str, float], probability: float | None = None
) -> CombinedLabel:
    query, document = pair
    return CombinedLabel(
        query_id=query,
        doc_id=document,
        grade=grade,
        decided_by=by,
        probability=probability,
        labels=labels,
    )


def _by_model(
    labels: Mapping[Pair, dict[str, float]], raters: Sequence[str], starts: int, seed: int
) -> tuple[list[CombinedLabel], Estimates]:
    import numpy as np

    from gainful.inference.rater_model import dawid_skene

    table = [[own.get(rater, np.nan) for rater in raters] for own in labels.values()]
    model = dawid_skene(table, starts=starts, seed=seed)
    grades = model.most_probable().tolist()
    best = model.posterior.max(axis=1)
    equal = (model.posterior >= best[:, None] - 1e-9).sum(axis=1)
    combined = []
    for at, (pair, own) in enumerate(labels.items()):
        agree = len(set(own.values())) == 1 and grades[at] in own.values()
        by = "tie" if equal[at] > 1 else "unanimous" if agree else "dawid-skene"
        combined.append(_label(pair, grades[at], by, own, float(best[at])))
    accuracy = dict(zip(raters, model.accuracy.tolist(), strict=True))
    others = max(1, len(model.classes) - 1)
    return combined, Estimates(
        accuracy=accuracy,
        weight={
            rater: log(each * others / (1.0 - each)) if each < 1.0 else float("inf")
            for rater, each in accuracy.items()
        },
        log_likelihood=model.log_likelihood,
        starts=starts,
        agreeing_starts=model.agreeing_starts,
        converged=model.converged,
    )
