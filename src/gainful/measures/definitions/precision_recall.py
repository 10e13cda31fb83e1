"""Precision, recall and what is computed from them."""

from __future__ import annotations

from gainful.errors import MeasureError
from gainful.measures.catalogue import NINE_CUTOFFS, TENTHS
from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import (
    JUDGED_ONLY,
    REL,
    Parameter,
    as_float,
    flag,
    number,
    number_between,
    numbers,
    one_of,
    share_of_ranks,
    share_of_relevant,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Number, Value, Values


_ACCURACY = (
    Family(
        "Accuracy",
        kernel="accuracy",
        group="precision-recall",
        summary=(
            "The share of correctly ordered pairs of a relevant and a non-relevant returned "
            "document"
        ),
        formula=(
            "pairs in the top k with the relevant document above the other / all such pairs; 1 "
            "if only relevant documents were returned, no relevant document if none was"
        ),
        source="S. MacAvaney, C. Macdonald, I. Ounis: Streamlining evaluation with ir-measures. "
        "ECIR 2022",
        example="Accuracy(rel=2)@100",
        parameters=(REL, JUDGED_ONLY),
    ),
)


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


def _complete(values: Values, chosen: Values) -> None:
    # A parameter that the measure itself sets decides between the two.
    if "weight" in values:
        values.pop("weight" if "beta" in chosen else "beta", None)


def _f_to_kernel(values: Values) -> dict[str, object]:
    if "weight" in values:
        weight = as_float(values["weight"])
    else:
        weight = as_float(values["beta"]) ** 2
    return {"rel": as_float(values["rel"]), "weight": weight}


_F = (
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
        to_kernel=_f_to_kernel,
        bounds=share_of_relevant,
    ),
)


OVERLAP = Parameter(
    "overlap",
    number_between(0, 1, low_open=True),
    legal="a number above 0, up to 1",
    meaning=(
        "with spans, the share of a relevant span that the top k must cover to find it; by "
        "default any part of it"
    ),
)

_FULL_RECALL = (
    Family(
        "FullRecall",
        kernel="full_recall",
        summary="Full recall: whether the top k has everything that is needed",
        formula=(
            "1 if the top k has a relevant document of every group with one, else 0; without "
            "groups, if it has every relevant document"
        ),
        source="D. Wu, H. Wang, W. Yu, Y. Zhang, K. Chang, D. Yu: LongMemEval. ICLR 2025, where it "
        "is recall_all",
        example="FullRecall(overlap=0.5)@5",
        group="precision-recall",
        aliases=("recallall", "rall"),
        parameters=(REL, OVERLAP, JUDGED_ONLY),
        judgments="alternatives",
    ),
)


_SOURCE = "G. Salton, M. McGill: Introduction to Modern Information Retrieval. McGraw-Hill, 1983"
_ELEVEN = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)


def _recalls(value: object) -> Value:
    if isinstance(value, (str, dict)) or not hasattr(value, "__iter__"):
        raise ValueError("not a sequence")
    levels = numbers(value)
    if min(levels) < 0 or max(levels) > 1:
        raise ValueError("no share")
    return tuple(sorted(levels))


RECALL = Parameter(
    "recall",
    number_between(0, 1),
    legal="a number from 0 to 1",
    meaning="the level of recall, also written after @: IPrec@0.1",
)
RECALLS = Parameter(
    "recalls",
    _recalls,
    legal="numbers from 0 to 1 such as (0.25, 0.5, 0.75)",
    meaning="the levels of recall",
    default=_ELEVEN,
)
ROUNDING = Parameter(
    "rounding",
    one_of("up", "nearest"),
    legal="'up' or 'nearest'",
    meaning="how a level x of recall is rounded to documents",
    values=(
        "'up' x * R + 0.9 truncated (trec_eval up to 9), 'nearest' x * R rounded (trec_eval 10)"
    ),
    default="up",
)


def _at_a_level(values: Values, chosen: Values) -> None:
    if "recall" not in values:
        raise MeasureError(
            where="IPrec",
            found="no level of recall",
            expected="one after @, such as IPrec@0.1",
            hint="IAP is the mean over eleven levels",
        )


def _interpolated_to_kernel(values: Values) -> dict[str, object]:
    spec: dict[str, object] = {"rel": as_float(values["rel"]), "rounding": values["rounding"]}
    if "recall" in values:
        spec["recall"] = as_float(values["recall"])
    recalls = values.get("recalls")
    if isinstance(recalls, tuple):
        spec["recalls"] = [float(recall) for recall in recalls if not isinstance(recall, tuple)]
    return spec


_INTERPOLATED = (
    Family(
        "IPrec",
        kernel="iprec",
        summary="Interpolated precision: the maximum precision at or above a level of recall",
        formula=(
            "max of P@r from the rank of the c-th relevant document, over all r if c = 0, with c "
            "= recall * R rounded; 0 if that document was not returned"
        ),
        source=_SOURCE + "; as computed by trec_eval's iprec_at_recall",
        example="IPrec(rel=2)@0.1",
        group="precision-recall",
        aliases=("interpolatedprecision",),
        trec_names={"iprec_at_recall": TrecName("points", points=_ELEVEN, into=("recall",))},
        parameters=(RECALL, REL, ROUNDING, JUDGED_ONLY),
        takes_cutoff=False,
        at="recall",
        complete=_at_a_level,
        to_kernel=_interpolated_to_kernel,
        bounds=share_of_relevant,
    ),
    Family(
        "IAP",
        kernel="iap",
        summary="Interpolated average precision: the mean over levels of recall, eleven by default",
        formula="mean of IPrec@x over the levels x",
        source=_SOURCE + "; as computed by trec_eval's 11pt_avg",
        example="IAP(recalls=(0.25, 0.5, 0.75))",
        group="averaged-precision",
        aliases=("interpolatedaverageprecision",),
        trec_names={"11pt_avg": TrecName("numbers", into=("recalls...",))},
        parameters=(RECALLS, REL, ROUNDING, JUDGED_ONLY),
        takes_cutoff=False,
        inherits="IPrec",
        to_kernel=_interpolated_to_kernel,
        bounds=share_of_relevant,
    ),
)


TO_DEPTH = Parameter(
    "to_depth",
    flag,
    legal="True or False",
    meaning="divide by min(k, returned) instead of k, so that short lists cost nothing",
    default=False,
)
MULTIPLE = Parameter(
    "multiple",
    number_between(0),
    legal="a number of 0 or more",
    meaning="the multiple of R; depths are rounded by adding 0.9 and truncating",
    default=1,
)


def _or_relative(given: dict[str, object]) -> tuple[str, dict[str, object]]:
    # ir_measures writes relative precision as SetP(relative=True).
    relative = given.get("relative")
    if isinstance(relative, bool):
        del given["relative"]
    return ("RelativeP" if relative is True else "P"), given


_PRECISION = (
    Family(
        "P",
        kernel="p",
        summary="Precision: the share of the top k ranks with a relevant document",
        formula=(
            "relevant in the top k / k, also if fewer were returned (to_depth: / min(k, "
            "returned)); without a cutoff relevant returned / returned (trec_eval's set_P)"
        ),
        source="A. Kent, M. Berry, F. Luehrs, J. Perry: Machine literature searching VIII. "
        "American Documentation 6(2), 1955",
        example="P(rel=2)@10",
        group="precision-recall",
        aliases=("prec", "precision", "setp"),
        trec_names={
            "P": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
            "set_P": TrecName(),
        },
        parameters=(REL, TO_DEPTH, JUDGED_ONLY),
        translate=_or_relative,
        bounds=share_of_ranks,
    ),
    Family(
        "Rprec",
        kernel="rprec",
        summary="R-precision: the precision at rank R, the number of relevant documents",
        formula="relevant in the top R / R",
        source="C. Buckley, E. Voorhees: Retrieval system evaluation. In: TREC, MIT Press, 2005",
        example="Rprec(rel=2)",
        group="precision-recall",
        aliases=("rprecision",),
        trec_names={"Rprec": TrecName()},
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
    Family(
        "RprecMult",
        kernel="rprec_mult",
        summary="R-precision at a multiple of R, the number of relevant documents",
        formula="relevant in the top k / k, k = multiple * R rounded",
        source="C. Buckley: trec_eval, measure Rprec_mult",
        example="RprecMult(multiple=0.5)",
        group="precision-recall",
        trec_names={"Rprec_mult": TrecName("points", points=TENTHS, into=("multiple",))},
        parameters=(MULTIPLE, REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_ranks,
    ),
)


CAPPED = Parameter(
    "capped",
    flag,
    legal="True or False",
    meaning="divide by min(k, R) instead of R, so that k relevant documents in the top k score 1",
    default=False,
)

LISTED = Parameter(
    "listed",
    flag,
    legal="True or False",
    meaning="count only returned documents in R, for tools that see nothing else",
    default=False,
)

_RECALL = (
    Family(
        "R",
        kernel="r",
        summary="Recall: the share of the relevant documents in the top k",
        formula=(
            "relevant in the top k / R; without a cutoff relevant returned / R (trec_eval's "
            "set_recall)"
        ),
        source="A. Kent, M. Berry, F. Luehrs, J. Perry: Machine literature searching VIII. "
        "American Documentation 6(2), 1955",
        example="R(rel=2)@1000",
        group="precision-recall",
        aliases=("recall", "setr"),
        variants={"rcap": {"capped": True}, "cappedrecall": {"capped": True}},
        trec_names={
            "recall": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
            "set_recall": TrecName(),
        },
        parameters=(REL, CAPPED, LISTED, JUDGED_ONLY),
        bounds=share_of_relevant,
    ),
)


_RELATIVE_PRECISION = (
    Family(
        "RelativeP",
        kernel="relative_p",
        summary="Precision divided by the highest possible precision",
        formula=(
            "relevant in the top k / min(k, R); without a cutoff relevant returned / "
            "min(returned, R)"
        ),
        source="C. Buckley: trec_eval, measures relative_P and set_relative_P",
        example="RelativeP(rel=2)@10",
        group="precision-recall",
        aliases=("relp", "relativeprecision", "setrelativep", "setrelp"),
        trec_names={
            "relative_P": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
            "set_relative_P": TrecName(),
        },
        parameters=(REL, JUDGED_ONLY),
        bounds=share_of_relevant,
    ),
)


def _weight(name: str, of: str, default: Number) -> Parameter:
    return Parameter(name, number, legal="a number", meaning=f"what {of} is worth", default=default)


COLLECTION = Parameter(
    "collection",
    number_between(0),
    legal="a number of 0 or more",
    meaning="the number of documents in the collection, required for d",
    default=0,
)

_UTILITY = (
    Family(
        "Utility",
        kernel="utility",
        summary="Utility: the weighted sum of returned and not returned documents",
        formula="a * relevant returned + b * other returned + c * relevant not returned + "
        "d * other not returned",
        source="D. Lewis: The TREC-4 filtering track. TREC-4, 1995; as trec_eval's utility",
        example="Utility(a=2, b=-1)",
        group="precision-recall",
        trec_names={"utility": TrecName("numbers", into=("a", "b", "c", "d"))},
        parameters=(
            _weight("a", "a relevant document returned", 1),
            _weight("b", "another document returned", -1),
            _weight("c", "a relevant document not returned", 0),
            _weight("d", "another document not returned", 0),
            COLLECTION,
            REL,
        ),
        takes_cutoff=False,
        low=None,
        high=None,
    ),
)


FAMILIES = (
    *_ACCURACY,
    *_F,
    *_FULL_RECALL,
    *_INTERPOLATED,
    *_PRECISION,
    *_RECALL,
    *_RELATIVE_PRECISION,
    *_UTILITY,
)
