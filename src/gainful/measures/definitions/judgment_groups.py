"""trec_eval's averages over groups of judgments, of assessors or users."""

from __future__ import annotations

from gainful.measures.definitions.intent_aware import averaged
from gainful.measures.definitions.precision import MULTIPLE
from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL
from gainful.measures.ranges import share_of_ranks, share_of_relevant
from gainful.measures.trec_names import NINE_CUTOFFS, TENTHS, TrecName

FAMILIES = (
    Family(
        "AP_JG",
        kernel="groups",
        summary="The mean of average precision over groups of judgments",
        formula=(
            "1/J * sum of AP over the J groups that judged the query, 0 for groups with no "
            "relevant documents"
        ),
        source="C. Buckley: trec_eval, measure map_avgjg",
        example="AP_JG(rel=2)",
        parameters=(REL, JUDGED_ONLY),
        judgments="groups",
        group="diversity",
        aliases=("mapjg",),
        trec_names={"map_avgjg": TrecName()},
        to_kernel=averaged("ap", "all"),
        bounds=share_of_relevant,
    ),
    Family(
        "P_JG",
        kernel="groups",
        summary="The mean of precision over groups of judgments",
        formula="1/J * sum of P@k over the J groups that judged the query",
        source="C. Buckley: trec_eval, measure P_avgjg",
        example="P_JG@20",
        parameters=(REL, JUDGED_ONLY),
        judgments="groups",
        group="diversity",
        trec_names={"P_avgjg": TrecName("cutoffs", cutoffs=NINE_CUTOFFS)},
        to_kernel=averaged("p", "all"),
        bounds=share_of_ranks,
    ),
    Family(
        "RprecMult_JG",
        kernel="groups",
        summary="The mean of precision at a multiple of R over groups of judgments",
        formula=(
            "1/J * sum of relevant in the top k / k over the J groups that judged the query, k = "
            "multiple * R of the group, rounded"
        ),
        source="C. Buckley: trec_eval, measure Rprec_mult_avgjg",
        example="RprecMult_JG(multiple=0.5)",
        parameters=(MULTIPLE, REL, JUDGED_ONLY),
        takes_cutoff=False,
        judgments="groups",
        group="diversity",
        trec_names={"Rprec_mult_avgjg": TrecName("points", points=TENTHS, into=("multiple",))},
        to_kernel=averaged("rprec_mult", "all"),
        bounds=share_of_ranks,
    ),
)
