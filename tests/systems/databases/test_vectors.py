"""Vectors in databases: pgvector on a real server, arrays in DuckDB, both as NumPy ranks them."""

from __future__ import annotations

import numpy as np
import pytest

from database_kinds import asked, ids
from gainful.systems.loading import load_system
from requirements import need

DIMENSIONS = 16
DOCUMENTS = 300


@pytest.fixture(scope="module")
def vectors():
    """Vectors of documents and of queries, of length 1."""
    drawn = np.random.default_rng(3).normal(size=(DOCUMENTS + 20, DIMENSIONS)).astype("float32")
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn[:DOCUMENTS], drawn[DOCUMENTS:]


def best(documents, query, k):
    """Document ids and cosines by exact search."""
    cosines = documents.astype(float) @ query.astype(float)
    order = np.argsort(-cosines)[:k]
    return [f"d{at}" for at in order], cosines[order]


@pytest.fixture(scope="module")
def filled(pgvector, vectors):
    """The server with the documents' vectors."""
    import psycopg

    with psycopg.connect(pgvector.url(), autocommit=True) as database:
        database.execute("create extension vector")
        database.execute(f"create table docs (id text, embedding vector({DIMENSIONS}))")
        with database.cursor() as cursor:
            cursor.executemany(
                "insert into docs values (%s, %s::float8[]::vector)",
                [(f"d{at}", row.tolist()) for at, row in enumerate(vectors[0])],
            )
    return pgvector


PGVECTOR = """
    select id, 1 - (embedding <=> {{vector}}::vector) as score from docs
    order by embedding <=> {{vector}}::vector limit {{k}}
"""


@pytest.mark.parametrize("as_list", [True, False])
def test_pgvector_ranks_by_cosine(filled, vectors, as_list) -> None:
    documents, queries = vectors
    system = load_system({"engine": "postgres", "connection": filled.url(), "sql": PGVECTOR})
    for query in queries:
        found = asked(system, "", 10, vector=query.tolist() if as_list else query)
        expected, cosines = best(documents, query, 10)
        assert found.documents == expected
        assert found.scores == pytest.approx(cosines, abs=1e-6)
    system.close()


def test_an_index_of_pgvector_searches_as_wide_as_the_setting_says(filled, vectors) -> None:
    import psycopg

    with psycopg.connect(filled.url(), autocommit=True) as database:
        database.execute(
            "create index by_cosine on docs using hnsw (embedding vector_cosine_ops)"
            " with (m = 2, ef_construction = 4)"
        )
    sql = PGVECTOR.replace("select id,", "select id || current_setting('hnsw.ef_search') as id,")
    found = {}
    for width in (1, 200):
        system = load_system(
            {
                "engine": "postgres",
                "connection": filled.url(),
                "sql": sql,
                "setup": [
                    "select set_config('enable_seqscan', 'off', false)",
                    "select set_config('hnsw.ef_search', {{ef}}::text, false)",
                ],
                "settings": {"ef": 40},
            },
            settings={"ef": width},
        )
        found[width] = [ids(system, "", 10, vector=query) for query in vectors[1]]
        assert all(doc.endswith(str(width)) for docs in found[width] for doc in docs)
        system.close()
    # With room for one candidate an index of this kind does not find ten.
    assert max(map(len, found[1])) < 10
    assert min(map(len, found[200])) == 10


def test_duckdb_ranks_by_cosine_in_memory(vectors, tmp_path) -> None:
    need("duckdb")
    pyarrow = need("pyarrow")
    from pyarrow import parquet

    documents, queries = vectors
    names = [f"d{at}" for at in range(DOCUMENTS)]
    table = pyarrow.table({"id": names, "embedding": documents.astype(float).tolist()})
    parquet.write_table(table, tmp_path / "docs.parquet")
    system = load_system(
        {
            "engine": "duckdb",
            "database": ":memory:",
            "setup": "create table if not exists docs as select id, embedding::float[16] as"
            " embedding from vectors",
            "sql": "select id, array_cosine_similarity(embedding, {{vector}}::float[16]) as score"
            " from docs order by score desc, id limit {{k}}",
            "files": {"vectors": str(tmp_path / "docs.parquet")},
        }
    )
    for query in queries:
        found = asked(system, "", 10, vector=query)
        expected, cosines = best(documents, query, 10)
        assert found.documents == expected
        assert found.scores == pytest.approx(cosines, abs=1e-6)
    system.close()
