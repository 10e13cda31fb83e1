"""implicit: ndcg_at_k and ranking_metrics_at_k."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "implicit-0.7.3",
        field="recommenders",
        summary="binary gain; without K it computes nDCG@10",
        evidence="run",
        source="https://github.com/benfred/implicit/blob/v0.7.3/implicit/evaluation.pyx",
        checks={
            "nDCG": equal("ndcg_at_k"),
            "DCG": ABSENT,
            "AP": equal("mean_average_precision_at_k"),
            "RR": ABSENT,
            "P": different(
                "precision_at_k",
                text="divides all hits by the sum of min(K, relevant items) of all users",
            ),
            "R": ABSENT,
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "skip",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "ones", "cutoff": 10},
                "AP": {**ABOVE_ZERO, "norm": "capped", "cutoff": 10},
            },
        },
        remarks=(
            "It ignores the values of the test matrix, so stored entries of 0 or less count 1; "
            "gain='judged' reproduces that",
            "It sums all users in one pass, so the last digits can differ",
        ),
    ),
)
