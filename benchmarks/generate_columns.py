"""Generate a large run in Parquet, its judgments and the correct answers.

Run under the peers' Python (it needs NumPy and PyArrow)::

    python benchmarks/generate_columns.py FOLDER QUERIES DEPTH PARTS

Ids are 64-bit integers. The scores of a query all differ, and its rows are adjacent, in no order.
One document in twenty is judged, and one unretrieved document per query. Queries are generated in
blocks, so that memory does not grow with the run.

Run and judgments are split into PARTS files with equal numbers of queries, ``run/part-0.parquet``
and so on, so that the first files are a smaller run of the same kind. For each part,
``answers.json`` has the number of judgments and the sums of nDCG@10, AP and R@100 over its queries,
computed here with NumPy.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

BLOCK = 10_000  # queries that are generated at once
JUDGED = 0.05
ROW_GROUP = 1 << 20

ID, SCORE = pa.int64(), pa.float64()
RUN = pa.schema([("query_id", ID), ("doc_id", ID), ("score", SCORE)])
QRELS = pa.schema([("query_id", ID), ("doc_id", ID), ("grade", pa.int8())])


def values(
    scores: NDArray[np.float64], grades: NDArray[np.float64], missed: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return nDCG@10, AP and R@100 of queries, from grades of retrieved and missed documents."""
    ranked = np.take_along_axis(grades, np.argsort(-scores, axis=1), axis=1)
    discount = 1 / np.log2(np.arange(2, 12))
    best = -np.sort(-np.hstack([grades, missed[:, None]]), axis=1)[:, :10]
    dcg, ideal = (ranked[:, :10] * discount).sum(axis=1), (best * discount).sum(axis=1)
    relevant = (grades > 0).sum(axis=1) + (missed > 0)
    hits = ranked > 0
    precision = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    return [
        np.divide(dcg, ideal, out=np.zeros_like(dcg), where=ideal > 0),
        np.divide((precision * hits).sum(axis=1), relevant, out=dcg * 0, where=relevant > 0),
        np.divide(hits[:, :100].sum(axis=1), relevant, out=dcg * 0, where=relevant > 0),
    ]


def generate(folder: Path, queries: int, depth: int, parts: int) -> None:
    """Write ``run``, ``qrels`` and ``answers.json``."""
    rng = np.random.default_rng(20_160_713)
    each, rest = divmod(queries, parts)
    if rest:
        raise SystemExit(f"{queries} queries cannot be split into {parts} equal parts")
    for name in ("run", "qrels"):
        (folder / name).mkdir()
    sides = []
    for part in range(parts):
        name = f"part-{part}.parquet"
        with (
            pq.ParquetWriter(folder / "run" / name, RUN) as run,
            pq.ParquetWriter(folder / "qrels" / name, QRELS) as qrels,
        ):
            sums, judgments = np.zeros(3), 0
            for first in range(part * each, (part + 1) * each, BLOCK):
                ids = np.arange(first, min(first + BLOCK, (part + 1) * each))
                found, judged = write(rng, run, qrels, ids, depth)
                sums += found
                judgments += judged
        sides.append({"judgments": judgments, "sums": list(sums)})
    # Written last: its presence marks the folder as complete.
    (folder / "answers.json").write_text(json.dumps(sides), encoding="ascii")


def write(
    rng: np.random.Generator,
    run: pq.ParquetWriter,
    qrels: pq.ParquetWriter,
    ids: NDArray[np.int64],
    depth: int,
) -> tuple[NDArray[np.float64], int]:
    """Write the rows of the queries `ids`; return sums of values, and the number of judgments."""
    count = len(ids)
    # A start and a stride make ids distinct within a query; then they are shuffled.
    start, stride = rng.integers(1, 10_000_000, count), rng.integers(1, 9_999, count)
    place = rng.permuted(np.tile(np.arange(depth), (count, 1)), axis=1)
    documents = start[:, None] + stride[:, None] * place
    scores = rng.random((count, depth))
    judged = rng.random((count, depth)) < JUDGED
    grades = np.where(judged, rng.integers(0, 4, (count, depth)), 0)
    missed = rng.integers(0, 4, count)
    owner = np.repeat(ids, depth)
    run.write_table(pa.table([owner, documents.ravel(), scores.ravel()], schema=RUN), ROW_GROUP)
    qrels.write_table(
        pa.table(
            [
                np.concatenate([owner[judged.ravel()], ids]),
                np.concatenate([documents[judged], start + stride * depth]),
                np.concatenate([grades[judged], missed]).astype(np.int8),
            ],
            schema=QRELS,
        ),
        ROW_GROUP,
    )
    found = values(scores, grades.astype(float), missed.astype(float))
    return np.array([one.sum() for one in found]), int(judged.sum()) + count


if __name__ == "__main__":
    generate(Path(sys.argv[1]), *map(int, sys.argv[2:]))
