"""The Search Relevance plugin of OpenSearch."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "opensearch-3.1.0",
        field="search engines and RAG",
        summary="values are rounded to two digits before the mean; duplicates count again",
        evidence="re-expressed",
        source="https://github.com/opensearch-project/search-relevance/blob/main/src/main/java/"
        "org/opensearch/searchrelevance/metrics/calculator/Evaluation.java",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": equal("MAP", evidence="read"),
            "RR": ABSENT,
            "P": equal("Precision", evidence="read"),
            "R": ABSENT,
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "negative": "signed",
            "duplicates": "count",
            "rounding": "query:2",
            "defaults": {
                "nDCG": {"gain": "exponential"},
                "AP": ABOVE_ZERO,
                "P": {**ABOVE_ZERO, "to_depth": True},
            },
        },
        remarks=(
            "A document returned twice counts twice, so nDCG can exceed 1",
            "Before 3.1.0 the ideal was cut at the number of returned documents instead of k",
            "It rounds negative halves towards zero, Gainful away from zero",
            "Later versions derive the lowest relevant grade from the judgments",
        ),
    ),
)
