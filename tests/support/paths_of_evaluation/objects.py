"""Judgments and runs as Python objects."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path as Folder
from typing import Any

import gainful
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.files import trec


def nested(collection: Collection) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return {query: {document: number}} of judgments and run; integer ids are int."""
    id: Callable[[str], Any] = int if collection.integers else str
    qrels: dict[Any, Any] = {}
    run: dict[Any, Any] = {}
    for query, document, grade, subtopic in collection.qrels:
        own = qrels.setdefault(id(query), {})
        if collection.subtopics:
            own = own.setdefault(subtopic, {})
        own[id(document)] = grade
    for query, document, _, score in collection.run:
        run.setdefault(id(query), {})[id(document)] = score
    return qrels, run


def dictionaries(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build dictionaries of dictionaries."""
    both = nested(collection)
    return lambda: both


class Items:
    """A mapping that is not a dict."""

    def __init__(self, content: dict[Any, Any]) -> None:
        self.content = content

    def __getitem__(self, key: Any) -> Any:
        return self.content[key]

    def items(self) -> Any:
        return self.content.items()


def mappings(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build mappings that are not dicts; rankings are lists of pairs with a duplicate."""
    qrels, _ = nested(collection)
    run: dict[str, list[tuple[str, float]]] = {}
    for query, document, _, score in collection.run:
        run.setdefault(query, []).append((document, score))
    return lambda: (Items(qrels), Items(run))


def rows(collection: Collection) -> tuple[list[Any], list[Any]]:
    """Return judgments and run as tuples of query, document and number."""
    qrels: list[Any] = [
        (row.query, row.subtopic, *row[1:3]) if collection.subtopics else row[:3]
        for row in collection.qrels
    ]
    return qrels, [(row.query, row.document, row.score) for row in collection.run]


def triples(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build lists of tuples."""
    both = rows(collection)
    return lambda: both


def generators(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build generators of dictionaries."""
    qrels, run = rows(collection)
    names = ("query_id", *(("subtopic",) if collection.subtopics else ()), "doc_id")

    def records(listed: list[Any], value: str) -> Iterator[dict[str, Any]]:
        keys = (*names, "grade") if value == "grade" else ("query_id", "doc_id", "score")
        return (dict(zip(keys, row, strict=True)) for row in listed)

    return lambda: (records(qrels, "grade"), records(run, "score"))


def own(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Build `Qrels` and a `Run` from tuples."""
    qrels, run = rows(collection)
    both = (
        gainful.Qrels(qrels, subtopics=collection.subtopics),
        gainful.Run(run, duplicates="count"),
    )
    return lambda: both


def own_of_files(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
    """Read `Qrels` and a `Run` from TREC text, and pickle them."""
    qrels, run = trec(collection, folder)()
    both = pickle.dumps(
        (
            gainful.read_qrels(qrels, subtopics=collection.subtopics),
            gainful.read_run(run, duplicates="count"),
        )
    )
    return lambda: pickle.loads(both)
