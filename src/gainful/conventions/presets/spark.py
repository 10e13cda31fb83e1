"""Apache Spark: RankingMetrics.ndcgAt in Scala."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_SOURCE = (
    "https://github.com/apache/spark/blob/v4.3.0/"
    "mllib/src/main/scala/org/apache/spark/mllib/evaluation/RankingMetrics.scala"
)
# Its input is the ids of the recommended items, in order, and the ids of the relevant items.
PAIRS = {"ties": "given", "duplicates": "count"}
COUNTED = "A document recommended twice counts twice, but once in the ideal"

DECLARED = (
    Preset(
        "spark-4.3.0",
        field="recommenders",
        summary="binary gain from a set of relevant items; duplicates count again",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        names={"ndcgAt": "nDCG"},
        policies={
            **PAIRS,
            "defaults": {"nDCG": {"gain": "binary", "discount": "ln", "ideal": "ones"}},
        },
        remarks=(COUNTED,),
    ),
    Preset(
        "spark-4.3.0-graded",
        field="recommenders",
        summary="graded: the ideal has the grades in the order of the judgments, unsorted",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        names={"ndcgAt": "nDCG"},
        policies={
            **PAIRS,
            "negative": "signed",
            "defaults": {"nDCG": {"gain": "exponential", "discount": "ln", "ideal": "given-order"}},
        },
        remarks=(
            "The ideal is not sorted, so nDCG can exceed 1 unless judgments are in descending "
            "order of grade",
            COUNTED,
            "It also divides by an ideal DCG below 0; here such a query has no relevant documents",
        ),
    ),
)
