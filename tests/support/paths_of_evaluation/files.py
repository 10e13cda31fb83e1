"""Judgments and runs in files: TREC text, compressed or not, tables and objects of text."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any

from paths_of_evaluation.collections import Collection
from requirements import need


def qrels_text(collection: Collection) -> str:
    """Return judgments as TREC text."""
    return "".join(f"{q} {sub} {d} {grade!r}\n" for q, d, grade, sub in collection.qrels)


def run_text(collection: Collection) -> str:
    """Return a run as TREC text."""
    return "".join(f"{q} Q0 {d} {rank} {score!r} own\n" for q, d, rank, score in collection.run)


def zstandard(path: Folder, mode: str) -> Any:
    """Open a file for writing with zstandard compression."""
    return need("pyarrow").CompressedOutputStream(str(path), "zstd")


def trec(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Write TREC text."""
    qrels, run = folder / "qrels.txt", folder / "own.run"
    qrels.write_text(qrels_text(collection), encoding="utf-8")
    run.write_text(run_text(collection), encoding="utf-8")
    return lambda: (qrels, run)


def compressed(suffix: str, opened: Callable[..., Any]) -> Any:
    """Return a function that writes compressed TREC text."""

    def write(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
        paths = folder / f"qrels.txt{suffix}", folder / f"own.run{suffix}"
        for path, text in zip(paths, (qrels_text(collection), run_text(collection)), strict=True):
            with opened(path, "wb") as file:
                file.write(text.encode())
        return lambda: paths

    return write


def parts(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Write TREC text to three files; the second begins in the middle of a query."""
    lines = run_text(collection).splitlines(keepends=True)
    at = 1 + len(lines) // 3
    paths = []
    for number in range(3):
        paths.append(folder / f"part-{number}.run")
        paths[-1].write_text("".join(lines[number * at : (number + 1) * at]), encoding="utf-8")
    (folder / "qrels.txt").write_text(qrels_text(collection), encoding="utf-8")
    return lambda: (folder / "qrels.txt", paths)


def delimited(suffix: str, delimiter: str) -> Any:
    """Return a function that writes delimited text with a header."""

    def write(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
        qrels, run = folder / f"qrels{suffix}", folder / f"own{suffix}"
        tables = (
            (qrels, ("query_id", "doc_id", "grade", "subtopic"), collection.qrels),
            (run, ("query_id", "doc_id", "rank", "score"), collection.run),
        )
        for path, header, rows in tables:
            width = 3 if path == qrels and not collection.subtopics else 4
            with path.open("w", encoding="utf-8", newline="") as file:
                if delimiter == ",":
                    csv.writer(file).writerows(row[:width] for row in (header, *rows))
                else:
                    # There are no quotes in TSV.
                    cells = (map(str, row[:width]) for row in (header, *rows))
                    file.writelines(f"{delimiter.join(row)}\n" for row in cells)
        return lambda: (qrels, run)

    return write


def objects(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Write a JSON object of objects."""
    tables: dict[str, dict[str, dict[str, float]]] = {"qrels": {}, "own": {}}
    for query, document, grade, _ in collection.qrels:
        tables["qrels"].setdefault(query, {})[document] = grade
    for query, document, _, score in collection.run:
        tables["own"].setdefault(query, {})[document] = score
    for name, table in tables.items():
        (folder / f"{name}.json").write_text(json.dumps(table), encoding="utf-8")
    return lambda: (folder / "qrels.json", folder / "own.json")


def lines(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Write one JSON object per line."""
    qrels, run = folder / "qrels.jsonl", folder / "own.jsonl"
    tables = ((qrels, "grade", collection.qrels), (run, "score", collection.run))
    for path, value, rows in tables:
        at = 2 if value == "grade" else 3
        cells = [{"query_id": row[0], "doc_id": row[1], value: row[at]} for row in rows]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in cells), encoding="utf-8")
    return lambda: (qrels, run)


COMPRESSED: dict[str, tuple[str, Callable[..., Any], tuple[str, ...]]] = {
    "gzip": (".gz", gzip.open, ()),
    "bzip2": (".bz2", bz2.open, ()),
    "xz": (".xz", lzma.open, ()),
    "zstandard": (".zst", zstandard, ("pyarrow",)),
}
