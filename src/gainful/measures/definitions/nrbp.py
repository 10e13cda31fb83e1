"""Novelty- and rank-biased precision."""

from __future__ import annotations

from gainful.measures.definitions.alpha_ndcg import ALPHA, as_share, normalised
from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, number_between

_SOURCE = (
    "C. Clarke, M. Kolla, O. Vechtomova: An effectiveness measure for ambiguous and underspecified "
    "queries. ICTIR 2009; as computed by ndeval 4.5"
)

BETA = Parameter(
    "beta",
    number_between(0, 1, high_open=True),
    legal="a number from 0 to 1, 1 excluded",
    meaning="the persistence: the probability that the user continues to the next rank",
    default=0.5,
)


FAMILIES = (
    Family(
        "NRBP",
        kernel="nrbp",
        summary=(
            "Novelty- and rank-biased precision: gain over subtopics, reduced for each repetition"
        ),
        formula=(
            "(1 - (1 - alpha) * beta) / S * sum over all r of gain(r) * beta^(r - 1), S the "
            "number of subtopics with a relevant document, or their weight; gain(r) as in "
            "alpha_nDCG"
        ),
        source=_SOURCE,
        example="NRBP(beta=0.8)",
        parameters=(ALPHA, BETA, REL, JUDGED_ONLY),
        takes_cutoff=False,
        judgments="subtopics",
        group="diversity",
        to_kernel=as_share,
    ),
    Family(
        "nNRBP",
        kernel="nrbp",
        summary="NRBP divided by that of the ideal ranking",
        formula=(
            "sum over all r of gain(r) * beta^(r - 1), divided by that of the ideal; gain(r) and "
            "the ideal as in alpha_nDCG"
        ),
        source=_SOURCE,
        example="nNRBP(beta=0.8)",
        parameters=(ALPHA, BETA, REL, JUDGED_ONLY),
        takes_cutoff=False,
        judgments="subtopics",
        group="diversity",
        to_kernel=normalised,
        # The ideal is built greedily, so another ranking may exceed it.
        high=None,
    ),
)
