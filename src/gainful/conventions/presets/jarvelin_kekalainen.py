"""The paper that introduced nDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

OPEN = "The paper leaves ties and queries with no relevant documents open; gainful-1 decides them"

DECLARED = (
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
