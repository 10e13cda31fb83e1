"""Set-based average precision, which ignores ranks."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import TrecName

FAMILIES = (
    Family(
        "SetAP",
        kernel="set_ap",
        summary="Set-based average precision: precision times recall of the returned documents",
        formula="(relevant returned)^2 / (returned * R)",
        source="C. Buckley: trec_eval, measure set_map",
        example="SetAP(rel=2)",
        group="averaged-precision",
        aliases=("setmap",),
        trec_names={"set_map": TrecName()},
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)
