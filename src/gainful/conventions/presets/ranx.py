"""ranx, evaluation and fusion compiled by Numba."""

from __future__ import annotations

from gainful.conventions.checks import equal
from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/AmenRa/ranx/blob/v0.3.21/ranx/metrics/ndcg.py"
# Its own objects: grades become integers, and both must have the same queries.
_POLICIES = {
    "ties": "given",
    "fractions": "truncate",
    "duplicates": "last",
    "missing": "error",
    "extra": "error",
}
# Its RBP sums unscaled grades.
_RBP = {"RBP": {"max_grade": 1}}
# ranx's hits is CG with binary gain: the number of relevant documents retrieved.
_OTHERS = ("CG", "F", "Rprec", "RBP")
_CHECKS = {
    "nDCG": equal("ndcg"),
    "DCG": equal("dcg"),
    "AP": equal("map"),
    "RR": equal("mrr"),
    "P": equal("precision"),
    "R": equal("recall"),
    "Success": equal("hit_rate"),
}
_NAMES = {
    "hits": "CG(gain='binary')",
    # The default cutoff is the whole ranking; trec_eval's name means several cutoffs.
    "recall": "R",
    "dcg_burges": "DCG(gain='exponential')",
    "rbp": "RBP(p=0.{})",
}
_NONE_BETWEEN = "if no grade is between 0 and 1; below rel_lvl, which is 1, a grade gains nothing"
_SORT = "Above 15 documents its unstable sort orders equal scores unpredictably"
_COMPARABLE = "With make_comparable=True: missing=empty, extra=ignore"
_GRADED = "Its RBP can exceed 1 for grades above 1; here such grades are an error for RBP"

DECLARED = (
    Preset(
        "ranx-0.3.21",
        field="retrieval",
        summary="ties in the order of the run; judgments and run must have the same queries",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        others=_OTHERS,
        names=_NAMES,
        policies={**_POLICIES, "defaults": _RBP},
        remarks=(_SORT, _COMPARABLE, _GRADED),
    ),
    Preset(
        "ranx-0.3.21-burges",
        field="retrieval",
        summary="ndcg_burges: the gain is 2^grade - 1",
        evidence="run",
        source=_SOURCE,
        checks={**_CHECKS, "nDCG": equal("ndcg_burges"), "DCG": equal("dcg_burges")},
        others=_OTHERS,
        names=_NAMES,
        policies={**_POLICIES, "defaults": {**_RBP, "nDCG": {"gain": "exponential"}}},
        remarks=(_SORT, _COMPARABLE, _GRADED),
    ),
    Preset(
        "ranx-0.3.21-dict",
        field="retrieval",
        summary="plain dictionaries: ties in the reverse order of the run",
        evidence="run",
        source=_SOURCE,
        checks={
            **_CHECKS,
            "nDCG": equal("ndcg", text=_NONE_BETWEEN),
            "DCG": equal("dcg", text=_NONE_BETWEEN),
        },
        others=_OTHERS,
        names=_NAMES,
        policies={**_POLICIES, "ties": "reverse", "fractions": "keep", "defaults": _RBP},
        remarks=(
            "It pairs the queries of the two dictionaries by position instead of by id, so their "
            "order must match",
            _SORT,
            _GRADED,
        ),
    ),
)
