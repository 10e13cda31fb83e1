"""TorchMetrics: retrieval_normalized_dcg and RetrievalNormalizedDCG."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "torchmetrics-1.9.0",
        field="learning to rank",
        summary="the mean over all orders of tied documents, negative grades are losses",
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
            "It computes in 32-bit floating-point numbers, so that its figures agree in some five "
            "digits",
            "The function takes a matrix for one long list; the class keeps the queries apart",
            "The class asks whether the grades of a query sum to 0 and then gives 0, or what its "
            "empty_target_action says; an ideal below 0 divides there and counts as nothing "
            "relevant here",
        ),
    ),
)
