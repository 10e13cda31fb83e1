"""Cumulative gain: CG, DCG, the ideal DCG, and nDCG."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import (
    JUDGED_ONLY,
    Parameter,
    as_float,
    number_between,
    numbers,
    one_of,
    table,
)
from gainful.measures.ranges import between_extremes, share_of_ideal, sum_of_gains
from gainful.measures.trec_names import NINE_CUTOFFS, TrecName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.measures.family import Values
    from gainful.measures.parameters import Value

    Given = dict[str, object]

_GAINS = ("linear", "exponential", "exponential+1", "binary", "judged")
_DISCOUNTS = ("log2", "ln", "jarvelin-kekalainen", "reciprocal", "none")
_IDEALS = (
    "judged",
    "judged-uncut",
    "judged-to-depth",
    "list",
    "list-cut",
    "given-order",
    "ones",
    "max-grade",
)


def _gain(value: object) -> Value:
    return one_of(*_GAINS)(value) if isinstance(value, str) else table(value)


def _discount(value: object) -> Value:
    if isinstance(value, str):
        return one_of(*_DISCOUNTS)(value)
    if isinstance(value, dict) or not hasattr(value, "__iter__"):
        raise ValueError("not a sequence")
    multipliers = numbers(value)
    if min(multipliers) < 0:
        raise ValueError("negative")
    return multipliers


def _ideal(value: object) -> Value:
    if isinstance(value, str):
        return one_of(*_IDEALS)(value)
    if isinstance(value, dict) or not hasattr(value, "__iter__"):
        raise ValueError("not a sequence")
    return numbers(value)


GAIN = Parameter(
    "gain",
    _gain,
    legal="'linear', 'exponential', 'exponential+1', 'binary', 'judged', or a table of finite "
    "gains such as {1: 1, 2: 10}",
    meaning="what a grade is worth: 'linear' the grade itself, 'exponential' 2^grade - 1, "
    "'exponential+1' 2^(grade + 1) - 1 from grade 0 on, 'binary' 1 above 0, 'judged' 1 for every "
    "judged document, a table what it says, where a grade that it lacks keeps its own value",
    default="linear",
)
DISCOUNT = Parameter(
    "discount",
    _discount,
    legal="'log2', 'ln', 'jarvelin-kekalainen', 'reciprocal', 'none', or finite multipliers of 0 "
    "or more such as (1, 0.5)",
    meaning="what a rank is worth: 'log2' 1/log2(r + 1), 'ln' 1/ln(r + 1), 'jarvelin-kekalainen' "
    "1 up to rank `base` and 1/log_base(r) after it, 'reciprocal' 1/r, 'none' 1, multipliers one a "
    "rank and 0 beyond them",
    default="log2",
)
BASE = Parameter(
    "base",
    number_between(1, low_open=True),
    legal="a number above 1",
    meaning="the base of the logarithm under discount='jarvelin-kekalainen', 2 unless set",
)
IDEAL = Parameter(
    "ideal",
    _ideal,
    legal=", ".join(map(repr, _IDEALS)) + ", or grades such as (3, 2, 1)",
    meaning="the ranking to compare with: 'judged' all judged documents from the best, cut at k; "
    "'judged-uncut' never cut; 'judged-to-depth' cut to the number of documents returned; 'list' "
    "the returned documents from the best, then cut; 'list-cut' cut first; 'given-order' the "
    "judged documents in the order of the judgments; 'ones' a gain of 1 for each judged document "
    "that gains something, cut at k; 'max-grade' the grade `max_grade` at every "
    "rank; or the ranking of the grades given",
    default="judged",
)
MAX_GRADE = Parameter(
    "max_grade",
    number_between(0, low_open=True),
    legal="a number above 0",
    meaning="the grade at every rank of the ideal under ideal='max-grade'",
)


# ir_measures' `dcg` names gain and discount in one word.
_FORMULAS = {
    "log2": {"gain": "linear", "discount": "log2"},
    "exp-log2": {"gain": "exponential", "discount": "log2"},
}


def _translator(family: str, sets: tuple[str, ...]) -> Callable[[Given], tuple[str, Given]]:
    """Return a function that converts ir_measures' ``gains`` and ``dcg`` for a family."""

    def translate(given: Given) -> tuple[str, Given]:
        if "gains" in given and "gain" not in given:
            given["gain"] = given.pop("gains")
        formula = given.get("dcg")
        if isinstance(formula, str) and formula in _FORMULAS:
            del given["dcg"]
            for name in sets:
                given.setdefault(name, _FORMULAS[formula][name])
        return family, given

    return translate


def translate_gains(family: str) -> Callable[[Given], tuple[str, Given]]:
    """Return a function that converts ir_measures' ``gains`` for a family with a gain."""
    return _translator(family, ("gain",))


def gain_to_kernel(values: Values) -> dict[str, object]:
    """Return the kernel's values for a family with a gain and an optional level."""
    spec = _to_kernel(values)
    if "rel" in values:
        spec["rel"] = as_float(values["rel"])
    return spec


def _relate(values: Values) -> str | None:
    if "base" in values and values.get("discount") != "jarvelin-kekalainen":
        return "a base only with discount='jarvelin-kekalainen'"
    if "max_grade" in values and values.get("ideal") != "max-grade":
        return "max_grade only with ideal='max-grade'"
    if values.get("ideal") == "max-grade" and "max_grade" not in values:
        return "max_grade beside ideal='max-grade'"
    return None


def _complete(values: Values, own: Values) -> None:
    if values.get("discount") != "jarvelin-kekalainen":
        values.pop("base", None)
    elif "base" not in values:
        values["base"] = 2
    if values.get("ideal") != "max-grade":
        values.pop("max_grade", None)


def _to_kernel(values: Values) -> dict[str, object]:
    spec: dict[str, object] = {}
    for name, value in values.items():
        if name == "discount" and value == "jarvelin-kekalainen":
            spec[name] = (value, as_float(values["base"]))
        elif name == "ideal" and value == "max-grade":
            spec[name] = (value, as_float(values["max_grade"]))
        elif name in ("gain", "discount", "ideal"):
            spec[name] = _as_list(value)
    return spec


def _as_list(value: Value) -> object:
    if not isinstance(value, tuple):
        return value
    return [
        (float(each[0]), float(each[1])) if isinstance(each, tuple) else float(each)
        for each in value
    ]


_CUMULATED = (
    "K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. "
    "ACM TOIS 20(4), 2002"
)
_EXPONENTIAL = (
    "; the exponential gain from C. Burges et al.: Learning to rank using gradient descent. "
    "ICML 2005"
)

FAMILIES = (
    Family(
        "nDCG",
        kernel="ndcg",
        summary="The discounted gain of the ranking as a share of the ideal's",
        formula="DCG@k / IDCG@k, with DCG@k = sum over r <= k of gain(r) * discount(r)",
        source=_CUMULATED + _EXPONENTIAL,
        example="nDCG(gain='exponential')@10",
        group="cumulated-gain",
        aliases=("normalizeddcg", "normaliseddcg"),
        variants={
            "ndcgexp": {"gain": "exponential"},
            "ndcgburges": {"gain": "exponential"},
            "ndcg'": {"judged_only": True},
            "ndcg′": {"judged_only": True},
            "ndcgprime": {"judged_only": True},
            "condensedndcg": {"judged_only": True},
        },
        trec_names={
            "ndcg": TrecName("gains"),
            "ndcg_cut": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
        },
        parameters=(GAIN, DISCOUNT, BASE, IDEAL, MAX_GRADE, JUDGED_ONLY),
        translate=_translator("nDCG", ("gain", "discount")),
        relate=_relate,
        complete=_complete,
        to_kernel=_to_kernel,
        bounds=share_of_ideal,
    ),
    Family(
        "DCG",
        kernel="dcg",
        summary="The gains of the ranking, each discounted by its rank, summed",
        formula="sum over r <= k of gain(r) * discount(r)",
        source=_CUMULATED + _EXPONENTIAL,
        example="DCG(discount='jarvelin-kekalainen', base=2)@10",
        group="cumulated-gain",
        trec_names={"dcg": TrecName("gains")},
        parameters=(GAIN, DISCOUNT, BASE, JUDGED_ONLY),
        high=None,
        inherits="nDCG",
        translate=_translator("DCG", ("gain", "discount")),
        relate=_relate,
        complete=_complete,
        to_kernel=_to_kernel,
        bounds=sum_of_gains,
    ),
    Family(
        "IDCG",
        kernel="idcg",
        summary="The DCG of the ideal ranking, nDCG's denominator",
        formula="sum over r <= k of gain(r) * discount(r) of the ideal ranking",
        source=_CUMULATED,
        example="IDCG(ideal='judged-uncut')@10",
        group="cumulated-gain",
        aliases=("idealdcg",),
        trec_names={"ideal_dcg": TrecName("gains")},
        parameters=(GAIN, DISCOUNT, BASE, IDEAL, MAX_GRADE, JUDGED_ONLY),
        high=None,
        inherits="nDCG",
        translate=_translator("IDCG", ("gain", "discount")),
        relate=_relate,
        complete=_complete,
        to_kernel=_to_kernel,
        bounds=sum_of_gains,
    ),
    Family(
        "CG",
        kernel="cg",
        summary="The gains of the ranking, summed",
        formula="sum over r <= k of gain(r)",
        source=_CUMULATED,
        example="CG@10",
        group="cumulated-gain",
        parameters=(GAIN, JUDGED_ONLY),
        high=None,
        inherits="nDCG",
        translate=translate_gains("CG"),
        to_kernel=_to_kernel,
        bounds=sum_of_gains,
    ),
    Family(
        "MinMaxNDCG",
        kernel="min_max_ndcg",
        group="cumulated-gain",
        aliases=("ndcgminmax",),
        summary="Where the DCG lies between those of the worst and of the best ranking",
        formula="(DCG@k - worst) / (best - worst), where negative grades are losses under every "
        "convention, best has the gains from the largest and no loss, worst the losses from the "
        "largest and no gain",
        source="L. Gienapp, M. Fröbe, M. Hagen, M. Potthast: The impact of negative relevance "
        "judgments on NDCG. CIKM 2020",
        example="MinMaxNDCG(gain='exponential')@10",
        parameters=(GAIN, DISCOUNT, BASE, JUDGED_ONLY),
        inherits="nDCG",
        translate=_translator("MinMaxNDCG", ("gain", "discount")),
        relate=_relate,
        complete=_complete,
        to_kernel=_to_kernel,
        bounds=between_extremes,
    ),
)
