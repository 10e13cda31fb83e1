"""TorchMetrics: retrieval_normalized_dcg and RetrievalNormalizedDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

_BINARY = "for grades 0 and 1 and scores above 0, none of them equal"

DECLARED = (
    Preset(
        "torchmetrics-1.9.0",
        field="learning to rank",
        summary="mean over all orders of ties; negative grades are losses",
        evidence="run",
        source="https://github.com/Lightning-AI/torchmetrics/blob/v1.9.0/"
        "src/torchmetrics/functional/retrieval/ndcg.py",
        checks={
            "nDCG": equal("retrieval_normalized_dcg", "RetrievalNormalizedDCG"),
            "DCG": ABSENT,
            "AP": equal("retrieval_average_precision", "RetrievalMAP", text=_BINARY),
            "RR": equal("retrieval_reciprocal_rank", "RetrievalMRR", text=_BINARY),
            "P": equal("retrieval_precision", "RetrievalPrecision", text=_BINARY),
            "R": equal("retrieval_recall", "RetrievalRecall", text=_BINARY),
            "Success": equal("retrieval_hit_rate", "RetrievalHitRate", text=_BINARY),
        },
        policies={
            "ties": "expected",
            "precision": "float32",
            "negative": "signed",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {
                "nDCG": {"ideal": "list"},
                "AP": {"norm": "list-cut"},
                "R": {"listed": True},
            },
        },
        remarks=(
            "It computes with 32-bit floats, so its values agree to about five digits",
            "The function treats a matrix as one long list; the class separates the queries",
            "If the grades of a query sum to 0, the class returns 0 or follows "
            "empty_target_action. It also divides by an ideal DCG below 0; here such a query has "
            "no relevant documents",
        ),
    ),
)
