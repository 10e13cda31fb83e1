"""RecPack: NDCGK."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "recpack-0.3.6",
        field="recommenders",
        summary="grades 0 and 1 only; the ideal has a gain of 1 for each relevant item",
        evidence="run",
        source="https://gitlab.com/recpack-maintainers/recpack/-/blob/master/recpack/metrics/dcg.py",
        checks={
            "nDCG": equal("NDCGK"),
            "DCG": equal("DCGK"),
            "AP": ABSENT,
            "RR": equal("ReciprocalRankK"),
            "P": equal("PrecisionK"),
            "R": equal("RecallK"),
            "Success": different("HitK", text="is the mean number of hits"),
        },
        others=("CG",),
        names={"HitK": "CG(gain='binary')", "CalibratedRecallK": "R(capped=True)"},
        policies={
            "ties": "given",
            "negative": "error",
            "fractions": "error",
            "largest_grade": 1,
            "no_relevant": "skip",
            "defaults": {"nDCG": {"gain": "binary", "ideal": "ones"}},
        },
        remarks=(
            "It accepts other grades but computes wrong values: a grade changes the discount as "
            "well as the gain, and nDCG can exceed 1; here they are an error",
            "NumPy's unstable partition orders ties, on real runs mostly as given",
        ),
    ),
)
