"""Pools: the documents of several runs that should be judged."""

from __future__ import annotations

from gainful.pooling.call import pool
from gainful.pooling.result import Pool

__all__ = ["Pool", "pool"]
