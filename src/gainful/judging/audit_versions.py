"""Compare models, versions and prompts with each other and with people."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gainful.inference import weighted_kappa
from gainful.inference.raters import kappa_difference_interval
from gainful.judging.agreement import cluster_labels
from gainful.judging.audit import Common, grades_of_people
from gainful.judging.audit_result import VersionDifference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.evaluation.query_groups import QueryGroups
    from gainful.judging.choices import Choices
    from gainful.judging.ratings import Ratings

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
