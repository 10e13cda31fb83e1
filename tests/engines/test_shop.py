"""The demo shop, searched through the shipped presets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import gainful
from engine_descriptions import FIELDS, asked, fields_of, string_of, written
from engine_server import Document, Server
from gainful import demo
from requirements import need
from serve import shop

QUERIES = demo.queries()


def native(server: Server, text: str) -> Any:
    """Return what `fields_of` asks, in the engine's own words."""
    if server.name == "solr":
        # None of the demo's queries holds a sign that this parser knows.
        return {"edismax": {"query": text, "qf": " ".join(["title^2", *FIELDS[1:]])}}
    return {"multi_match": {"query": text, "fields": ["title^2", *FIELDS[1:]]}}


def test_a_run_is_what_the_engine_finds(server: Server, tmp_path: Path) -> None:
    run = gainful.search(written(fields_of(server), tmp_path), QUERIES, k=50, name="shop")
    assert not run.incomplete
    for query, text in QUERIES.items():
        expected = asked(server, "shop", native(server, text), 50)
        # A run puts equal scores in an order of its own.
        assert sorted(run.get(query) or []) == sorted(expected), text
    assert sum(len(ranking) for ranking in run.values()) > 1000


def test_the_engines_find_what_was_judged_relevant(server: Server, tmp_path: Path) -> None:
    run = gainful.search(written(fields_of(server), tmp_path), QUERIES)
    result = gainful.evaluate(demo.qrels(), run, ["nDCG@10", "R@100"])
    # The best field counts of a whole query in two of them, and of each word in Solr.
    expected = 0.6521 if server.name == "solr" else 0.6208
    assert result.mean("nDCG@10") == pytest.approx(expected, abs=1e-4)
    assert result.mean("R@100") == pytest.approx(0.7925, abs=1e-4)


def test_the_baseline_is_the_bm25_of_the_engines(server: Server, tmp_path: Path) -> None:
    """On titles, whose lengths Lucene keeps exactly, and words that all analyse alike."""
    need("bm25s")
    words = {product.id: plain(product.fields["title"]) for product in shop()}
    queries = {query: plain(text) for query, text in QUERIES.items()}
    baseline = gainful.baselines.bm25(words, queries, k=442, stemmer=None, stopwords=None)

    server.create("words")
    server.add("words", [Document(id, {"title": text}) for id, text in words.items()])
    run = gainful.search(written(string_of(server, "words"), tmp_path), queries, k=442)

    # Elasticsearch and OpenSearch have kept the factor k1 + 1, which changes no order.
    factor = 1.0 if server.name == "solr" else 2.2
    assert set(run) == set(baseline)
    for query, ranking in baseline.items():
        found = {document: score / factor for document, score in run[query]}
        assert found == pytest.approx(dict(ranking), rel=1e-5), query


def plain(text: str) -> str:
    return " ".join(re.findall("[a-z0-9]{2,}", text.lower()))
