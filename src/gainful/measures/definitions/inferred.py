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
        summary="Average precision estimated from a pool of which only a sample was judged",
        formula="1/R * sum over the relevant at ranks k of 1/k + (k - 1)/k * pool/(k - 1) * "
        "(rel + e)/(rel + nonrel + 2e), counts of those above it, e = 0.00001; a negative grade "
        "means in the pool and not judged",
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
