"""DeepEval's contextual precision."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "deepeval-4.3.1",
        field="search engines and RAG",
        summary="contextual precision is AP divided by the relevant nodes that were returned",
        evidence="run",
        source="https://github.com/confident-ai/deepeval/blob/v4.3.1/deepeval/metrics/"
        "contextual_precision/contextual_precision.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "AP": equal("contextual_precision", text="with the same verdicts"),
        },
        usual=("AP",),
        policies={
            "ties": "given",
            "duplicates": "count",
            "missing": "error",
            "extra": "error",
            "defaults": {"AP": {**ABOVE_ZERO, "norm": "list"}},
        },
        remarks=(
            "A relevant node that was not returned does not lower it, and each copy counts",
            "Its verdicts are a model's; here grades above 0",
            "It merges nodes with one source before it asks for verdicts; here each is one",
            "contextual_recall and contextual_relevancy are shares of sentences, not of nodes",
            "With strict_mode a value below the threshold is 0",
        ),
    ),
)
