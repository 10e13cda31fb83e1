"""All ways to evaluate judgments and a run (paths), and the data on which they are compared.

``PATHS`` lists them. Add a new way to evaluate there; the tests then check that it gives the same
rows as all others, bit for bit.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any

import gainful
from gainful.conventions import Convention, presets
from paths_of_evaluation import (
    addresses,
    columns,
    files,
    formulas,
    joined,
    objects,
    partitions,
    program,
    ranges,
    recommenders,
    warehouses,
)
from paths_of_evaluation.collections import COLLECTIONS, Collection
from paths_of_evaluation.outcome import Rows, of_evaluation
from paths_of_evaluation.path import Ask, Held, Measures, Path

__all__ = ["COLLECTIONS", "PATHS", "REFERENCE", "Collection", "Path"]


def evaluated(held: Held, threads: int = 2) -> Callable[[Collection, Folder], Ask]:
    """Return a function that evaluates inputs with `gainful.evaluate`."""

    def open(collection: Collection, folder: Folder) -> Ask:
        made = held(collection, folder)

        def ask(measures: Measures, convention: Convention) -> Rows:
            qrels, run = made()
            result = gainful.evaluate(
                qrels, runs={"own": run}, measures=measures, convention=convention, threads=threads
            )
            return of_evaluation(result)

        return ask

    return open


#: The reference for all others: TREC text on one thread.
REFERENCE = Path("TREC text, one thread", evaluated(files.trec, threads=1))

NO_RANKS = frozenset({"ranks"})
PLAIN = frozenset({"ranks", "duplicates"})
UNNAMED = frozenset({"ranks", "duplicates", "subtopics"})
ARROW = ("pyarrow",)
OTHER_PAGES = {"compression": "gzip", "data_page_version": "2.0"}
#: Enough for what differs in how bytes are packed, and for what takes long.
PRESETS = tuple(preset.name for preset in presets())


def path(
    name: str, held: Any, needs: tuple[str, ...] = (), lacks: Any = (), under: Any = None
) -> Path:
    """Return a path that uses `gainful.evaluate`."""
    return Path(name, evaluated(held), needs, frozenset(lacks), under)


PATHS: dict[str, Path] = {
    each.name: each
    for each in (
        path("TREC text", files.trec),
        path("TREC text in three files", files.parts),
        *(
            path(f"TREC text, {name}", files.compressed(suffix, opened), needs, under=PRESETS)
            for name, (suffix, opened, needs) in files.COMPRESSED.items()
        ),
        path("TSV", files.delimited(".tsv", "\t")),
        path("CSV", files.delimited(".csv", ",")),
        path("JSON", files.objects, lacks=UNNAMED),
        path("JSON lines", files.lines, lacks={"ranks", "subtopics"}),
        path("Parquet, snappy", columns.parquet(), ARROW),
        path("Parquet, zstandard", columns.parquet(compression="zstd"), ARROW, under=PRESETS),
        path("Parquet, gzip, pages 2.0", columns.parquet(**OTHER_PAGES), ARROW, under=PRESETS),
        path("Parquet, a folder", columns.data_set, ARROW),
        path("Parquet, a pattern", columns.globbed, ARROW, under=PRESETS),
        path("Arrow file", columns.arrow("file", "string_view"), ARROW),
        path("Arrow stream in a file", columns.arrow("stream", "dictionary"), ARROW),
        path(
            "TREC text, gzip, through fsspec",
            addresses.stored(files.compressed(".gz", gzip.open)),
            ("fsspec",),
            under=PRESETS,
        ),
        path(
            "Parquet through fsspec",
            addresses.stored(columns.parquet()),
            (*ARROW, "fsspec"),
            under=PRESETS,
        ),
        path("pyarrow table", columns.pyarrow_table("binary"), ARROW),
        path("pyarrow reader", columns.reader, ARROW),
        path("polars", columns.polars, ("polars", "pyarrow")),
        path("pandas", columns.pandas, ("pandas", "pyarrow"), under=PRESETS),
        path("DuckDB relation", columns.duckdb, ("duckdb", "pyarrow"), under=PRESETS),
        path("dict", objects.dictionaries, lacks=PLAIN),
        path("mapping of lists", objects.mappings, lacks=NO_RANKS),
        path("tuples", objects.triples, lacks=NO_RANKS),
        path("generator of records", objects.generators, lacks=NO_RANKS),
        path("Qrels and Run", objects.own, lacks=NO_RANKS),
        path("Qrels and Run of a file, pickled", objects.own_of_files),
        *joined.PATHS,
        *partitions.PATHS,
        *ranges.PATHS,
        *program.PATHS,
        *recommenders.PATHS,
        *warehouses.PATHS,
        *formulas.PATHS,
    )
}
