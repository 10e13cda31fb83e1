"""Gainful's own convention."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "gainful-1",
        field="retrieval",
        summary="trec_eval's nDCG and order, with scores in full and missing queries counted",
        evidence="defined",
        source="https://github.com/gainful/gainful",
        measures=None,
    ),
)
