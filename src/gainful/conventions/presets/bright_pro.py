"""Bright-Pro: aspect recall and weighted alpha-nDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_ONE = "if each document has one aspect"
_WHERE = "https://github.com/echo0715/BRIGHT-PRO/blob/{}/retrieval/evaluation/{}.py"

DECLARED = (
    Preset(
        "bright-pro",
        field="search engines and RAG",
        summary="recall and alpha-nDCG of weighted aspects; each document has one aspect",
        evidence="read",
        source="https://github.com/echo0715/BRIGHT-PRO",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "StRecall": equal(
                "a_recall",
                text=_ONE,
                where=_WHERE.format(
                    "513890f43e2cb977b055fc6cd30944491c8b6b4d", "weighted_aspect_recall"
                ),
            ),
            "alpha_nDCG": equal(
                "alpha_ndcg",
                text=_ONE,
                where=_WHERE.format(
                    "c748136ee121601fabf748a42dff2a34e56302c5", "alpha-ndcg-evaluation"
                ),
            ),
        },
        usual=("StRecall@25", "alpha_nDCG@25"),
        policies={
            "ties": "given",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {
                "StRecall": {**ABOVE_ZERO, "cutoff": 25},
                "alpha_nDCG": {**ABOVE_ZERO, "cutoff": 25},
            },
        },
        remarks=(
            "Its table of documents has one aspect per document: of a document in several aspects "
            "the last one counts, here all",
        ),
    ),
)
