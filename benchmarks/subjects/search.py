"""Run all queries against a system that answers immediately, storing each answer in SQLite.

Usage: search.py gainful|threads|loop QUERIES DEPTH
"""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import gainful_calls
import worker

WORKERS = 8
Found = list[tuple[str, float]]


def main(subject: str, count: str, depth: str) -> None:
    """Serve the calls."""
    queries = {f"q{number}": f"text {number}" for number in range(int(count))}
    answers: list[Found] = [
        [(f"doc{rank * 7919:07d}", 1000.0 - rank + query / 8) for rank in range(int(depth))]
        for query in range(64)
    ]

    def system(text: str, k: int) -> Found:
        return answers[int(text[5:]) % 64]

    def bare(workers: int) -> list[float]:
        """Run a hand-written pool or loop that writes one row per answer to SQLite."""
        with TemporaryDirectory() as folder:
            connection = sqlite3.connect(
                Path(folder, "answers.db"), isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("CREATE TABLE answer (query TEXT PRIMARY KEY, found TEXT)")
            lock = threading.Lock()

            def one(item: tuple[str, str]) -> tuple[str, dict[str, float]]:
                query, text = item
                found = system(text, int(depth))
                with lock:
                    connection.execute(
                        "INSERT INTO answer VALUES (?, ?)", (query, json.dumps(found))
                    )
                return query, dict(found)

            if workers:
                with ThreadPoolExecutor(workers) as pool:
                    run = dict(pool.map(one, queries.items()))
            else:
                run = dict(map(one, queries.items()))
            connection.close()
        return [
            float(sum(map(len, run.values()))),
            sum(max(found.values()) for found in run.values()),
        ]

    def with_gainful() -> list[float]:
        with TemporaryDirectory() as folder:
            journal = Path(folder, "journal")
            return gainful_calls.search(system, queries, int(depth), WORKERS, journal)

    jobs = {"gainful": with_gainful, "threads": lambda: bare(WORKERS), "loop": lambda: bare(0)}
    worker.serve(jobs[subject])


if __name__ == "__main__":
    main(*sys.argv[1:])
