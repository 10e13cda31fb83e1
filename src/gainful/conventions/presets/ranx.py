"""ranx, evaluation and fusion compiled by Numba."""

from __future__ import annotations

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
# CG is what it calls hits: the number of relevant documents retrieved.
_MEASURES = ("nDCG", "DCG", "CG", "AP", "P", "R", "F", "RR", "Success", "Rprec", "RBP")
_NAMES = {
    "hits": "CG(gain='binary')",
    # The default cutoff is the whole ranking; trec_eval's name means several cutoffs.
    "recall": "R",
    "dcg_burges": "DCG(gain='exponential')",
    "rbp": "RBP(p=0.{})",
}
_SORT = "Above 15 documents its sort leaves equal scores in no order that can be told in advance"
_COMPARABLE = "With make_comparable=True: missing=empty, extra=ignore"
_GRADED = "Its RBP of grades above 1 exceeds 1; here such grades are an error for RBP"

DECLARED = (
    Preset(
        "ranx-0.3.21",
        field="retrieval",
        summary="equal scores as the run lists them, and the same queries on both sides",
        evidence="run",
        source=_SOURCE,
        measures=_MEASURES,
        names=_NAMES,
        policies={**_POLICIES, "defaults": _RBP},
        remarks=(_SORT, _COMPARABLE, _GRADED),
    ),
    Preset(
        "ranx-0.3.21-burges",
        field="retrieval",
        summary="its ndcg_burges: the same with gains of 2^grade - 1",
        evidence="run",
        source=_SOURCE,
        measures=_MEASURES,
        names=_NAMES,
        policies={**_POLICIES, "defaults": {**_RBP, "nDCG": {"gain": "exponential"}}},
        remarks=(_SORT, _COMPARABLE, _GRADED),
    ),
    Preset(
        "ranx-0.3.21-dict",
        field="retrieval",
        summary="plain dictionaries: equal scores in reverse of how the run lists them",
        evidence="run",
        source=_SOURCE,
        measures=_MEASURES,
        names=_NAMES,
        policies={**_POLICIES, "ties": "reverse", "fractions": "keep", "defaults": _RBP},
        remarks=(
            "It pairs the queries of the two dictionaries by position, not by id: in another order "
            "every value is wrong",
            "A grade above 0 and below 1 gains nothing there, as it is below its rel_lvl",
            _SORT,
            _GRADED,
        ),
    ),
)
