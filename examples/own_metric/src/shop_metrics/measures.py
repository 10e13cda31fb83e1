"""The measure ``attention``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gainful

if TYPE_CHECKING:
    import numpy as np

__all__ = ["attention"]


def share_of_attention(rankings: Any, p: float = 0.7, stars: float = 4) -> np.ndarray:
    """The share of a shopper's attention that meets products with enough stars."""
    looks = p ** (rankings.ranks - 1.0)
    met: np.ndarray = rankings.sum(looks * (rankings.grades >= stars))
    return met / rankings.sum(looks).clip(1e-12)


attention = gainful.measures.define(
    "attention", share_of_attention, relevant="stars", vectorized=True
)
