"""RecBole: the metric NDCG."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "recbole-1.2.1",
        field="recommenders",
        summary="binary gain; the mean is rounded to four digits",
        evidence="run",
        source="https://github.com/RUCAIBox/RecBole/blob/v1.2.1/recbole/evaluator/metrics.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": equal("MAP"),
            "RR": equal("MRR"),
            "P": equal("Precision"),
            "R": equal("Recall"),
            "Success": equal("Hit"),
        },
        policies={
            "ties": "given",
            "precision": "float32",
            "rounding": "mean:4",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "ones", "cutoff": 10},
                "AP": {**ABOVE_ZERO, "norm": "capped", "cutoff": 10},
                **{family: {**ABOVE_ZERO, "cutoff": 10} for family in ("RR", "P", "R", "Success")},
            },
        },
        remarks=(
            "Every row of its test data gains 1, whatever its rating; here grades above 0 do, "
            "with gain='judged' all",
            "torch.topk orders ties, in an undocumented order",
            "With NumPy 1.24 or later it raises AttributeError, because np.float was removed",
        ),
    ),
)
