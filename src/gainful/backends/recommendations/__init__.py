"""Evaluation of recommenders in blocks of users, without the full score matrix in memory."""

from __future__ import annotations

from gainful.backends.recommendations.arguments import Factors
from gainful.backends.recommendations.call import evaluate_recommendations

__all__ = ["Factors", "evaluate_recommendations"]
