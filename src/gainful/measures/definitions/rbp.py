"""Rank-biased precision, and the residual that unjudged documents leave open."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, as_float, number_between
from gainful.measures.ranges import share_of_ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Values

_SOURCE = (
    "A. Moffat, J. Zobel: Rank-biased precision for measurement of retrieval effectiveness. "
    "ACM TOIS 27(1), 2008"
)

PERSISTENCE = Parameter(
    "p",
    number_between(0, 1, low_open=True, high_open=True),
    legal="a number between 0 and 1, both excluded",
    meaning="the probability that the user goes on from one rank to the next",
    default=0.8,
)
MAX_GRADE = Parameter(
    "max_grade",
    number_between(0, low_open=True),
    legal="a number above 0",
    meaning="the highest grade of the scale, which makes the gain of a document grade / max_grade "
    "instead of 1 from grade `rel` on",
)


def _relate(values: Values) -> str | None:
    if "rel" in values and "max_grade" in values:
        return "either rel, for relevant or not, or max_grade, for graded gains"
    return None


def _complete(values: Values, own: Values) -> None:
    # What the measure itself sets decides between the two; a convention's max_grade is next.
    if "max_grade" in values:
        values.pop("max_grade" if "rel" in own else "rel", None)


def _to_kernel(values: Values) -> dict[str, object]:
    return {
        name: as_float(values[name]) if name in values else None
        for name in ("p", "rel", "max_grade")
    }


FAMILIES = (
    Family(
        "RBP",
        kernel="rbp",
        summary="The rate at which a user gains who goes on from each rank with probability p",
        formula="(1 - p) * sum over r <= k of gain(r) * p^(r - 1)",
        source=_SOURCE,
        example="RBP(p=0.9)",
        group="user-models",
        parameters=(PERSISTENCE, REL, MAX_GRADE, JUDGED_ONLY),
        relate=_relate,
        complete=_complete,
        to_kernel=_to_kernel,
        bounds=share_of_ranks,
    ),
    Family(
        "RBPResidual",
        kernel="rbp_residual",
        summary="How much RBP could grow if every unjudged document were relevant",
        formula="(1 - p) * sum of p^(r - 1) over the ranks r <= k of unjudged documents, plus p^n "
        "for all ranks below the n counted",
        source=_SOURCE,
        example="RBPResidual(p=0.9)",
        group="incomplete-judgments",
        parameters=(PERSISTENCE,),
        inherits="RBP",
        bounds=share_of_ranks,
    ),
)
