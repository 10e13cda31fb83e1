"""Expected reciprocal rank."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, Parameter, number_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Policies, Range, Values

MAX_GRADE = Parameter(
    "max_grade",
    # 2 to the power of a larger grade exceeds 64-bit floats.
    number_between(0, 1000, low_open=True),
    legal="a number above 0, at most 1000",
    meaning="the highest grade of the scale",
    default=4,
)
STOP = Parameter(
    "stop",
    words={
        "exponential": "(2^grade - 1) / 2^max_grade",
        "linear": "grade / (max_grade + 1)",
    },
    meaning="the probability s that a user stops at a document",
    default="exponential",
)


def _share(values: Values, convention: Policies | None) -> Range:
    # Duplicates and unjudged documents with a grade are in the ranking but not in the ideal.
    if convention is None or (
        convention.duplicates not in ("count", "copies")
        and convention.unjudged in ("zero", "irrelevant", "condense", 0)
    ):
        return 0.0, 1.0
    return 0.0, None


FAMILIES = (
    Family(
        "ERR",
        kernel="err",
        summary="Expected reciprocal rank: reciprocal rank at which a user is satisfied",
        formula="sum over r <= k of 1/r * s(r) * product over i < r of (1 - s(i)), with "
        "s = (2^grade - 1) / 2^max_grade or grade / (max_grade + 1)",
        source="O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal rank for "
        "graded relevance. CIKM 2009",
        example="ERR(max_grade=3)@20",
        group="user-models",
        aliases=("expectedreciprocalrank",),
        parameters=(MAX_GRADE, STOP, JUDGED_ONLY),
    ),
    Family(
        "nERR",
        kernel="nerr",
        group="user-models",
        aliases=("normalizederr", "normalisederr"),
        summary="ERR divided by that of the ideal ranking",
        formula="ERR@k / ERR@k of all judged documents in ideal order",
        source="O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal rank for "
        "graded relevance. CIKM 2009",
        example="nERR(max_grade=3)@20",
        parameters=(MAX_GRADE, STOP, JUDGED_ONLY),
        inherits="ERR",
        bounds=_share,
    ),
)
