"""LensKit for Python: the metric NDCG."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/lenskit/lkpy/blob/v2025.8.1/src/lenskit/metrics/ranking/_dcg.py"
# The default weight is LogRankWeight(), which does not discount ranks 1 and 2;
# LogRankWeight(offset=1) is the usual one, here nDCG(discount='log2').
_SPARED = {"discount": "jarvelin-kekalainen", "base": 2}
_LISTS = {"ties": "given", "duplicates": "count", "no_relevant": "nan", "missing": "skip"}
_FILLED = (
    "NaN is the metric's own answer where nothing is relevant; list_metrics and list_summary of a "
    "RunAnalysis put 0 there, which is no_relevant=0, and count a list without any judgments as 0 "
    "too, which cannot be said here"
)

DECLARED = (
    Preset(
        "lenskit-2025.8.1",
        field="recommenders",
        summary="every test item counts 1, one rated 0 too; ranks 1 and 2 are worth the same",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        policies={**_LISTS, "defaults": {"nDCG": {**_SPARED, "gain": "judged"}}},
        remarks=(_FILLED,),
    ),
    Preset(
        "lenskit-2025.8.1-rating",
        field="recommenders",
        summary="with gain='rating': the rating is the gain, and nothing relevant is NaN",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        policies={**_LISTS, "negative": "signed", "defaults": {"nDCG": _SPARED}},
        remarks=(_FILLED, "Two rows of one document are an error or multiply in pandas"),
    ),
)
