"""Arize Phoenix, which scores the documents in its traces."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "phoenix-20.26.1",
        field="search engines and RAG",
        summary="the ideal is built from the returned documents, so missing ones cost nothing",
        evidence="read",
        source="https://github.com/Arize-ai/phoenix/blob/arize-phoenix-v20.26.1/src/phoenix/"
        "metrics/retrieval_metrics.py",
        measures=("nDCG",),
        policies={
            "ties": "given",
            "negative": "error",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {"nDCG": {"ideal": "list"}},
        },
        remarks=(
            "A query with an unjudged document has no value and is left out of the mean; here "
            "unjudged documents gain nothing",
        ),
    ),
)
