"""Presets of the papers that defined nDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

OPEN = "The paper leaves ties and queries with no relevant documents open; gainful-1 decides them"

_JARVELIN_KEKALAINEN = (
    Preset(
        "jarvelin-kekalainen-2002",
        field="papers",
        summary="the original nDCG: the gain is the grade, ranks 1 and 2 have no discount",
        evidence="re-expressed",
        source="https://doi.org/10.1145/582415.582418",
        checks={
            "nDCG": equal(),
            "DCG": equal(),
            "AP": ABSENT,
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        others=("IDCG", "CG"),
        policies={
            "defaults": {"nDCG": {"discount": "jarvelin-kekalainen", "base": 2}},
        },
        remarks=(
            "The paper's base b is a parameter: discount='jarvelin-kekalainen' with base=10 "
            "discounts from rank 11",
            OPEN,
        ),
    ),
)


_BURGES = (
    Preset(
        "burges-2005",
        field="papers",
        summary="introduced the gain 2^grade - 1, common in learning to rank",
        evidence="re-expressed",
        source="https://doi.org/10.1145/1102351.1102363",
        checks={
            "nDCG": equal(),
            "DCG": equal(),
            "AP": ABSENT,
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        others=("IDCG",),
        policies={"defaults": {"nDCG": {"gain": "exponential"}}},
        remarks=(OPEN,),
    ),
)


DECLARED = {
    "burges": _BURGES,
    "jarvelin_kekalainen": _JARVELIN_KEKALAINEN,
}
