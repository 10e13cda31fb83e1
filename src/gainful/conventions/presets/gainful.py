"""Gainful's own convention."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "gainful-1",
        field="retrieval",
        summary="trec_eval's nDCG and order, with 64-bit scores; missing queries count as empty",
        evidence="defined",
        source="https://github.com/gainful/gainful",
        measures=None,
    ),
)
