"""CatBoost: the metric NDCG, with its parameters type and denominator."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset

_SOURCE = "https://catboost.ai/docs/en/references/ndcg"
_LIST = {
    "ties": "pessimistic",
    "negative": "signed",
    "duplicates": "copies",
    "no_relevant": 1,
    "missing": "skip",
}


# The smallest 32-bit float above the default border of .5.
_LEVEL = 0.5000000596046448
_ZERO = "counts queries with no relevant documents as 0, unlike NDCG"
_CHECKS = {
    "nDCG": equal("NDCG"),
    "DCG": equal("DCG"),
    "AP": different("MAP", text=_ZERO),
    "RR": different("MRR", text=_ZERO),
    "P": different("PrecisionAt", text=_ZERO),
    "R": equal("RecallAt"),
    "Success": ABSENT,
}


def _preset(variant: str, summary: str, **gains: str) -> Preset:
    return Preset(
        f"catboost-1.2.10{variant}",
        field="learning to rank",
        summary=summary,
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        policies={
            **_LIST,
            "defaults": {"nDCG": {"ideal": "list", **gains}, "R": {"rel": _LEVEL, "listed": True}},
        },
        remarks=("Grades are 32-bit floats",),
    )


DECLARED = (
    _preset("", "ties in the worst order; 1 for queries with no relevant documents"),
    _preset("-exp", "type=Exp: the gain is 2^grade - 1", gain="exponential"),
    _preset("-position", "denominator=Position: the discount is 1/rank", discount="reciprocal"),
    _preset(
        "-exp-position",
        "type=Exp and denominator=Position",
        gain="exponential",
        discount="reciprocal",
    ),
)
