"""CaseRecommender: NDCG of ItemRecommendationEvaluation."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "caserecommender-1.1.1",
        field="recommenders",
        summary="the ideal has the documents above the cutoff alone, so one hit on top is 1",
        evidence="run",
        source="https://github.com/caserec/CaseRecommender/blob/master/"
        "caserec/evaluation/item_recomendation_functions.py",
        measures=("nDCG",),
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
                }
            },
        },
        remarks=(
            "Relevant documents that were not recommended do not lower the value",
            "With NumPy from 2.0 on it stops with an AttributeError, for np.asfarray is gone",
        ),
    ),
)
