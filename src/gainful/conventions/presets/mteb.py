"""MTEB, an embedding benchmark that wraps pytrec_eval."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset
from gainful.conventions.presets.pytrec_eval import POLICIES

DECLARED = (
    Preset(
        "mteb-2.26.24",
        field="retrieval",
        summary="pytrec_eval over the queries of the run; the mean is rounded to five digits",
        evidence="run",
        source="https://github.com/embeddings-benchmark/mteb/blob/2.26.24/mteb/_evaluators/"
        "retrieval_metrics.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("map"),
            "RR": different("mrr", text="orders 64-bit scores and does not round the mean"),
            "P": equal("precision"),
            "R": equal("recall"),
            "Success": equal("hit_rate"),
        },
        # Its accuracy is recall at 1, and its capped recall leaves queries out.
        names={"Accuracy": "R@1", "R_cap": None},
        policies={**POLICIES, "rounding": "mean:5"},
        remarks=(
            "Queries missing from the run are left out of the mean",
            "Tasks with skip_first_result drop the first document of each query",
            "It rounds halves to the even digit, Gainful away from zero",
        ),
    ),
)
