"""Dask: judgments and a run as data frames, measured partition by partition."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gainful
from cluster_collection import MEASURES, collection, columns
from evaluation_words import contents
from gainful.errors import ArgumentError, FormatError, MatchError
from gainful.evaluation.partition import score_table
from requirements import ROOT, need

need("dask")
distributed = need("distributed")
pandas = need("pandas")
pyarrow = need("pyarrow")
dataframe = importlib.import_module("dask.dataframe")


def score(part: Any, calls: str | None = None, **options: Any) -> Any:
    """Measure a partition, and leave a mark."""
    if calls is not None:
        with open(calls, "a") as file:
            file.write(f"{part['query_id'].nunique()}\n")
    table = pyarrow.Table.from_pandas(part, preserve_index=False)
    rows = score_table(table, MEASURES, **options)
    return rows.to_pandas(types_mapper=pandas.ArrowDtype)


def dies_once(part: Any, marker: str) -> Any:
    """Kill the worker in the middle of the first task; the others measure."""
    if len(part):
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os._exit(9)
    return score(part)


def shuffled(qrels: Any, run: Any, partitions: int) -> Any:
    frames = [
        dataframe.from_pandas(table.to_pandas(), npartitions=3).assign(is_judgment=judged)
        for table, judged in ((qrels, True), (run, False))
    ]
    return dataframe.concat(frames).shuffle("query_id", npartitions=partitions)


@pytest.mark.parametrize("ids", ["string", "int64"])
@pytest.mark.parametrize("partitions", [1, 7])
def test_partitions_make_the_whole(partitions: int, ids: str, tmp_path: Path) -> None:
    qrels, run = collection(1)
    sides = columns(qrels, "grade", ids), columns(run, "score", ids)
    parts = shuffled(*sides, partitions)
    meta = score(parts._meta)
    rows = parts.map_partitions(score, calls=str(tmp_path / "calls"), meta=meta)
    found = gainful.Evaluation.from_rows(rows.compute(), MEASURES)
    assert contents(found) == contents(gainful.evaluate(*sides, MEASURES))
    # One call a partition, never one a query.
    calls = [int(line) for line in (tmp_path / "calls").read_text().splitlines()]
    assert sum(calls) == 200
    assert len(calls) == partitions


# Of Dask's own.
@pytest.mark.filterwarnings("ignore:The inplace keyword:pandas.errors.Pandas4Warning")
def test_more_partitions_than_queries(tmp_path: Path) -> None:
    qrels, run = collection(2, queries=15)
    parts = shuffled(columns(qrels, "grade"), columns(run, "score"), 40)
    rows = parts.map_partitions(score, meta=score(parts._meta))
    assert 0 in list(rows.map_partitions(len).compute())
    rows.to_parquet(tmp_path / "rows")
    found = gainful.Evaluation.from_rows(tmp_path / "rows", MEASURES)
    assert contents(found) == contents(gainful.evaluate(qrels, run, MEASURES))


def test_a_worker_that_dies(tmp_path: Path) -> None:
    qrels, run = collection(3)
    marker = tmp_path / "died"
    with distributed.Client(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ):
        parts = shuffled(columns(qrels, "grade"), columns(run, "score"), 6)
        rows = parts.map_partitions(dies_once, str(marker), meta=score(parts._meta))
        found = gainful.Evaluation.from_rows(rows.compute(), MEASURES)
    assert marker.exists()
    assert contents(found) == contents(gainful.evaluate(qrels, run, MEASURES))


def test_queries_split_between_partitions_are_an_error() -> None:
    qrels, run = collection(4)
    # Judgments and run are shuffled separately, with ids of two types, so partitions differ.
    judged = dataframe.from_pandas(columns(qrels, "grade", "int64").to_pandas(), npartitions=2)
    ranked = dataframe.from_pandas(columns(run, "score", "int64").to_pandas(), npartitions=2)
    judged = judged.assign(is_judgment=True).shuffle("query_id", npartitions=5)
    ranked = ranked.assign(is_judgment=False, query_id=ranked["query_id"].astype(str))
    ranked = ranked.shuffle("query_id", npartitions=5)
    parts = []
    for one, other in zip(judged.partitions, ranked.partitions, strict=True):
        own = one.compute().astype({"query_id": str})
        parts.append(pandas.concat([own, other.compute()]))
    rows = [pyarrow.Table.from_pandas(score(part)) for part in parts]
    with pytest.raises(MatchError, match="its ranking are in different parts"):
        gainful.Evaluation.from_rows(rows, MEASURES)


def test_an_error_comes_out_as_it_is() -> None:
    qrels, run = collection(5)
    run["q020"] = {"d1": float("inf")}
    parts = shuffled(columns(qrels, "grade"), columns(run, "score"), 3)
    with pytest.raises(FormatError, match="query 'q020', document 'd1'"):
        parts.map_partitions(score, meta=score(parts._meta)).compute()


def test_the_example(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "dask_frames.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("fts5-tuned\nmeasure   mean ")
    assert "\nnDCG@10  .7142 " in done.stdout


def test_a_frame_that_is_not_computed_is_refused() -> None:
    frame = dataframe.from_pandas(
        pandas.DataFrame({"query_id": ["q"], "doc_id": ["d"], "grade": [1]}), npartitions=1
    )
    with pytest.raises(ArgumentError, match=r"call .compute\(\) first"):
        gainful.Qrels(frame)
    assert gainful.Qrels(frame.compute()).to_dict() == {"q": {"d": 1}}
