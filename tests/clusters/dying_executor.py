"""Evaluate on two executors, kill one of them, and print the result.

Usage: dying_executor.py FOLDER, with qrels.parquet and run.parquet in it.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import gainful
from evaluation_words import sorted_rows
from gainful.backends import spark
from gainful.backends.spark import call

MEASURES = ["nDCG@10", "AP"]


def session() -> SparkSession:
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,512]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def killing(sent: Callable[..., Any], once: Path) -> Callable[..., Any]:
    """Return what `task` returns, but that the first task kills the JVM of its executor."""
    path, kill = str(once), int(signal.SIGKILL)

    def made(*asked: Any) -> Any:
        measure = sent(*asked)

        def perform(batches: Any) -> Iterator[Any]:
            import os
            import time

            for batch in measure(batches):
                try:
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    # The daemon that forked this worker is the executor's child.
                    with open(f"/proc/{os.getppid()}/stat") as stat:
                        parent = int(stat.read().rpartition(")")[2].split()[1])
                    with open(f"/proc/{parent}/cmdline", "rb") as words:
                        assert b"CoarseGrainedExecutorBackend" in words.read()
                    os.kill(parent, kill)
                    time.sleep(20)
                yield batch

        return perform

    return made


def main(folder: Path) -> None:
    spark_session = session()
    spark_session.sparkContext.setLogLevel("OFF")
    paths = [str(folder / f"{name}.parquet") for name in ("qrels", "run")]
    whole = sorted_rows(gainful.evaluate(*paths, MEASURES))
    tables = [spark_session.read.parquet(path) for path in paths]
    task = call.task  # type: ignore[attr-defined]
    for name, sources in (("files", paths), ("tables", tables)):
        with tempfile.TemporaryDirectory() as scratch:
            once = Path(scratch) / "killed"
            call.task = killing(task, once)  # type: ignore[attr-defined]
            result = spark.evaluate(*sources, MEASURES, session=spark_session, partitions=4)
            rows = sorted_rows(result.evaluation())
            print(name, "killed" if once.exists() else "alive")
            print("same" if rows == whole else "other")
    spark_session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
