"""BEIR, a retrieval benchmark that wraps pytrec_eval."""

from __future__ import annotations

from gainful.conventions.presets import Preset
from gainful.conventions.presets.pytrec_eval import POLICIES

DECLARED = (
    Preset(
        "beir-2.2.0",
        field="retrieval",
        summary="a document whose id is the query's is dropped, and the mean has five digits",
        evidence="run",
        source="https://github.com/beir-cellar/beir/blob/v2.2.0/beir/retrieval/evaluation.py",
        measures=("nDCG", "AP", "P", "R"),
        # Its custom metrics order documents differently.
        names={"Accuracy": "Success", "top_k_accuracy": "Success", "R_cap": None},
        policies={**POLICIES, "same_id": "drop", "rounding": "mean:5"},
        remarks=(
            "With ignore_identical_ids=False such documents stay: same_id=keep",
            "Queries that the run lacks vanish from the mean",
            "It rounds a half to the even digit, here away from zero",
        ),
    ),
)
