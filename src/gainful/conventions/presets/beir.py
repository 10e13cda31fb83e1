"""BEIR, a retrieval benchmark that wraps pytrec_eval."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset
from gainful.conventions.presets.pytrec_eval import POLICIES

_UNLIKE = "orders equal scores as the run lists them and counts queries missing from the run as 0"

DECLARED = (
    Preset(
        "beir-2.2.0",
        field="retrieval",
        summary="drops documents with the query's id; the mean is rounded to five digits",
        evidence="run",
        source="https://github.com/beir-cellar/beir/blob/v2.2.0/beir/retrieval/evaluation.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": equal("MAP"),
            "RR": different("MRR", text=_UNLIKE),
            "P": equal("P"),
            "R": equal("Recall"),
            "Success": different("Accuracy", "top_k_accuracy", text=_UNLIKE),
        },
        names={"R_cap": None},
        policies={**POLICIES, "same_id": "drop", "rounding": "mean:5"},
        remarks=(
            "With ignore_identical_ids=False it keeps these documents: same_id=keep",
            "Queries missing from the run are left out of the mean",
            "It rounds halves to the even digit, Gainful away from zero",
        ),
    ),
)
