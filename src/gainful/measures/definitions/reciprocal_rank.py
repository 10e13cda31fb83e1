"""Reciprocal rank; its mean over queries is MRR."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.trec_names import TrecName

FAMILIES = (
    Family(
        "RR",
        kernel="rr",
        summary="One divided by the rank of the first relevant document",
        formula="1 / the least rank r <= k of a relevant document; 0 if there is none",
        source="P. Kantor, E. Voorhees: The TREC-5 confusion track. "
        "Information Retrieval 2(2-3), 2000",
        example="RR(rel=2)@10",
        group="first-hit",
        aliases=("mrr", "reciprank", "reciprocalrank", "meanreciprocalrank"),
        trec_names={"recip_rank": TrecName()},
        parameters=(REL, JUDGED_ONLY),
    ),
)
