"""Partitions of the queries, evaluated one by one as on a cluster and concatenated."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any

import gainful
from gainful.conventions import Convention, presets
from gainful.evaluation.partition import score_batches, score_partition
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.columns import batches, few, qrels_table, run_table
from paths_of_evaluation.files import trec
from paths_of_evaluation.outcome import Rows, of_evaluation
from paths_of_evaluation.path import Ask, Measures, Path
from requirements import need

PRESETS = tuple(preset.name for preset in presets())
#: The first of several errors depends on the order of the parts.
LACKS = frozenset({"first error"})


def dealt(collection: Collection, count: int = 5) -> list[Collection]:
    """Split a collection; the first part is empty, others may lack judgments or results."""
    source = random.Random(collection.name)
    parts: list[set[str]] = [set() for _ in range(count)]
    for query in collection.queries():
        source.choice(parts[1:]).add(query)
    return [collection.part(queries) for queries in parts]


def of_parts(collection: Collection, folder: Folder) -> Ask:
    """Evaluate each part of pyarrow tables, in any order."""
    tables = [(qrels_table(part), run_table(part)) for part in dealt(collection)]
    random.Random(1).shuffle(tables)

    def ask(measures: Measures, convention: Convention) -> Rows:
        parts = [score_partition(*each, measures, convention=convention) for each in tables]
        return of_evaluation(gainful.Evaluation.from_rows(parts, measures, convention=convention))

    return ask


def through_parquet(collection: Collection, folder: Folder) -> Ask:
    """Evaluate each part of data frames, write its rows to a file, and read the folder."""
    import pyarrow.parquet as pq

    pl = need("polars")
    tables = [(qrels_table(part), run_table(part)) for part in dealt(collection)]
    frames = [tuple(pl.from_arrow(table) for table in both) for both in tables]

    def ask(measures: Measures, convention: Convention) -> Rows:
        for at, both in enumerate(frames):
            found = score_partition(*both, measures, convention=convention, ids="binary")
            pq.write_table(need("pyarrow").table(found), folder / f"{at}.parquet")
        return of_evaluation(gainful.Evaluation.from_rows(folder, measures, convention=convention))

    return ask


def tagged(collection: Collection) -> Any:
    """Return one table of judgments and a run, grouped by query."""
    pa = need("pyarrow")
    qrels, run = qrels_table(collection), run_table(collection)
    sides = [
        table.append_column("is_judgment", pa.array([judged] * len(table), pa.bool_()))
        for judged, table in ((True, qrels), (False, run))
    ]
    # Judgments and results of a query are adjacent, each in their original order.
    both = pa.concat_tables(sides, promote_options="default")
    turn = {query: at for at, query in enumerate(both["query_id"].unique().to_pylist())}
    order = sorted(range(len(both)), key=lambda row: turn[both["query_id"][row].as_py()])
    return both.take(order)


def in_batches(collection: Collection, folder: Folder) -> Ask:
    """Evaluate a stream of judgments and results, in batches that split queries."""
    both = tagged(collection)
    stream = batches(both)

    def ask(measures: Measures, convention: Convention) -> Rows:
        rows = score_batches(stream, measures, convention=convention, rows=few(both, 40))
        return of_evaluation(gainful.Evaluation.from_rows(rows, measures, convention=convention))

    return ask


def there_and_back(frame: Callable[[Any], Any]) -> Callable[[Collection, Folder], Ask]:
    """Return what evaluates, makes a frame of the rows, and an evaluation of the frame."""

    def open(collection: Collection, folder: Folder) -> Ask:
        qrels, run = trec(collection, folder)()

        def ask(measures: Measures, convention: Convention) -> Rows:
            result = gainful.evaluate(qrels, run, measures, convention=convention)
            rows = frame(result.to_rows())
            return of_evaluation(
                gainful.Evaluation.from_rows(rows, measures, convention=convention)
            )

        return ask

    return open


PATHS = (
    Path("score_partition, random parts", of_parts, ("pyarrow",), LACKS, PRESETS),
    Path(
        "score_partition, rows through Parquet",
        through_parquet,
        ("polars", "pyarrow"),
        LACKS,
        PRESETS,
        collections=("scattered", "subtopics"),
    ),
    Path("score_batches, both sides in one stream", in_batches, ("pyarrow",), LACKS),
    Path(
        "rows as a frame of polars and back",
        there_and_back(lambda rows: need("polars").DataFrame(rows)),
        ("polars",),
    ),
)
