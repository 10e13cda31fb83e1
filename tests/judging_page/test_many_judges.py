"""A hundred judges at once: no document goes to two of them, and no label is lost."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from pathlib import Path

import httpx
import pytest

from gainful.judging import Session
from judging_servers import PageProcess
from requirements import need

need("starlette")


async def judge(
    client: httpx.AsyncClient, labels: int, pause: float, seed: int
) -> list[tuple[str, str]]:
    """Grade documents as the page does; return them."""
    source, judged = random.Random(seed), []
    upcoming = (await client.get("/api/next")).json()["next"]
    for number in range(labels):
        if not upcoming:
            break
        await asyncio.sleep(source.random() * 2 * pause)
        item = upcoming[0]
        place = {"query_id": item["query_id"], "doc_id": item["doc_id"]}
        event = {"kind": "grade", **place, "grade": 1, "client_id": f"{seed}-{number}"}
        answer = await client.post("/api/events", json={"events": [event]})
        assert "error" not in answer.json()["events"][0]
        judged.append((item["query_id"], item["doc_id"]))
        upcoming = answer.json()["next"]
    return judged


async def judge_together(
    addresses: list[tuple[str, str]], labels: int, pause: float
) -> list[tuple[str, str]]:
    """Let all people enter, and then judge at the same time."""
    clients = [
        # Without TLS; to prepare for it takes the tests longer than all requests.
        httpx.AsyncClient(
            base_url=address, headers={"origin": address[:-1]}, timeout=60, verify=False
        )
        for address, _ in addresses
    ]
    try:
        entered = await asyncio.gather(
            *(
                client.post("/api/enter", json={"token": token})
                for client, (_, token) in zip(clients, addresses, strict=True)
            )
        )
        assert all(each.status_code == 200 for each in entered)
        found = await asyncio.gather(
            *(judge(client, labels, pause, seed) for seed, client in enumerate(clients))
        )
    finally:
        await asyncio.gather(*(client.aclose() for client in clients))
    return [pair for own in found for pair in own]


@pytest.mark.parametrize(
    ("judges", "labels", "pause"),
    [(10, 6, 0.0), pytest.param(100, 20, 2.0, marks=pytest.mark.slow)],
    ids=["10-judges", "100-judges"],
)
def test_many_judges_never_collide(tmp_path: Path, judges: int, labels: int, pause: float) -> None:
    pool = [f"q{query} d{query}-{number}\n" for query in range(judges) for number in range(30)]
    (tmp_path / "pool.pool").write_text("".join(pool))
    text = " ".join(f"word{at}" for at in range(200))
    documents = [
        f'{{"doc_id": "{line.split()[1]}", "text": "{text} {line.strip()}"}}\n' for line in pool
    ]
    (tmp_path / "docs.jsonl").write_text("".join(documents))
    (tmp_path / "users.txt").write_text("".join(f"judge{at}\n" for at in range(judges)))
    words = ("pool.pool", "--docs", "docs.jsonl", "--users", "users.txt", "--port", "0")
    process = PageProcess(*words, "--no-browser", folder=tmp_path)
    try:
        addresses = re.findall(r"(http\S+/)#(\S+)", process.greeting)
        assert len(addresses) == judges
        judged = asyncio.run(judge_together(addresses, labels, pause))
    finally:
        process.kill()
    assert max(Counter(judged).values()) == 1
    assert len(judged) == judges * labels
    with Session(tmp_path / "pool.session", read_only=True) as session:
        events = session.events()
        assert sorted((each.query_id, each.doc_id) for each in events) == sorted(judged)
