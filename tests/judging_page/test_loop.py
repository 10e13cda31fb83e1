"""From runs to a verdict: pool, judge on the page, kill -9, combine, evaluate, compare."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

import gainful
from free_ports import free_port
from gainful.cli import main
from gainful.judging import Session
from gainful.pooling import compare_pooled
from judging_servers import PageProcess
from requirements import need

need("starlette")

QUERIES = [f"q{n}" for n in range(30)]
#: Each query has two good documents. The new system ranks them first in two queries of three, the
#: old one in one of six.
OPINION = {query: {f"{query}-good": 2, f"{query}-fair": 1} for query in QUERIES}


def ranking(query: str, *, good: bool) -> list[str]:
    names = ("good", "bad", "fair", "poor") if good else ("poor", "good", "fair", "bad")
    return [f"{query}-{name}" for name in names]


def write_files() -> None:
    for name, every in (("old", lambda n: n % 6 == 0), ("new", lambda n: n % 3 > 0)):
        lines = [
            f"{query} Q0 {document} {rank} {-rank} {name}\n"
            for n, query in enumerate(QUERIES)
            for rank, document in enumerate(ranking(query, good=every(n)), start=1)
        ]
        Path(f"{name}.run").write_text("".join(lines))
    # What was judged before: the fair documents, which both systems rank third, and two good ones,
    # each of which another system ranks first.
    known = [f"{query} 0 {query}-fair 1\n" for query in QUERIES]
    known += [f"{query} 0 {query}-good 2\n" for query in QUERIES[:2]]
    Path("known.txt").write_text("".join(known))
    Path("users.txt").write_text("ana, owner\nben\neva\n")


def run(*words: str) -> None:
    assert main(list(words)) == 0


class Judge:
    """A person at the page; `labels` are what the server has acknowledged."""

    def __init__(self, name: str, address: str, token: str) -> None:
        self.name = name
        # Without TLS: to prepare for it takes longer than the requests.
        self.client = httpx.Client(
            base_url=address, headers={"origin": address[:-1]}, timeout=60, verify=False
        )
        self.labels: dict[str, tuple[str, str, float]] = {}
        self.event: dict[str, Any] | None = None
        assert self.client.post("/api/enter", json={"token": token}).status_code == 200

    def choose(self) -> bool:
        """Decide on the grade of the next document; return whether there is one."""
        upcoming = self.client.get("/api/next").json()["next"]
        if not upcoming:
            return False
        query, document = upcoming[0]["query_id"], upcoming[0]["doc_id"]
        grade = OPINION[query].get(document, 0)
        if self.name == "ben" and query.endswith("7"):
            grade = max(0, grade - 1)
        self.event = {"kind": "grade", "query_id": query, "doc_id": document, "grade": grade,
                      "client_id": f"{self.name}-{len(self.labels)}"}  # fmt: skip
        return True

    def work(self, labels: int) -> bool:
        """Grade at most so many documents; return whether there are more."""
        for _ in range(labels):
            if self.event is None and not self.choose():
                return False
            event = self.event
            assert event is not None
            # As the page does, an event is kept until there is an answer.
            answer = self.client.post("/api/events", json={"events": [event]}).json()
            assert "error" not in answer["events"][0]
            self.labels[event["client_id"]] = (
                event["query_id"],
                event["doc_id"],
                float(event["grade"]),
            )
            self.event = None
        return True


@pytest.mark.usefixtures("small_files")
def test_new_judgments_settle_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    write_files()
    systems = ("old.run", "new.run")
    before = gainful.compare("known.txt", list(systems), "nDCG@3")
    assert before.pair("new", "old").verdict == "inconclusive"
    pool = ("--judged", "known.txt", "--depth", "3", "--overlap", "30%", "-o", "open.jsonl")
    run("pool", *systems, *pool)

    # One person begins in Python.
    with Session("open.session", "open.jsonl", scale="0,1,2") as session:
        for _ in range(5):
            found = session.next("kim")
            assert found is not None
            grade = OPINION[found.query_id].get(found.doc_id, 0)
            session.label("kim", found.query_id, found.doc_id, grade)

    # Three others judge on the page, which is killed with an answer on its way.
    words = ("open.jsonl", "--users", "users.txt", "--port", str(free_port()), "--no-browser")
    page = PageProcess(*words, folder=Path.cwd())
    judges = []
    try:
        judges = [Judge(*entry) for entry in re.findall(r"(\w+): (http\S+/)#(\S+)", page.greeting)]
        assert [judge.name for judge in judges] == ["ana", "ben", "eva"]
        for judge in judges:
            assert judge.work(8)
        judges[0].choose()
        page.kill()
        with pytest.raises(httpx.TransportError):
            judges[0].work(1)
        page.start()
        while any(judge.work(10) for judge in judges):
            pass
    finally:
        page.kill()
        for judge in judges:
            judge.client.close()
    with Session("open.session", read_only=True) as session:
        stored = {
            event.client_id: (event.query_id, event.doc_id, event.grade)
            for event in session.events()
            if event.judge != "kim"
        }
        assert session.needed == 0
    # Nothing is lost, doubled or changed.
    assert stored == {name: label for each in judges for name, label in each.labels.items()}

    run("judge", "known.txt", *systems, "--session", "open.session", "-m", "nDCG@3", "--status")
    assert "No label of an unjudged document can reverse the order" in capsys.readouterr().out
    run("judge", "open.jsonl", "--export", "labels.csv")
    run("assess-judgments", "labels.csv", "--combine", "median", "-o", "new.txt")
    Path("all.txt").write_text(Path("known.txt").read_text() + Path("new.txt").read_text())
    evaluation = gainful.evaluate("all.txt", runs=list(systems), measures="nDCG@3")
    assert all(evaluation.summary("nDCG@3", name).judged == 1.0 for name in ("old", "new"))
    (pair,) = compare_pooled("all.txt", list(systems), "open.jsonl", "nDCG@3").pairs
    assert pair.is_settled
    assert gainful.compare("all.txt", list(systems), "nDCG@3").pair("old", "new").verdict == "worse"
