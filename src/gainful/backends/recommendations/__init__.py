"""Evaluation of recommenders in blocks of users, without the full score matrix in memory."""

from __future__ import annotations

from gainful.backends.recommendations.arguments import Factors
from gainful.backends.recommendations.call import evaluate_recommendations
from gainful.backends.recommendations.result import RecommendationSummary, RecommenderEvaluation

__all__ = [
    "Factors",
    "RecommendationSummary",
    "RecommenderEvaluation",
    "evaluate_recommendations",
]
