"""Elliot: the metric nDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "elliot-0.3.1",
        field="recommenders",
        summary="gain 2^(grade + 1) - 1 above the relevance threshold 0, so grade 0 gains 1",
        evidence="read",
        source="https://github.com/sisinflab/elliot/blob/master/"
        "elliot/evaluation/metrics/accuracy/ndcg/ndcg.py",
        checks={
            "nDCG": equal("nDCG"),
            "DCG": ABSENT,
            "AP": different("MAP", text="averages the precision at every rank down to the cutoff"),
            "RR": equal("MRR"),
            "P": equal("Precision"),
            "R": equal("Recall"),
            "Success": equal("HR"),
        },
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {
                "nDCG": {"gain": "exponential+1"},
                **{family: {"rel": 0} for family in ("RR", "P", "R", "Success")},
            },
        },
        remarks=(
            "With relevance_threshold=t, grades of at least t gain 2^(grade - t + 1) - 1 and "
            "others 0; use a table of gains",
        ),
    ),
)
