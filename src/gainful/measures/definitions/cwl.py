"""C/W/L: expectations of a user model of how users continue from rank to rank.

This file declares the parameters that all families of the framework share. Models with their own
names, such as INST and BPM, have their own files.
"""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import (
    Parameter,
    as_float,
    flag,
    number,
    number_between,
    one_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.measures.family import Policies, Range, Values
    from gainful.measures.parameters import Value

# Users walk all ranks, also those beyond the end of a short ranking.
_DEEPEST = 1_000_000


def _ranks(value: object) -> Value:
    found = number(value)
    if not isinstance(found, int) or not 1 <= found <= _DEEPEST:
        raise ValueError("not a number of ranks")
    return found


QUANTITY = Parameter(
    "quantity",
    one_of("EU", "ETU", "EC", "ETC", "ED"),
    legal="'EU', 'ETU', 'EC', 'ETC' or 'ED'",
    meaning="the expected quantity",
    values=(
        "'EU' gain per inspected document, 'ETU' total gain, 'EC' cost "
        "per document, 'ETC' total cost (each document costs 1), 'ED' number of inspected "
        "documents"
    ),
    default="EU",
)
MIN_REL = Parameter(
    "min_rel",
    number,
    legal="a number below max_rel",
    meaning="the largest grade with gain 0",
    default=0,
)
MAX_REL = Parameter(
    "max_rel",
    number,
    legal="a number above min_rel",
    meaning="the highest grade of the scale: the gain is (grade - min_rel) / (max_rel - min_rel)",
    default=1,
)
CLIP = Parameter(
    "clip",
    flag,
    legal="True or False",
    meaning="give grades above max_rel the gain 1, as in ir_measures, instead of an error",
    default=False,
)
DEPTH = Parameter(
    "depth",
    _ranks,
    legal=f"a whole number from 1 to {_DEEPEST}",
    meaning="the number of ranks: shorter rankings are padded with gain 0, longer ones are cut",
    default=1000,
)
TARGET = Parameter(
    "T",
    number_between(0, low_open=True),
    legal="a number above 0",
    meaning="the user's target for the total gain",
    default=1,
)
SHARED = (QUANTITY, MIN_REL, MAX_REL, CLIP, DEPTH)


def relate(values: Values) -> str | None:
    """Return what is wrong between the shared parameters, or None."""
    if values.get("min_rel", 0) >= values.get("max_rel", 1):  # type: ignore[operator]
        return "max_rel above min_rel"
    return None


def model_to_kernel(model: str) -> Callable[[Values], dict[str, object]]:
    """Return a function that returns a model's values for the kernel."""

    def to_kernel(values: Values) -> dict[str, object]:
        spec: dict[str, object] = {"model": model}
        for name, value in values.items():
            spec[name] = value if isinstance(value, (str, bool)) else as_float(value)
        return spec

    return to_kernel


def bounds(values: Values, convention: Policies | None) -> Range:
    """Return the range of the chosen quantity."""
    quantity = values["quantity"]
    if quantity == "EC":
        return 1.0, 1.0
    if quantity in ("ETC", "ED"):
        return 0.0, None
    losses = convention is not None and convention.negative == "signed"
    return (None if losses else 0.0), (1.0 if quantity == "EU" else None)


MODEL = Parameter(
    "model",
    words={
        "P": "stops at rank k",
        "RBP": "continues with probability p",
        "RR": "stops at the first document with a gain",
        "AP": "stops at a random returned document with a gain",
    },
    meaning="the user model",
    default="RBP",
)
PERSISTENCE = Parameter(
    "p",
    number_between(0, 1, low_open=True, high_open=True),
    legal="a number between 0 and 1, both excluded",
    meaning="the probability to continue with model='RBP', 0.8 by default",
)
BINARY = Parameter(
    "rel",
    number_between(0),
    legal="a number of 0 or more",
    meaning="the lowest grade with gain 1, for binary gains instead of min_rel and max_rel",
)


def _relate(values: Values) -> str | None:
    if "p" in values and values.get("model", "RBP") != "RBP":
        return "p only with model='RBP'"
    if "rel" in values and ("min_rel" in values or "max_rel" in values or "clip" in values):
        return "either rel, for binary gains, or min_rel, max_rel and clip, for graded gains"
    return relate(values)


def _complete(values: Values, own: Values) -> None:
    if values["model"] != "RBP":
        values.pop("p", None)
    elif "p" not in values:
        values["p"] = 0.8
    if "rel" in values:
        for name in ("min_rel", "max_rel", "clip"):
            values.pop(name)


FAMILIES = (
    Family(
        "CWL",
        kernel="cwl",
        group="user-models",
        summary="C/W/L framework: expected gain, cost or depth of a user model",
        formula="sum of V(r) * gain(r) / sum of V(r) for EU, sum of L(r) * (sum over i <= r of "
        "gain(i)) for ETU, 1 for EC, sum of L(r) * r for ETC, sum of V(r) for ED, over r <= depth, "
        "with V(r) = product over i < r of C(i), L(r) = V(r) * (1 - C(r)), and C(r) the chance to "
        "go on",
        source="A. Moffat, P. Bailey, F. Scholer, P. Thomas: Incorporating user expectations and "
        "behavior into the measurement of search effectiveness. ACM TOIS 35(3), 2017; "
        "L. Azzopardi, P. Thomas, A. Moffat: cwl_eval: an evaluation tool for information "
        "retrieval. SIGIR 2019",
        example="CWL(model='P', quantity='ETU', max_rel=3)@10",
        parameters=(MODEL, PERSISTENCE, QUANTITY, BINARY, MIN_REL, MAX_REL, CLIP, DEPTH),
        relate=_relate,
        complete=_complete,
        bounds=bounds,
    ),
)
