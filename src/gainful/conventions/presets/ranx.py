"""ranx, evaluation and fusion compiled by Numba."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/AmenRa/ranx/blob/v0.3.21/ranx/metrics/ndcg.py"
# Objects of its own: grades become whole numbers, and both must have the same queries.
_POLICIES = {
    "ties": "given",
    "fractions": "truncate",
    "duplicates": "last",
    "missing": "error",
    "extra": "error",
}
_SORT = "Above 15 documents its sort leaves equal scores in no order that can be told in advance"
_COMPARABLE = "With make_comparable=True: missing=empty, extra=ignore"

DECLARED = (
    Preset(
        "ranx-0.3.21",
        summary="equal scores as the run lists them, and the same queries on both sides",
        evidence="run",
        source=_SOURCE,
        policies=_POLICIES,
        remarks=(_SORT, _COMPARABLE),
    ),
    Preset(
        "ranx-0.3.21-burges",
        summary="its ndcg_burges: the same with gains of 2^grade - 1",
        evidence="run",
        source=_SOURCE,
        policies={**_POLICIES, "defaults": {"nDCG": {"gain": "exponential"}}},
        remarks=(_SORT, _COMPARABLE),
    ),
    Preset(
        "ranx-0.3.21-dict",
        summary="plain dictionaries: equal scores in reverse of how the run lists them",
        evidence="run",
        source=_SOURCE,
        policies={**_POLICIES, "ties": "reverse", "fractions": "keep"},
        remarks=(
            "It pairs the queries of the two dictionaries by position, not by id: in another order "
            "every value is wrong",
            "A grade above 0 and below 1 gains nothing there, as it is below its rel_lvl",
            _SORT,
        ),
    ),
)
