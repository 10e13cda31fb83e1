"""Estimates of measures from a random sample of judgments."""

from __future__ import annotations

from gainful.sampled.call import evaluate_sample
from gainful.sampled.result import SampleEstimate, SampleEvaluation

__all__ = ["SampleEstimate", "SampleEvaluation", "evaluate_sample"]
