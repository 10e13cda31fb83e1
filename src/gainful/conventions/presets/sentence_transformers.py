"""Sentence Transformers: InformationRetrievalEvaluator."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "sentence-transformers-6.2.0",
        field="search engines and RAG",
        summary="binary gain, ties by ascending id; nDCG is nDCG@10",
        evidence="run",
        source="https://github.com/UKPLab/sentence-transformers/blob/v6.2.0/"
        "sentence_transformers/sentence_transformer/evaluation/information_retrieval.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("map"),
            "RR": equal("mrr"),
            "P": equal("precision"),
            "R": equal("recall"),
            "Success": equal("Accuracy"),
        },
        policies={
            "ties": "doc-id-asc",
            "no_relevant": "skip",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "ones", "cutoff": 10},
                "AP": {**ABOVE_ZERO, "norm": "capped", "cutoff": 100},
                "RR": {**ABOVE_ZERO, "cutoff": 10},
                **dict.fromkeys(("P", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It takes the ids of relevant documents; in a dictionary of grades it ignores the "
            "grades silently, so a document graded 0 counts as relevant",
        ),
    ),
)
