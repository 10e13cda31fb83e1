"""Apache Spark: RankingMetrics.ndcgAt in Scala, and through PySpark."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_SOURCE = (
    "https://github.com/apache/spark/blob/v4.3.0/"
    "mllib/src/main/scala/org/apache/spark/mllib/evaluation/RankingMetrics.scala"
)
# It takes the ids of what was recommended, in order, and those of what is relevant.
_PAIRS = {"ties": "given", "duplicates": "count"}
_COUNTED = "A document recommended twice counts twice, but once in the ideal"

DECLARED = (
    Preset(
        "spark-4.3.0",
        summary="a set of relevant documents, of which one that is recommended twice counts twice",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        names={"ndcgAt": "nDCG"},
        policies={
            **_PAIRS,
            "defaults": {"nDCG": {"gain": "binary", "discount": "ln", "ideal": "ones"}},
        },
        remarks=(_COUNTED,),
    ),
    Preset(
        "spark-4.3.0-graded",
        summary="the ideal has the grades in the order of the judgments, unsorted",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        names={"ndcgAt": "nDCG"},
        policies={
            **_PAIRS,
            "negative": "signed",
            "defaults": {"nDCG": {"gain": "exponential", "discount": "ln", "ideal": "given-order"}},
        },
        remarks=(
            "The ideal is not sorted, so that nDCG exceeds 1 where judgments do not stand in "
            "descending order of their grades",
            _COUNTED,
            "An ideal below 0 divides there and counts as nothing relevant here",
        ),
    ),
    Preset(
        "pyspark-4.3.0",
        summary="grades are dropped without a word, so that every judged document counts 1",
        evidence="run",
        source="https://spark.apache.org/docs/4.3.0/api/python/reference/api/"
        "pyspark.mllib.evaluation.RankingMetrics.html",
        measures=("nDCG",),
        names={"ndcgAt": "nDCG", "ndcgAtK": "nDCG"},
        policies={
            **_PAIRS,
            "defaults": {"nDCG": {"gain": "judged", "discount": "ln", "ideal": "ones"}},
        },
        remarks=(
            "The grades that its documentation has as a third column do not reach Spark, and "
            "nothing says so",
            _COUNTED,
        ),
    ),
)
