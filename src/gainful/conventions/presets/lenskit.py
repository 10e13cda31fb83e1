"""LensKit for Python: RunAnalysis, and its metrics of one list."""

from __future__ import annotations

from gainful.conventions.checks import equal
from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/lenskit/lkpy/blob/v2025.8.1/src/lenskit/metrics/ranking/_dcg.py"
# The default weight is LogRankWeight(), which does not discount ranks 1 and 2;
# LogRankWeight(offset=1) is the usual one, here nDCG(discount='log2').
_SPARED = {"discount": "jarvelin-kekalainen", "base": 2}
_RUNS = {"ties": "given", "duplicates": "count", "missing": "skip", "extra": "no-relevant"}
_LISTS = {**_RUNS, "no_relevant": "nan", "extra": "ignore"}
_TESTED = "the user has test items"
_LISTED = f"{_TESTED} and recommendations"

_CHECKS = {
    "nDCG": equal("NDCG"),
    "DCG": equal("DCG"),
    "AP": equal("AveragePrecision"),
    "RR": equal("RecipRank"),
    "P": equal("Precision"),
    "R": equal("Recall"),
    "Success": equal("Hit"),
}
# A user without test items is an error in AveragePrecision.
_SUMMARY = {**_CHECKS, "AP": equal("AveragePrecision", text=_TESTED)}
# For them, Precision and DCG are 0 and not NaN; of no recommendations, Precision and
# AveragePrecision are NaN.
_PER_LIST = {
    **_CHECKS,
    "DCG": equal("DCG", text=_TESTED),
    "AP": equal("AveragePrecision", text=_LISTED),
    "P": equal("Precision", text=_LISTED),
}
# Every test item is relevant.
_DEFAULTS = {
    "AP": {"rel": 0, "norm": "capped-to-depth"},
    "RR": {"rel": 0},
    "P": {"rel": 0, "to_depth": True},
    "R": {"rel": 0, "capped": True},
    "Success": {"rel": 0},
}
_BINARY = {"defaults": {**_DEFAULTS, "nDCG": {**_SPARED, "gain": "judged"}}}
_RATING = {"negative": "signed", "defaults": {**_DEFAULTS, "nDCG": _SPARED}}
_TWICE = "Two rows of one item are an error, or pandas multiplies them"

DECLARED = (
    Preset(
        "lenskit-2025.8.1",
        field="recommenders",
        summary="RunAnalysis: every test item gains 1; users without test items count 0",
        evidence="run",
        source=_SOURCE,
        checks=_SUMMARY,
        policies={**_RUNS, **_BINARY},
    ),
    Preset(
        "lenskit-2025.8.1-rating",
        field="recommenders",
        summary="gain='rating': the rating is the gain",
        evidence="run",
        source=_SOURCE,
        checks=_SUMMARY,
        policies={**_RUNS, **_RATING},
        remarks=(_TWICE,),
    ),
    Preset(
        "lenskit-2025.8.1-list",
        field="recommenders",
        summary="measure_list of a metric: NaN for users without test items",
        evidence="run",
        source=_SOURCE,
        checks=_PER_LIST,
        policies={**_LISTS, **_BINARY},
    ),
    Preset(
        "lenskit-2025.8.1-list-rating",
        field="recommenders",
        summary="measure_list with gain='rating': NaN with no relevant items",
        evidence="run",
        source=_SOURCE,
        checks=_PER_LIST,
        policies={**_LISTS, **_RATING},
        remarks=(_TWICE,),
    ),
)
