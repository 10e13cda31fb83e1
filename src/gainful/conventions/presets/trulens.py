"""TruLens: the retrieval measures of GroundTruthAgreement."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_SOURCE = (
    "https://github.com/truera/trulens/blob/trulens-{}/src/feedback/trulens/feedback/groundtruth.py"
)
_DISTINCT = "if no chunk is returned twice"
_POLICIES = {
    "ties": "given",
    "no_relevant": "skip",
    "missing": "error",
    "defaults": {
        "P": {**ABOVE_ZERO, "to_depth": True},
        **dict.fromkeys(("RR", "R", "Success"), ABOVE_ZERO),
    },
}
_REMARKS = (
    "Every expected chunk is relevant, also one with expect_score 0; here those with a grade above "
    "0",
    "With relevance_scores its precision and recall include all chunks tied with the one at rank k",
    "Without k its nDCG has an ideal cut at the number of returned chunks",
    "It returns one value per query, NaN without expected chunks; here a mean leaves these out",
)

DECLARED = (
    Preset(
        "trulens-2.16.0",
        field="search engines and RAG",
        summary="a chunk returned again gains nothing, except for precision",
        evidence="run",
        source=_SOURCE.format("2.16.0"),
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal("ndcg_at_k", text="with k"),
            "RR": equal("mrr"),
            "P": equal("precision_at_k", text=_DISTINCT),
            "R": equal("recall_at_k"),
            "Success": equal("ir_hit_rate"),
        },
        policies={**_POLICIES, "duplicates": "blank"},
        remarks=_REMARKS,
    ),
    Preset(
        "trulens-2.13.1",
        field="search engines and RAG",
        summary="recall and nDCG count each copy of a chunk, so they can exceed 1",
        evidence="run",
        source=_SOURCE.format("2.13.1"),
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal("ndcg_at_k", text="with k"),
            "RR": equal("mrr"),
            "P": equal("precision_at_k"),
            "R": equal("recall_at_k"),
            "Success": equal("ir_hit_rate"),
        },
        policies={**_POLICIES, "duplicates": "count"},
        remarks=(
            "A chunk returned twice counts twice, so nDCG can exceed 1, and so can recall; "
            "version 2.14.0 changed that",
            *_REMARKS,
        ),
    ),
)
