"""Q, O and P+: measures of the blended ratio, which combines precision with cumulated gain."""

from __future__ import annotations

from gainful.measures.definitions.ndcg import GAIN, gain_to_kernel
from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, Parameter, as_float, number_between
from gainful.measures.ranges import share_of_gains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Values

_RATIO = (
    "BR(r) = (beta * gain of ranks 1 to r + relevant documents at ranks 1 to r) / "
    "(beta * gain of the r best judged documents + r)"
)
_ONE_DOCUMENT = (
    "T. Sakai: On the properties of evaluation metrics for finding one highly relevant document. "
    "IPSJ Transactions on Databases 48 (TOD 35), 2007"
)

BETA = Parameter(
    "beta",
    number_between(0, 1e6),
    legal="a number from 0 to 1000000",
    meaning="the weight of the gain; 0 is precision",
    default=1,
)
_PARAMETERS = (BETA, GAIN, JUDGED_ONLY)


def _to_kernel(values: Values) -> dict[str, object]:
    spec = gain_to_kernel({name: value for name, value in values.items() if name != "beta"})
    return {**spec, "beta": as_float(values["beta"])}


FAMILIES = (
    Family(
        "Q",
        kernel="q_measure",
        group="averaged-precision",
        summary="Q-measure: average precision with graded relevance",
        formula="1/min(k, R) * sum of BR(r) over the ranks r <= k of relevant documents, with "
        + _RATIO,
        source="T. Sakai, R. Song: Evaluating diversified search results using per-intent graded "
        "relevance. SIGIR 2011",
        example="Q(gain={1: 1, 2: 2, 3: 3})@10",
        aliases=("qmeasure",),
        parameters=_PARAMETERS,
        inherits="nDCG",
        to_kernel=_to_kernel,
        bounds=share_of_gains,
    ),
    Family(
        "OMeasure",
        kernel="o_measure",
        group="first-hit",
        summary="O-measure: the blended ratio at the first relevant document",
        formula="BR(r) at the rank r of the first relevant document, with " + _RATIO,
        source=_ONE_DOCUMENT,
        example="OMeasure(beta=10)",
        aliases=("o",),
        parameters=_PARAMETERS,
        takes_cutoff=False,
        inherits="nDCG",
        to_kernel=_to_kernel,
        bounds=share_of_gains,
    ),
    Family(
        "PPlus",
        kernel="p_plus",
        group="first-hit",
        summary="P+: the mean blended ratio down to the first of the best documents returned",
        formula="mean of BR(r) over the ranks r of relevant documents down to the first document "
        "with the largest gain in the ranking, with " + _RATIO,
        source=_ONE_DOCUMENT,
        example="PPlus(beta=10)",
        parameters=_PARAMETERS,
        takes_cutoff=False,
        inherits="nDCG",
        to_kernel=_to_kernel,
        bounds=share_of_gains,
    ),
)
