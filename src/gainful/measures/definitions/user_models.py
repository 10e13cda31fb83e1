"""Measures that model how a user reads a ranking."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import (
    JUDGED_ONLY,
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

    from gainful.measures.parameters import Policies, Range, Value, Values


COMPATIBILITY_PERSISTENCE = Parameter(
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

_COMPATIBILITY = (
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
        parameters=(COMPATIBILITY_PERSISTENCE, NORMALIZE, JUDGED_ONLY),
    ),
)


# Users walk all ranks, also those beyond the end of a short ranking.
_DEEPEST = 1_000_000


def _ranks(value: object) -> Value:
    rank = number(value)
    if not isinstance(rank, int) or not 1 <= rank <= _DEEPEST:
        raise ValueError("not a number of ranks")
    return rank


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
SHARED_CWL = (QUANTITY, MIN_REL, MAX_REL, CLIP, DEPTH)


def relate_cwl(values: Values) -> str | None:
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


def bound_cwl(values: Values, convention: Policies | None) -> Range:
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
CWL_PERSISTENCE = Parameter(
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
    return relate_cwl(values)


def _complete(values: Values, chosen: Values) -> None:
    if values["model"] != "RBP":
        values.pop("p", None)
    elif "p" not in values:
        values["p"] = 0.8
    if "rel" in values:
        for name in ("min_rel", "max_rel", "clip"):
            values.pop(name)


_CWL = (
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
        parameters=(MODEL, CWL_PERSISTENCE, QUANTITY, BINARY, MIN_REL, MAX_REL, CLIP, DEPTH),
        relate=_relate,
        complete=_complete,
        bounds=bound_cwl,
    ),
)


BY_GAIN = Parameter(
    "hb",
    number,
    legal="a number",
    meaning="the dynamic model: T grows by hb * (gain - gain_med) after each document",
    default=0,
)
BY_COST = Parameter(
    "hc",
    number,
    legal="a number",
    meaning=(
        "the dynamic model: k grows by hc * (gain - gain_med) after each document; cwl_eval "
        "ignores its hc"
    ),
    default=0,
)
MEDIAN = Parameter(
    "gain_med",
    number,
    legal="a number",
    meaning="the gain that leaves T and k unchanged",
    default=0.5,
)

_BPM = (
    Family(
        "BPM",
        kernel="cwl",
        group="user-models",
        summary=(
            "Bejeweled player model: gain per document of a user who stops at a total gain of T "
            "or after k"
        ),
        formula="EU of C(r) = 1 while G(r) < T and r < k, 0 after, with G(r) the gains of the "
        "first r documents",
        source="F. Zhang, Y. Liu, X. Li, M. Zhang, Y. Xu, S. Ma: Evaluating web search with a "
        "Bejeweled player model. SIGIR 2017",
        example="BPM(T=2, max_rel=3)@10",
        parameters=(TARGET, BY_GAIN, BY_COST, MEDIAN, *SHARED_CWL),
        relate=relate_cwl,
        to_kernel=model_to_kernel("BPM"),
        bounds=bound_cwl,
    ),
)


HALFLIFE = Parameter(
    "halflife",
    number_between(0, low_open=True),
    legal="a number above 0",
    meaning="the number of documents after which half of the users have stopped",
    default=224,
)
LENGTH = Parameter(
    "L",
    number_between(0, low_open=True),
    legal="a number above 0",
    meaning="the number of documents after which all users have stopped",
    default=1000,
)

_EFFORT = (
    Family(
        "TBG",
        kernel="cwl",
        group="user-models",
        aliases=("timebiasedgain",),
        summary="Time-biased gain: gain per document of users who stop at a constant rate",
        formula="EU of weights 2^(-(r - 1) / halflife), divided by their sum",
        source="M. Smucker, C. Clarke: Time-based calibration of effectiveness measures. "
        "SIGIR 2012; scaled as in L. Azzopardi, P. Thomas, A. Moffat: cwl_eval. SIGIR 2019",
        example="TBG(halflife=22, max_rel=3)",
        parameters=(HALFLIFE, *SHARED_CWL),
        takes_cutoff=False,
        relate=relate_cwl,
        to_kernel=model_to_kernel("TBG"),
        bounds=bound_cwl,
    ),
    Family(
        "U",
        kernel="cwl",
        group="user-models",
        aliases=("umeasure",),
        summary="U-measure: gain per document of users who stop uniformly over L documents",
        formula="EU of weights max(0, 1 - (r - 1) / L), and 0 at the last rank, divided by their "
        "sum",
        source="T. Sakai, Z. Dou: Summaries, ranked retrieval and sessions: a unified framework "
        "for information access evaluation. SIGIR 2013; scaled as in L. Azzopardi, P. Thomas, "
        "A. Moffat: cwl_eval. SIGIR 2019",
        example="U(L=50, max_rel=3)",
        parameters=(LENGTH, *SHARED_CWL),
        takes_cutoff=False,
        relate=relate_cwl,
        to_kernel=model_to_kernel("U"),
        bounds=bound_cwl,
    ),
)


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


_ERR = (
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


STOPS = Parameter(
    "stops",
    one_of("goal-rate", "goal", "rate"),
    legal="'goal-rate', 'goal' or 'rate'",
    meaning="when the user stops",
    values=(
        "'goal' at a total gain of T, 'rate' at a gain per document below A, 'goal-rate' at either"
    ),
    default="goal-rate",
)


def _number(name: str, meaning: str, default: float) -> Parameter:
    return Parameter(name, number, legal="a number", meaning=meaning, default=default)


def _weight(name: str, of: str) -> Parameter:
    return Parameter(
        name,
        number_between(0, low_open=True),
        legal="a number above 0",
        meaning=f"the odds to {of} exactly at the target",
        default=0.9,
    )


_IFT = (
    Family(
        "IFT",
        kernel="cwl",
        group="user-models",
        summary=(
            "Information foraging: gain per document of a user who stops at a goal or at a low "
            "rate of gain"
        ),
        formula="EU of C(r) = (1 - 1 / (1 + b1 * e^((T - G(r)) * R1))) / "
        "(1 + b2 * e^((A - G(r) / r) * R2)), with G(r) the gains of the first r documents",
        source="L. Azzopardi, P. Thomas, N. Craswell: Measuring the utility of search engine "
        "result pages: an information foraging based measure. SIGIR 2018",
        example="IFT(stops='goal', T=3, max_rel=3)",
        parameters=(
            STOPS,
            _number("T", "the user's target for the total gain", 2),
            _weight("b1", "go on"),
            _number("R1", "the sensitivity to T", 10),
            _number("A", "the gain per document that the user expects", 0.2),
            _weight("b2", "stop"),
            _number("R2", "the sensitivity to A", 10),
            *SHARED_CWL,
        ),
        takes_cutoff=False,
        relate=relate_cwl,
        to_kernel=model_to_kernel("IFT"),
        bounds=bound_cwl,
    ),
)


_INST = (
    Family(
        "INST",
        kernel="cwl",
        group="user-models",
        summary=(
            "INST: gain per document of a user whose persistence depends on the missing part of T"
        ),
        formula="EU of C(r) = ((r + 2T - G(r) - 1) / (r + 2T - G(r)))^2, with G(r) the gains of "
        "the first r documents",
        source="A. Moffat, P. Bailey, F. Scholer, P. Thomas: INST: an adaptive metric for "
        "information retrieval evaluation. ADCS 2015",
        example="INST(T=2, max_rel=3)",
        parameters=(TARGET, *SHARED_CWL),
        takes_cutoff=False,
        relate=relate_cwl,
        to_kernel=model_to_kernel("INST"),
        bounds=bound_cwl,
    ),
    Family(
        "INSQ",
        kernel="cwl",
        group="user-models",
        summary="INSQ: gain per document of a user whose persistence depends on T",
        formula="EU of C(r) = ((r + 2T - 1) / (r + 2T))^2",
        source="A. Moffat, F. Scholer, P. Thomas: Models and metrics: IR evaluation as a user "
        "process. ADCS 2012",
        example="INSQ(T=2, max_rel=3)",
        parameters=(TARGET, *SHARED_CWL),
        takes_cutoff=False,
        relate=relate_cwl,
        to_kernel=model_to_kernel("INSQ"),
        bounds=bound_cwl,
    ),
)


_SOURCE = (
    "L. Azzopardi, J. Mackenzie, A. Moffat: ERR is not C/W/L: exploring the relationship between "
    "expected reciprocal rank and other metrics. ICTIR 2021, equation {}"
)

NEARLY_ERR_PERSISTENCE = Parameter(
    "p",
    number_between(0, 1, low_open=True, high_open=True),
    legal="a number between 0 and 1, both excluded",
    meaning="the probability to continue after a document without gain",
    default=0.9,
)

_NEARLY_ERR = (
    Family(
        "NERR8",
        kernel="cwl",
        group="user-models",
        summary="Nearly ERR: the user stops with probability gain(r), and after k",
        formula="EU of C(r) = 1 - gain(r) for r < k, 0 after",
        source=_SOURCE.format(8),
        example="NERR8(max_rel=3)@10",
        parameters=SHARED_CWL,
        relate=relate_cwl,
        to_kernel=model_to_kernel("NERR8"),
        bounds=bound_cwl,
    ),
    Family(
        "NERR9",
        kernel="cwl",
        group="user-models",
        summary="Nearly ERR: the user stops by gain and discount, and after k",
        formula="EU of C(r) = r / (r + 1) * (1 - gain(r)) for r < k, 0 after",
        source=_SOURCE.format(9),
        example="NERR9(max_rel=3)@10",
        parameters=SHARED_CWL,
        relate=relate_cwl,
        to_kernel=model_to_kernel("NERR9"),
        bounds=bound_cwl,
    ),
    Family(
        "NERR10",
        kernel="cwl",
        group="user-models",
        summary="Nearly ERR: the user stops by gain, otherwise continues as in RBP",
        formula="EU of C(r) = p * (1 - gain(r))",
        source=_SOURCE.format(10),
        example="NERR10(p=0.8, max_rel=3)",
        parameters=(NEARLY_ERR_PERSISTENCE, *SHARED_CWL),
        takes_cutoff=False,
        relate=relate_cwl,
        to_kernel=model_to_kernel("NERR10"),
        bounds=bound_cwl,
    ),
    Family(
        "NERR11",
        kernel="cwl",
        group="user-models",
        summary="Nearly ERR: the user stops by gain, otherwise continues as in INSQ",
        formula="EU of C(r) = ((r + 2T - 1) / (r + 2T))^2 * (1 - gain(r))",
        source=_SOURCE.format(11),
        example="NERR11(T=2, max_rel=3)",
        parameters=(TARGET, *SHARED_CWL),
        takes_cutoff=False,
        relate=relate_cwl,
        to_kernel=model_to_kernel("NERR11"),
        bounds=bound_cwl,
    ),
)


def _translate(given: dict[str, object]) -> tuple[str, dict[str, object]]:
    # ir_measures writes its only discount.
    if given.get("dcg") == "log2":
        del given["dcg"]
    return "SDCG", given


_SDCG = (
    Family(
        "SDCG",
        kernel="cwl",
        group="cumulated-gain",
        aliases=("scaleddcg",),
        summary="Scaled DCG: DCG divided by that of a ranking with the highest grade at every rank",
        formula="EU of C(r) = log2(r + 1) / log2(r + 2) for r < k, 0 after; that is sum over "
        "r <= k of gain(r) / log2(r + 1), divided by the sum of 1 / log2(r + 1)",
        source="K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. "
        "ACM TOIS 20(4), 2002; scaled as in L. Azzopardi, P. Thomas, A. Moffat: cwl_eval. "
        "SIGIR 2019",
        example="SDCG(max_rel=3)@10",
        parameters=SHARED_CWL,
        translate=_translate,
        relate=relate_cwl,
        to_kernel=model_to_kernel("SDCG"),
        bounds=bound_cwl,
    ),
)


FAMILIES = (
    *_BPM,
    *_COMPATIBILITY,
    *_CWL,
    *_EFFORT,
    *_ERR,
    *_IFT,
    *_INST,
    *_NEARLY_ERR,
    *_SDCG,
)
