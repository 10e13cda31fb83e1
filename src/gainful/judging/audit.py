"""Audit judges that are models against people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gainful.errors import ParameterError
from gainful.inference import (
    alpha_interval,
    binomial_interval,
    kappa_interval,
    kendall_tau,
    krippendorff_alpha,
    weighted_kappa,
)
from gainful.inference.interval import quantile
from gainful.judging.agreement import cluster_labels, clustered_mean
from gainful.judging.audit_result import (
    GradeAgreement,
    JudgeAudit,
    LengthEffect,
    QueryAgreement,
    Share,
)
from gainful.judging.audit_systems import compare_orders, favored_families
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from gainful.evaluation.query_groups import QueryGroups
    from gainful.judging.choices import Choices
    from gainful.judging.ratings import Ratings
    from gainful.judging.systems_result import SystemsByRater

    Floats = NDArray[np.float64]
    Pair = tuple[str, str]

__all__ = ["PEOPLE", "Common", "audit_judges", "grades_of_people"]

#: The name of several people together.
PEOPLE = "people"
_MODEL = "model"


def grades_of_people(ratings: Ratings) -> tuple[str, dict[Pair, float]] | None:
    """Return the grades by people and their name; None if there are only models, or none.

    These are the final grades if there are any, or the grades of the only person, or the lower
    median of several people.

    Raises
    ------
    ParameterError
        If they include a document that a model saw with its grade.
    """
    models = [rater.name for rater in ratings.raters if rater.source.kind == _MODEL]
    persons = [rater.name for rater in ratings.raters if rater.source.kind != _MODEL]
    if not models or not (persons or ratings.final):
        return None
    name = ratings.final or (persons[0] if len(persons) == 1 else PEOPLE)
    if name != PEOPLE:
        found = dict(ratings.grades(name))
    else:
        gathered: dict[Pair, list[float]] = {}
        for person in persons:
            for pair, grade in ratings.grades(person).items():
                gathered.setdefault(pair, []).append(grade)
        found = {pair: sorted(each)[(len(each) - 1) // 2] for pair, each in gathered.items()}
    for model in models:
        for query, document in sorted(ratings.evidence(model).examples & found.keys()):
            raise ParameterError(
                f"{model} saw the grade of this document as an example of its prompt",
                query=query,
                document=document,
                hint="leave the examples out of the judgments by people",
            )
    return name, found


def audit_judges(
    ratings: Ratings,
    choices: Choices,
    groups: QueryGroups,
    *,
    lengths: Mapping[str, int] | None = None,
    families: Mapping[str, str] | None = None,
    score: Callable[[str, str, dict[Pair, float]], SystemsByRater | str] | None = None,
) -> tuple[JudgeAudit, ...]:
    """Audit each model among the raters against people.

    Parameters
    ----------
    ratings : Ratings
        The labels.
    choices : Choices
        The options of the agreement.
    groups : QueryGroups
        Weights and clusters of the queries.
    lengths : mapping of str to int, optional
        The lengths of documents. Default: those in the files of labels.
    families : mapping of str to str, optional
        The families of systems and of models.
    score : callable, optional
        From the name of a model, of the people, and the grades by people to the systems under both.
    """
    found = grades_of_people(ratings)
    if found is None:
        return ()
    people, truth = found
    audits = []
    for rater in ratings.raters:
        if rater.source.kind != _MODEL:
            continue
        grades = ratings.grades(rater.name)
        pairs = [pair for pair in truth if pair in grades]
        if not pairs:
            continue
        systems = None if score is None else score(rater.name, people, truth)
        common = Common(
            pairs=pairs,
            human=np.array([truth[pair] for pair in pairs]),
            model=np.array([grades[pair] for pair in pairs]),
            choices=choices,
            groups=groups,
        )
        evidence = ratings.evidence(rater.name)
        known = (
            dict(evidence.lengths)
            if lengths is None
            else {pair: lengths[pair[1]] for pair in pairs if pair[1] in lengths}
        )
        scored = None if isinstance(systems, str) else systems
        audits.append(
            JudgeAudit(
                judge=rater.name,
                people=people,
                **common.agreement(),
                by_grade=common.by_grade(),
                by_query=common.by_query(),
                length=common.length(known),
                outcomes=_outcomes(evidence.outcomes, choices.level),
                obeyed=_obeyed(ratings, rater.name, choices.level),
                systems=compare_orders(scored, people, rater.name, choices, groups),
                verdicts=() if scored is None else scored.verdicts,
                families=favored_families(
                    scored, people, rater.name, families or {}, choices, groups
                ),
            )
        )
    return tuple(audits)


@dataclass(frozen=True)
class Common:
    """The documents that people and a model graded.

    Attributes
    ----------
    pairs : list of (query, document)
        The documents.
    human, model : numpy.ndarray, shape (pairs,)
        Their grades.
    choices : Choices
        The options of the agreement.
    groups : QueryGroups
        Weights and clusters of the queries.
    """

    pairs: list[Pair]
    human: Floats
    model: Floats
    choices: Choices
    groups: QueryGroups

    @property
    def queries(self) -> list[str]:
        """The query of each document."""
        return [query for query, _ in self.pairs]

    def agreement(self) -> dict[str, Any]:
        """Return the fields of `JudgeAudit` on the agreement of all documents."""
        queries, choices = self.queries, self.choices
        weights = self.groups.weights_of(queries)
        clusters = cluster_labels(queries, self.groups)
        sample: dict[str, Any] = {
            "item_weights": weights,
            "clusters": clusters,
            "level": choices.level,
        }
        both = np.stack([self.human, self.model], axis=1)
        bias, bias_interval = self.mean(self.model - self.human, queries)
        taus = {each.query_id: each.tau for each in self.by_query() if each.tau is not None}
        tau, ends = self.mean(np.array(list(taus.values())), list(taus))
        return {
            "documents": len(self.pairs),
            "queries": len(set(queries)),
            "same": float(np.average(self.human == self.model, weights=weights)),
            "kappa": weighted_kappa(
                self.human, self.model, weights=choices.kappa, item_weights=weights
            ),
            "kappa_interval": kappa_interval(
                self.human, self.model, weights=choices.kappa, **sample
            ),
            "unweighted": weighted_kappa(
                self.human, self.model, weights="none", item_weights=weights
            ),
            "alpha": krippendorff_alpha(both, scale=choices.scale, item_weights=weights),
            "alpha_interval": alpha_interval(both, scale=choices.scale, **sample),
            "bias": bias,
            "bias_interval": bias_interval,
            "tau": tau,
            # The mean of correlations has their range.
            "tau_interval": ends and Interval(max(-1.0, ends.low), min(1.0, ends.high)),
        }

    def by_grade(self) -> tuple[GradeAgreement, ...]:
        """Return the agreement by the grade of people."""
        found = []
        queries = np.array(self.queries, dtype=object)
        for grade in np.unique(self.human):
            rows = self.human == grade
            bias, interval = self.mean(self.model[rows] - grade, list(queries[rows]))
            assert bias is not None
            given = np.unique(self.model[rows], return_counts=True)
            found.append(
                GradeAgreement(
                    grade=float(grade),
                    documents=int(rows.sum()),
                    same=float((self.model[rows] == grade).mean()),
                    bias=bias,
                    interval=interval,
                    counts=dict(zip(*(e.tolist() for e in given), strict=True)),
                )
            )
        return tuple(found)

    def by_query(self) -> tuple[QueryAgreement, ...]:
        """Return the agreement by query."""
        queries = np.array(self.queries, dtype=object)
        found = []
        for query in dict.fromkeys(self.queries):
            rows = queries == query
            human, model = self.human[rows], self.model[rows]
            found.append(
                QueryAgreement(
                    query_id=query,
                    documents=int(rows.sum()),
                    kappa=weighted_kappa(human, model, weights=self.choices.kappa),
                    bias=float((model - human).mean()),
                    tau=kendall_tau(human.tolist(), model.tolist()),
                )
            )
        return tuple(found)

    def mean(self, values: Floats, queries: Sequence[str]) -> tuple[float | None, Interval | None]:
        """Return a mean and its Student's t interval, clustered by query or more."""
        return clustered_mean(values, queries, self.choices.level, self.groups)

    def length(self, lengths: Mapping[Pair, int]) -> LengthEffect | None:
        """Regress the model's error on the binary logarithm of the length, within queries."""
        rows = np.array([lengths.get(pair, 0) > 0 for pair in self.pairs])
        if not rows.any():
            return None
        queries = np.array(self.queries, dtype=object)[rows]
        error = (self.model - self.human)[rows]
        size = np.log2([lengths[pair] for pair, kept in zip(self.pairs, rows, strict=True) if kept])
        for query in dict.fromkeys(queries):
            own = queries == query
            error[own] -= error[own].mean()
            size[own] -= size[own].mean()
        total = float(size @ size)
        if total <= 1e-9:
            return None
        slope = float(size @ error) / total
        names = list(dict.fromkeys(queries))
        # The sum of a query's products is its influence; queries are independent.
        products = size * (error - slope * size)
        parts = np.array([float(products[queries == query].sum()) for query in names])
        interval = None
        if len(names) > 2:
            half = -quantile((1.0 - self.choices.level) / 2, len(names) - 1) * np.sqrt(
                float(parts @ parts) * len(names) / (len(names) - 1)
            )
            interval = Interval(slope - float(half) / total, slope + float(half) / total)
        return LengthEffect(documents=int(rows.sum()), slope=slope, interval=interval)


def _share(count: int, of: int, level: float) -> Share:
    ends = binomial_interval(count, of, level=level)
    return Share(count=count, of=of, value=count / of, interval=Interval(*ends))


def _outcomes(outcomes: Mapping[str, int], level: float) -> dict[str, Share]:
    total = sum(outcomes.values())
    return {
        name: _share(count, total, level) for name, count in outcomes.items() if name != "grade"
    }


def _obeyed(ratings: Ratings, judge: str, level: float) -> Share | None:
    grades = ratings.grades(judge)
    tested = [
        each
        for each in ratings.evidence(judge).injected
        if (clean := grades.get((each.query_id, each.doc_id))) is not None and clean < each.demanded
    ]
    if not tested:
        return None
    return _share(sum(each.grade == each.demanded for each in tested), len(tested), level)
