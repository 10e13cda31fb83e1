"""Measures of cumulated gain: nDCG, DCG, and their variants."""

from __future__ import annotations

from gainful.measures.catalogue import NINE_CUTOFFS
from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import (
    JUDGED_ONLY,
    REL,
    Parameter,
    as_float,
    between_extremes,
    number_between,
    numbers,
    share_of_gains,
    share_of_ideal,
    share_of_relevant,
    sum_of_gains,
    table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.measures.parameters import Number, Value, Values

    Given = dict[str, object]


def _multipliers(value: object) -> Value:
    multipliers = _grades(value)
    if min(multipliers) < 0:
        raise ValueError("negative")
    return multipliers


def _grades(value: object) -> tuple[Number, ...]:
    if isinstance(value, dict) or not hasattr(value, "__iter__"):
        raise ValueError("not a sequence")
    return numbers(value)


GAIN = Parameter(
    "gain",
    table,
    words={
        "linear": "the grade",
        "exponential": "2^grade - 1",
        "exponential+1": "2^(grade + 1) - 1 for grades of 0 or more",
        "binary": "1 above 0",
        "judged": "1 for every judged document",
    },
    legal="a table of finite gains such as {1: 1, 2: 10} or [0, 1, 3], or a function with a name",
    meaning="the gain of a grade",
    values="a table, in which missing grades gain their own value, or a function of the grade",
    functions=True,
    default="linear",
)
DISCOUNT = Parameter(
    "discount",
    _multipliers,
    words={
        "log2": "1/log2(r + 1)",
        "ln": "1/ln(r + 1)",
        "jarvelin-kekalainen": "1 up to rank `base`, then 1/log_base(r)",
        "reciprocal": "1/r",
        "none": "1",
    },
    legal="finite multipliers of 0 or more such as (1, 0.5), or a function with a name",
    meaning="the discount of rank r",
    values="one multiplier per rank, 0 beyond the last, or a function of the rank",
    functions=True,
    short={"jk": "jarvelin-kekalainen"},
    default="log2",
)
BASE = Parameter(
    "base",
    number_between(1, low_open=True),
    legal="a number above 1",
    meaning="the base of the logarithm with discount='jarvelin-kekalainen', 2 by default",
)
IDEAL = Parameter(
    "ideal",
    _grades,
    words={
        "judged": "all judged documents by descending gain, cut at k",
        "judged-uncut": "not cut",
        "judged-to-depth": "also cut at the number of returned documents",
        "list": "the returned documents by descending gain, cut at k",
        "list-cut": "only the top k of them",
        "given-order": "the judged documents in the order of the judgments",
        "ones": "a gain of 1 for each judged document with a gain, cut at k",
        "max-grade": "the grade `max_grade` at every rank",
    },
    separator="; ",
    legal="grades such as (3, 2, 1)",
    meaning="the ideal ranking",
    values="the given grades",
    default="judged",
)
MAX_GRADE = Parameter(
    "max_grade",
    number_between(0, low_open=True),
    legal="a number above 0",
    meaning="the grade at every rank with ideal='max-grade'",
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
        return "max_grade with ideal='max-grade'"
    return None


def _complete(values: Values, chosen: Values) -> None:
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
        (float(value[0]), float(value[1])) if isinstance(value, tuple) else float(value)
        for value in value
    ]


_CUMULATED = (
    "K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. "
    "ACM TOIS 20(4), 2002"
)
_EXPONENTIAL = (
    "; the exponential gain from C. Burges et al.: Learning to rank using gradient descent. "
    "ICML 2005"
)

_NDCG = (
    Family(
        "nDCG",
        kernel="ndcg",
        summary="Normalized discounted cumulative gain: DCG divided by that of the ideal ranking",
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
        summary="Discounted cumulative gain: the sum of gains, discounted by rank",
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
        summary="Ideal DCG: the DCG of the ideal ranking, the denominator of nDCG",
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
        summary="Cumulative gain: the sum of gains",
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
        summary="Min-max normalized DCG: its position between the worst and the best possible DCG",
        formula=(
            "(DCG@k - worst) / (best - worst), where negative grades are always losses; best is "
            "the DCG of all gains in descending order, worst that of all losses"
        ),
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


_SOURCE = "C. Buckley: trec_eval, measure {}, 2008"

_G = (
    Family(
        "G",
        kernel="g",
        summary="Gains, each discounted by the gain missed above it",
        formula="sum over r of gain(r) / log2(2 + sum over i <= r of (max(1, ideal gain(i)) - "
        "gain(i))), divided by the sum of the gains above 0 of all judged documents",
        source=_SOURCE.format("G"),
        example="G(gain={1: 1, 2: 10})",
        group="cumulated-gain",
        trec_names={"G": TrecName("gains")},
        parameters=(GAIN, JUDGED_ONLY),
        takes_cutoff=False,
        inherits="nDCG",
        translate=translate_gains("G"),
        to_kernel=gain_to_kernel,
        bounds=share_of_gains,
    ),
    Family(
        "binG",
        kernel="bin_g",
        summary="Relevant documents, each discounted by the non-relevant documents above it",
        formula=(
            "1/R * sum over returned relevant documents of 1 / log2(2 + non-relevant documents "
            "above it)"
        ),
        source=_SOURCE.format("binG"),
        example="binG(rel=2)",
        group="cumulated-gain",
        trec_names={"binG": TrecName()},
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)


_NDCG_AVERAGE = (
    Family(
        "nDCGrel",
        kernel="ndcg_rel",
        summary="The mean of nDCG over the ranks of relevant documents",
        formula=(
            "mean of DCG@r / IDCG@r over all documents with a gain, r the rank of each; DCG / "
            "IDCG without a cutoff for those not returned"
        ),
        source=_SOURCE.format("ndcg_rel"),
        example="nDCGrel(gain={1: 1, 2: 10})",
        group="cumulated-gain",
        trec_names={"ndcg_rel": TrecName("gains")},
        parameters=(GAIN, JUDGED_ONLY),
        takes_cutoff=False,
        inherits="nDCG",
        translate=translate_gains("nDCGrel"),
        to_kernel=gain_to_kernel,
        bounds=share_of_gains,
    ),
    Family(
        "RnDCG",
        kernel="rndcg",
        summary="The mean of nDCG over the ranks where the gain of the ideal ranking decreases",
        formula=(
            "mean of DCG@r / IDCG@r over the last rank r of each gain above 0 in the ideal "
            "ranking, and of DCG / IDCG if the ranking is at least two ranks longer; 0 if no "
            "document is judged rel or higher"
        ),
        source=_SOURCE.format("Rndcg"),
        example="RnDCG(gain={1: 1, 2: 10})",
        group="cumulated-gain",
        trec_names={"Rndcg": TrecName("gains")},
        parameters=(GAIN, REL, JUDGED_ONLY),
        takes_cutoff=False,
        inherits="nDCG",
        translate=translate_gains("RnDCG"),
        to_kernel=gain_to_kernel,
        bounds=share_of_gains,
    ),
)


FAMILIES = (
    *_G,
    *_NDCG,
    *_NDCG_AVERAGE,
)
