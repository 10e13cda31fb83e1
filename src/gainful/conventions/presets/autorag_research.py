"""AutoRAG-Research's retrieval metrics."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset
from gainful.conventions.presets.autorag import GROUPS, OVER_GROUPS, POLICIES, READ_GROUPS, RECALL

DECLARED = (
    Preset(
        "autorag-research-0.1.3",
        field="search engines and RAG",
        summary="nDCG of groups: only the first document of each group gains",
        evidence="run",
        source="https://github.com/NomaDamas/AutoRAG-Research/blob/"
        "1af7d6983824d2e877df5aceea840c322b19e61f/autorag_research/evaluation/metrics/retrieval.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            **OVER_GROUPS,
            "P": equal("retrieval_precision"),
            "StRecall": RECALL,
            "FullRecall": equal("retrieval_full_recall", where=GROUPS),
            "alpha_nDCG": equal(
                "retrieval_ndcg",
                text="without relevance_scores, and if no document is in two groups",
                where=GROUPS,
            ),
        },
        usual=("StRecall", "FullRecall", "P", "alpha_nDCG"),
        policies={
            **POLICIES,
            "defaults": {
                "alpha_nDCG": {**ABOVE_ZERO, "alpha": 1},
                **dict.fromkeys(("P", "StRecall", "FullRecall"), ABOVE_ZERO),
            },
        },
        remarks=(
            READ_GROUPS,
            "A document in two groups gains once, although both are in its ideal: one document "
            "that satisfies all groups of [[A], [A, B]] has nDCG .6131",
            "With relevance_scores a gain is 2^score - 1",
        ),
    ),
)
