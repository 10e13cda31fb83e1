"""Ray Data: judgments and a run as data sets, measured block by block."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import gainful
from cluster_collection import MEASURES, collection, columns
from evaluation_words import contents
from gainful.evaluation.partition import score_table, tagged
from requirements import ROOT, need

ray = need("ray")
pyarrow = need("pyarrow")
# Of Ray's own.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.usefixtures("ray_cluster"),
]


def score(part: Any, calls: str) -> Any:
    """Measure a block, and leave a mark."""
    with open(calls, "a") as file:
        file.write(f"{len(part['query_id'].unique())}\n")
    return score_table(part, MEASURES)


def dies_once(part: Any, marker: str) -> Any:
    """Kill the worker in the middle of the first task; the others measure."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return score_table(part, MEASURES)
    os._exit(9)


def shuffled(qrels: Any, run: Any, blocks: int) -> Any:
    sides = []
    for table, side in ((qrels, "qrels"), (run, "run")):
        pieces = [table.slice(at, 900) for at in range(0, len(table), 900)]
        tag = partial(tagged, side=side)
        sides.append(
            ray.data.from_arrow(pieces).map_batches(tag, batch_format="pyarrow", batch_size=None)
        )
    return sides[0].union(sides[1]).repartition(blocks, keys=["query_id"])


def rows(parts: Any, function: Any) -> list[Any]:
    found = parts.map_batches(function, batch_format="pyarrow", batch_size=None)
    return ray.get(found.to_arrow_refs())


def test_blocks_make_the_whole(tmp_path: Path) -> None:
    qrels, run = collection(1)
    # Ids of two types: as text they are dealt out alike.
    sides = columns(qrels, "grade", "int64"), columns(run, "score", "int64")
    text = sides[1].set_column(0, "query_id", sides[1]["query_id"].cast("string"))
    calls = tmp_path / "calls"
    found = rows(shuffled(sides[0], text, 5), partial(score, calls=str(calls)))
    evaluation = gainful.Evaluation.from_rows(found, MEASURES)
    assert contents(evaluation) == contents(gainful.evaluate(*sides, MEASURES))
    # One call a block, never one a query.
    counts = [int(line) for line in calls.read_text().splitlines()]
    assert sum(counts) == 200
    assert len(counts) <= 5


def test_more_blocks_than_queries(tmp_path: Path) -> None:
    qrels, run = collection(2, queries=15)
    parts = shuffled(columns(qrels, "grade"), columns(run, "score"), 20)
    data = parts.map_batches(
        partial(score_table, measures=MEASURES), batch_format="pyarrow", batch_size=None
    )
    data.write_parquet(str(tmp_path / "rows"))
    found = gainful.Evaluation.from_rows(tmp_path / "rows", MEASURES)
    assert contents(found) == contents(gainful.evaluate(qrels, run, MEASURES))


def test_a_worker_that_dies(tmp_path: Path) -> None:
    qrels, run = collection(3)
    marker = tmp_path / "died"
    parts = shuffled(columns(qrels, "grade"), columns(run, "score"), 4)
    found = rows(parts, partial(dies_once, marker=str(marker)))
    assert marker.exists()
    evaluation = gainful.Evaluation.from_rows(found, MEASURES)
    assert contents(evaluation) == contents(gainful.evaluate(qrels, run, MEASURES))


def test_an_error_says_what_it_is() -> None:
    qrels, run = collection(4, queries=15)
    parts = shuffled(columns(qrels, "grade"), columns(run, "score"), 2)
    bounded = partial(score_table, measures=MEASURES, bounds=True)
    # Ray wraps what a task raises, and keeps its text.
    contents = r"gainful\.errors\.ParameterError: scale: found bounds without a scale"
    with pytest.raises(ray.exceptions.RayTaskError, match=contents):
        rows(parts, bounded)


def test_the_example(tmp_path: Path, short_folder: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "ray_data.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"RAY_TMPDIR": short_folder, "RAY_USAGE_STATS_ENABLED": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "fts5-tuned\nmeasure   mean " in done.stdout
    assert "\nnDCG@10  .7142 " in done.stdout
