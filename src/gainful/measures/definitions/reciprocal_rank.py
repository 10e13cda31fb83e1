"""Reciprocal rank; its mean over queries is MRR."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.trec_names import TrecName

FAMILIES = (
    Family(
        "RR",
        kernel="rr",
        summary="Reciprocal rank of the first relevant document; its mean is MRR",
        formula="1 / rank of the first relevant document, if at most k; otherwise 0",
        source="P. Kantor, E. Voorhees: The TREC-5 confusion track. "
        "Information Retrieval 2(2-3), 2000",
        example="RR(rel=2)@10",
        group="first-hit",
        aliases=("mrr", "reciprank", "reciprocalrank", "meanreciprocalrank"),
        trec_names={"recip_rank": TrecName()},
        parameters=(REL, JUDGED_ONLY),
    ),
)
