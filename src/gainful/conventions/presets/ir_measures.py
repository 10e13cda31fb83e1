"""ir_measures, a common face of several programs."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "ir_measures-0.4.3",
        summary="scores compared as 32-bit floats, negative grades no judgments, missing queries 0",
        evidence="run",
        source="https://github.com/terrierteam/ir_measures",
        # Those of pytrec_eval, which computes most of its measures, for all of them.
        policies={"precision": "float32", "negative": "unjudged"},
    ),
)
