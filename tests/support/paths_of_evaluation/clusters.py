"""Spark, Ray and Dask: queries distributed by a shuffle, rows collected on the driver."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path as Folder
from typing import Any

import gainful
import spark_sessions
from gainful.conventions import Convention, presets
from gainful.evaluation.partition import score_table
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.columns import qrels_table, run_table
from paths_of_evaluation.outcome import Rows, of_evaluation
from paths_of_evaluation.partitions import tagged
from paths_of_evaluation.path import Ask, Measures, Path
from paths_of_evaluation.ranges import in_ranges, numbered
from requirements import need

PRESETS = tuple(preset.name for preset in presets())
#: Collections whose order a shuffle changes, or whose queries are scattered before it.
COLLECTIONS = ("twice", "scattered", "subtopics")
#: Failing jobs are slow; each cluster's own tests check the messages.
LACKS = frozenset({"errors"})


def on_spark(session: Any) -> Callable[[Collection, Folder], Ask]:
    """Return a function that evaluates on Spark, in a session."""

    def open(collection: Collection, folder: Folder) -> Ask:
        from gainful.backends import spark

        qrels, run = (
            session.createDataFrame(numbered(table))
            for table in (qrels_table(collection), run_table(collection))
        )

        def ask(measures: Measures, convention: Convention) -> Rows:
            result = spark.evaluate(
                qrels,
                run,
                measures,
                convention=convention,
                position="at",
                qrels_position="at",
                partitions=3,
            )
            return of_evaluation(result.evaluation())

        return ask

    return open


def in_order(table: Any, measures: Measures, convention: Convention) -> Any:
    """Evaluate a partition in the order that its rows had before the shuffle."""
    return score_table(table.sort_by("at"), measures, convention=convention)


def on_ray(collection: Collection, folder: Folder) -> Ask:
    """Evaluate with Ray Data."""
    import ray

    dealt = ray.data.from_arrow(numbered(tagged(collection)))
    parts = dealt.repartition(3, keys=["query_id"]).materialize()

    def ask(measures: Measures, convention: Convention) -> Rows:
        score = partial(in_order, measures=measures, convention=convention)
        rows = parts.map_batches(score, batch_format="pyarrow", batch_size=None)
        tables = ray.get(rows.to_arrow_refs())
        return of_evaluation(gainful.Evaluation.from_rows(tables, measures, convention=convention))

    return ask


def on_dask(collection: Collection, folder: Folder) -> Ask:
    """Evaluate with Dask's data frames."""
    import dask
    import dask.dataframe
    import pandas
    import pyarrow

    whole = numbered(tagged(collection)).to_pandas(types_mapper=pandas.ArrowDtype)
    parts = dask.dataframe.from_pandas(whole, npartitions=2, sort=False)
    parts = parts.shuffle("query_id", npartitions=3).persist()

    def ask(measures: Measures, convention: Convention) -> Rows:
        @dask.delayed
        def score(part: Any) -> Any:
            table = pyarrow.Table.from_pandas(part, preserve_index=False)
            return in_order(table, measures, convention)

        tables = dask.compute(*map(score, parts.to_delayed()))
        return of_evaluation(gainful.Evaluation.from_rows(tables, measures, convention=convention))

    return ask


def spark_path(name: str, session: Any, conventions: tuple[str, ...] = PRESETS) -> Path:
    """Return the path through a session of Spark."""
    return Path(name, on_spark(session), ("pyspark",), LACKS, conventions, COLLECTIONS)


def files_path(name: str, session: Any, conventions: tuple[str, ...] = PRESETS) -> Path:
    """Return the path of files that a session of Spark reads in ranges of queries."""
    return Path(name, in_ranges(session), ("pyspark",), LACKS, conventions, COLLECTIONS)


RAY = Path("Ray Data", on_ray, ("ray", "pyarrow"), LACKS, PRESETS, COLLECTIONS)
DASK = Path("Dask", on_dask, ("dask", "pandas", "pyarrow"), LACKS, PRESETS, COLLECTIONS)


@contextmanager
def ray_here(folder: str) -> Iterator[None]:
    """Run Ray on this machine, with two workers; the folder's path is short."""
    ray = need("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Its processes may start slowly on a busy machine.
    os.environ["RAY_gcs_server_port_wait_time_s"] = "300"  # noqa: SIM112
    # Workers import the modules of the tests from the same folders as this process.
    paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    # Some of Ray's settings cause warnings about other settings of Ray.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        # The processes of a node that did not start, as they are forgotten.
        warnings.simplefilter("ignore", ResourceWarning)
        for left in (2, 1, 0):
            try:
                ray.init(
                    num_cpus=2,
                    _temp_dir=folder,
                    object_store_memory=200_000_000,
                    include_dashboard=False,
                    logging_level="error",
                    log_to_driver=False,
                    runtime_env={"env_vars": paths},
                )
                break
            except Exception:
                # Ray gives a node 30 seconds to start, which no setting changes.
                ray.shutdown()
                if not left:
                    raise
            gc.collect()
        ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def all_started(folder: str) -> Iterator[tuple[Path, ...]]:
    """Yield the paths of all clusters, which run for the duration of the block."""
    with ExitStack() as running:
        connected = running.enter_context(spark_sessions.connected())
        classic = spark_sessions.classic()
        running.callback(classic.stop)
        running.enter_context(ray_here(folder))
        yield (
            spark_path("Spark", classic),
            spark_path("Spark Connect", connected),
            RAY,
            DASK,
        )
