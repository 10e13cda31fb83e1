"""Cornac: the metric NDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "cornac-3.0.1",
        field="recommenders",
        summary="binary gain; users with no relevant items are left out",
        evidence="run",
        source="https://github.com/PreferredAI/cornac/blob/v3.0.1/cornac/metrics/ranking.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": different(
                "MAP",
                text="ranks all items and gives equal scores the last rank of their group",
            ),
            "RR": equal("MRR", text="if every user has a hit; otherwise it raises an error"),
            "P": equal("Precision"),
            "R": equal("Recall"),
            "Success": equal("HitRatio"),
        },
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "skip",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "ones"},
                **dict.fromkeys(("RR", "P", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "Cornac's evaluation gives the metrics the items rated at least rating_threshold, 1 by "
            "default (fractions=truncate); here those with a grade above 0",
            "The metric alone, without Cornac's evaluation, returns NaN for users with no "
            "relevant items",
            "A model's ranking orders ties with NumPy's unstable sort",
        ),
    ),
)
