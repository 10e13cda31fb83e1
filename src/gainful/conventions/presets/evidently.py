"""Evidently's NDCG for recommendations."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "evidently-0.7.23",
        field="search engines and RAG",
        summary="tied documents all stand at their mean rank without its fraction",
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
            "Several documents at one rank can exceed the ideal, and at rank 1 there may be none",
            "With no_feedback_users=True queries with nothing relevant count 0: no_relevant=0",
            "It has no value at cutoffs beyond the largest rank of any document, which ties lower",
            "Where losses outweigh the gains of the ideal it divides by them; here nothing is "
            "relevant then",
        ),
    ),
)
