"""Cornac: the metric NDCG."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "cornac-3.0.1",
        field="recommenders",
        summary="every positive item counts 1, users without one are left out",
        evidence="run",
        source="https://github.com/PreferredAI/cornac/blob/v3.0.1/cornac/metrics/ranking.py",
        measures=("nDCG",),
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "skip",
            "defaults": {"nDCG": {"gain": "binary", "ideal": "ones"}},
        },
        remarks=(
            "Positive is a grade from rating_threshold on, which is 1 unless set; here one above 0",
            "The metric alone, without the evaluation around it that leaves such users out, gives "
            "NaN where nothing is relevant",
            "The order of ties in a model's ranking is that of NumPy's unstable sort",
        ),
    ),
)
