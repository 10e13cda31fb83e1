"""Haystack's DocumentNDCGEvaluator."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "haystack-3.4.0",
        field="search engines and RAG",
        summary="the ideal is all that was judged, however few were asked for: there is no cutoff",
        evidence="run",
        source="https://github.com/deepset-ai/haystack/blob/v3.4.0/haystack/components/evaluators/"
        "document_ndcg.py",
        measures=("nDCG",),
        policies={
            "ties": "given",
            "negative": "signed",
            "duplicates": "blank",
            "missing": "error",
            "extra": "error",
            "defaults": {"nDCG": {"ideal": "judged-uncut"}},
        },
        remarks=(
            "Documents are compared by their content unless told otherwise, here by their ids",
            "Of a document judged twice the higher grade counts there, here the first",
        ),
    ),
)
