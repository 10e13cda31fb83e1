"""Gainful's own convention."""

from __future__ import annotations

from gainful.conventions.checks import equal
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

DECLARED = {"gainful": _GAINFUL}
