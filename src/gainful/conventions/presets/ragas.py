"""Ragas: context precision, and precision and recall of ids."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "ragas-0.4.3",
        field="search engines and RAG",
        summary="context precision is AP divided by the relevant contexts that were returned",
        evidence="run",
        source="https://github.com/explodinggradients/ragas/blob/v0.4.3/src/ragas/metrics/"
        "_context_precision.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "AP": equal(
                "context_precision",
                "llm_context_precision_with_reference",
                "llm_context_precision_without_reference",
                "non_llm_context_precision_with_reference",
                "context_utilization",
                text="if no context is returned twice and each query has a relevant one, with the "
                "same verdicts, and apart from 1e-10 in its denominator",
            ),
            "P": equal(
                "id_based_context_precision",
                text="if each query has results and relevant contexts",
            ),
            "R": equal("id_based_context_recall", "non_llm_context_recall"),
        },
        usual=("AP", "P", "R"),
        policies={
            "ties": "given",
            "duplicates": "first",
            "no_relevant": "skip",
            "missing": "error",
            "extra": "error",
            "defaults": {
                "AP": {**ABOVE_ZERO, "norm": "list"},
                **dict.fromkeys(("P", "R"), ABOVE_ZERO),
            },
        },
        remarks=(
            "A relevant context that was not returned does not lower context_precision",
            "Its verdicts are a model's, or similarities of texts: at least .5 for precision, but "
            "above .5 for recall, so at .5 they are 1 and 0; here grades above 0",
            "For context_precision, which counts each copy of a context, set duplicates=count",
            "context_recall is the share of supported claims of an answer, not of contexts",
            "Without results, or relevant contexts for recall, a value is NaN, and its mean "
            "leaves it out; here a query without results counts as 0",
        ),
    ),
)
