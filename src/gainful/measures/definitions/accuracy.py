"""Accuracy of the order of retrieved documents."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL

FAMILIES = (
    Family(
        "Accuracy",
        kernel="accuracy",
        group="precision-recall",
        summary=(
            "The share of correctly ordered pairs of a relevant and a non-relevant returned "
            "document"
        ),
        formula=(
            "pairs in the top k with the relevant document above the other / all such pairs; 1 "
            "if only relevant documents were returned, no relevant document if none was"
        ),
        source="S. MacAvaney, C. Macdonald, I. Ounis: Streamlining evaluation with ir-measures. "
        "ECIR 2022",
        example="Accuracy(rel=2)@100",
        parameters=(REL, JUDGED_ONLY),
    ),
)
