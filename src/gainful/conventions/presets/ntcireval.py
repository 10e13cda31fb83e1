"""NTCIREVAL, T. Sakai's program for the tasks of NTCIR."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "ntcireval-190111",
        field="retrieval",
        summary="documents in the order of the run; ERR stops with probability grade / (max + 1)",
        # The numbers are those of pyNTCIREVAL 0.0.3, which is NTCIREVAL in Python.
        evidence="re-expressed",
        source="https://research.nii.ac.jp/ntcir/tools/ntcireval-en.html",
        checks={
            "nDCG": equal("nDCG"),
            "DCG": ABSENT,
            "AP": equal("AP"),
            "RR": equal("RR"),
            "P": equal("P"),
            "R": ABSENT,
            "Success": equal("Hit"),
        },
        others=("ERR", "nERR", "Q", "OMeasure", "PPlus", "RBP"),
        usual=("nDCG(discount='log2')@10", "Q@10", "nERR@10"),
        names={"MSnDCG": "nDCG(discount='log2')"},
        policies={
            "order": "given",
            "ties": "given",
            "negative": "error",
            "fractions": "error",
            "duplicates": "count",
            "no_relevant": "error",
            "defaults": {
                "nDCG": {"discount": "jarvelin-kekalainen", "base": 2},
                "AP": {"norm": "capped"},
                "P": {"cutoff": 1000},
                "ERR": {"max_grade": 3, "stop": "linear"},
                "RBP": {"p": 0.95, "max_grade": 3},
            },
        },
        remarks=(
            "The gains are those of -g 1:2:3; for other levels set max_grade of ERR, nERR and RBP, "
            "and for other gains gain of nDCG, Q, OMeasure and PPlus",
            "P+ is PPlus, which it prints as P-plus",
        ),
    ),
)
