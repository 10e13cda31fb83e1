"""MTEB, an embedding benchmark that wraps pytrec_eval."""

from __future__ import annotations

from gainful.conventions.presets import Preset
from gainful.conventions.presets.pytrec_eval import POLICIES

DECLARED = (
    Preset(
        "mteb-2.26.24",
        field="retrieval",
        summary="as pytrec_eval, over the queries that the run has, the mean to five digits",
        evidence="run",
        source="https://github.com/embeddings-benchmark/mteb/blob/2.26.24/mteb/_evaluators/"
        "retrieval_metrics.py",
        measures=("nDCG", "AP", "P", "R", "Success"),
        # Its accuracy is recall at 1, and its capped recall leaves queries out.
        names={"Accuracy": "R@1", "R_cap": None},
        policies={**POLICIES, "rounding": "mean:5"},
        remarks=(
            "Queries that the run lacks vanish from the mean",
            "Tasks with skip_first_result drop the first document of each query before it is "
            "measured",
            "It rounds a half to the even digit, here away from zero",
        ),
    ),
)
