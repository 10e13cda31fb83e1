"""Yet another average precision: its log odds."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import REL
from gainful.measures.trec_names import TrecName

FAMILIES = (
    Family(
        "yaap",
        kernel="yaap",
        summary="The log odds of average precision, suited to averaging over queries",
        formula="ln((1 + S) / (1 + R - S)), S = sum of P@r over the ranks r of relevant documents",
        source="S. Robertson: On smoothing average precision. ECIR 2012",
        example="yaap(rel=2)",
        group="averaged-precision",
        trec_names={"yaap": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        low=None,
        high=None,
    ),
)
