"""Pools: the documents of several runs that should be judged."""

from __future__ import annotations

from gainful.pooling.call import pool
from gainful.pooling.comparing import (
    LeastFavorable,
    PooledComparison,
    bound_comparison,
    compare_pooled,
)
from gainful.pooling.result import Pool

__all__ = [
    "LeastFavorable",
    "Pool",
    "PooledComparison",
    "bound_comparison",
    "compare_pooled",
    "pool",
]
