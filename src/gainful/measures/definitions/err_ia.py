"""Intent-aware expected reciprocal rank."""

from __future__ import annotations

from gainful.measures.definitions.alpha_ndcg import as_share, normalised
from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, number_between

_SOURCE = (
    "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal rank for graded "
    "relevance. CIKM 2009; as computed by ndeval 4.5"
)

ALPHA = Parameter(
    "alpha",
    number_between(0, 1),
    legal="a number from 0 to 1",
    meaning="the probability that a relevant document satisfies a user interested in its subtopic",
    default=0.5,
)


FAMILIES = (
    Family(
        "ERR_IA",
        kernel="err_ia",
        summary="Intent-aware expected reciprocal rank",
        formula=(
            "sum over r <= k of gain(r) / r, divided by the sum of S * (1 - alpha)^(r - 1) / r, "
            "S the number of subtopics with a relevant document, or their weight; gain(r) as in "
            "alpha_nDCG"
        ),
        source=_SOURCE,
        example="ERR_IA@20",
        parameters=(ALPHA, REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        to_kernel=as_share,
    ),
    Family(
        "nERR_IA",
        kernel="err_ia",
        summary="ERR_IA divided by that of the ideal ranking",
        formula=(
            "sum over r <= k of gain(r) / r, divided by that of the ideal; gain(r) and the ideal "
            "as in alpha_nDCG"
        ),
        source=_SOURCE,
        example="nERR_IA@20",
        parameters=(ALPHA, REL, JUDGED_ONLY),
        judgments="subtopics",
        group="diversity",
        to_kernel=normalised,
        # The ideal is built greedily, so another ranking may exceed it.
        high=None,
    ),
)
