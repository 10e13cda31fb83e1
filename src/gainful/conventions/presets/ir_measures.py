"""ir_measures, a common interface to several programs."""

from __future__ import annotations

from gainful.conventions.presets import Preset
from gainful.conventions.presets.gdeval import GRADES

_SOURCE = "https://github.com/terrierteam/ir_measures"

DECLARED = (
    Preset(
        "ir_measures-0.4.3",
        field="retrieval",
        summary="scores compared as 32-bit floats, negative grades no judgments, missing queries 0",
        evidence="run",
        source=_SOURCE,
        measures=(
            *("nDCG", "AP", "P", "R", "RR", "Success", "Rprec", "bpref", "infAP", "IPrec"),
            *("F", "RelativeP", "SetAP", "ERR", "RBP", "Compat"),
            *("INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11"),
            *("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"),
            *("AP_IA", "P_IA", "StRecall"),
        ),
        # Use the policies of pytrec_eval, which computes most measures, for all of them.
        policies={"precision": "float32", "negative": "unjudged"},
        remarks=(
            "Its Judged counts a document with a negative grade as judged; here it is not",
            "Its Accuracy leaves out queries for which nothing relevant was returned, a policy of "
            "that measure alone; with no_relevant=skip and a name of your own it is the same",
        ),
    ),
    Preset(
        "ir_measures-0.4.3-exp-log2",
        field="retrieval",
        summary="what gdeval prints: five digits a query, and 0 where it leaves one out",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        policies={
            **GRADES,
            "rounding": "query:5",
            "defaults": {"nDCG": {"gain": "exponential"}},
        },
        remarks=(
            "It is nDCG(dcg='exp-log2') with a cutoff; without one ir_measures asks ranx",
            "Queries whose ids are no numbers are an error there",
            "A document listed twice counts twice, so that nDCG can exceed 1",
        ),
    ),
)
