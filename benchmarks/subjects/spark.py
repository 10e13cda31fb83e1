"""In a running Spark session: Parquet files to means.

Usage: spark.py WAY QRELS RUN, with one of these ways:

``gainful``
    Gainful, with the addresses of the files.
``frames``
    Gainful, with DataFrames.
``frames-first``
    The same with ``counts=False``, which shuffles the first ranks only.
``window``
    Window functions and joins.
``applyInPandas``
    A Python function that is called for each query.

``gainful-three``, ``frames-three`` and ``window-three`` compute three means.

The answer is the mean nDCG@10, for the latter also those of AP and R@100. Documents are ordered by
descending score, then by descending document id as text. Every judged query counts, an unretrieved
one as 0. Starting the session is not timed; reading the files is.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial

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


SHARE = f"sum(grade / log2(place + 1)) filter (where place <= {CUTOFF})"


def ranked(run: DataFrame) -> DataFrame:
    """Return the rows of a run with their `place` in the ranking of the query, from 1."""
    falling = Window.partitionBy("query_id").orderBy(
        sf.desc("score"), sf.col("doc_id").cast("string").desc()
    )
    return run.withColumn("place", sf.row_number().over(falling))


def ideals(qrels: DataFrame) -> DataFrame:
    """Return the ideal DCG of each query, and its number of relevant documents."""
    best = qrels.withColumn(
        "place", sf.row_number().over(Window.partitionBy("query_id").orderBy(sf.desc("grade")))
    )
    relevant = sf.count_if(sf.col("grade") > 0).alias("relevant")
    return best.groupBy("query_id").agg(sf.expr(SHARE).alias("ideal"), relevant)


def window(qrels: DataFrame, run: DataFrame) -> list[float]:
    """Return the mean nDCG@10 by window functions and joins, the common solution.

    Spark infers that ten rows per query are enough, and drops the others before the shuffle.
    """
    top = ranked(run).where(f"place <= {CUTOFF}").join(qrels, ["query_id", "doc_id"])
    gained = top.groupBy("query_id").agg(sf.expr(SHARE).alias("gained"))
    value = sf.expr("avg(if(ideal > 0, coalesce(gained, 0) / ideal, 0))")
    return list(ideals(qrels).join(gained, "query_id", "left").agg(value).first())


def window_three(qrels: DataFrame, run: DataFrame) -> list[float]:
    """Return the means of nDCG@10, AP and R@100, which need every rank."""
    relevant = ranked(run).join(qrels.where("grade > 0"), ["query_id", "doc_id"])
    hits = relevant.withColumn(
        "hit", sf.row_number().over(Window.partitionBy("query_id").orderBy("place"))
    )
    sums = hits.groupBy("query_id").agg(
        sf.expr(SHARE).alias("gained"),
        sf.expr("sum(hit / place)").alias("precision"),
        sf.expr("count_if(place <= 100)").alias("found"),
    )
    values = [
        sf.expr(f"avg(if({whole} > 0, coalesce({part}, 0) / {whole}, 0))")
        for part, whole in (("gained", "ideal"), ("precision", "relevant"), ("found", "relevant"))
    ]
    return list(ideals(qrels).join(sums, "query_id", "left").agg(*values).first())


def ndcg_of_query(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return nDCG@10 of one query; no row for an unjudged query."""
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


def apply_in_pandas(qrels: DataFrame, run: DataFrame) -> list[float]:
    """Return the mean nDCG@10 by a Python function that is called for each query."""
    groups = run.groupBy("query_id").cogroup(qrels.groupBy("query_id"))
    values = groups.applyInPandas(ndcg_of_query, "value double")
    return list(values.agg(sf.avg("value")).first())


THREE = ["nDCG@10", "AP", "R@100"]
ADDRESSES: dict[str, Callable[[str, str], list[float]]] = {
    "gainful": partial(gainful_calls.evaluate_on_spark, measures=THREE[:1]),
    "gainful-three": partial(gainful_calls.evaluate_on_spark, measures=THREE),
}
FRAMES: dict[str, Callable[[DataFrame, DataFrame], list[float]]] = {
    "frames": partial(gainful_calls.evaluate_on_spark, measures=THREE[:1]),
    "frames-first": partial(gainful_calls.evaluate_on_spark, measures=THREE[:1], counts=False),
    "frames-three": partial(gainful_calls.evaluate_on_spark, measures=THREE),
    "window": window,
    "window-three": window_three,
    "applyInPandas": apply_in_pandas,
}


class Shuffled:
    """Count the bytes that the stages of a session shuffle, per call."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.known: set[int] = set()

    def __call__(self) -> dict[str, float]:
        """Return the bytes of the stages since the last call."""
        context = self.spark.sparkContext
        java = context._jvm
        quantiles, tasks = context._gateway.new_array(java.double, 0), java.java.util.List.of()
        store = context._jsc.sc().statusStore()
        # Without details and summaries: the defaults of these arguments exist only in Scala.
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
            if way in ADDRESSES:
                return ADDRESSES[way](qrels, run)
            return FRAMES[way](spark.read.parquet(qrels), spark.read.parquet(run))

        worker.serve(job, tree=True, extras_of=Shuffled(spark))
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
