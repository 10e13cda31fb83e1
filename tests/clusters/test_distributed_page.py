"""The code blocks of docs/distributed.md and the example of a job."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gainful
from evaluation_words import sorted_rows, words
from markdown_blocks import Reader, blocks_of, needs_of
from requirements import ROOT, need

JOB = ROOT / "examples" / "spark_job.py"
MEASURES = ["nDCG@10", "AP", "R@100"]
LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.master": "local[2]",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
}


@pytest.mark.usefixtures("classic_spark")
def test_the_page(small_files: Path) -> None:
    page = ROOT / "docs" / "distributed.md"
    for name in needs_of(page):
        need(name)
    reader = Reader(small_files)
    for block in blocks_of(page):
        reader.read(block)


def ran(words: list[str], folder: Path) -> str:
    """Run a command with Spark's settings in a file; return what it prints."""
    (folder / "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in LOCAL.items()))
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "SPARK_CONF_DIR": str(folder), "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def shop() -> tuple[Any, Any, gainful.Evaluation]:
    """Return the demo's judgments and runs, and their evaluation.

    A query that found nothing has no rows, so that a table does not have it.
    """
    from gainful.demo import qrels, runs

    found = {
        name: {query: ranking for query, ranking in run.items() if ranking}
        for name, run in runs().items()
    }
    return qrels(), found, gainful.evaluate(qrels(), runs=found, measures=MEASURES)


def test_the_job_by_itself(tmp_path: Path) -> None:
    need("pyspark")
    printed = ran([sys.executable, str(JOB)], tmp_path)
    _, _, whole = shop()
    assert words(whole) in words(printed)
    compared = gainful.compare(whole, measures="nDCG@10", baseline=whole.systems[0])
    assert words(printed).endswith(words(compared))
    assert {path.name for path in tmp_path.iterdir()} == {"spark-defaults.conf"}


def test_the_job_submitted(tmp_path: Path) -> None:
    """With tables of its own, several files each, by spark-submit."""
    need("pyspark")
    pa: Any = need("pyarrow")
    from pyarrow import parquet

    qrels, runs, whole = shop()
    for name in ("judgments", "runs"):
        (tmp_path / name).mkdir()
    parquet.write_table(pa.table(gainful.Qrels(qrels)), tmp_path / "judgments" / "0.parquet")
    for system, run in runs.items():
        table = pa.table(gainful.Run(run)).drop_columns(["rank"])
        table = table.append_column("system", pa.array([system] * len(table)))
        parquet.write_table(table, tmp_path / "runs" / f"{system}.parquet")
    submit = Path(sys.executable).with_name("spark-submit")
    paths = [str(tmp_path / name) for name in ("judgments", "runs", "rows")]
    printed = ran([str(submit), str(JOB), *paths], tmp_path)
    # What Spark warns of goes where the job prints.
    assert words(whole) in words(printed)
    again = gainful.Evaluation.from_rows(str(tmp_path / "rows"), MEASURES)
    assert sorted_rows(again) == sorted_rows(whole)
