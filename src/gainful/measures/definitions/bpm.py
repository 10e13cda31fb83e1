"""The Bejeweled player model, static and dynamic."""

from __future__ import annotations

from gainful.measures.definitions.cwl import SHARED, TARGET, bounds, model_to_kernel, relate
from gainful.measures.family import Family
from gainful.measures.parameters import Parameter, number

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

FAMILIES = (
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
        parameters=(TARGET, BY_GAIN, BY_COST, MEDIAN, *SHARED),
        relate=relate,
        to_kernel=model_to_kernel("BPM"),
        bounds=bounds,
    ),
)
