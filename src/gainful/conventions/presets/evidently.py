"""Evidently's NDCG for recommendations."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "evidently-0.7.23",
        field="search engines and RAG",
        summary="tied documents all get their mean rank, rounded down",
        evidence="run",
        source="https://github.com/evidentlyai/evidently/blob/v0.7.23/src/evidently/legacy/"
        "metrics/recsys/ndcg_k.py",
        measures=("nDCG",),
        policies={
            "ties": "average-rank-down",
            "negative": "signed",
            "duplicates": "copies",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {"nDCG": {"ideal": "list"}},
        },
        remarks=(
            "Several documents at one rank can exceed the ideal, and rank 1 can be empty",
            "With no_feedback_users=True queries with no relevant documents count as 0: "
            "no_relevant=0",
            "It has no value at cutoffs above the largest rank of any document, which ties make "
            "smaller",
            "It also divides by an ideal DCG below 0; here such a query has no relevant documents",
        ),
    ),
)
