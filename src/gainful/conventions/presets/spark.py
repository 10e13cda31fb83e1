"""Apache Spark: RankingMetrics.ndcgAt in Scala."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_SOURCE = (
    "https://github.com/apache/spark/blob/v4.3.0/"
    "mllib/src/main/scala/org/apache/spark/mllib/evaluation/RankingMetrics.scala"
)
# Its input is the ids of the recommended items, in order, and the ids of the relevant items.
PAIRS = {"ties": "given", "duplicates": "count"}
CHECKS = {
    "nDCG": equal("ndcgAt"),
    "DCG": ABSENT,
    "AP": equal("meanAveragePrecisionAt", "meanAveragePrecision"),
    "RR": ABSENT,
    "P": equal("precisionAt"),
    "R": equal("recallAt"),
    "Success": ABSENT,
}
# Without grades every labelled item is relevant.
LABELLED = {"AP": {"rel": 0, "norm": "capped"}, "P": {"rel": 0}, "R": {"rel": 0}}
COUNTED = "A document recommended twice counts twice, but once in the ideal"

DECLARED = (
    Preset(
        "spark-4.3.0",
        field="recommenders",
        summary="binary gain from a set of relevant items; duplicates count again",
        evidence="run",
        source=_SOURCE,
        checks=CHECKS,
        policies={
            **PAIRS,
            "defaults": {
                "nDCG": {"gain": "binary", "discount": "ln", "ideal": "ones"},
                "AP": {**ABOVE_ZERO, "norm": "capped"},
                "P": ABOVE_ZERO,
                "R": ABOVE_ZERO,
            },
        },
        remarks=(COUNTED,),
    ),
    Preset(
        "spark-4.3.0-graded",
        field="recommenders",
        summary="graded: the ideal has the grades in the order of the judgments, unsorted",
        evidence="run",
        source=_SOURCE,
        checks={
            "nDCG": equal("ndcgAt", where="tests/conventions/presets/test_recommenders.py"),
            "DCG": ABSENT,
            "AP": equal("meanAveragePrecisionAt", "meanAveragePrecision", evidence="read"),
            "RR": ABSENT,
            "P": equal("precisionAt", evidence="read"),
            "R": equal("recallAt", evidence="read"),
            "Success": ABSENT,
        },
        policies={
            **PAIRS,
            "negative": "signed",
            "defaults": {
                "nDCG": {"gain": "exponential", "discount": "ln", "ideal": "given-order"},
                **LABELLED,
            },
        },
        remarks=(
            "The ideal is not sorted, so nDCG can exceed 1 unless judgments are in descending "
            "order of grade",
            COUNTED,
            "It also divides by an ideal DCG below 0; here such a query has no relevant documents",
        ),
    ),
)
