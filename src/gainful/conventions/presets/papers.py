"""The papers that nDCG and its exponential gain come from."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_OPEN = "What the paper leaves open, such as ties and queries with nothing relevant, is Gainful's"

DECLARED = (
    Preset(
        "jarvelin-kekalainen-2002",
        summary="nDCG as it was first: the grade is the gain, ranks 1 and 2 undiscounted",
        evidence="re-expressed",
        source="https://doi.org/10.1145/582415.582418",
        measures=("nDCG", "DCG", "IDCG", "CG"),
        policies={
            "defaults": {"nDCG": {"discount": "jarvelin-kekalainen", "base": 2}},
        },
        remarks=(
            "The paper's base b is a parameter of the measure: with discount='jarvelin-kekalainen' "
            "and base=10 it discounts from rank 11 on",
            _OPEN,
        ),
    ),
    Preset(
        "burges-2005",
        summary="the gain 2^grade - 1, which learning to rank has taken over from here",
        evidence="re-expressed",
        source="https://doi.org/10.1145/1102351.1102363",
        measures=("nDCG", "DCG", "IDCG"),
        policies={"defaults": {"nDCG": {"gain": "exponential"}}},
        remarks=(_OPEN,),
    ),
)
