"""ir_measures, a common interface to several programs."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset
from gainful.conventions.presets.gdeval import GRADES

_SOURCE = "https://github.com/terrierteam/ir_measures"

DECLARED = (
    Preset(
        "ir_measures-0.4.3",
        field="retrieval",
        summary="32-bit scores; negative grades are no judgments; missing queries count as 0",
        evidence="run",
        source=_SOURCE,
        checks={
            "nDCG": equal("nDCG"),
            "DCG": ABSENT,
            "AP": equal("AP"),
            "RR": equal("RR", text="with a cutoff only if no scores are equal"),
            "P": equal("P"),
            "R": equal("R"),
            "Success": equal("Success"),
        },
        others=(
            *("Rprec", "bpref", "infAP", "IPrec"),
            *("F", "RelativeP", "SetAP", "ERR", "RBP", "Compat"),
            *("INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11"),
            *("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"),
            *("AP_IA", "P_IA", "StRecall"),
        ),
        # Use the policies of pytrec_eval, which computes most measures, for all of them.
        policies={"precision": "float32", "negative": "unjudged"},
        grades="whole",
        remarks=(
            "Its Judged counts documents with a negative grade as judged; here they are not",
            "Grades with a fraction are a TypeError in pytrec_eval, which computes most measures; "
            "here they are kept",
            "Its Accuracy leaves out queries with no relevant document returned; "
            "no_relevant=skip under your own name gives the same",
        ),
    ),
    Preset(
        "ir_measures-0.4.3-exp-log2",
        field="retrieval",
        summary="gdeval's output: values rounded to five digits, 0 for queries it leaves out",
        evidence="run",
        source=_SOURCE,
        checks={
            "nDCG": equal("nDCG", where="tests/conventions/presets/test_golden_trec_family.py"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        policies={
            **GRADES,
            "rounding": "query:5",
            "defaults": {"nDCG": {"gain": "exponential"}},
        },
        remarks=(
            "It is nDCG(dcg='exp-log2') with a cutoff; without one ir_measures uses ranx",
            "Query ids that are not numbers are an error in gdeval",
            "A document listed twice counts twice, so nDCG can exceed 1",
        ),
    ),
)
