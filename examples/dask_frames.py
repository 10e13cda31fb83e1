"""Evaluate judgments and a run in Parquet with Dask, partition by partition.

    python examples/dask_frames.py

The example first writes the demo shop's judgments and a run to files. Dask uses this machine's
threads, or a cluster after ``dask.distributed.Client(address)``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import dask.dataframe
import pandas
import pyarrow
import pyarrow.parquet

import gainful
from gainful import demo
from gainful.evaluation.partition import score_table

MEASURES = ["nDCG@10", "AP", "RR"]


def score(part: pandas.DataFrame) -> pandas.DataFrame:
    """Evaluate all queries of a partition in one call."""
    table = pyarrow.Table.from_pandas(part, preserve_index=False)
    # With Arrow types, integers remain integers in partitions with nulls.
    rows = score_table(table, MEASURES, system="fts5-tuned")
    return rows.to_pandas(types_mapper=pandas.ArrowDtype)


def evaluate(folder: Path) -> gainful.Evaluation:
    """Write, read, bring the rows of a query to one place, measure there, and look at the whole."""
    run = gainful.Run(demo.runs()["fts5-tuned"])
    pyarrow.parquet.write_table(
        pyarrow.table(gainful.Qrels(demo.qrels())), folder / "qrels.parquet"
    )
    pyarrow.parquet.write_table(pyarrow.table(run), folder / "run.parquet", row_group_size=500)

    qrels = dask.dataframe.read_parquet(
        folder / "qrels.parquet", columns=["query_id", "doc_id", "grade"]
    )
    ranked = dask.dataframe.read_parquet(
        folder / "run.parquet", columns=["query_id", "doc_id", "score"]
    )
    both = dask.dataframe.concat([qrels.assign(is_judgment=True), ranked.assign(is_judgment=False)])
    parts = both.shuffle("query_id", npartitions=4)
    rows = parts.map_partitions(score, meta=score(both._meta))
    rows.to_parquet(folder / "rows")

    return gainful.Evaluation.from_rows(folder / "rows", MEASURES)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(evaluate(Path(place)))
