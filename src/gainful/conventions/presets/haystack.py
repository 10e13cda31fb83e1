"""Haystack's DocumentNDCGEvaluator."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "haystack-3.4.0",
        field="search engines and RAG",
        summary="no cutoff: the ideal contains all judged documents",
        evidence="run",
        source="https://github.com/deepset-ai/haystack/blob/v3.4.0/haystack/components/evaluators/"
        "document_ndcg.py",
        checks={
            "nDCG": equal("DocumentNDCGEvaluator"),
            "DCG": ABSENT,
            "AP": equal("DocumentMAPEvaluator"),
            "RR": equal("DocumentMRREvaluator"),
            "P": ABSENT,
            "R": equal(text="DocumentRecallEvaluator with mode multi_hit"),
            "Success": equal("DocumentRecallEvaluator", text="with its default mode single_hit"),
        },
        policies={
            "ties": "given",
            "negative": "signed",
            "duplicates": "blank",
            "missing": "error",
            "extra": "error",
            "defaults": {
                "nDCG": {"ideal": "judged-uncut"},
                **dict.fromkeys(("AP", "RR", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It compares documents by content by default, Gainful by id",
            "For a document judged twice it uses the higher grade, Gainful the first",
        ),
    ),
)
