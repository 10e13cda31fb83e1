"""Geometric means of average precision and bpref, which emphasize hard queries."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import TrecName

_SOURCE = (
    "S. Robertson: On GMAP: and other transformations. CIKM 2006; as trec_eval's {} computes it"
)
_MEAN = "; over queries exp(mean of log(max(value, 0.00001)))"

FAMILIES = (
    Family(
        "GMAP",
        kernel="gm_ap",
        summary="The geometric mean of average precision over queries",
        formula="1/R * sum of P@r over the ranks r of relevant documents" + _MEAN,
        source=_SOURCE.format("gm_map"),
        example="GMAP(rel=2)",
        group="averaged-precision",
        aliases=("geometricmap", "geometricmeanaverageprecision"),
        trec_names={"gm_map": TrecName()},
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        aggregate="geometric",
        bounds=share_of_relevant,
    ),
    Family(
        "GMbpref",
        kernel="gm_bpref",
        summary="The geometric mean of bpref over queries",
        formula="as bpref" + _MEAN,
        source=_SOURCE.format("gm_bpref"),
        example="GMbpref(rel=2)",
        group="incomplete-judgments",
        trec_names={"gm_bpref": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        aggregate="geometric",
        bounds=share_of_relevant,
    ),
)
