"""Everything that writes a file, each with a call that writes it and one that checks it.

`WRITERS` replace a file. `STORES` extend one, and acknowledge what they stored.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

import gainful
from gainful.data.convert import convert
from gainful.judging import Session
from gainful.systems import Answer, Query
from gainful.systems.fetching.journal import SearchJournal
from gainful.systems.http.requests import RecordingTransport, ReplayTransport
from gainful.systems.http.transport import Request, Response
from gainful.writing import write_whole

__all__ = ["OLD", "STORES", "WRITERS", "Store", "prepare"]

QRELS = {f"q{query}": {f"d{d}": (query + d) % 3 for d in range(9)} for query in range(4)}
RUN = {f"q{query}": [(f"d{d}", float(-d)) for d in range(9)] for query in range(4)}
QUERIES = {f"q{number}": f"text {number}" for number in range(6)}

#: The content before a file is replaced.
OLD = b"old\n"


def prepare(folder: Path) -> None:
    """Write the input of `convert`."""
    gainful.Run(RUN).write(folder / "input.run", "trec")


def evaluation() -> gainful.Evaluation:
    """Return an evaluation of a small run."""
    return gainful.evaluate(QRELS, RUN, ["nDCG@10", "AP"])


WRITERS: dict[str, Callable[[Path], object]] = {
    **{
        name: lambda path: gainful.Run(RUN, name="a").write(path)
        for name in (
            *("a.run", "a.tsv", "a.csv", "a.json", "a.jsonl"),
            *("a.run.gz", "a.run.bz2", "a.run.xz", "a.run.zst"),
        )
    },
    "qrels.txt": lambda path: gainful.Qrels(QRELS).write(path),
    "quepid.csv": lambda path: gainful.Qrels(QRELS).write(path, "quepid"),
    "quepid.csv.gz": lambda path: gainful.Qrels(QRELS).write(path, "quepid"),
    "converted.tsv": lambda path: convert(path.with_name("input.run"), path, kind="run"),
    "snapshot.json": lambda path: gainful.make_snapshot(QRELS, RUN, "nDCG@10").write(path),
    "values.csv": lambda path: evaluation().save(path),
    "values.json": lambda path: evaluation().save(path),
    "values.html": lambda path: evaluation().save(path),
    "text": lambda path: write_whole(str(path), (b"x" * 1000 for _ in range(200))),
}


class Store(NamedTuple):
    """A file that is extended.

    Attributes
    ----------
    name
        The name of the file.
    store
        Extends the file; calls its second argument with the name of each entry that it stored.
    stored
        Returns the names of all entries that a new process finds, and raises for a damaged file.
    durable
        Whether entries survive a power failure once they are acknowledged.
    complete
        Extends the file to the end, and returns a text for its content.
    """

    name: str
    store: Callable[[Path, Callable[[str], object]], object]
    stored: Callable[[Path], set[str]]
    durable: bool
    complete: Callable[[Path], str]


class _System:
    """A system that acknowledges an answer with the next question, when it is in the journal."""

    name = "system"
    identity: ClassVar = {"engine": "system"}
    asynchronous = False
    batch = 1

    def __init__(self, acknowledge: Callable[[str], object]) -> None:
        self._acknowledge = acknowledge
        self._waiting: list[str] = []

    def ask(self, queries: Sequence[Query], k: int) -> list[Answer]:
        while self._waiting:
            self._acknowledge(self._waiting.pop())
        self._waiting += [query.id for query in queries]
        return [
            Answer([f"d{n} for {query.text}" for n in range(k)], [float(-n) for n in range(k)])
            for query in queries
        ]

    def close(self) -> None: ...


def search(path: Path, acknowledge: Callable[[str], object] = lambda entry: None) -> gainful.Run:
    """Search with a journal, one query after the other."""
    return gainful.search(_System(acknowledge), QUERIES, 3, journal=path, workers=1, quiet=True)


def answered(path: Path) -> set[str]:
    """Return the queries with an answer in a journal."""
    if not path.exists():
        return set()
    journal = SearchJournal(str(path))
    rows = journal.read("SELECT key FROM job WHERE answer IS NOT NULL")
    journal.close()
    return {query for (query,) in rows}


#: The variable with the address of the stub of a language model.
ADDRESS = "GAINFUL_TEST_MODEL"


def grade(path: Path, acknowledge: Callable[[str], object] = lambda entry: None) -> str:
    """Grade documents with a language model, one after the other."""
    waiting: list[int] = []

    def progress(done: int, total: int, failed: int) -> None:
        while waiting:
            acknowledge(str(waiting.pop()))
        waiting.append(done)

    found = gainful.judge_llm(
        POOL,
        {"q1": "question", "q2": "other"},
        {f"d{number}": f"text {number} of grade {number}" for number in range(3)},
        url=f"{os.environ[ADDRESS]}/v1",
        model="stub",
        journal=path,
        workers=1,
        progress=progress,
    )
    return repr(sorted((each.query_id, each.doc_id, each.grade) for each in found.labels))


POOL = [(query, f"d{number}") for query in ("q1", "q2") for number in range(3)]


def label(path: Path, acknowledge: Callable[[str], object] = lambda entry: None) -> str:
    """Judge all open documents of a session."""
    with Session(path, POOL) as session:
        while (found := session.next("ana")) is not None:
            grade = len(found.query_id + found.doc_id) % 2
            session.label("ana", found.query_id, found.doc_id, grade)
            acknowledge(f"{found.query_id} {found.doc_id}")
        return json.dumps(session.final_grades(), sort_keys=True)


def labelled(path: Path) -> set[str]:
    """Return the labelled documents of a session."""
    if not path.exists() or not path.stat().st_size:
        return set()
    with Session(path) as session:
        return {f"{each.query_id} {each.doc_id}" for each in session.events()}


class _Shop:
    """A transport that answers without a server."""

    async def send(self, request: Request) -> Response:
        return Response(200, {"content-type": "application/json"}, b'{"hits": []}')

    async def close(self) -> None: ...


def record(path: Path, acknowledge: Callable[[str], object] = lambda entry: None) -> str:
    """Record six answers."""
    recorder = RecordingTransport(_Shop(), path)
    for number in range(6):
        asyncio.run(recorder.send(Request("GET", f"/{number}", None, None)))
        acknowledge(f"/{number}")
    return " ".join(sorted(recorded(path)))


def recorded(path: Path) -> set[str]:
    """Return the requests in a recording."""
    if not path.exists() or not path.stat().st_size:
        return set()
    return {json.loads(key)["target"] for key in ReplayTransport(path)._answers}


STORES: dict[str, Store] = {
    "search": Store(
        "search.journal", search, answered, False, lambda path: repr(search(path).to_dict())
    ),
    "language model": Store("labels.journal", grade, answered, False, grade),
    "judging": Store("labels.session", label, labelled, True, label),
    "recording": Store("recording.jsonl", record, recorded, False, record),
}
