"""PySpark: RankingMetrics.ndcgAt of Apache Spark from Python."""

from __future__ import annotations

from gainful.conventions.presets import Preset
from gainful.conventions.presets.spark import CHECKS, COUNTED, LABELLED, PAIRS

DECLARED = (
    Preset(
        "pyspark-4.3.0",
        field="recommenders",
        summary="ignores grades silently: every judged document gains 1",
        evidence="run",
        source="https://spark.apache.org/docs/4.3.0/api/python/reference/api/"
        "pyspark.mllib.evaluation.RankingMetrics.html",
        checks=CHECKS,
        names={"ndcgAtK": "nDCG", "precisionAtK": "P", "recallAtK": "R"},
        policies={
            **PAIRS,
            "defaults": {
                "nDCG": {"gain": "judged", "discount": "ln", "ideal": "ones"},
                **LABELLED,
            },
        },
        remarks=(
            "The documentation passes grades as a third column, but Spark never receives them",
            COUNTED,
        ),
    ),
)
