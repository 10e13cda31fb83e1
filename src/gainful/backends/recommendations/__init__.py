"""A recommender evaluated from its scores, in blocks, so that the matrix of all never exists."""

from __future__ import annotations

from gainful.backends.recommendations.call import evaluate_recommendations
from gainful.backends.recommendations.given import Factors

__all__ = ["Factors", "evaluate_recommendations"]
