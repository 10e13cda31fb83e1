"""The demo collection: a small shop, eighty queries, graded judgments and three search systems.

This package needs only Python's standard library. :mod:`gainful.demo.collection` reads the files
of this folder; :mod:`gainful.demo.search` indexes the products with SQLite's full-text search and
runs the queries. ``README.md`` describes how the collection was made.
"""

from __future__ import annotations

from gainful.demo.collection import (
    Annotation,
    Product,
    annotations_path,
    annotator_grades,
    products,
    products_path,
    qrels,
    qrels_path,
    queries,
    queries_path,
)
from gainful.demo.search import SYSTEMS, Index, runs

__all__ = [
    "SYSTEMS",
    "Annotation",
    "Index",
    "Product",
    "annotations_path",
    "annotator_grades",
    "products",
    "products_path",
    "qrels",
    "qrels_path",
    "queries",
    "queries_path",
    "runs",
]
