"""The F measure."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, as_float, number_between
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import TrecName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Values

# The square of a larger number exceeds 64-bit floats.
_LARGEST_BETA = 1e150

BETA = Parameter(
    "beta",
    number_between(0, _LARGEST_BETA),
    legal="a number of 0 or more",
    meaning="the weight of recall relative to precision",
    default=1,
)
WEIGHT = Parameter(
    "weight",
    number_between(0, _LARGEST_BETA),
    legal="a number of 0 or more",
    meaning="beta^2 instead of beta, as in trec_eval's set_F_x and ir_measures' SetF",
)


def _relate(values: Values) -> str | None:
    if "beta" in values and "weight" in values:
        return "either beta or weight, which is its square"
    return None


def _complete(values: Values, own: Values) -> None:
    # A parameter that the measure itself sets decides between the two.
    if "weight" in values:
        values.pop("weight" if "beta" in own else "beta", None)


def _to_kernel(values: Values) -> dict[str, object]:
    if "weight" in values:
        weight = as_float(values["weight"])
    else:
        weight = as_float(values["beta"]) ** 2
    return {"rel": as_float(values["rel"]), "weight": weight}


FAMILIES = (
    Family(
        "F",
        kernel="f",
        summary="F-measure: the weighted harmonic mean of precision and recall",
        formula="(1 + beta^2) * P * R / (beta^2 * P + R), with P and R at k",
        source="C. J. van Rijsbergen: Information Retrieval, 2nd edition. Butterworths, 1979",
        example="F(beta=2)@10",
        group="precision-recall",
        aliases=("fmeasure", "setf"),
        # ir_measures' beta is the square of this one.
        renames={"setf": {"beta": "weight"}},
        variants={"f1": {"beta": 1}, "f2": {"beta": 2}},
        trec_names={"set_F": TrecName("numbers", into=("weight",))},
        parameters=(REL, BETA, WEIGHT, JUDGED_ONLY),
        relate=_relate,
        complete=_complete,
        to_kernel=_to_kernel,
        bounds=share_of_relevant,
    ),
)
