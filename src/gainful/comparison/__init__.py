"""Compare systems query by query with paired significance tests."""

from __future__ import annotations

from gainful.comparison.call import compare
from gainful.comparison.choices import CompareOptions
from gainful.comparison.pair import Pair
from gainful.comparison.paired_result import Rank, Risk, Standing
from gainful.comparison.result import Comparison
from gainful.vocabulary import PAIR_VERDICTS as VERDICTS

__all__ = [
    "VERDICTS",
    "CompareOptions",
    "Comparison",
    "Pair",
    "Rank",
    "Risk",
    "Standing",
    "compare",
]
