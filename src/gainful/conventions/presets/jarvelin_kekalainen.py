"""The paper that introduced nDCG."""

from __future__ import annotations

from gainful.conventions.presets import Preset

OPEN = "What the paper leaves open, such as ties and queries with nothing relevant, is Gainful's"

DECLARED = (
    Preset(
        "jarvelin-kekalainen-2002",
        field="papers",
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
            OPEN,
        ),
    ),
)
