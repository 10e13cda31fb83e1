"""Explain one query's score rank by rank."""

from __future__ import annotations

from gainful.explanation.call import explain, worst_query
from gainful.explanation.data import (
    ExplainedDocument,
    ExplainedGroup,
    ExplainedRank,
    LeftOut,
)
from gainful.explanation.result import Explanation

__all__ = [
    "ExplainedDocument",
    "ExplainedGroup",
    "ExplainedRank",
    "Explanation",
    "LeftOut",
    "explain",
    "worst_query",
]
