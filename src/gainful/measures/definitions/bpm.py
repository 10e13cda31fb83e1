"""The Bejeweled player model, static and dynamic."""

from __future__ import annotations

from gainful.measures.definitions.cwl import SHARED, TARGET, bounds, model_to_kernel, relate
from gainful.measures.family import Family
from gainful.measures.parameters import Parameter, number

BY_GAIN = Parameter(
    "hb",
    number,
    legal="a number",
    meaning="the dynamic model: by how much the user wants more after a document of more than "
    "median gain, T growing by hb * (gain - gain_med)",
    default=0,
)
BY_COST = Parameter(
    "hc",
    number,
    legal="a number",
    meaning="by how much the user is ready to look further, k growing by hc * (gain - gain_med); "
    "cwl_eval never changes k, whatever its hc",
    default=0,
)
MEDIAN = Parameter(
    "gain_med",
    number,
    legal="a number",
    meaning="the gain that changes neither T nor k",
    default=0.5,
)

FAMILIES = (
    Family(
        "BPM",
        kernel="cwl",
        group="user-models",
        summary="The gain per document of a user who stops at a total gain of T or after k",
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
