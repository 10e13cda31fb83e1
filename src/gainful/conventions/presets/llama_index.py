"""LlamaIndex's NDCG for retrieval."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_DISTINCT = "if no document is returned twice"

DECLARED = (
    Preset(
        "llama-index-0.14.25",
        field="search engines and RAG",
        summary="the ideal contains all expected documents; duplicates count again",
        evidence="run",
        source="https://github.com/run-llama/llama_index/blob/v0.14.25/llama-index-core/"
        "llama_index/core/evaluation/retrieval/metrics.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("ap"),
            "RR": equal("mrr"),
            "P": equal("precision", text=_DISTINCT),
            "R": equal("recall", text=_DISTINCT),
            "Success": equal("hit_rate"),
        },
        names={"recall": "R"},
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "error",
            "missing": "error",
            "extra": "error",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "judged-uncut"},
                **dict.fromkeys(("AP", "RR", "P", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It takes the expected documents without grades; here those with a grade above 0",
            "It has no cutoff, and its modes linear and exponential are equal",
            "A document returned twice counts twice, so nDCG can exceed 1; a document expected "
            "twice is in the ideal twice",
            "It returns one value per query; the mean is left to the user",
        ),
    ),
)
