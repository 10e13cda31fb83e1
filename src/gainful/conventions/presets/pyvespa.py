"""pyvespa's VespaEvaluator."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_SOURCE = "https://github.com/vespa-engine/pyvespa/blob/v1.2.9/vespa/evaluation/_base.py"
_GOLDEN = "tests/conventions/presets/test_golden_ml_and_production.py"
_POLICIES = {"ties": "given", "duplicates": "count"}
_NAMES = {"Accuracy": "Success"}
_TWICE = "A document returned twice counts twice, so nDCG can exceed 1"

DECLARED = (
    Preset(
        "pyvespa-1.2.9",
        field="search engines and RAG",
        summary="judgments in dictionaries: hits in the returned order, nDCG@10",
        evidence="run",
        source=_SOURCE,
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal(
                "ndcg", where="tests/conventions/presets/test_golden_ml_and_production.py"
            ),
        },
        names=_NAMES,
        policies={**_POLICIES, "negative": "signed", "defaults": {"nDCG": {"cutoff": 10}}},
        remarks=(
            "VespaEvaluator accepts grades from 0 to 1 only (negative=error, largest_grade=1)",
            "The judgments of the first query decide whether all are read as grades or as sets",
            _TWICE,
        ),
    ),
    Preset(
        "pyvespa-1.2.9-binary",
        field="search engines and RAG",
        summary="judgments in sets: binary gain",
        evidence="run",
        source=_SOURCE,
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("map"),
            "RR": equal("mrr"),
            "P": equal("precision"),
            "R": equal("recall"),
            "Success": equal("Accuracy"),
        },
        names=_NAMES,
        policies={
            **_POLICIES,
            "no_relevant": "skip",
            "defaults": {
                "nDCG": {"gain": "binary", "cutoff": 10},
                "AP": {**ABOVE_ZERO, "norm": "capped", "cutoff": 100},
                "RR": {**ABOVE_ZERO, "cutoff": 10},
                **dict.fromkeys(("P", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It takes the relevant documents without grades; here those with a grade above 0",
            _TWICE,
        ),
    ),
)
