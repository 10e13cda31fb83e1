"""Some queries of many, measured where their rows are: what evaluations on clusters are made of.

A cluster brings the judgments and the ranking of each query to one place; `score_partition` makes
rows of them there, or where both come in one table `score_table` and `score_batches`; and
`gainful.Evaluation.from_rows` makes of all rows what `gainful.evaluate` makes of the whole.
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
