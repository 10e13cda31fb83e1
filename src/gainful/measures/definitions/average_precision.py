"""Average precision; its mean over queries is MAP."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import NINE_CUTOFFS, TrecName

NORM = Parameter(
    "norm",
    words={
        "relevant": "the number R of relevant documents",
        "capped": "min(k, R)",
        "capped-to-depth": "min(k, R, returned)",
        "list": "the number L of relevant documents that were returned",
        "list-capped": "min(k, L)",
        "list-cut": "the number of relevant documents in the top k",
    },
    meaning="the denominator",
    default="relevant",
)

FAMILIES = (
    Family(
        "AP",
        kernel="ap",
        summary="Average precision: the mean of the precision at each relevant document",
        formula="1/R * sum of P@r over the ranks r <= k of relevant documents",
        source="D. Harman: Evaluation issues in information retrieval. "
        "Information Processing & Management 28(4), 1992",
        example="AP(rel=2)@100",
        group="averaged-precision",
        aliases=("map", "averageprecision", "meanaverageprecision"),
        trec_names={
            "map": TrecName(),
            "map_cut": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
        },
        parameters=(REL, NORM, JUDGED_ONLY),
        bounds=share_of_relevant,
    ),
)
