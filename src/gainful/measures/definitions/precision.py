"""Precision at a cutoff, or at a multiple of the number of relevant documents."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, flag, number_between
from gainful.measures.ranges import share_of_ranks, share_of_relevant
from gainful.measures.trec_names import NINE_CUTOFFS, TENTHS, TrecName

TO_DEPTH = Parameter(
    "to_depth",
    flag,
    legal="True or False",
    meaning="divide by min(k, returned) instead of k, so that short lists cost nothing",
    default=False,
)
MULTIPLE = Parameter(
    "multiple",
    number_between(0),
    legal="a number of 0 or more",
    meaning="the multiple of R; depths are rounded by adding 0.9 and truncating",
    default=1,
)


def _or_relative(given: dict[str, object]) -> tuple[str, dict[str, object]]:
    # ir_measures writes relative precision as SetP(relative=True).
    relative = given.get("relative")
    if isinstance(relative, bool):
        del given["relative"]
    return ("RelativeP" if relative is True else "P"), given


FAMILIES = (
    Family(
        "P",
        kernel="p",
        summary="Precision: the share of the top k ranks with a relevant document",
        formula=(
            "relevant in the top k / k, also if fewer were returned (to_depth: / min(k, "
            "returned)); without a cutoff relevant returned / returned (trec_eval's set_P)"
        ),
        source="A. Kent, M. Berry, F. Luehrs, J. Perry: Machine literature searching VIII. "
        "American Documentation 6(2), 1955",
        example="P(rel=2)@10",
        group="precision-recall",
        aliases=("prec", "precision", "setp"),
        trec_names={
            "P": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
            "set_P": TrecName(),
        },
        parameters=(REL, TO_DEPTH, JUDGED_ONLY),
        translate=_or_relative,
        bounds=share_of_ranks,
    ),
    Family(
        "Rprec",
        kernel="rprec",
        summary="R-precision: the precision at rank R, the number of relevant documents",
        formula="relevant in the top R / R",
        source="C. Buckley, E. Voorhees: Retrieval system evaluation. In: TREC, MIT Press, 2005",
        example="Rprec(rel=2)",
        group="precision-recall",
        aliases=("rprecision",),
        trec_names={"Rprec": TrecName()},
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
    Family(
        "RprecMult",
        kernel="rprec_mult",
        summary="R-precision at a multiple of R, the number of relevant documents",
        formula="relevant in the top k / k, k = multiple * R rounded",
        source="C. Buckley: trec_eval, measure Rprec_mult",
        example="RprecMult(multiple=0.5)",
        group="precision-recall",
        trec_names={"Rprec_mult": TrecName("points", points=TENTHS, into=("multiple",))},
        parameters=(MULTIPLE, REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_ranks,
    ),
)
