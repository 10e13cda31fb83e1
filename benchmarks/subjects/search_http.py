"""All queries asked of a server over HTTP on this machine, each answer kept in SQLite.

Usage: search_http.py gainful|aiohttp QUERIES DEPTH
"""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gainful_calls
import worker

WORKERS = 8


def main(subject: str, count: str, depth: str) -> None:
    """Start the server, serve the calls."""
    queries = {f"q{number}": f"text {number}" for number in range(int(count))}
    k = int(depth)
    script = Path(__file__).with_name("echo_server.py")
    server = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = f"http://127.0.0.1:{int(server.stdout.readline())}"

    def with_gainful() -> list[float]:
        with TemporaryDirectory() as folder:
            system = gainful_calls.http_system(url)
            return gainful_calls.search(system, queries, k, WORKERS, Path(folder, "journal"))

    async def with_aiohttp() -> list[float]:
        import aiohttp

        run: dict[str, dict[str, float]] = {}
        waiting = iter(queries.items())
        with TemporaryDirectory() as folder:
            connection = sqlite3.connect(Path(folder, "answers.db"), isolation_level=None)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("CREATE TABLE answer (query TEXT PRIMARY KEY, found TEXT)")

            async def work(session: Any) -> None:
                for query, text in waiting:
                    parameters = {"q": text, "k": str(k)}
                    async with session.get(f"{url}/search", params=parameters) as answer:
                        answer.raise_for_status()
                        content = await answer.json()
                    connection.execute("INSERT INTO answer VALUES (?, ?)", (query, str(content)))
                    run[query] = {hit["id"]: hit["score"] for hit in content["hits"]}

            async with aiohttp.ClientSession() as session:
                await asyncio.gather(*(work(session) for _ in range(WORKERS)))
            connection.close()
        return [
            float(sum(map(len, run.values()))),
            sum(max(found.values()) for found in run.values()),
        ]

    jobs = {"gainful": with_gainful, "aiohttp": lambda: asyncio.run(with_aiohttp())}
    try:
        worker.serve(jobs[subject])
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
