"""Read the files of the demo collection.

The shop has five files: ``products.jsonl``, ``queries.tsv``, ``qrels.txt`` (TREC qrels),
``annotations.csv``, and ``fts5-tuned.toml``, the description of a system. The handbook has
``handbook.jsonl`` and ``questions.jsonl``. Functions named ``*_path`` return their paths, the
others their content.
"""

from __future__ import annotations

import csv
import json
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from gainful.keywords import suggest_keywords

__all__ = [
    "Annotation",
    "Product",
    "annotations_path",
    "annotator_grades",
    "description_path",
    "handbook_path",
    "paths",
    "products",
    "products_path",
    "qrels",
    "qrels_path",
    "queries",
    "queries_path",
    "questions_path",
]


class Product(NamedTuple):
    """One product of the shop: a document to rank.

    Attributes
    ----------
    doc_id : str
        ``"P0001"`` and so on.
    title, brand, category, description : str
        The searched fields; none is empty.
    """

    doc_id: str
    title: str
    brand: str
    category: str
    description: str


class Annotation(NamedTuple):
    """One annotator's grade for a query and a product.

    Attributes
    ----------
    query_id, doc_id : str
        The judged pair.
    annotator : str
        ``"ana"`` or ``"ben"``.
    grade : int
        0 (not relevant) to 3 (exact match).
    """

    query_id: str
    doc_id: str
    annotator: str
    grade: int


def _path(name: str) -> Path:
    # The package contains a compiled extension, so it is always installed as plain files and never
    # in an archive.
    return Path(str(files("gainful.demo").joinpath(name)))


def paths() -> list[Path]:
    """Return the paths of the files of the shop."""
    return [
        qrels_path(),
        queries_path(),
        products_path(),
        annotations_path(),
        description_path(),
    ]


@suggest_keywords
def products_path() -> Path:
    """Return the path of ``products.jsonl``: one JSON object per line.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> products_path().name
    'products.jsonl'
    """
    return _path("products.jsonl")


@suggest_keywords
def queries_path() -> Path:
    """Return the path of ``queries.tsv``, with columns ``query_id`` and ``text``.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> queries_path().name
    'queries.tsv'
    """
    return _path("queries.tsv")


@suggest_keywords
def qrels_path() -> Path:
    """Return the path of ``qrels.txt``, the judgments as TREC qrels.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> qrels_path().name
    'qrels.txt'
    """
    return _path("qrels.txt")


@suggest_keywords
def annotations_path() -> Path:
    """Return the path of ``annotations.csv``, the grades of both annotators.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> annotations_path().name
    'annotations.csv'
    """
    return _path("annotations.csv")


def description_path() -> Path:
    """Return the path of ``fts5-tuned.toml``, which describes how to search ``shop.db``.

    Examples
    --------
    >>> description_path().name
    'fts5-tuned.toml'
    """
    return _path("fts5-tuned.toml")


def handbook_path() -> Path:
    """Return the path of ``handbook.jsonl``: texts of a workshop, for retrieval by chunks.

    Examples
    --------
    >>> handbook_path().name
    'handbook.jsonl'
    """
    return _path("handbook.jsonl")


def questions_path() -> Path:
    """Return the path of ``questions.jsonl``: questions, and quotes from the handbook.

    Examples
    --------
    >>> questions_path().name
    'questions.jsonl'
    """
    return _path("questions.jsonl")


@suggest_keywords
def products() -> list[Product]:
    """Return all products, in the order of their ids.

    Returns
    -------
    list of Product

    Examples
    --------
    >>> first = products()[0]
    >>> first.doc_id, first.title, first.category
    ('P0001', "Forged Chef's Knife 20 cm", 'Kitchen')
    """
    with products_path().open(encoding="utf-8") as lines:
        return [Product(**json.loads(line)) for line in lines]


@suggest_keywords
def queries() -> dict[str, str]:
    """Return all queries as shoppers typed them, with misspellings.

    Returns
    -------
    dict of str to str
        The text by query id, in the order of the ids.

    Examples
    --------
    >>> queries()["Q11"]
    'expresso machine'
    """
    with queries_path().open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["query_id"]: row["text"] for row in rows}


@suggest_keywords
def qrels() -> dict[str, dict[str, int]]:
    """Return the judgments: grades from 0 to 3.

    Returns
    -------
    dict of str to dict of str to int
        Grades by query id and document id. Products that are not listed are unjudged, which is not
        the same as grade 0.

    Examples
    --------
    >>> judgments = qrels()
    >>> len(judgments), sorted({g for row in judgments.values() for g in row.values()})
    (80, [0, 1, 2, 3])
    """
    judgments: dict[str, dict[str, int]] = {}
    with qrels_path().open(encoding="utf-8") as lines:
        for line in lines:
            query_id, _, doc_id, grade = line.split()
            judgments.setdefault(query_id, {})[doc_id] = int(grade)
    return judgments


@suggest_keywords
def annotator_grades() -> list[Annotation]:
    """Return the grades of the two annotators.

    They cover all judged products of every third query. The grade in :func:`qrels` is the mean of
    the two, rounded down.

    Returns
    -------
    list of Annotation
        Ordered by query, document and annotator.

    Examples
    --------
    >>> sorted({row.annotator for row in annotator_grades()})
    ['ana', 'ben']
    """
    with annotations_path().open(encoding="utf-8", newline="") as lines:
        return [
            Annotation(row["query_id"], row["doc_id"], row["annotator"], int(row["grade"]))
            for row in csv.DictReader(lines)
        ]
