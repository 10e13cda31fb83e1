"""Explain one query's score rank by rank."""

from __future__ import annotations

from gainful.explanation.explain import explain
from gainful.explanation.result import Explanation
from gainful.explanation.rows import ExplainedDocument, ExplainedGroup, ExplainedRank, LeftOut
from gainful.explanation.worst import worst_query

__all__ = [
    "ExplainedDocument",
    "ExplainedGroup",
    "ExplainedRank",
    "Explanation",
    "LeftOut",
    "explain",
    "worst_query",
]
