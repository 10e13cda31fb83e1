"""CaseRecommender: NDCG of ItemRecommendationEvaluation."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "caserecommender-1.1.1",
        field="recommenders",
        summary="the ideal is built from the top k only, so a single hit at rank 1 scores 1",
        evidence="run",
        source="https://github.com/caserec/CaseRecommender/blob/master/"
        "caserec/evaluation/item_recomendation_functions.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": equal("MAP"),
            "RR": ABSENT,
            "P": equal("PREC"),
            "R": equal("RECALL"),
            "Success": ABSENT,
        },
        policies={
            "order": "given",
            "duplicates": "first",
            "rounding": "mean:6",
            "defaults": {
                "nDCG": {
                    "gain": "judged",
                    "discount": "jarvelin-kekalainen",
                    "base": 2,
                    "ideal": "list-cut",
                },
                "AP": {"rel": 0, "norm": "list-cut"},
                "P": {"rel": 0},
                "R": {"rel": 0},
            },
        },
        remarks=(
            "Relevant items that were not recommended do not lower the value",
            "With NumPy 2.0 or later it raises AttributeError, because np.asfarray was removed",
        ),
    ),
)
