"""Interpolated precision at levels of recall, and its mean over several levels."""

from __future__ import annotations

from gainful.errors import MeasureError
from gainful.measures.family import Family
from gainful.measures.parameters import (
    JUDGED_ONLY,
    REL,
    Parameter,
    as_float,
    number_between,
    numbers,
    one_of,
)
from gainful.measures.ranges import share_of_relevant
from gainful.measures.trec_names import TrecName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.family import Values
    from gainful.measures.parameters import Value

_SOURCE = "G. Salton, M. McGill: Introduction to Modern Information Retrieval. McGraw-Hill, 1983"
_ELEVEN = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)


def _recalls(value: object) -> Value:
    if isinstance(value, (str, dict)) or not hasattr(value, "__iter__"):
        raise ValueError("not a sequence")
    found = numbers(value)
    if min(found) < 0 or max(found) > 1:
        raise ValueError("no share")
    return tuple(sorted(found))


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


def _at_a_level(values: Values, own: Values) -> None:
    if "recall" not in values:
        raise MeasureError(
            where="IPrec",
            found="no level of recall",
            expected="one after @, such as IPrec@0.1",
            hint="IAP is the mean over eleven levels",
        )


def _to_kernel(values: Values) -> dict[str, object]:
    spec: dict[str, object] = {"rel": as_float(values["rel"]), "rounding": values["rounding"]}
    if "recall" in values:
        spec["recall"] = as_float(values["recall"])
    recalls = values.get("recalls")
    if isinstance(recalls, tuple):
        spec["recalls"] = [float(each) for each in recalls if not isinstance(each, tuple)]
    return spec


FAMILIES = (
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
        to_kernel=_to_kernel,
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
        to_kernel=_to_kernel,
        bounds=share_of_relevant,
    ),
)
