"""TorchMetrics: retrieval_normalized_dcg and RetrievalNormalizedDCG."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "torchmetrics-1.9.0",
        field="learning to rank",
        summary="mean over all orders of ties; negative grades are losses",
        evidence="run",
        source="https://github.com/Lightning-AI/torchmetrics/blob/v1.9.0/"
        "src/torchmetrics/functional/retrieval/ndcg.py",
        measures=("nDCG",),
        names={"retrieval_normalized_dcg": "nDCG"},
        policies={
            "ties": "expected",
            "precision": "float32",
            "negative": "signed",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {"nDCG": {"ideal": "list"}},
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
