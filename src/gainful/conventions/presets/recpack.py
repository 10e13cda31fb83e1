"""RecPack: NDCGK."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "recpack-0.3.6",
        field="recommenders",
        summary="of grades 0 and 1 alone: the ideal has a 1 for each relevant item",
        evidence="run",
        source="https://gitlab.com/recpack-maintainers/recpack/-/blob/master/recpack/metrics/dcg.py",
        measures=("nDCG",),
        names={"NDCGK": "nDCG"},
        policies={
            "ties": "given",
            "negative": "error",
            "fractions": "error",
            "largest_grade": 1,
            "no_relevant": "skip",
            "defaults": {"nDCG": {"gain": "binary", "ideal": "ones"}},
        },
        remarks=(
            "Graded judgments are no error there: a grade enters the logarithm of its rank as well "
            "as its gain, and the ideal has as many ones as the grades sum to, so that nDCG can "
            "exceed 1; here they are refused",
            "The order of ties is that of NumPy's unstable partition, on real runs mostly as given",
        ),
    ),
)
