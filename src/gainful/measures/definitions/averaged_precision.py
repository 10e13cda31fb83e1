"""Precision averaged over the relevant documents, and the measures that blend it with gain."""

from __future__ import annotations

from gainful.measures.catalogue import NINE_CUTOFFS
from gainful.measures.definitions.cumulated_gain import GAIN, gain_to_kernel
from gainful.measures.family import Family, TrecName
from gainful.measures.parameters import (
    JUDGED_ONLY,
    REL,
    Parameter,
    as_float,
    number_between,
    share_of_gains,
    share_of_relevant,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Values


NORM = Parameter(
    "norm",
    words={
        "relevant": "the number R of relevant documents",
        "capped": "min(k, R)",
        "capped-to-depth": "min(k, R, returned)",
        "list": "the number L of relevant documents that were returned",
        "list-capped": "min(k, L)",
        "list-cut": "the number of relevant documents in the top k",
    },
    meaning="the denominator",
    default="relevant",
)

_AVERAGE_PRECISION = (
    Family(
        "AP",
        kernel="ap",
        summary="Average precision: the mean of the precision at each relevant document",
        formula="1/R * sum of P@r over the ranks r <= k of relevant documents",
        source="D. Harman: Evaluation issues in information retrieval. "
        "Information Processing & Management 28(4), 1992",
        example="AP(rel=2)@100",
        group="averaged-precision",
        aliases=("map", "averageprecision", "meanaverageprecision"),
        trec_names={
            "map": TrecName(),
            "map_cut": TrecName("cutoffs", cutoffs=NINE_CUTOFFS),
        },
        parameters=(REL, NORM, JUDGED_ONLY),
        bounds=share_of_relevant,
    ),
)


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


_BLENDED = (
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


_SOURCE = (
    "S. Robertson: On GMAP: and other transformations. CIKM 2006; as trec_eval's {} computes it"
)
_MEAN = "; over queries exp(mean of log(max(value, 0.00001)))"

_GEOMETRIC_MEAN = (
    Family(
        "GMAP",
        kernel="gm_ap",
        summary="The geometric mean of average precision over queries",
        formula="1/R * sum of P@r over the ranks r of relevant documents" + _MEAN,
        source=_SOURCE.format("gm_map"),
        example="GMAP(rel=2)",
        group="averaged-precision",
        aliases=("geometricmap", "geometricmeanaverageprecision"),
        trec_names={"gm_map": TrecName()},
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        aggregate="geometric",
        bounds=share_of_relevant,
    ),
    Family(
        "GMbpref",
        kernel="gm_bpref",
        summary="The geometric mean of bpref over queries",
        formula="as bpref" + _MEAN,
        source=_SOURCE.format("gm_bpref"),
        example="GMbpref(rel=2)",
        group="incomplete-judgments",
        trec_names={"gm_bpref": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        aggregate="geometric",
        bounds=share_of_relevant,
    ),
)


_SET_AVERAGE_PRECISION = (
    Family(
        "SetAP",
        kernel="set_ap",
        summary="Set-based average precision: precision times recall of the returned documents",
        formula="(relevant returned)^2 / (returned * R)",
        source="C. Buckley: trec_eval, measure set_map",
        example="SetAP(rel=2)",
        group="averaged-precision",
        aliases=("setmap",),
        trec_names={"set_map": TrecName()},
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        bounds=share_of_relevant,
    ),
)


_YAAP = (
    Family(
        "yaap",
        kernel="yaap",
        summary="The log odds of average precision, suited to averaging over queries",
        formula="ln((1 + S) / (1 + R - S)), S = sum of P@r over the ranks r of relevant documents",
        source="S. Robertson: On smoothing average precision. ECIR 2012",
        example="yaap(rel=2)",
        group="averaged-precision",
        trec_names={"yaap": TrecName()},
        parameters=(REL,),
        takes_cutoff=False,
        low=None,
        high=None,
    ),
)


FAMILIES = (
    *_AVERAGE_PRECISION,
    *_BLENDED,
    *_GEOMETRIC_MEAN,
    *_SET_AVERAGE_PRECISION,
    *_YAAP,
)
