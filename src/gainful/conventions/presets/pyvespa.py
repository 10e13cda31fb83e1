"""pyvespa's VespaEvaluator."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/vespa-engine/pyvespa/blob/v1.2.9/vespa/evaluation/_base.py"
_POLICIES = {"order": "given", "ties": "given", "duplicates": "count"}
_TWICE = "A document returned twice counts twice, so that nDCG can exceed 1"

DECLARED = (
    Preset(
        "pyvespa-1.2.9",
        summary="judgments in dictionaries: the hits as they came, and negative grades are losses",
        evidence="run",
        source=_SOURCE,
        policies={**_POLICIES, "negative": "signed", "defaults": {"nDCG": {"cutoff": 10}}},
        remarks=(
            "The judgments of the first query decide whether all are grades or sets",
            "An ideal of 0 or below counts 0",
            _TWICE,
        ),
    ),
    Preset(
        "pyvespa-1.2.9-binary",
        summary="judgments in sets: every relevant document gains 1",
        evidence="read",
        source=_SOURCE,
        policies={**_POLICIES, "defaults": {"nDCG": {"gain": "binary", "cutoff": 10}}},
        remarks=(
            "It is told the relevant documents and no grades: here those with a grade above 0",
            _TWICE,
        ),
    ),
)
