"""Evaluate runs against judgments: one row per query, and summaries."""

from __future__ import annotations

from gainful.evaluation.arguments import DEFAULT_MEASURES
from gainful.evaluation.call import evaluate
from gainful.evaluation.result import Evaluation
from gainful.evaluation.summary import Summary

__all__ = ["DEFAULT_MEASURES", "Evaluation", "Summary", "evaluate"]
