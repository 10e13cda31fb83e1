"""Evaluations on Spark: the engine runs inside the executors, and the driver gets a row a query."""

from __future__ import annotations

from gainful.backends.spark.call import evaluate
from gainful.backends.spark.result import SparkEvaluation

__all__ = ["SparkEvaluation", "evaluate"]
