"""The judged share of a ranking."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.ranges import share_of_ranks
from gainful.measures.trec_names import TrecName

FAMILIES = (
    Family(
        "Judged",
        kernel="judged",
        summary="The share of the top k documents with a judgment",
        formula=(
            "judged in the top k / min(k, returned); without a cutoff judged returned / returned"
        ),
        source="S. MacAvaney, C. Macdonald, I. Ounis: Streamlining evaluation with ir-measures. "
        "ECIR 2022",
        example="Judged@10",
        group="incomplete-judgments",
        describes_data=True,
        bounds=share_of_ranks,
    ),
    Family(
        "Unjudged",
        kernel="unjudged",
        summary="The share of the top k ranks with an unjudged document",
        formula="unjudged in the top k / k; without a cutoff unjudged returned / returned",
        source="trec_eval 10, measure unj",
        example="Unjudged@10",
        group="incomplete-judgments",
        describes_data=True,
        aliases=("unj",),
        trec_names={"unj": TrecName("cutoffs", cutoffs=(5, 10, 20))},
        bounds=share_of_ranks,
    ),
)
