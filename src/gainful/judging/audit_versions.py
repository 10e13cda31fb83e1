"""Compare models, versions and prompts with each other and with people."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gainful.inference import weighted_kappa
from gainful.judging.agreement import cluster_labels
from gainful.judging.audit import Common, grades_of_people
from gainful.judging.audit_summaries import VersionDifference
from gainful.judging.systems import TAU_RESAMPLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gainful.comparison.query_groups import QueryGroups
    from gainful.judging.choices import Choices
    from gainful.judging.ratings import Ratings

    Floats = NDArray[np.float64]
    Interval = tuple[float, float] | None

__all__ = ["compare_versions"]

_MODEL = "model"


def compare_versions(
    ratings: Ratings, choices: Choices, groups: QueryGroups
) -> tuple[VersionDifference, ...]:
    """Compare each pair of models with each other, and their agreement with people."""
    found = grades_of_people(ratings)
    if found is None:
        return ()
    _, truth = found
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
        bias, low, high = common.mean(left - right, common.queries)
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
                bias_interval=None if low is None or high is None else (low, high),
                kappa=kappas[0] - kappas[1] if defined else None,  # type: ignore[operator]
                kappa_interval=_kappa_difference(human, left, right, common) if defined else None,
            )
        )
    return tuple(differences)


def _kappa_difference(human: Floats, left: Floats, right: Floats, common: Common) -> Interval:
    """Return the percentile bootstrap interval of a difference of two kappas over queries."""
    clusters = cluster_labels(common.queries, common.groups)
    names, of = np.unique(np.array(clusters, dtype=object).astype(str), return_inverse=True)
    if len(names) < 2:
        return None
    grades = np.unique(np.concatenate([human, left, right]))
    size = len(grades)
    choices = common.choices
    resamples = min(choices.resamples, TAU_RESAMPLES)
    counts = np.random.default_rng(choices.seed).multinomial(
        len(names), np.full(len(names), 1.0 / len(names)), size=resamples
    )
    distance = np.abs(grades[:, None] - grades[None, :])
    cost = {"quadratic": distance**2, "linear": distance, "none": distance > 0}[choices.kappa]
    kappas = []
    for side in (left, right):
        cells = np.searchsorted(grades, human) * size + np.searchsorted(grades, side)
        tables = np.zeros((len(names), size * size))
        np.add.at(tables, (of, cells), 1.0)
        drawn = (counts @ tables).reshape(resamples, size, size)
        observed = (drawn * cost).sum(axis=(1, 2))
        expected = np.einsum("ri,rj,ij->r", drawn.sum(axis=2), drawn.sum(axis=1), 1.0 * cost)
        total = drawn.sum(axis=(1, 2))
        with np.errstate(invalid="ignore", divide="ignore"):
            kappas.append(1.0 - observed * total / expected)
    values = kappas[0] - kappas[1]
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    tail = (1.0 - choices.level) / 2
    low, high = np.quantile(values, [tail, 1.0 - tail])
    return float(low), float(high)
