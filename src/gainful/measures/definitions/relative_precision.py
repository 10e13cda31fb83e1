"""Precision as a share of the achievable precision."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import NINE_CUTOFFS, TrecName

FAMILIES = (
    Family(
        "RelativeP",
        kernel="relative_p",
        summary="Precision divided by the highest possible precision",
        formula=(
            "relevant in the top k / min(k, R); without a cutoff relevant returned / "
            "min(returned, R)"
        ),
        source="C. Buckley: trec_eval, measures relative_P and set_relative_P",
        example="RelativeP(rel=2)@10",
        group="precision-recall",
        aliases=("relp", "relativeprecision", "setrelativep", "setrelp"),
        trec_names={
            "relative_P": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
            "set_relative_P": TrecName(),
        },
        parameters=(REL, JUDGED_ONLY),
        bounds=share_of_relevant,
    ),
)
