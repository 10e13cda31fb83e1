"""Run queries against the echo server, and store each answer in SQLite as it arrives.

``gainful`` uses `gainful.search`; ``loop`` is a hand-written loop with aiohttp: workers share an
iterator, and each answer is a row of JSON, committed immediately.

Usage: http_search.py gainful|loop QUERIES WORKERS
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import worker

DEPTH = 100
Rankings = Mapping[str, Sequence[tuple[str, float]]]


def answers_of(rankings: Rankings) -> list[float]:
    """Return the number of queries with the expected answer, and the sum of all scores."""
    right = 0
    total = 0.0
    for query, ranking in rankings.items():
        expected = [(f"{query}-{at}", DEPTH - at + 0.5) for at in range(DEPTH)]
        right += list(ranking) == expected
        total += sum(score for _, score in ranking)
    return [float(right), total]


def by_gainful(url: str, queries: dict[str, str], workers: int, journal: Path) -> Rankings:
    import gainful
    from gainful.systems import load_system

    system = load_system(
        {
            "engine": "elasticsearch",
            "url": url,
            "index": "shop",
            "body": {"query": {"match": {"title": "{{query}}"}}},
        }
    )
    run = gainful.search(system, queries, k=DEPTH, workers=workers, journal=journal)
    return {query: run[query] for query in run}


def by_hand(url: str, queries: dict[str, str], workers: int, journal: Path) -> Rankings:
    import aiohttp

    found: dict[str, list[tuple[str, float]]] = {}
    kept = sqlite3.connect(journal, isolation_level=None)
    kept.execute("pragma journal_mode = wal")
    kept.execute("pragma synchronous = normal")
    kept.execute("create table answers (query text primary key, answer text)")

    async def work(session: Any, left: Any) -> None:
        for query, text in left:
            body = {"size": DEPTH, "_source": False, "query": {"match": {"title": text}}}
            async with session.post(f"{url}/shop/_search", json=body) as answer:
                hits = json.loads(await answer.read())["hits"]["hits"]
            ranking = [(hit["_id"], hit["_score"]) for hit in hits]
            kept.execute("insert into answers values (?, ?)", (query, json.dumps(ranking)))
            found[query] = ranking

    async def ask() -> None:
        left = iter(queries.items())
        async with aiohttp.ClientSession() as session:
            await asyncio.gather(*[work(session, left) for _ in range(workers)])

    asyncio.run(ask())
    kept.close()
    return found


def main(way: str, count: int, workers: int) -> None:
    echo = [sys.executable, str(Path(__file__).with_name("http_echo.py"))]
    queries = {f"t{number}": f"t{number}" for number in range(count)}
    search = {"gainful": by_gainful, "loop": by_hand}[way]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(echo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        times = iter(range(1_000_000))
        worker.serve(
            lambda: search(url, queries, workers, Path(folder) / f"{next(times)}.journal"),
            answers_of,
        )
        server.communicate()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
