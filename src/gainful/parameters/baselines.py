"""The parameters of baseline runs."""

from __future__ import annotations

from gainful.parameters import Parameter
from gainful.vocabulary import BM25_METHODS, FUSIONS, SCORE_NORMS, SIMILARITIES

_AMOUNT = Parameter(
    "amount",
    float,
    # Larger values would lose precision.
    range=f"[0, {10**9}]",
    expected="a number of 0 or more",
    metavar="X",
)

K1 = _AMOUNT.replace(name="k1", default=1.2, help="Term frequency saturation.")

B = Parameter("b", float, 0.75, range="[0, 1]", metavar="X", help="Length normalization.")

BM25_METHOD = Parameter(
    "method",
    default=BM25_METHODS[0],
    choices=BM25_METHODS,
    annotation="str",
    help="The variant; bm25l and bm25+ have a delta.",
)

DELTA = _AMOUNT.replace(name="delta", default=0.5, help="The delta of bm25l and bm25+.")

FUSION = Parameter(
    "method",
    default=FUSIONS[0],
    choices=FUSIONS,
    annotation="str",
    help="Reciprocal rank fusion; the sum of scores; or that sum times the number of runs with the"
    " document.",
)

CONSTANT = Parameter(
    "constant",
    float,
    60.0,
    range=f"[0, {10**100}]",
    expected="a number from 0 to 1e+100",
    metavar="X",
    help="The constant of rrf.",
)

NORM = Parameter(
    "norm",
    default=SCORE_NORMS[0],
    choices=SCORE_NORMS,
    annotation="str",
    help="How scores are normalized per query and run.",
)

SIMILARITY = Parameter(
    "similarity",
    default=SIMILARITIES[0],
    choices=SIMILARITIES,
    annotation="str",
    help="The inner product, or the cosine.",
)
