"""Gainful's own convention, and those of the papers that defined nDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

_GAINFUL = (
    Preset(
        "gainful-1",
        field="retrieval",
        summary="trec_eval's nDCG and order, with 64-bit scores; missing queries count as empty",
        evidence="defined",
        source="https://github.com/gainful/gainful",
        checks={
            "nDCG": equal(),
            "DCG": equal(),
            "AP": equal(),
            "RR": equal(),
            "P": equal(),
            "R": equal(),
            "Success": equal(),
        },
        others=None,
    ),
)


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
    "gainful": _GAINFUL,
    "jarvelin_kekalainen": _JARVELIN_KEKALAINEN,
}
