"""Read TREC files as the input of timed calls; reading is not timed."""

from __future__ import annotations

from typing import Any


def read_qrels(path: str) -> dict[str, dict[str, int]]:
    """Return judgments as a dict of dicts."""
    qrels: dict[str, dict[str, int]] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            query, _, document, grade = line.split()
            qrels.setdefault(query, {})[document] = int(grade)
    return qrels


def read_run(path: str) -> dict[str, dict[str, float]]:
    """Return a run as a dict of dicts."""
    run: dict[str, dict[str, float]] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            query, _, document, _, score, _ = line.split()
            run.setdefault(query, {})[document] = float(score)
    return run


def read_table(path: str, *, grades: bool, text: bool) -> Any:
    """Return a file as a PyArrow table: query_id, doc_id, and grade or score.

    Ids become strings if `text`, else 64-bit integers.
    """
    import pyarrow as pa
    from pyarrow import csv

    ids = pa.string() if text else pa.int64()
    types = {"query_id": ids, "doc_id": ids}
    if grades:
        names = ["query_id", "iteration", "doc_id", "grade"]
        types["grade"] = pa.int64()
    else:
        names = ["query_id", "iteration", "doc_id", "rank", "score", "tag"]
        types["score"] = pa.float64()
    return csv.read_csv(
        path,
        read_options=csv.ReadOptions(column_names=names),
        parse_options=csv.ParseOptions(delimiter=" "),
        convert_options=csv.ConvertOptions(column_types=types, include_columns=list(types)),
    )
