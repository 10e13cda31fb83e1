"""The values to search: policies, measures, parameters and cutoffs.

The first value of each policy is that of the default convention, unless that rejects data. A value
that is not listed is searched only with the presets that have it.
"""

from __future__ import annotations

from functools import lru_cache

from gainful.measures.definitions.cumulated_gain import DISCOUNT, GAIN, IDEAL
from gainful.policies import POLICIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Policies that change a ranking or the grades of its documents.
RANKING: Mapping[str, tuple[object, ...]] = {
    policy.name: policy.effective
    for policy in POLICIES
    if policy.governs == "documents" and len(policy.effective) > 1
} | {"order": ("score", "given", "rank")}  # Of equal effects, the order of rows explains more.

#: Policies on the aggregation of queries.
NUMBER: Mapping[str, tuple[object, ...]] = {
    "no_relevant": (0.0, 1.0, "skip", "agree"),
    "missing": POLICIES["missing"].effective,
    "rounding": ("none", "query:2", "query:3", "query:4"),
    "aggregation": ("mean", "median"),
}

#: A mean that was taken over other queries: with judged queries that the data lack, which count 0,
#: or without queries of the value 0.
OTHER_COUNTS = (1, -1, 2, -2, 3, -3, 4, -4, 5, -5)

#: Commonly reported measures with their cutoffs (None: the whole ranking). nDCG is searched at
#: every cutoff.
COMMON_MEASURES: tuple[tuple[str, tuple[int | None, ...]], ...] = (
    ("AP", (None, 10, 20, 50, 100, 1000)),
    ("RR", (None, 5, 10, 20, 100, 1000)),
    ("P", (1, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)),
    ("R", (None, 1, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)),
    ("Success", (1, 3, 5, 10, 20, 50, 100)),
    ("ERR", (None, 5, 10, 20)),
    ("RBP", (None, 10, 20)),
    ("Rprec", (None,)),
    ("F", (1, 3, 5, 10, 20, 50, 100)),
    ("bpref", (None,)),
    ("DCG", (None, 3, 5, 10, 20, 50, 100, 1000)),
)

#: If no cutoff is given, every cutoff up to this one is searched.
DEEPEST = 1000

#: The maximum number of relevance levels to search.
MOST_LEVELS = 8

#: Parameters to search unless the measure sets them; ``rel`` and ``max_grade`` come from the
#: judgments. 1/ln(r + 1) is 1/log2(r + 1) times a constant, which cancels out in nDCG.
PARAMETERS: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "nDCG": {
        "gain": GAIN.words,
        "discount": tuple(word for word in DISCOUNT.words if word != "ln"),
        "ideal": IDEAL.words,
    },
    "IDCG": {"gain": GAIN.words, "discount": DISCOUNT.words, "ideal": IDEAL.words},
    "DCG": {"gain": GAIN.words, "discount": DISCOUNT.words},
    "CG": {"gain": GAIN.words},
    "AP": {"norm": ("relevant", "capped")},
    "R": {"capped": (False, True)},
    "RBP": {"p": (0.8, 0.5, 0.9, 0.95)},
}

#: Common cutoffs, the most common first.
_USUAL: tuple[tuple[int | None, ...], ...] = (
    (10,),
    (None, 5, 20, 100),
    (1, 3, 1000, 50, 30, 15),
    (25, 200, 500, 2, 4, 32),
)
#: The minimum cost of other cutoffs.
UNUSUAL = 40_000
#: Cutoffs that are tried in the place of a reported one.
USUAL_CUTOFFS: tuple[int | None, ...] = tuple(cutoff for usual in _USUAL[:3] for cutoff in usual)
#: Measures that usually have a cutoff; others are usually computed on the whole ranking.
_CUT_FAMILIES = ("nDCG", "DCG", "IDCG", "CG", "P", "R", "Success", "F")


@lru_cache(maxsize=1 << 15)
def cutoff_cost(cutoff: int | None, family: str = "nDCG") -> int:
    """Return a cost that is larger for less usual cutoffs.

    For nDCG, 10 costs least. Common cutoffs follow, then multiples of 10, then multiples of 5.

    Examples
    --------
    >>> sorted([137, 20, 10, 40, 35, None], key=cutoff_cost)
    [10, None, 20, 40, 35, 137]
    """
    if cutoff is None and family not in _CUT_FAMILIES:
        return 0
    for cost, usual in enumerate(_USUAL):
        if cutoff in usual:
            return 100 * cost + usual.index(cutoff) + 1
    assert cutoff is not None
    kind = 0 if cutoff % 10 == 0 else 1 if cutoff % 5 == 0 else 2
    return UNUSUAL + 10_000 * kind + cutoff
