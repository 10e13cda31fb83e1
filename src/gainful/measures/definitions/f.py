"""The F measure."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, number_between
from gainful.measures.ranges import share_of_relevant

# The square of a larger one would leave 64-bit floats.
_LARGEST_BETA = 1e150

BETA = Parameter(
    "beta",
    number_between(0, _LARGEST_BETA),
    legal="a number of 0 or more",
    meaning="how many times as much recall weighs as precision; trec_eval's set_F_x has x = beta^2",
    default=1,
)

FAMILIES = (
    Family(
        "F",
        kernel="f",
        summary="The weighted harmonic mean of precision and recall",
        formula="(1 + beta^2) * P * R / (beta^2 * P + R), with P and R at k",
        source="C. J. van Rijsbergen: Information Retrieval, 2nd edition. Butterworths, 1979",
        example="F(beta=2)@10",
        group="precision-recall",
        parameters=(REL, BETA, JUDGED_ONLY),
        bounds=share_of_relevant,
    ),
)
