"""Precision: P, and R-precision, which is P at the number of relevant documents."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.ranges import share_of_ranks, share_of_relevant

FAMILIES = (
    Family(
        "P",
        kernel="p",
        summary="The share of the first k ranks that hold a relevant document",
        formula="relevant in the first k / k, however few were returned; without a cutoff "
        "relevant returned / returned (trec_eval's set_P)",
        source="A. Kent, M. Berry, F. Luehrs, J. Perry: Machine literature searching VIII. "
        "American Documentation 6(2), 1955",
        example="P(rel=2)@10",
        group="precision-recall",
        parameters=(REL, JUDGED_ONLY),
        bounds=share_of_ranks,
    ),
    Family(
        "Rprec",
        kernel="rprec",
        summary="The precision at rank R, where R is the number of relevant documents",
        formula="relevant in the first R / R",
        source="C. Buckley, E. Voorhees: Retrieval system evaluation. In: TREC, MIT Press, 2005",
        example="Rprec(rel=2)",
        group="precision-recall",
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)
