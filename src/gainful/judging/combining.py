"""Combine the labels of several raters into one grade per document."""

from __future__ import annotations

from collections import Counter
from math import log
from os import fspath
from os.path import splitext

from gainful.conventions import get
from gainful.data import Qrels
from gainful.data.coercion import as_run
from gainful.data.judgment_lists.entries import combine_grades
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.formats.delimited import csv, text
from gainful.formats.numbers import digits, percent, thousands, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.judging.source import grade_value
from gainful.judging.systems import SystemsByRater, means_table, score_judgments, verdicts_table
from gainful.measures.choosing import choose_measure
from gainful.parameters.comparing import SEED
from gainful.records import Record, as_columns, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.results import Records, Result
from gainful.vocabulary import COMBINING_RULES
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Protocol

    from gainful.conventions import Convention
    from gainful.data.run import RunLike
    from gainful.judging.source import Rater
    from gainful.measures import Measure

    Pair = tuple[str, str]

    Labels = Mapping[Pair, float]

    class Rated(Protocol):
        """The part of `Ratings` that rules need."""

        raters: tuple[Rater, ...]
        final: str | None
        name: str | None

        @property
        def pairs(self) -> tuple[Pair, ...]: ...
        def grades(self, rater: str) -> Labels: ...


__all__ = ["CombinedJudgments", "CombinedLabel", "Estimates", "RaterShare", "combine"]


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
    grade: float = field(export=grade_value)
    """The combined grade."""
    decided_by: str = field(json={"enum": ["unanimous", "tie", *COMBINING_RULES]})
    """``unanimous`` if all labels are equal, ``tie`` if a majority or a model had to choose between
    equal candidates, else the rule; ``majority`` also where the owner has no label."""
    probability: float | None = field(default=None, json=_SHARE)
    """The probability of the grade under the model of ``dawid-skene``."""
    labels: dict[str, float] = field(
        export=lambda labels: {rater: grade_value(grade) for rater, grade in labels.items()}
    )
    """The grade of each rater."""


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
    """Refuse a rule that the labels do not allow."""
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
    rules = []
    for rule in COMBINING_RULES:
        try:
            check_rule(rule, raters, owner, final)
        except ParameterError:
            continue
        rules.append(rule)
    return rules


def apply_rule(
    rule: str,
    ratings: Rated,
    raters: Sequence[str],
    owner: str | None,
    *,
    starts: int,
    seed: int,
) -> tuple[list[CombinedLabel], Estimates | None]:
    """Return the combined labels in the order of the ratings, and the estimates of a model."""
    by_rater = {rater: ratings.grades(rater) for rater in raters}
    labels: dict[Pair, dict[str, float]] = {}
    for pair in ratings.pairs:
        votes = {rater: grades[pair] for rater, grades in by_rater.items() if pair in grades}
        if votes:
            labels[pair] = votes
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


def _decided(
    rule: str, pair: Pair, votes: dict[str, float], decision: float | None
) -> CombinedLabel:
    if decision is not None:
        return _label(pair, decision, "owner", votes)
    how = "majority" if rule == "owner" else rule
    grade, is_clear = combine_grades(how, list(votes.values()))
    assert grade is not None
    by = "unanimous" if len(set(votes.values())) == 1 else how if is_clear else "tie"
    return _label(pair, grade, by, votes)


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

    table = [[votes.get(rater, np.nan) for rater in raters] for votes in labels.values()]
    model = dawid_skene(table, starts=starts, seed=seed)
    grades = model.most_probable().tolist()
    best = model.posterior.max(axis=1)
    equal = (model.posterior >= best[:, None] - 1e-9).sum(axis=1)
    combined = []
    for index, (pair, model_labels) in enumerate(labels.items()):
        agree = len(set(model_labels.values())) == 1 and grades[index] in model_labels.values()
        by = "tie" if equal[index] > 1 else "unanimous" if agree else "dawid-skene"
        combined.append(_label(pair, grades[index], by, model_labels, float(best[index])))
    accuracy = dict(zip(raters, model.accuracy.tolist(), strict=True))
    others = max(1, len(model.classes) - 1)
    return combined, Estimates(
        accuracy=accuracy,
        weight={
            rater: log(row * others / (1.0 - row)) if row < 1.0 else float("inf")
            for rater, row in accuracy.items()
        },
        log_likelihood=model.log_likelihood,
        starts=starts,
        agreeing_starts=model.agreeing_starts,
        converged=model.converged,
    )


FORMATS = ("qrels", "csv", "jsonl")

_TIES = {
    "majority": "Ties go to the grade nearest to the median, then to the lower one.",
    "median": "For an even number of labels, the mean of the middle two.",
    "mean": "",
    "dawid-skene": "Of equally probable grades, the lowest.",
    "owner": "Documents without a grade of the owner get the majority grade; ties go to the grade"
    " nearest to the median, then to the lower one.",
}

_MODEL = Note(
    "accuracy",
    "accuracy: estimated probability that a rater gives the true grade. quality weight: its log"
    " odds; below 0, a vote counts against its grade.",
    explains=True,
)


class RaterShare(Record):
    """What a rater contributed."""

    rater: str = field(tables="raters")
    """The name."""
    labels: int = field(tables="raters", show=thousands)
    """The number of labels."""
    same: float | None = field(
        tables="raters", label="same as combined", show=percent, json={"minimum": 0, "maximum": 1}
    )
    """The share of them that equals the combined grade; None without labels."""


class CombinedJudgments(Result):
    """One grade per document, combined from the labels of several raters.

    Examples
    --------
    >>> import gainful
    >>> rows = [("q1", "d1", "ana", 3), ("q1", "d1", "ben", 2), ("q1", "d1", "eva", 2)]
    >>> found = gainful.Ratings(rows).combine("median")
    >>> found.qrels().to_dict(), found.labels[0].labels
    ({'q1': {'d1': 2}}, {'ana': 3.0, 'ben': 2.0, 'eva': 2.0})
    """

    SCHEMA = "gainful.combined-judgments/1"
    COMMAND = "assess-judgments --combine RULE"
    RECORDS = {"labels": None, "raters": None}

    method: str = field(json={"enum": list(COMBINING_RULES)})
    """The rule."""
    owner: str | None
    """Whose labels decide, under the rule ``owner``."""
    _decided_by: dict[str, int] = derived(
        lambda combined: combined.decided_by(),
        key="decided_by",
        json={"additionalProperties": {"type": "integer", "minimum": 1}},
    )
    """How many grades were decided by what, the most frequent first."""
    raters: tuple[RaterShare, ...]
    """The raters."""
    estimates: Estimates | None
    """The estimates of ``dawid-skene``; None for other rules."""
    systems: SystemsByRater | None
    """The systems under each rule that the labels allow."""
    labels: Sequence[CombinedLabel]
    """The grades, each with the labels that it comes from."""
    name: str | None = field(key="")
    """The name of the ratings."""

    def __len__(self) -> int:
        return len(self.labels)

    def decided_by(self) -> dict[str, int]:
        """Return how many grades were decided by what, the most frequent first."""
        return dict(Counter(label.decided_by for label in self.labels).most_common())

    def qrels(self) -> Qrels:
        """Return the combined grades as judgments."""
        rows = [(label.query_id, label.doc_id, grade_value(label.grade)) for label in self.labels]
        return Qrels(rows, name=self.name)

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:
        """Write the combined grades to a file, atomically.

        Parameters
        ----------
        path : path
            The file.
        format : {"qrels", "csv", "jsonl"}, optional
            ``qrels``: TREC judgments. ``csv`` and ``jsonl``: also how each grade was decided, and
            the labels of the raters. Default: from the suffix, else ``qrels``.

        Raises
        ------
        ParameterError
            For an unknown format.
        FormatError
            For qrels with white space in an id.
        SourceError
            If the file cannot be written.
        """
        name = fspath(path)
        style = format or {".csv": "csv", ".jsonl": "jsonl"}.get(splitext(name)[1], "qrels")
        if style not in FORMATS:
            raise ParameterError(
                where="format", found=repr(style), expected=f"one of {', '.join(FORMATS)}"
            )
        rows = (label.to_dict() for label in self.labels)
        if style == "qrels":
            self.qrels().write(name, "trec")
        elif style == "csv":
            cells = ([*list(row.values())[:-1], text(row["labels"]).strip()] for row in rows)
            write_whole(name, (line.encode() for line in csv(list(CombinedLabel.FIELDS), cells)))
        else:
            write_whole(name, (text(row).encode() for row in rows))

    def tables(self) -> list[Table]:
        """Return the raters, and the systems under each rule."""
        columns, model = columns_of(self.raters, "raters"), self.estimates
        notes = noted("combined", _notes(self))
        if model is not None:
            names = [share.rater for share in self.raters]
            accuracy, weight = (
                Column("accuracy", show=digits),
                Column("weight", "quality weight", _weight),
            )
            columns.append((accuracy, [model.accuracy[name] for name in names]))
            columns.append((weight, [model.weight[name] for name in names]))
            notes.append(_MODEL)
        title = f"Labels combined by {self.method}"
        if self.owner is not None:
            title += f" ({self.owner})"
        tables = [table_of_columns(columns, title=title, notes=notes)]
        if self.systems is not None:
            verdicts = verdicts_table(self.systems)
            tables += [means_table(self.systems), *([verdicts] if verdicts else [])]
        return tables

    def _records(self, name: str) -> Records:
        if name == "labels":
            labels = [text(label.to_dict()["labels"]).strip() for label in self.labels]
            return {**as_columns(CombinedLabel, self.labels), "labels": list[object](labels)}
        model, names = self.estimates, [share.rater for share in self.raters]
        return {
            **as_columns(RaterShare, self.raters),
            "accuracy": [model and model.accuracy[name] for name in names],
            "weight": [model and model.weight[name] for name in names],
        }

    def __repr__(self) -> str:
        return f"<CombinedJudgments by {self.method}: {len(self)} documents>"


def _weight(value: float) -> str:
    return with_sign(value, 2)


def _notes(combined: CombinedJudgments) -> Iterator[str]:
    parts = ", ".join(f"{count:,} {name}" for name, count in combined.decided_by().items())
    line = f"{len(combined):,} documents, decided by: {parts}. {_TIES[combined.method]}"
    yield line.strip()
    model = combined.estimates
    if model is None:
        return
    yield (
        f"Log-likelihood {model.log_likelihood:.1f}; {model.agreeing_starts} of {model.starts}"
        " starts reached it."
    )
    if not model.converged:
        yield "The estimates did not converge: use majority or median."
    counts = [share.labels for share in combined.raters]
    if sum(counts) / len(combined) < FEW_PER_DOCUMENT or min(counts) < FEW_PER_RATER:
        yield (
            f"With fewer than {FEW_PER_DOCUMENT:g} labels per document or {FEW_PER_RATER} per"
            " rater, majority or median is as good or better."
        )


def combine(
    ratings: Rated,
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
    seed = SEED.check(seed)
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
    pairs = [(label.labels[rater], label.grade) for label in labels if rater in label.labels]
    same = sum(one == other for one, other in pairs)
    return RaterShare(rater=rater, labels=len(pairs), same=same / len(pairs) if pairs else None)


def _judgments(labels: Sequence[CombinedLabel]) -> Qrels:
    return Qrels([(votes.query_id, votes.doc_id, votes.grade) for votes in labels])
