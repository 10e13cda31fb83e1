"""LensKit for Python: the metric NDCG."""

from __future__ import annotations

from gainful.conventions.checks import equal
from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/lenskit/lkpy/blob/v2025.8.1/src/lenskit/metrics/ranking/_dcg.py"
# The default weight is LogRankWeight(), which does not discount ranks 1 and 2;
# LogRankWeight(offset=1) is the usual one, here nDCG(discount='log2').
_SPARED = {"discount": "jarvelin-kekalainen", "base": 2}
_LISTS = {"ties": "given", "duplicates": "count", "no_relevant": "nan", "missing": "skip"}
_FILLED = (
    "The metric returns NaN for lists with no relevant items; RunAnalysis replaces it by 0 "
    "(no_relevant=0) and also counts lists without judgments as 0, which no policy expresses"
)

_CHECKS = {
    "nDCG": equal("NDCG"),
    "DCG": equal("DCG"),
    "AP": equal("AveragePrecision"),
    "RR": equal("RecipRank"),
    "P": equal("Precision"),
    "R": equal("Recall"),
    "Success": equal("Hit"),
}
# Every test item is relevant.
_DEFAULTS = {
    "AP": {"rel": 0, "norm": "capped-to-depth"},
    "RR": {"rel": 0},
    "P": {"rel": 0, "to_depth": True},
    "R": {"rel": 0, "capped": True},
    "Success": {"rel": 0},
}

DECLARED = (
    Preset(
        "lenskit-2025.8.1",
        field="recommenders",
        summary="every test item gains 1, even if rated 0; ranks 1 and 2 have no discount",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        policies={**_LISTS, "defaults": {**_DEFAULTS, "nDCG": {**_SPARED, "gain": "judged"}}},
        remarks=(_FILLED,),
    ),
    Preset(
        "lenskit-2025.8.1-rating",
        field="recommenders",
        summary="gain='rating': the rating is the gain; NaN with no relevant items",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        policies={**_LISTS, "negative": "signed", "defaults": {**_DEFAULTS, "nDCG": _SPARED}},
        remarks=(_FILLED, "Two rows of one item are an error, or pandas multiplies them"),
    ),
)
