"""Measures of the first relevant document."""

from __future__ import annotations

from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import JUDGED_ONLY, REL

_RECIPROCAL_RANK = (
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


_SUCCESS = (
    Family(
        "Success",
        kernel="success",
        summary="Success: whether the top k has a relevant document; its mean is the hit rate",
        formula=(
            "1 if a rank r <= k has a relevant document, else 0; with spans, 1 if the top k covers "
            "any relevant text"
        ),
        source="M. Deshpande, G. Karypis: Item-based top-N recommendation algorithms. "
        "ACM TOIS 22(1), 2004",
        example="Success@5",
        group="first-hit",
        aliases=("hit", "hits", "hr", "hitrate", "hitratio", "recallany"),
        trec_names={"success": TrecName("cutoffs", cutoffs=(1, 5, 10))},
        parameters=(REL, JUDGED_ONLY),
    ),
)


FAMILIES = (
    *_RECIPROCAL_RANK,
    *_SUCCESS,
)
