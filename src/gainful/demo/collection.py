"""The demo collection's files, read into plain Python values.

Five files lie beside this module and are shipped with the package: ``products.jsonl``,
``queries.tsv``, ``qrels.txt`` (TREC qrels), ``annotations.csv``, and ``fts5-tuned.toml``, the
description of a system. The functions called
``*_path`` give the files themselves, for whatever reads files; the others give their content.
"""

from __future__ import annotations

import csv
import json
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "Annotation",
    "Product",
    "annotations_path",
    "annotator_grades",
    "description_path",
    "products",
    "products_path",
    "qrels",
    "qrels_path",
    "queries",
    "queries_path",
]


class Product(NamedTuple):
    """One product of the shop, the document that the systems rank.

    Attributes
    ----------
    doc_id : str
        ``"P0001"`` and so on.
    title, brand, category, description : str
        The four fields that are searched; none is empty.
    """

    doc_id: str
    title: str
    brand: str
    category: str
    description: str


class Annotation(NamedTuple):
    """One annotator's grade for one product under one query.

    Attributes
    ----------
    query_id, doc_id : str
        What was judged.
    annotator : str
        ``"ana"`` or ``"ben"``.
    grade : int
        0 (not relevant) to 3 (exactly what was asked).
    """

    query_id: str
    doc_id: str
    annotator: str
    grade: int


def _path(name: str) -> Path:
    # The package carries a compiled engine and is therefore always installed as plain files,
    # so a resource is a path and need not be copied out of an archive first.
    return Path(str(files("gainful.demo").joinpath(name)))


def products_path() -> Path:
    """Where ``products.jsonl`` lies: one JSON object a line, with five strings.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> products_path().name
    'products.jsonl'
    """
    return _path("products.jsonl")


def queries_path() -> Path:
    """Where ``queries.tsv`` lies: ``query_id`` and ``text`` under a header line.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> queries_path().name
    'queries.tsv'
    """
    return _path("queries.tsv")


def qrels_path() -> Path:
    """Where ``qrels.txt`` lies: the judgments as TREC qrels, ``query 0 document grade``.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> qrels_path().name
    'qrels.txt'
    """
    return _path("qrels.txt")


def annotations_path() -> Path:
    """Where ``annotations.csv`` lies: ``query_id,doc_id,annotator,grade`` under a header line.

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
    """Where ``fts5-tuned.toml`` lies: how that system searches ``shop.db`` beside it.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> description_path().name
    'fts5-tuned.toml'
    """
    return _path("fts5-tuned.toml")


def products() -> list[Product]:
    """All products, in the order of their ids.

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


def queries() -> dict[str, str]:
    """All queries as shoppers typed them, misspellings included.

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


def qrels() -> dict[str, dict[str, int]]:
    """The judgments: grades 0 to 3 of the judged products of every query.

    Returns
    -------
    dict of str to dict of str to int
        The grade by document id by query id. A product that is not listed under a query was
        never judged for it, which is not the same as grade 0.

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


def annotator_grades() -> list[Annotation]:
    """What the two annotators said, before their grades were reconciled.

    A third of the queries has them, with every judged product; the rule that turns two grades
    into the one of :func:`qrels` is the mean of both, rounded down.

    Returns
    -------
    list of Annotation
        In the order of query, document and annotator.

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
