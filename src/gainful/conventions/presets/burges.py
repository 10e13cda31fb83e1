"""The paper that introduced the exponential gain of nDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset
from gainful.conventions.presets.jarvelin_kekalainen import OPEN

DECLARED = (
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
