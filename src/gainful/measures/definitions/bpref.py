"""bpref."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import REL
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import TrecName

FAMILIES = (
    Family(
        "bpref",
        kernel="bpref",
        summary=(
            "Binary preference: how often judged relevant documents are above judged "
            "non-relevant ones"
        ),
        formula=(
            "1/R * sum over returned relevant documents of 1 - min(n, R) / min(N, R), with n of "
            "the N judged non-relevant documents above it; 1 if n = 0"
        ),
        source="C. Buckley, E. Voorhees: Retrieval evaluation with incomplete information. "
        "SIGIR 2004; with min(N, R) for R, as trec_eval's bpref counts it",
        example="bpref(rel=2)",
        group="incomplete-judgments",
        trec_names={"bpref": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)
