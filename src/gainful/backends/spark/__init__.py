"""Evaluations on Spark: the kernel runs in the executors and returns one row per query."""

from __future__ import annotations

from gainful.backends.spark.call import evaluate
from gainful.backends.spark.executor import SparkEvaluation

__all__ = ["SparkEvaluation", "evaluate"]
