"""Evaluate partitions of queries, for clusters.

A cluster brings the judgments and the ranking of each query together; `score_partition`, or
`score_table` and `score_batches` if both are in one table, return their rows.
`gainful.Evaluation.from_rows` combines all rows into the result of `gainful.evaluate`.
"""

from __future__ import annotations

from gainful.evaluation.partition.batches import score_batches, score_table
from gainful.evaluation.partition.call import order_dependence, score_partition
from gainful.evaluation.partition.tagging import tagged
from gainful.evaluation.query_rows import QueryRows, RowForm

__all__ = [
    "QueryRows",
    "RowForm",
    "order_dependence",
    "score_batches",
    "score_partition",
    "score_table",
    "tagged",
]
