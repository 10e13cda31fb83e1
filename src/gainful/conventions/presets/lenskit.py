"""LensKit for Python: the metric NDCG."""

from __future__ import annotations

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

DECLARED = (
    Preset(
        "lenskit-2025.8.1",
        field="recommenders",
        summary="every test item gains 1, even if rated 0; ranks 1 and 2 have no discount",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        policies={**_LISTS, "defaults": {"nDCG": {**_SPARED, "gain": "judged"}}},
        remarks=(_FILLED,),
    ),
    Preset(
        "lenskit-2025.8.1-rating",
        field="recommenders",
        summary="gain='rating': the rating is the gain; NaN with no relevant items",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        policies={**_LISTS, "negative": "signed", "defaults": {"nDCG": _SPARED}},
        remarks=(_FILLED, "Two rows of one item are an error, or pandas multiplies them"),
    ),
)
