"""LlamaIndex's NDCG for retrieval."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "llama-index-0.14.25",
        field="search engines and RAG",
        summary="the ideal is all expected documents, never cut, and repeated documents count",
        evidence="run",
        source="https://github.com/run-llama/llama_index/blob/v0.14.25/llama-index-core/"
        "llama_index/core/evaluation/retrieval/metrics.py",
        measures=("nDCG",),
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "error",
            "missing": "error",
            "extra": "error",
            "defaults": {"nDCG": {"gain": "binary", "ideal": "judged-uncut"}},
        },
        remarks=(
            "It is told the expected documents and no grades: here those with a grade above 0",
            "It has no cutoff, and its modes linear and exponential are the same",
            "A document returned twice counts twice, so that nDCG can exceed 1; one expected twice "
            "is in the ideal twice",
            "It gives a value a query; the mean is its users' own",
        ),
    ),
)
