"""Evaluate judgments and a run in Parquet with the workers of Ray Data.

    python examples/ray_data.py

The example first writes the demo shop's judgments and a run to files.
``ray.init()`` starts Ray on this machine, or joins the cluster in ``RAY_ADDRESS``.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import pyarrow
import pyarrow.parquet
import ray

import gainful
from gainful import demo
from gainful.evaluation.partition import score_table, tagged

MEASURES = ["nDCG@10", "AP", "RR"]


def evaluate(folder: Path) -> gainful.Evaluation:
    """Write, read, bring the rows of a query to one place, measure there, and look at the whole."""
    run = gainful.Run(demo.runs()["fts5-tuned"])
    pyarrow.parquet.write_table(
        pyarrow.table(gainful.Qrels(demo.qrels())), folder / "qrels.parquet"
    )
    pyarrow.parquet.write_table(pyarrow.table(run), folder / "run.parquet", row_group_size=500)

    ray.init(include_dashboard=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    sides = {
        side: ray.data.read_parquet(str(folder / f"{side}.parquet")) for side in ("qrels", "run")
    }
    both = [
        rows.map_batches(partial(tagged, side=side), batch_format="pyarrow", batch_size=None)
        for side, rows in sides.items()
    ]
    # Each block has all rows of its queries and is one call of score_table.
    parts = both[0].union(both[1]).repartition(4, keys=["query_id"])
    score = partial(score_table, measures=MEASURES, system="fts5-tuned")
    rows = parts.map_batches(score, batch_format="pyarrow", batch_size=None)
    rows.write_parquet(str(folder / "rows"))
    ray.shutdown()

    return gainful.Evaluation.from_rows(folder / "rows", MEASURES)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(evaluate(Path(place)))
