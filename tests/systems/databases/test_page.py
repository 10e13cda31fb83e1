"""The blocks of docs/databases.md that need a server, run with one that has pgvector."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

import gainful
from gainful import demo
from gainful.cli import main
from markdown_blocks import Reader, blocks_of
from requirements import ROOT, need

PAGE = ROOT / "docs" / "databases.md"
REASON = "it needs a server"


@pytest.fixture(scope="module")
def left(pgvector, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the blocks that need a server; return the folder with what that leaves."""
    need("bash")
    import psycopg

    with psycopg.connect(pgvector.url(), autocommit=True) as database:
        database.execute("drop database if exists page")
        database.execute("create database page")
    folder = tmp_path_factory.mktemp("page")
    (folder / "shop").mkdir()
    for path in (demo.products_path(), demo.queries_path(), demo.qrels_path()):
        shutil.copy(path, folder / "shop")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SHOP_DATABASE", pgvector.url(database="page"))
        patched.chdir(folder)
        follow_page(folder)
    return folder


def follow_page(folder: Path) -> None:
    reader = Reader(folder)
    served = 0
    for block in blocks_of(PAGE):
        if (block.not_run or "").startswith(REASON):
            served += 1
            reader.read(block._replace(not_run=None))
    assert served == 4


@pytest.fixture
def read(left: Path, pgvector, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the page was followed, and make it the current one."""
    monkeypatch.setenv("SHOP_DATABASE", pgvector.url(database="page"))
    monkeypatch.chdir(left)
    return left


def test_what_the_page_says_of_a_server_is_true(read, pgvector) -> None:
    import psycopg

    assert gainful.evaluate("shop/qrels.txt", "full-text.run", "nDCG@10").mean() > 0.5
    generator = np.random.default_rng(8)
    documents = generator.normal(size=(len(demo.products()), 8))
    queries = generator.normal(size=(len(demo.queries()), 8))
    np.save("queries.npy", queries)
    with psycopg.connect(pgvector.url(database="page"), autocommit=True) as database:
        database.execute("create extension if not exists vector")
        database.execute("alter table products drop column if exists embedding")
        database.execute("alter table products add embedding vector(8)")
        with database.cursor() as cursor:
            cursor.executemany(
                "update products set embedding = %s::float8[]::vector where id = %s",
                [
                    (row.tolist(), product.doc_id)
                    for product, row in zip(demo.products(), documents, strict=True)
                ],
            )
        database.execute("create index on products using hnsw (embedding vector_cosine_ops)")
        words = ["search", "shop/queries.tsv", "--system", "nearest.toml", "-k", "50"]
        words += ["--vectors", "queries.npy", "-o", "nearest.run"]
        assert main(words) == 0
    ids = [product.doc_id for product in demo.products()]
    exact = gainful.baselines.dense(
        documents,
        queries,
        50,
        document_ids=ids,
        query_ids=list(demo.queries()),
        similarity="cosine",
    )
    found = gainful.read_run("nearest.run")
    shared = [
        len({doc for doc, _ in found[query]} & {doc for doc, _ in exact[query]})
        for query in demo.queries()
    ]
    assert sum(shared) / len(shared) > 45


def test_a_narrow_index_is_cut_short_and_counted(read, pgvector, capsys) -> None:
    import psycopg

    with psycopg.connect(pgvector.url(database="page"), autocommit=True) as database:
        database.execute("create extension if not exists vector")
        database.execute("alter table products drop column if exists embedding")
        database.execute("alter table products add embedding vector(4)")
        database.execute(
            "update products set embedding = array[random(), random(), random(), 1]::vector"
        )
        database.execute("create index on products using hnsw (embedding vector_cosine_ops)")
        database.execute("alter database page set enable_seqscan = off")
        database.execute("analyze products")
    np.save("queries.npy", np.random.default_rng(8).uniform(size=(80, 4)))
    words = ["search", "shop/queries.tsv", "--system", "nearest.toml", "-k", "50"]
    words += ["--vectors", "queries.npy", "-o", "nearest.run", "--set", "ef=10"]
    assert main(words) == 0
    assert "80 answers have fewer than 50 documents" in capsys.readouterr().err


def test_the_descriptions_of_duckdb_can_be_read(tmp_path: Path) -> None:
    duckdb = need("duckdb")
    texts = [block.text for block in blocks_of(PAGE) if block.language == "toml"]
    memory, fts = (tomllib.loads(text) for text in texts)
    duckdb.connect(str(tmp_path / "shop.duckdb")).close()
    duckdb.sql("select 'd1' as id").write_parquet(str(tmp_path / "docs.parquet"))
    from gainful.systems.loading import load_system

    load_system({**memory, "files": {"texts": str(tmp_path / "docs.parquet")}}).close()
    load_system({**fts, "database": str(tmp_path / "shop.duckdb")}).close()
