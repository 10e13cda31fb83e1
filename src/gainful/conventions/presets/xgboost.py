"""XGBoost: the metric ndcg."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/dmlc/xgboost/blob/v3.2.0/src/metric/rank_metric.cc"
_LIST = {
    "ties": "given",
    "precision": "float32",
    "duplicates": "copies",
    "no_relevant": 1,
    "missing": "skip",
    "unweighted": "no-relevant",
}
# The limits of the 32-bit integer that holds 2^grade.
_WHOLE = {"negative": "error", "fractions": "error", "largest_grade": 31}
# The bare name ndcg means ndcg@32.
_CUT = {"ideal": "list", "cutoff": 32}
_BINARY = "if all grades are 0 or 1; XGBoost refuses others for this metric"
_CHECKS = {
    "nDCG": equal("ndcg"),
    "DCG": ABSENT,
    "AP": equal("map", text=_BINARY),
    "RR": ABSENT,
    "P": different("pre", text="counts queries with no relevant documents as 0, unlike ndcg"),
    "R": ABSENT,
    "Success": ABSENT,
}
_LISTED = {"AP": {"norm": "list-capped"}, "P": {"to_depth": True}}
_BARE = "ndcg without a cutoff is ndcg@32, so documents below rank 32 do not count"
_UNWEIGHTED = (
    "The 1 of a query with no relevant documents is added without its weight, but the weight "
    "counts in the denominator; if the mean then exceeds 1, XGBoost raises an error"
)

_ZERO = "a minus sign counts queries with no relevant documents as 0: "

DECLARED = (
    Preset(
        "xgboost-3.2.0",
        field="learning to rank",
        summary="default cutoff 32; 1 for queries with no relevant documents",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        suffixes={"-": f"{_ZERO}use the convention xgboost-minus"},
        policies={
            **_LIST,
            **_WHOLE,
            "defaults": {**_LISTED, "nDCG": {**_CUT, "gain": "exponential"}},
        },
        remarks=(_BARE, _UNWEIGHTED),
    ),
    Preset(
        "xgboost-3.2.0-linear",
        field="learning to rank",
        summary="ndcg_exp_gain=False: the gain is the grade; negative grades are losses",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        suffixes={"-": f"{_ZERO}set no_relevant=0 and unweighted=nothing"},
        policies={**_LIST, "negative": "signed", "defaults": {**_LISTED, "nDCG": _CUT}},
        remarks=(_BARE, _UNWEIGHTED),
    ),
    Preset(
        "xgboost-3.2.0-minus",
        field="learning to rank",
        summary="ndcg@k- (with minus sign): 0 for queries with no relevant documents",
        evidence="run",
        source=_SOURCE,
        checks={**_CHECKS, "P": equal("pre", text=_BINARY)},
        suffixes={"-": ""},
        policies={
            **_LIST,
            **_WHOLE,
            "no_relevant": 0,
            "unweighted": "nothing",
            "defaults": {**_LISTED, "nDCG": {**_CUT, "gain": "exponential"}},
        },
        remarks=(_BARE,),
    ),
)
