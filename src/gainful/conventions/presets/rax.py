"""Rax: ndcg_metric, for JAX."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "rax-0.4.0",
        field="learning to rank",
        summary="gain 2^grade - 1, ideal of the list, ties as given; negative grades are losses",
        evidence="run",
        source="https://github.com/google/rax/blob/v0.4.0/rax/_src/metrics.py",
        checks={
            "nDCG": equal("ndcg_metric"),
            "DCG": equal("dcg_metric"),
            "AP": equal("ap_metric"),
            "RR": equal("mrr_metric"),
            "P": equal("precision_metric"),
            "R": equal("recall_metric"),
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "precision": "float32",
            "negative": "signed",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {
                "nDCG": {"gain": "exponential", "ideal": "list"},
                "AP": {"norm": "list"},
                "P": {"to_depth": True},
                "R": {"listed": True},
            },
        },
        remarks=(
            "It computes with 32-bit floats by default, so its values agree to about five digits",
            "Weights of single documents, which multiply gains, are not supported here",
            "A document with the score minus infinity counts only in the ideal",
        ),
    ),
)
