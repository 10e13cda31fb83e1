"""TBG and the U-measure: discounts by effort, where each document costs 1."""

from __future__ import annotations

from gainful.measures.definitions.cwl import SHARED, bounds, model_to_kernel, relate
from gainful.measures.family import Family
from gainful.measures.parameters import Parameter, number_between

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

FAMILIES = (
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
        parameters=(HALFLIFE, *SHARED),
        takes_cutoff=False,
        relate=relate,
        to_kernel=model_to_kernel("TBG"),
        bounds=bounds,
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
        parameters=(LENGTH, *SHARED),
        takes_cutoff=False,
        relate=relate,
        to_kernel=model_to_kernel("U"),
        bounds=bounds,
    ),
)
