"""Recall."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, flag
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import NINE_CUTOFFS, TrecName

CAPPED = Parameter(
    "capped",
    flag,
    legal="True or False",
    meaning="divide by min(k, R) instead of R, so that k relevant documents in the top k score 1",
    default=False,
)

LISTED = Parameter(
    "listed",
    flag,
    legal="True or False",
    meaning="count only returned documents in R, for tools that see nothing else",
    default=False,
)

FAMILIES = (
    Family(
        "R",
        kernel="r",
        summary="Recall: the share of the relevant documents in the top k",
        formula=(
            "relevant in the top k / R; without a cutoff relevant returned / R (trec_eval's "
            "set_recall)"
        ),
        source="A. Kent, M. Berry, F. Luehrs, J. Perry: Machine literature searching VIII. "
        "American Documentation 6(2), 1955",
        example="R(rel=2)@1000",
        group="precision-recall",
        aliases=("recall", "setr"),
        variants={"rcap": {"capped": True}, "cappedrecall": {"capped": True}},
        trec_names={
            "recall": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
            "set_recall": TrecName(),
        },
        parameters=(REL, CAPPED, LISTED, JUDGED_ONLY),
        bounds=share_of_relevant,
    ),
)
