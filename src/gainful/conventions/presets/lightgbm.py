"""LightGBM: the metric ndcg."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "lightgbm-4.7.0",
        field="learning to rank",
        summary="1 for a query with no relevant documents, unweighted in weighted means",
        evidence="run",
        source="https://github.com/microsoft/LightGBM/blob/v4.7.0/src/metric/rank_metric.hpp",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("map"),
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        # The default label_gain ends at grade 30.
        policies={
            "ties": "given",
            "negative": "error",
            "fractions": "error",
            "largest_grade": 30,
            "duplicates": "copies",
            "no_relevant": 1,
            "missing": "skip",
            "unweighted": "no-relevant",
            "defaults": {
                "nDCG": {"gain": "exponential", "ideal": "list"},
                "AP": {"norm": "list-capped"},
            },
        },
        remarks=(
            "The 1 of a query with no relevant documents is added without its weight, but the "
            "weight counts in the denominator, so a weighted mean can exceed 1",
            "A query with more than 10000 documents is an error in LightGBM",
        ),
    ),
)
