"""Where the system has no thread left, fewer threads or none give the same results."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

import gainful
from gainful.errors import SearchError
from gainful.systems.fetching import in_threads, on_loop
from requirements import need
from warm_process import running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="stacks are reserved differently")

#: Evaluates files in every way that starts threads, and prints the results.
PROGRAM = """
import sys
import numpy as np
import gainful
from gainful.inference import max_t

folder = sys.argv[1]
for name in ("sorted.run", "shuffled.run", "run.jsonl", "run.csv", "run.parquet", "run.arrow"):
    try:
        made = gainful.evaluate(f"{folder}/qrels", f"{folder}/{name}", ["nDCG@10", "AP"], threads=3)
    except FileNotFoundError:
        continue
    print(name, repr(made.mean()))
qrels = gainful.read_qrels(f"{folder}/qrels").to_dict()
run = gainful.read_run(f"{folder}/sorted.run").to_dict()
print(len(qrels), repr(gainful.evaluate(qrels, run, threads=3).mean()))
print(max_t(np.random.default_rng(1).normal(size=(40, 3)), threads=3).p.tolist())
"""


def printed(folder: Path, stack: str = "") -> str:
    """Return what the program prints with threads that have stacks of this size."""
    with running(
        f"import os; os.environ['RUST_MIN_STACK'] = '{stack}'\n{PROGRAM}", folder
    ) as process:
        text = process.output.read()
        assert process.wait() == 0, text
    return text


def test_results_without_threads(tmp_path: Path) -> None:
    rows = [(f"q{q}", f"d{d}", 1000 - d * q % 997) for q in range(20_000) for d in range(6)]
    trec = [f"{query} Q0 {document} 1 {score} t\n" for query, document, score in rows]
    (tmp_path / "sorted.run").write_text("".join(trec))
    (tmp_path / "shuffled.run").write_text("".join(trec[::2] + trec[1::2]))
    (tmp_path / "run.csv").write_text(
        "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in rows)
    )
    (tmp_path / "run.jsonl").write_text(
        "".join(f'{{"query_id": "{q}", "doc_id": "{d}", "score": {s}}}\n' for q, d, s in rows)
    )
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {s % 3}\n" for q, d, s in rows))
    write_columns(tmp_path)
    usual = printed(tmp_path)
    assert len(usual.splitlines()) == 8
    # No system has addresses for a stack of this size.
    assert printed(tmp_path, str(1 << 52)) == usual


def write_columns(folder: Path) -> None:
    """Write the same run in columns."""
    need("pyarrow")
    from pyarrow import csv, feather, parquet

    table = csv.read_csv(folder / "run.csv")
    parquet.write_table(table, folder / "run.parquet", row_group_size=20_000)
    feather.write_feather(table, folder / "run.arrow")


def test_searches_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    class Last(threading.Thread):
        """A thread of an operating system that has so many left."""

        left = 0

        def start(self) -> None:
            Last.left -= 1
            if Last.left < 0:
                raise RuntimeError("can't start new thread")
            super().start()

    def find(query: str, top_k: int) -> list[tuple[str, float]]:
        time.sleep(0.03)
        return [(query, 1.0)]

    async def find_later(query: str, top_k: int) -> list[tuple[str, float]]:
        return [(query, 1.0)]

    queries = {f"q{number}": f"t{number}" for number in range(9)}
    for module in (in_threads, on_loop):
        monkeypatch.setattr(module, "Thread", Last)
    for system in (find, find_later):
        with pytest.raises(SearchError, match="no thread left"):
            gainful.search(system, queries, k=2, workers=4, quiet=True)
    Last.left = 2
    assert len(gainful.search(find, queries, k=2, workers=4, quiet=True)) == 9
