"""The parameters of averages over collections or tasks."""

from __future__ import annotations

from gainful.parameters import Parameter
from gainful.vocabulary import AGGREGATES

COMMON = Parameter(
    "common",
    bool,
    help="Average over the collections in which all systems have a run. Default: all collections.",
)

OVER = Parameter(
    "over",
    metavar="COLLECTION",
    repeatable=True,
    help="Average over this collection only. Repeatable. Default: all collections.",
)

AGGREGATE = Parameter(
    "aggregate",
    default=AGGREGATES[0],
    choices=AGGREGATES,
    annotation="str",
    help="Average the scores, or the scores relative to all systems on the same query, by a normal"
    " distribution or by the empirical one. Default: mean.",
)
