"""Generate a large run in TREC text, its first quarter, its judgments and the correct answers.

Run under the peers' Python (it needs NumPy and PyArrow)::

    python benchmarks/generate_text.py FOLDER QUERIES DEPTH

The lines resemble those of ``generate.py``, but PyArrow writes many queries at once, without ties.
One document per query is judged, as in MS MARCO, so that the run is large, not the judgments; nine
in ten of them are retrieved.

``quarter.txt`` and ``whole.txt`` are the runs, ``quarter-qrels.txt`` and ``whole-qrels.txt`` their
judgments, and ``answers.json`` has the mean nDCG@10 of each.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from numpy.typing import NDArray

BLOCK = 500  # queries that are generated at once
FOUND = 0.9
STEP = 1e-4  # the smallest difference of two scores
AS_TREC = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")


def block(
    rng: np.random.Generator, ids: NDArray[np.int64], depth: int
) -> tuple[pa.Table, pa.Table, float]:
    """Return the rows of run and judgments of the queries `ids`, and the sum of nDCG@10."""
    count = len(ids)
    # A start and a stride make ids distinct within a query.
    start, stride = rng.integers(1, 8_000_000, count), rng.integers(1, 999, count)
    documents = start[:, None] + stride[:, None] * rng.permuted(
        np.tile(np.arange(depth), (count, 1)), axis=1
    )
    steps = rng.integers(1, 2_000, (count, depth))
    scores = steps[:, ::-1].cumsum(axis=1)[:, ::-1] * STEP
    run = pa.table(
        {
            "query_id": np.repeat(ids, depth),
            "iteration": pa.array(["Q0"] * (count * depth)),
            "doc_id": documents.ravel(),
            "rank": np.tile(np.arange(1, depth + 1), count),
            # Rounded because a product such as 3 * 0.0001 has sixteen digits.
            "score": scores.ravel().round(4),
            "tag": pa.array(["bm25f"] * (count * depth)),
        }
    )
    place = np.minimum(rng.geometric(0.05, count) - 1, depth - 1)
    found = rng.random(count) < FOUND
    qrels = pa.table(
        {
            "query_id": ids,
            "iteration": pa.array(["0"] * count),
            "doc_id": np.where(found, documents[np.arange(count), place], start + stride * depth),
            "grade": rng.integers(1, 4, count),
        }
    )
    # With one relevant document, its grade cancels out.
    seen = place[found & (place < 10)]
    return run, qrels, float((1 / np.log2(seen + 2)).sum())


def generate(folder: Path, queries: int, depth: int) -> None:
    """Write the quarter, the whole run, and ``answers.json``."""
    answers = {}
    for name, count in (("quarter", queries // 4), ("whole", queries)):
        rng = np.random.default_rng(20_160_713)
        total = 0.0
        with (
            (folder / f"{name}.txt").open("wb") as run_file,
            (folder / f"{name}-qrels.txt").open("wb") as qrels_file,
        ):
            for first in range(1, count + 1, BLOCK):
                ids = np.arange(first, min(first + BLOCK, count + 1))
                run, qrels, values = block(rng, ids, depth)
                csv.write_csv(run, run_file, AS_TREC)
                csv.write_csv(qrels, qrels_file, AS_TREC)
                total += values
        answers[name] = total / count
    # Written last: its presence marks the folder as complete.
    (folder / "answers.json").write_text(json.dumps(answers), encoding="ascii")


if __name__ == "__main__":
    generate(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
