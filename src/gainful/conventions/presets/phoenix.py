"""Arize Phoenix, which scores the documents in its traces."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "phoenix-20.26.1",
        field="search engines and RAG",
        summary="the ideal is built from the returned documents, so missing ones cost nothing",
        evidence="run",
        source="https://github.com/Arize-ai/phoenix/blob/arize-phoenix-v20.26.1/src/phoenix/"
        "metrics/retrieval_metrics.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": equal("reciprocal_rank"),
            "P": equal("precision"),
            "R": ABSENT,
            "Success": equal("hit"),
        },
        policies={
            "ties": "given",
            "negative": "error",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {
                "nDCG": {"ideal": "list"},
                **dict.fromkeys(("RR", "P", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "A query with an unjudged document has no value and is left out of the mean; here "
            "unjudged documents gain nothing",
        ),
    ),
)
