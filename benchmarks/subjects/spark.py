"""In a running Spark session: Parquet files to the mean nDCG@10.

Usage: spark.py gainful|window|applyInPandas QRELS RUN

Scores fall, and equal scores are ordered by document id, as text, falling. Every judged query
counts, an unretrieved one as 0. Starting the session is not timed; reading the files is.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable

import gainful_calls
import numpy as np
import pandas as pd
import worker
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

CORES = 2
CUTOFF = 10
DISCOUNTS = 1 / np.log2(np.arange(2, CUTOFF + 2))


def session(scratch: str) -> SparkSession:
    """Start Spark on two cores of this machine."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.local.dir": scratch,
        "spark.sql.shuffle.partitions": str(8 * CORES),
        "spark.sql.warehouse.dir": scratch,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{CORES}]").appName("bench")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark: SparkSession = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def window(qrels: DataFrame, run: DataFrame) -> float:
    """Return the mean as most would ask for it, by window functions and joins."""
    by_query = Window.partitionBy("query_id")
    falling = by_query.orderBy(sf.desc("score"), sf.col("doc_id").cast("string").desc())
    top = run.withColumn("place", sf.row_number().over(falling)).where(f"place <= {CUTOFF}")
    best = by_query.orderBy(sf.desc("grade"))
    ideal = qrels.withColumn("place", sf.row_number().over(best)).where(f"place <= {CUTOFF}")
    share = sf.expr("sum(grade / log2(place + 1))")
    gained = top.join(qrels, ["query_id", "doc_id"]).groupBy("query_id").agg(share.alias("gained"))
    ideal = ideal.groupBy("query_id").agg(share.alias("ideal"))
    value = sf.expr("if(ideal > 0, coalesce(gained, 0) / ideal, 0)")
    return float(ideal.join(gained, "query_id", "left").agg(sf.avg(value)).first()[0])


def ndcg_of_query(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return nDCG@10 of one query; no row where it is not judged."""
    if qrels.empty:
        return pd.DataFrame({"value": np.empty(0)})
    grades = dict(zip(qrels["doc_id"], qrels["grade"], strict=True))
    ranked = run.assign(text=run["doc_id"].astype(str))
    ranked = ranked.sort_values(["score", "text"], ascending=False)["doc_id"].head(CUTOFF)
    gained = np.array([grades.get(document, 0) for document in ranked])
    best = np.sort(qrels["grade"].to_numpy())[::-1][:CUTOFF]
    ideal = (best * DISCOUNTS[: len(best)]).sum()
    value = (gained * DISCOUNTS[: len(gained)]).sum() / ideal if ideal > 0 else 0.0
    return pd.DataFrame({"value": [value]})


def apply_in_pandas(qrels: DataFrame, run: DataFrame) -> float:
    """Return the mean by a function of Python for each query."""
    groups = run.groupBy("query_id").cogroup(qrels.groupBy("query_id"))
    values = groups.applyInPandas(ndcg_of_query, "value double")
    return float(values.agg(sf.avg("value")).first()[0])


WAYS: dict[str, Callable[[DataFrame, DataFrame], float]] = {
    "gainful": gainful_calls.evaluate_on_spark,
    "window": window,
    "applyInPandas": apply_in_pandas,
}


class Shuffled:
    """How many bytes the stages of a session have written for others, call by call."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.known: set[int] = set()

    def __call__(self) -> dict[str, float]:
        """Return the bytes of the stages since the last call."""
        context = self.spark.sparkContext
        java = context._jvm
        quantiles, tasks = context._gateway.new_array(java.double, 0), java.java.util.List.of()
        store = context._jsc.sc().statusStore()
        # No details, no summaries: the arguments have defaults in Scala alone.
        stages = store.stageList(None, False, False, quantiles, tasks)
        new = [stages.apply(i) for i in range(stages.size())]
        new = [stage for stage in new if stage.stageId() not in self.known]
        self.known |= {stage.stageId() for stage in new}
        return {"shuffled_bytes": float(sum(stage.shuffleWriteBytes() for stage in new))}


def main(way: str, qrels: str, run: str) -> None:
    """Start the session, then serve the calls."""
    with tempfile.TemporaryDirectory() as scratch:
        spark = session(scratch)

        def job() -> list[float]:
            return [WAYS[way](spark.read.parquet(qrels), spark.read.parquet(run))]

        worker.serve(job, tree=True, extras_of=Shuffled(spark))
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
