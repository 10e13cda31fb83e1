"""Inferred average precision, for pools with a judged sample."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import REL
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import TrecName

FAMILIES = (
    Family(
        "infAP",
        kernel="infap",
        summary="Inferred average precision, estimated from a judged sample of the pool",
        formula=(
            "1/R * sum over relevant documents at ranks k of 1/k + (k - 1)/k * pool/(k - 1) * "
            "(rel + e)/(rel + nonrel + 2e), with counts of the documents above it, e = 0.00001; "
            "a negative grade means in the pool but not judged"
        ),
        source="E. Yilmaz, J. Aslam: Estimating average precision with incomplete and imperfect "
        "judgments. CIKM 2006",
        example="infAP(rel=2)",
        group="incomplete-judgments",
        aliases=("inferredap", "inferredaverageprecision"),
        trec_names={"infAP": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)
