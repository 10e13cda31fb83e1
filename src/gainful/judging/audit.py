"""Audit judges that are models against people."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gainful.byte_order import in_byte_order
from gainful.errors import ParameterError
from gainful.inference import (
    alpha_interval,
    binomial_interval,
    correlation_interval,
    kappa_interval,
    kendall_tau,
    krippendorff_alpha,
    weighted_kappa,
)
from gainful.inference.design import Design
from gainful.inference.interval import quantile
from gainful.inference.raters import kappa_difference_interval
from gainful.judging.audit_result import (
    FamilyEffect,
    GradeAgreement,
    JudgeAudit,
    LengthEffect,
    QueryAgreement,
    RankAgreement,
    Share,
    VersionDifference,
)
from gainful.judging.systems import AlphaSummary, FinalSummary, PairSummary, RaterSummary
from gainful.records import Interval
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from gainful.evaluation.query_groups import QueryGroups
    from gainful.judging.ratings import Ratings
    from gainful.judging.result import AssessOptions
    from gainful.judging.systems import SystemsByRater

    Floats = NDArray[np.float64]

    Pair = tuple[str, str]

__all__ = [
    "PEOPLE",
    "alpha_summaries",
    "audit_judges",
    "compare_versions",
    "final_summary",
    "pair_summaries",
    "rater_summaries",
]


def rater_summaries(
    ratings: Ratings, choices: AssessOptions, groups: QueryGroups, pairs: Sequence[PairSummary]
) -> tuple[RaterSummary, ...]:
    """Return the summary of each rater."""
    names = [rater.name for rater in ratings.raters]
    table = ratings.array(names)
    queries = np.array([query for query, _ in ratings.pairs], dtype=object)
    final = None if ratings.final is None else ratings.array([ratings.final])[:, 0]
    summaries = []
    for index, rater in enumerate(ratings.raters):
        rater_grades = table[:, index]
        is_given = ~np.isnan(rater_grades)
        grades, counts = np.unique(rater_grades[is_given], return_counts=True)
        biases, of = _bias_of(table, index, queries)
        bias, interval = clustered_mean(biases, of, choices.level, groups)
        summaries.append(
            RaterSummary(
                rater=rater,
                labels=int(is_given.sum()),
                queries=len(set(queries[is_given])),
                distribution=dict(zip(grades.tolist(), counts.tolist(), strict=True)),
                mean=float(rater_grades[is_given].mean()),
                compared=len(biases),
                bias=bias,
                interval=interval,
                same_as_final=None if final is None else _share_of_equal(rater_grades, final),
                confusion=_confusion(rater.name, pairs),
            )
        )
    return tuple(summaries)


def final_summary(ratings: Ratings) -> FinalSummary | None:
    """Return the summary of the final grades, or None."""
    if ratings.final is None:
        return None
    final = ratings.array([ratings.final])
    grades, counts = np.unique(final[~np.isnan(final)], return_counts=True)
    return FinalSummary(
        name=ratings.final,
        documents=int(counts.sum()),
        distribution=dict(zip(grades.tolist(), counts.tolist(), strict=True)),
        mean=float(grades @ counts / counts.sum()),
    )


def _confusion(rater: str, pairs: Sequence[PairSummary]) -> dict[tuple[float, float], int]:
    """Return the counts of pairs of grades: the rater's and any other rater's."""
    cells: Counter[tuple[float, float]] = Counter()
    for pair in pairs:
        if pair.first == rater:
            cells.update(pair.confusion)
        elif pair.second == rater:
            cells.update({(two, one): count for (one, two), count in pair.confusion.items()})
    return dict(sorted(cells.items()))


def _share_of_equal(rater_grades: Floats, other: Floats) -> float | None:
    both = ~np.isnan(rater_grades) & ~np.isnan(other)
    return float((rater_grades[both] == other[both]).mean()) if both.any() else None


def _bias_of(table: Floats, column: int, queries: NDArray[np.object_]) -> tuple[Floats, list[str]]:
    """Return a rater's grades minus the others' means, and their queries."""
    others = np.delete(table, column, axis=1)
    graded = ~np.isnan(others)
    rows = ~np.isnan(table[:, column]) & graded.any(axis=1)
    means = np.where(graded[rows], others[rows], 0.0).sum(axis=1) / graded[rows].sum(axis=1)
    return table[rows, column] - means, list(queries[rows])


def clustered_mean(
    values: Floats, queries: Sequence[str], level: float, groups: QueryGroups
) -> tuple[float | None, Interval | None]:
    """Return a mean over documents and its Student's t interval, clustered by query or more."""
    weights = groups.weights_of(queries)
    if not len(values) or (weights is not None and not any(weights)):
        return None, None
    design = Design(len(values), weights=weights, clusters=cluster_labels(queries, groups))
    mean = float(design.mean(values))
    if design.df < 1:
        return mean, None
    df = design.degrees_of_freedom(values)
    half = -quantile((1.0 - level) / 2, df) * float(design.standard_error(values))
    return mean, Interval(mean - half, mean + half)


def cluster_labels(queries: Sequence[str], groups: QueryGroups) -> list[str]:
    """Return the cluster of each document: that of its query, or the query."""
    return groups.clusters_of(queries) or list(queries)


def pair_summaries(
    ratings: Ratings, choices: AssessOptions, groups: QueryGroups
) -> tuple[PairSummary, ...]:
    """Return the summaries of all pairs of raters with a common document."""
    names = [rater.name for rater in ratings.raters]
    table = ratings.array(names)
    queries = np.array([query for query, _ in ratings.pairs], dtype=object)
    return tuple(_pairs(names, table, queries, choices, groups))


def _pairs(
    names: Sequence[str],
    table: Floats,
    queries: NDArray[np.object_],
    choices: AssessOptions,
    groups: QueryGroups,
) -> Iterator[PairSummary]:
    graded = ~np.isnan(table)
    for one, two in combinations(range(len(names)), 2):
        both = graded[:, one] & graded[:, two]
        if not both.any():
            continue
        first, second = table[both, one], table[both, two]
        of = list(queries[both])
        weights = groups.weights_of(of)
        if weights is not None and not any(weights):
            continue
        cells, counts = np.unique(np.stack([first, second]), axis=1, return_counts=True)
        interval = kappa_interval(
            first,
            second,
            weights=choices.kappa,
            item_weights=weights,
            clusters=cluster_labels(of, groups),
            level=choices.level,
        )
        yield PairSummary(
            first=names[one],
            second=names[two],
            documents=int(both.sum()),
            same=float(np.average(first == second, weights=weights)),
            kappa=weighted_kappa(first, second, weights=choices.kappa, item_weights=weights),
            interval=interval and Interval(*interval),
            difference=float(np.average(first - second, weights=weights)),
            confusion={
                (float(a), float(b)): int(n) for (a, b), n in zip(cells.T, counts, strict=True)
            },
        )


def alpha_summaries(
    ratings: Ratings, choices: AssessOptions, groups: QueryGroups
) -> tuple[AlphaSummary, ...]:
    """Return alpha of all raters, and of each kind with at least two raters."""
    if len(ratings.raters) < 2:
        return ()
    kinds: dict[str, list[str]] = {}
    for rater in ratings.raters:
        kinds.setdefault(rater.source.kind, []).append(rater.name)
    summaries = [_alpha(ratings, None, [rater.name for rater in ratings.raters], choices, groups)]
    if len(kinds) > 1:
        summaries += [
            _alpha(ratings, kind, names, choices, groups)
            for kind, names in kinds.items()
            if kind and len(names) > 1
        ]
    return tuple(summaries)


def _alpha(
    ratings: Ratings,
    kind: str | None,
    names: Sequence[str],
    choices: AssessOptions,
    groups: QueryGroups,
) -> AlphaSummary:
    table = ratings.array(names)
    queries = [query for query, _ in ratings.pairs]
    weights = groups.weights_of(queries)
    interval = alpha_interval(
        table,
        scale=choices.scale,
        item_weights=weights,
        clusters=cluster_labels(queries, groups),
        level=choices.level,
    )
    return AlphaSummary(
        kind=kind,
        raters=tuple(names),
        documents=int(((~np.isnan(table)).sum(axis=1) > 1).sum()),
        value=krippendorff_alpha(table, scale=choices.scale, item_weights=weights),
        interval=interval and Interval(*interval),
    )


#: How many of the best systems are also looked at alone.
BEST = 10


def compare_orders(
    systems: SystemsByRater | None,
    people: str,
    judge: str,
    choices: AssessOptions,
    groups: QueryGroups,
) -> tuple[RankAgreement, ...]:
    """Return the agreement on the order of all systems, and of the best ones under people."""
    if systems is None or not systems.scores:
        return ()
    complete = [name for name, means in systems.means.items() if len(means) == 2]
    best = sorted(complete, key=lambda name: -systems.means[name][people])[:BEST]
    orders = [_order(systems, complete, people, judge, choices, groups, best=False)]
    if len(best) < len(complete):
        orders.append(_order(systems, best, people, judge, choices, groups, best=True))
    return tuple(orders)


def _order(
    systems: SystemsByRater,
    names: Sequence[str],
    people: str,
    judge: str,
    choices: AssessOptions,
    groups: QueryGroups,
    *,
    best: bool,
) -> RankAgreement:
    sides = [systems.scores[rater] for rater in (people, judge)]
    queries = in_byte_order({query for side in sides for query in side.queries})
    first, second = (side.on(queries, names) for side in sides)
    orders = [[systems.means[name][rater] for name in names] for rater in (people, judge)]
    interval = correlation_interval(
        first,
        second,
        groups.design(queries),
        level=choices.level,
        resamples=choices.resamples,
        seed=choices.seed,
    )
    chosen = set(names)
    verdicts = [
        (verdict.verdicts[people], verdict.verdicts[judge])
        for verdict in systems.verdicts
        if verdict.system in chosen and verdict.baseline in chosen
    ]
    different = set(SIGNIFICANT)
    return RankAgreement(
        systems=len(names),
        best=best,
        tau=kendall_tau(*orders),
        interval=interval and Interval(*interval),
        verdicts=len(verdicts),
        same=sum(one == two for one, two in verdicts),
        contradicted=sum({one, two} == different for one, two in verdicts),
        found=sum(one not in different and two in different for one, two in verdicts),
        missed=sum(one in different and two not in different for one, two in verdicts),
    )


def favored_families(
    systems: SystemsByRater | None,
    people: str,
    judge: str,
    families: Mapping[str, str],
    choices: AssessOptions,
    groups: QueryGroups,
) -> tuple[FamilyEffect, ...]:
    """Return the interaction of judge and family: how much its systems gain more than others."""
    if systems is None or not systems.scores:
        return ()
    names = [name for name, means in systems.means.items() if len(means) == 2]
    sides = [systems.scores[rater] for rater in (people, judge)]
    queries = in_byte_order(set(sides[0].queries) & set(sides[1].queries))
    first, second = (side.on(queries, names) for side in sides)
    gains = second - first
    favored = []
    for family in dict.fromkeys(families[name] for name in names if name in families):
        inside = np.array([families.get(name) == family for name in names])
        if inside.all():
            continue
        inside_mean, others = gains[:, inside].mean(axis=1), gains[:, ~inside].mean(axis=1)
        counted = ~np.isnan(inside_mean - others)
        if not counted.any():
            continue
        design = groups.design([q for q, kept in zip(queries, counted, strict=True) if kept])
        values = (inside_mean - others)[counted]
        interval = None
        if design.df >= 1:
            half = -quantile((1.0 - choices.level) / 2, design.degrees_of_freedom(values)) * float(
                design.standard_error(values)
            )
            mean = float(design.mean(values))
            interval = Interval(mean - half, mean + half)
        favored.append(
            FamilyEffect(
                family=family,
                own=families.get(judge) == family,
                systems=int(inside.sum()),
                inflation=float(design.mean(inside_mean[counted])),
                others=float(design.mean(others[counted])),
                difference=float(design.mean(values)),
                interval=interval,
            )
        )
    return tuple(favored)


#: The name of several people together.
PEOPLE = "people"
_MODEL = "model"


def grades_of_people(ratings: Ratings) -> tuple[str, dict[Pair, float]] | None:
    """Return the grades by people and their name; None if there are only models, or none.

    These are the final grades if there are any, or the grades of the only person, or the lower
    median of several people.
    """
    models = [rater.name for rater in ratings.raters if rater.source.kind == _MODEL]
    persons = [rater.name for rater in ratings.raters if rater.source.kind != _MODEL]
    if not models or not (persons or ratings.final):
        return None
    name = ratings.final or (persons[0] if len(persons) == 1 else PEOPLE)
    if name != PEOPLE:
        grades = dict(ratings.grades(name))
    else:
        gathered: dict[Pair, list[float]] = {}
        for person in persons:
            for pair, grade in ratings.grades(person).items():
                gathered.setdefault(pair, []).append(grade)
        grades = {pair: sorted(labels)[(len(labels) - 1) // 2] for pair, labels in gathered.items()}
    for model in models:
        for query, document in sorted(ratings.evidence(model).examples & grades.keys()):
            raise ParameterError(
                f"{model} saw the grade of this document as an example of its prompt",
                query=query,
                document=document,
                hint="leave the examples out of the judgments by people",
            )
    return name, grades


def audit_judges(
    ratings: Ratings,
    choices: AssessOptions,
    groups: QueryGroups,
    *,
    lengths: Mapping[str, int] | None = None,
    families: Mapping[str, str] | None = None,
    score: Callable[[str, str, dict[Pair, float]], SystemsByRater | str] | None = None,
) -> tuple[JudgeAudit, ...]:
    """Audit each model among the raters against people."""
    consensus = grades_of_people(ratings)
    if consensus is None:
        return ()
    people, truth = consensus
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
    choices : AssessOptions
        The options of the agreement.
    groups : QueryGroups
        Weights and clusters of the queries.
    """

    pairs: list[Pair]
    human: Floats
    model: Floats
    choices: AssessOptions
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
        taus = {query.query_id: query.tau for query in self.by_query() if query.tau is not None}
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
        terms = []
        queries = np.array(self.queries, dtype=object)
        for grade in np.unique(self.human):
            rows = self.human == grade
            bias, interval = self.mean(self.model[rows] - grade, list(queries[rows]))
            assert bias is not None
            grades = np.unique(self.model[rows], return_counts=True)
            terms.append(
                GradeAgreement(
                    grade=float(grade),
                    documents=int(rows.sum()),
                    same=float((self.model[rows] == grade).mean()),
                    bias=bias,
                    interval=interval,
                    counts=dict(zip(*(e.tolist() for e in grades), strict=True)),
                )
            )
        return tuple(terms)

    def by_query(self) -> tuple[QueryAgreement, ...]:
        """Return the agreement by query."""
        queries = np.array(self.queries, dtype=object)
        terms = []
        for query in dict.fromkeys(self.queries):
            rows = queries == query
            human, model = self.human[rows], self.model[rows]
            terms.append(
                QueryAgreement(
                    query_id=query,
                    documents=int(rows.sum()),
                    kappa=weighted_kappa(human, model, weights=self.choices.kappa),
                    bias=float((model - human).mean()),
                    tau=kendall_tau(human.tolist(), model.tolist()),
                )
            )
        return tuple(terms)

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
            is_query = queries == query
            error[is_query] -= error[is_query].mean()
            size[is_query] -= size[is_query].mean()
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
        item
        for item in ratings.evidence(judge).injected
        if (clean := grades.get((item.query_id, item.doc_id))) is not None and clean < item.demanded
    ]
    if not tested:
        return None
    return _share(sum(item.grade == item.demanded for item in tested), len(tested), level)


def compare_versions(
    ratings: Ratings, choices: AssessOptions, groups: QueryGroups
) -> tuple[VersionDifference, ...]:
    """Compare each pair of models with each other, and their agreement with people."""
    consensus = grades_of_people(ratings)
    if consensus is None:
        return ()
    _, truth = consensus
    models = [rater.name for rater in ratings.raters if rater.source.kind == _MODEL]
    differences = []
    for one, two in combinations(models, 2):
        first, second = ratings.grades(one), ratings.grades(two)
        pairs = [pair for pair in truth if pair in first and pair in second]
        if not pairs:
            continue
        human, left, right = (
            np.array([grades[pair] for pair in pairs]) for grades in (truth, first, second)
        )
        common = Common(pairs, left, right, choices, groups)
        bias, bias_interval = common.mean(left - right, common.queries)
        assert bias is not None
        kappas = [weighted_kappa(human, side, weights=choices.kappa) for side in (left, right)]
        defined = kappas[0] is not None and kappas[1] is not None
        differences.append(
            VersionDifference(
                first=one,
                second=two,
                documents=len(pairs),
                same=float((left == right).mean()),
                bias=bias,
                bias_interval=bias_interval,
                kappa=kappas[0] - kappas[1] if defined else None,  # type: ignore[operator]
                kappa_interval=kappa_difference_interval(
                    human,
                    left,
                    right,
                    weights=choices.kappa,
                    clusters=cluster_labels(common.queries, groups),
                    level=choices.level,
                ),
            )
        )
    return tuple(differences)
