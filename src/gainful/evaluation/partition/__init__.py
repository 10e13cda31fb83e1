"""Evaluate partitions of queries, for clusters.

A cluster moves the judgments and the ranking of each query to one partition. `score_partition`
evaluates a partition; `score_table` and `score_batches` do so if judgments and runs are in one
table. `gainful.Evaluation.from_rows` combines the rows of all partitions into the result of
`gainful.evaluate`.
"""

from __future__ import annotations

from gainful.evaluation.partition.batches import score_batches, score_table, tagged
from gainful.evaluation.partition.call import order_dependence, score_partition
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
