"""ir_measures, a common face of several programs."""

from __future__ import annotations

from gainful.conventions.presets import Preset
from gainful.conventions.presets.gdeval import GRADES

_SOURCE = "https://github.com/terrierteam/ir_measures"

DECLARED = (
    Preset(
        "ir_measures-0.4.3",
        summary="scores compared as 32-bit floats, negative grades no judgments, missing queries 0",
        evidence="run",
        source=_SOURCE,
        # Those of pytrec_eval, which computes most of its measures, for all of them.
        policies={"precision": "float32", "negative": "unjudged"},
    ),
    Preset(
        "ir_measures-0.4.3-exp-log2",
        summary="what gdeval prints: five digits a query, and 0 where it leaves one out",
        evidence="run",
        source=_SOURCE,
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
