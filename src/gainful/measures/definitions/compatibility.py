"""Compatibility with an ideal ranking."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, Parameter, flag, number_between

PERSISTENCE = Parameter(
    "p",
    number_between(0, 1, low_open=True, high_open=True),
    legal="a number between 0 and 1, both excluded",
    meaning="the probability that the user goes on from one rank to the next",
    default=0.95,
)
NORMALIZE = Parameter(
    "normalize",
    flag,
    legal="True or False",
    meaning="divide by the overlap of the ideal ranking with itself, which is below 1 because it "
    "ends",
    default=True,
)

FAMILIES = (
    Family(
        "Compat",
        kernel="compatibility",
        group="user-models",
        aliases=("compatibility",),
        summary="The rank-biased overlap with the most similar of the ideal rankings",
        formula="sum of p^(r - 1) * (documents in the first r of both) / r over the sum of "
        "p^(r - 1), for r <= k, without a cutoff to the end of the longer ranking, as a share of "
        "what the ideal has with itself; the ideal has the documents of grade above 0 by grade, "
        "equal ones as they were returned",
        source="C. Clarke, A. Vtyurina, M. Smucker: Assessing top-k preferences. "
        "ACM TOIS 39(3), 2021",
        example="Compat(p=0.8)",
        parameters=(PERSISTENCE, NORMALIZE, JUDGED_ONLY),
    ),
)
