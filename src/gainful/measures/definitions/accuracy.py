"""Accuracy of the order of retrieved documents."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL

FAMILIES = (
    Family(
        "Accuracy",
        kernel="accuracy",
        group="precision-recall",
        summary="The share of pairs of a relevant and another returned document that stand right",
        formula="pairs in the first k with the relevant one above the other / all such pairs; 1 if "
        "only relevant ones were returned, nothing to measure if none was",
        source="S. MacAvaney, C. Macdonald, I. Ounis: Streamlining evaluation with ir-measures. "
        "ECIR 2022",
        example="Accuracy(rel=2)@100",
        parameters=(REL, JUDGED_ONLY),
    ),
)
