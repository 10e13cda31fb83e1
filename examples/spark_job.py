"""Spark job: evaluate two systems on the cluster and compare them on the driver.

    python examples/spark_job.py
    spark-submit examples/spark_job.py JUDGMENTS RUNS ROWS

JUDGMENTS and RUNS are Parquet that all machines can read: one row per query and document, with a
``grade``, or with a ``score`` and the ``system``. If they are sorted by query, they are not
shuffled, and the first line of the output says so. The rows of the queries are written
to ROWS, so that later jobs can compare with them. Without arguments the job evaluates the
demo shop in a temporary folder. It needs Spark 4.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

import gainful
from gainful.backends import spark

MEASURES = ["nDCG@10", "AP", "R@100"]


def measure(session: SparkSession, judgments: str, runs: str, rows: str) -> gainful.Evaluation:
    """Measure all systems, write the rows, and return the evaluation that they make."""
    result = spark.evaluate(judgments, runs, MEASURES, session=session)
    print(result.way)
    # Measured once: the evaluation is made of what was written.
    result.rows.write.mode("overwrite").parquet(rows)
    return gainful.Evaluation.from_rows(session.read.parquet(rows).toArrow(), MEASURES)


def write_shop(session: SparkSession, folder: Path) -> tuple[str, str]:
    """Write the demo's judgments and the runs of its systems as Parquet."""
    from gainful.demo import qrels
    from gainful.demo import runs as shop_runs

    judged = [
        (query, document, float(grade))
        for query, grades in qrels().items()
        for document, grade in grades.items()
    ]
    found = [
        (system, query, document, score)
        for system, run in shop_runs().items()
        for query, scores in run.items()
        for document, score in scores
    ]
    paths = str(folder / "judgments"), str(folder / "runs")
    schema = "query_id string, doc_id string, grade double"
    session.createDataFrame(judged, schema).write.parquet(paths[0])
    schema = "system string, query_id string, doc_id string, score double"
    session.createDataFrame(found, schema).write.parquet(paths[1])
    return paths


def main(arguments: list[str]) -> None:
    """Run the job."""
    session = SparkSession.builder.appName("evaluate").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        if not arguments:
            arguments = [*write_shop(session, Path(folder)), str(Path(folder) / "rows")]
        judgments, runs, rows = arguments
        evaluation = measure(session, judgments, runs, rows)
    print(evaluation)
    first, *others = evaluation.systems
    if others:
        print()
        print(gainful.compare(evaluation, measures="nDCG@10", baseline=first))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
