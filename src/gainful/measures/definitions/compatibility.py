"""Compatibility with an ideal ranking."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, Parameter, flag, number_between

PERSISTENCE = Parameter(
    "p",
    number_between(0, 1, low_open=True, high_open=True),
    legal="a number between 0 and 1, both excluded",
    meaning="the persistence: the probability that the user continues to the next rank",
    default=0.95,
)
NORMALIZE = Parameter(
    "normalize",
    flag,
    legal="True or False",
    meaning=(
        "divide by the overlap of the ideal ranking with itself, which is below 1 because it is "
        "finite"
    ),
    default=True,
)

FAMILIES = (
    Family(
        "Compat",
        kernel="compatibility",
        group="user-models",
        aliases=("compatibility",),
        summary="Compatibility: rank-biased overlap with the most similar ideal ranking",
        formula=(
            "sum of p^(r - 1) * (common documents in the top r) / r, divided by the sum of p^(r "
            "- 1), for r <= k or up to the end of the longer ranking; divided by the ideal's "
            "overlap with itself; the ideal has the documents with a grade above 0 by grade, "
            "ties as returned"
        ),
        source="C. Clarke, A. Vtyurina, M. Smucker: Assessing top-k preferences. "
        "ACM TOIS 39(3), 2021",
        example="Compat(p=0.8)",
        parameters=(PERSISTENCE, NORMALIZE, JUDGED_ONLY),
    ),
)
