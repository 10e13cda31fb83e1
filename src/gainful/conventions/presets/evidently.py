"""Evidently's NDCG for recommendations."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_FOUND = "if no query has relevant documents but did not return one; it leaves such queries out"

DECLARED = (
    Preset(
        "evidently-0.7.23",
        field="search engines and RAG",
        summary="tied documents all get their mean rank, rounded down",
        evidence="run",
        source="https://github.com/evidentlyai/evidently/blob/v0.7.23/src/evidently/legacy/"
        "metrics/recsys/ndcg_k.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": different(
                "MAP",
                text="depends on the order of rows: the last one down to each rank decides",
            ),
            "RR": equal("MRR", text=_FOUND),
            "P": equal("Precision_top_k", text=_FOUND),
            "R": equal("Recall_top_k"),
            "Success": equal("HitRate", text=_FOUND),
        },
        policies={
            "ties": "average-rank-down",
            "negative": "signed",
            "duplicates": "copies",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {
                "nDCG": {"ideal": "list"},
                "RR": ABOVE_ZERO,
                "P": {**ABOVE_ZERO, "to_depth": True},
                "R": {**ABOVE_ZERO, "listed": True},
                "Success": ABOVE_ZERO,
            },
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
