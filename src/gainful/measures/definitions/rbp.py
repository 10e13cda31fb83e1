"""Rank-biased precision, and its residual for unjudged documents."""

from __future__ import annotations

from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import (
    JUDGED_ONLY,
    REL,
    Parameter,
    as_float,
    number_between,
    one_of,
    share_of_ranks,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Values

_SOURCE = (
    "A. Moffat, J. Zobel: Rank-biased precision for measurement of retrieval effectiveness. "
    "ACM TOIS 27(1), 2008"
)

PERSISTENCE = Parameter(
    "p",
    number_between(0, 1, low_open=True, high_open=True),
    legal="a number between 0 and 1, both excluded",
    meaning="the persistence: the probability that the user continues to the next rank",
    default=0.8,
)
MAX_GRADE = Parameter(
    "max_grade",
    one_of("judged", other=number_between(0, low_open=True)),
    legal="a number above 0, or 'judged'",
    meaning=(
        "the highest grade of the scale, for the gain grade / max_grade instead of binary gain; "
        "'judged' is the highest grade of the query, at least 1"
    ),
)
TAIL = Parameter(
    "tail",
    one_of("always", "unjudged"),
    legal="'always' or 'unjudged'",
    meaning="when ranks below the last one count",
    values=(
        "'always', or 'unjudged' only if an unjudged "
        "document was returned, otherwise the residual is 0 (trec_eval 10)"
    ),
    default="always",
)


def _relate(values: Values) -> str | None:
    if "rel" in values and "max_grade" in values:
        return "either rel, for binary gains, or max_grade, for graded gains"
    return None


def _complete(values: Values, chosen: Values) -> None:
    # A parameter of the measure itself decides between the two; a convention's max_grade is next.
    if "max_grade" in values:
        values.pop("max_grade" if "rel" in chosen else "rel", None)


def _to_kernel(values: Values) -> dict[str, object]:
    spec: dict[str, object] = {"p": as_float(values["p"])}
    for name in ("rel", "max_grade"):
        value = values.get(name)
        spec[name] = value if value is None or isinstance(value, str) else as_float(value)
    return spec


FAMILIES = (
    Family(
        "RBP",
        kernel="rbp",
        summary="Rank-biased precision: the gain rate of a user who continues with probability p",
        formula="(1 - p) * sum over r <= k of gain(r) * p^(r - 1)",
        source=_SOURCE,
        example="RBP(p=0.9)",
        group="user-models",
        aliases=("rankbiasedprecision",),
        trec_names={"rbp": TrecName("p", params={"p": 0.9})},
        parameters=(PERSISTENCE, REL, MAX_GRADE, JUDGED_ONLY),
        relate=_relate,
        complete=_complete,
        to_kernel=_to_kernel,
        bounds=share_of_ranks,
    ),
    Family(
        "RBPResidual",
        kernel="rbp_residual",
        summary="RBP residual: the increase of RBP if every unjudged document were relevant",
        formula="(1 - p) * sum of p^(r - 1) over the ranks r <= k of unjudged documents, plus p^n "
        "for all ranks below the n counted",
        source=_SOURCE,
        example="RBPResidual(p=0.9)",
        group="incomplete-judgments",
        aliases=("rbpresid",),
        trec_names={"rbp_resid": TrecName("p", params={"p": 0.9})},
        parameters=(PERSISTENCE, TAIL),
        inherits="RBP",
        bounds=share_of_ranks,
    ),
)
