"""RecBole: the metric NDCG."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "recbole-1.2.1",
        field="recommenders",
        summary="every test item counts 1, and the mean is rounded to four decimals",
        evidence="run",
        source="https://github.com/RUCAIBox/RecBole/blob/v1.2.1/recbole/evaluator/metrics.py",
        measures=("nDCG",),
        policies={
            "ties": "given",
            "precision": "float32",
            "rounding": "mean:4",
            "defaults": {"nDCG": {"gain": "binary", "ideal": "ones", "cutoff": 10}},
        },
        remarks=(
            "Every row of its test data counts 1, whatever its rating; here those above 0 do, and "
            "with gain='judged' all",
            "The order of ties is what torch.topk makes of them, which nothing documents",
            "With NumPy from 1.24 on it stops with an AttributeError, for np.float is gone",
        ),
    ),
)
