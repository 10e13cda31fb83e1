"""BEIR, a retrieval benchmark that wraps pytrec_eval."""

from __future__ import annotations

from gainful.conventions.presets import Preset
from gainful.conventions.presets.pytrec_eval import POLICIES

DECLARED = (
    Preset(
        "beir-2.2.0",
        field="retrieval",
        summary="drops documents with the query's id; the mean is rounded to five digits",
        evidence="run",
        source="https://github.com/beir-cellar/beir/blob/v2.2.0/beir/retrieval/evaluation.py",
        measures=("nDCG", "AP", "P", "R"),
        # Its custom metrics order documents differently.
        names={"Accuracy": "Success", "top_k_accuracy": "Success", "R_cap": None},
        policies={**POLICIES, "same_id": "drop", "rounding": "mean:5"},
        remarks=(
            "With ignore_identical_ids=False it keeps these documents: same_id=keep",
            "Queries missing from the run are left out of the mean",
            "It rounds halves to the even digit, Gainful away from zero",
        ),
    ),
)
