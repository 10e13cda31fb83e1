"""Qdrant's client in local mode, queried with the preset for Qdrant."""

from __future__ import annotations

import asyncio
import gc
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful import demo
from gainful.cli import main
from gainful.errors import GainfulError, SearchError
from gainful.systems import Queries, load_system
from gainful.systems.http.system import LocalQdrant
from requirements import need

COLLECTION = {"engine": "qdrant", "collection": "shop"}
SERVED = {**COLLECTION, "url": "http://localhost:6333"}


class Vectors:
    """Products and queries as vectors of 64 dimensions: sums of random ones, one per word."""

    def __init__(self) -> None:
        products = demo.products()
        self.ids = [product.doc_id for product in products]
        self.categories = [product.category for product in products]
        texts = [words_of(f"{product.title} {product.description}") for product in products]
        self.queries = demo.queries()
        counts = Counter(word for text in texts for word in text)
        directions = np.random.default_rng(0).normal(size=(len(counts), 64))
        directions *= np.log(len(texts) / np.array([[count] for count in counts.values()]))

        def sums(side: list[set[str]]) -> Any:
            return unit(np.array([[word in text for word in counts] for text in side]) @ directions)

        self.documents = sums(texts)
        vectors = sums([words_of(text) for text in self.queries.values()])
        self.asked = dict(zip(self.queries, vectors, strict=True))

    def nearest(self, query: str, k: int, count: int = 442) -> dict[str, float]:
        """Return what an exact search of the first products finds."""
        scores = self.documents[:count] @ self.asked[query]
        best = np.argsort(-scores, kind="stable")[:k]
        return {self.ids[at]: float(scores[at]) for at in best}


def words_of(text: str) -> set[str]:
    return set(text.lower().split())


def unit(vectors: Any) -> Any:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)


def fill(client: Any, vectors: Vectors, count: int = 442) -> None:
    from qdrant_client import models

    client.create_collection("shop", models.VectorParams(size=64, distance=models.Distance.COSINE))
    points = [
        models.PointStruct(
            id=at + 1,
            vector=vectors.documents[at].tolist(),
            payload={"sku": vectors.ids[at], "category": vectors.categories[at]},
        )
        for at in range(count)
    ]
    client.upsert("shop", points)


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    return Vectors()


@pytest.fixture(scope="module")
def client(vectors: Vectors) -> Any:
    client = need("qdrant").QdrantClient(":memory:")
    fill(client, vectors)
    yield client
    client.close()


@pytest.fixture(scope="module")
def asked(vectors: Vectors) -> Queries:
    return Queries.of(vectors.queries, vectors=vectors.asked)


def test_the_nearest_are_found(client: Any, vectors: Vectors, asked: Queries) -> None:
    by_sku = {"body": {"with_payload": ["sku"]}, "results": {"id": "payload.sku"}}
    system = load_system({**SERVED, **by_sku}, transport=LocalQdrant(client))
    run = gainful.search(system, asked, k=20)
    for query in vectors.queries:
        found = dict(run[query])
        # At equal scores in rank 20 either may be there.
        expected = vectors.nearest(query, 20)
        assert sorted(found.values()) == pytest.approx(sorted(expected.values()), abs=1e-5)
        close = min(expected.values()) + 1e-5
        assert {d for d, s in found.items() if s > close} == {
            d for d, s in expected.items() if s > close
        }
    assert gainful.evaluate(demo.qrels(), run, "nDCG@10").mean() > 0.1


def test_ids_of_points(client: Any, vectors: Vectors, asked: Queries) -> None:
    system = load_system(SERVED, transport=LocalQdrant(client))
    run = gainful.search(system, asked, k=3)
    best = next(iter(vectors.nearest("Q01", 1)))
    assert run["Q01"][0][0] == str(vectors.ids.index(best) + 1)


def test_a_filter_by_a_field_of_the_query(client: Any, vectors: Vectors) -> None:
    wanted = {"key": "category", "match": {"value": "{{field.category}}"}}
    description = {
        **SERVED,
        "body": {"filter": {"must": [wanted]}, "with_payload": ["sku"]},
        "results": {"id": "payload.sku"},
    }
    queries = [
        {"id": query, "text": text, "category": "Kitchen", "vector": vectors.asked[query]}
        for query, text in [*vectors.queries.items()][:9]
    ]
    run = gainful.search(load_system(description, transport=LocalQdrant(client)), queries, k=500)
    kitchen = {
        document
        for document, category in zip(vectors.ids, vectors.categories, strict=True)
        if category == "Kitchen"
    }
    assert all({document for document, _ in run[query]} == kitchen for query in run)
    assert len(run) == 9


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"collection": "shoop"}, "status 404 (Not found: Collection `shoop` doesn't exist!)"),
        ({"body": {"lmit": 3}}, "status 400 (Format error in JSON body: lmit: Extra inputs"),
        ({"body": {"using": "title"}}, "status 400 (Wrong input: "),
        ({"body": {"query": "{{field.short}}"}}, "status 400 (Wrong input: "),
        ({"path": "/collections/shop/points/scroll"}, "is not available locally"),
    ],
)
def test_what_a_server_would_refuse(
    changed: dict[str, Any], message: str, client: Any, vectors: Vectors
) -> None:
    query = {"id": "q", "text": "lamp", "vector": vectors.asked["Q01"], "short": [1.0, 2.0]}
    system = load_system({**SERVED, **changed}, transport=LocalQdrant(client))
    run = gainful.search(system, [query], quiet=True)
    assert message in run.failed["q"]
    assert run.account is not None
    assert run.account.retried == 0


@pytest.fixture(scope="module")
def folder(vectors: Vectors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("local") / "vectors"
    with_folder = need("qdrant").QdrantClient(path=str(folder))
    fill(with_folder, vectors, 50)
    with_folder.close()
    return folder


@pytest.fixture
def described(folder: Path) -> Path:
    path = folder.parent / "shop.toml"
    path.write_text(
        'engine = "qdrant"\nfolder = "vectors"\ncollection = "shop"\n'
        'body.with_payload = ["sku"]\nresults.id = "payload.sku"\n',
        encoding="utf-8",
    )
    return path


def test_the_program_searches_it(
    described: Path, vectors: Vectors, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "queries.npy", np.array([*vectors.asked.values()], dtype=np.float32))
    given = ("--system", described, "--vectors", tmp_path / "queries.npy", "-k", "10")
    output = tmp_path / "out.run"
    assert main([*map(str, ("search", demo.queries_path(), *given, "-o", output))]) == 0
    assert capsys.readouterr().out == ""
    run = gainful.read_run(output)
    for query in vectors.queries:
        expected = sorted(vectors.nearest(query, 10, 50).values())
        assert sorted(score for _, score in run[query]) == pytest.approx(expected, abs=1e-5)


def test_it_is_let_go_of(described: Path, asked: Queries) -> None:
    assert gainful.search(described, asked, k=3) == gainful.search(described, asked, k=3)


# Refused, the client leaves the lock that it has opened to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_only_one_has_it_open(folder: Path, described: Path, asked: Queries) -> None:
    other = need("qdrant").QdrantClient(path=str(folder))
    try:
        with pytest.raises(GainfulError, match="already accessed by another"):
            gainful.search(described, asked)
    finally:
        other.close()
        gc.collect()


def test_opening_it_is_left_to_the_first_query(described: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "queries.npy", np.zeros((80, 64), dtype=np.float32))
    other = need("qdrant").QdrantClient(path=str(described.parent / "vectors"))
    words = ("--system", described, "--vectors", tmp_path / "queries.npy", "--dry-run")
    assert main([*map(str, ("search", demo.queries_path(), *words))]) == 0
    other.close()


def test_a_folder_that_is_none(described: Path) -> None:
    with pytest.raises(GainfulError, match=r"not a folder of QdrantClient\(path=…\)"):
        load_system({**COLLECTION, "folder": str(described.parent)})


def test_a_folder_or_an_address() -> None:
    with pytest.raises(GainfulError, match="folder or url, not both"):
        load_system({**SERVED, "folder": "vectors"})


def test_a_folder_is_identified_by_its_name(described: Path) -> None:
    system = load_system(described)
    assert "vectors" in repr(system)
    assert json.dumps(system.identity)
    assert system.identity["folder"]["file"] == "vectors"
    closing = system.close()
    assert closing is not None
    asyncio.run(closing)  # type: ignore[arg-type]


def test_a_journal_notices_other_points(vectors: Vectors, asked: Queries, tmp_path: Path) -> None:
    def written(count: int) -> None:
        client = need("qdrant").QdrantClient(path=str(tmp_path / "vectors"))
        fill(client, vectors, count)
        client.close()

    system = {**COLLECTION, "folder": str(tmp_path / "vectors")}
    journal = tmp_path / "journal"
    written(10)
    gainful.search(load_system(system), asked, journal=journal)
    again = gainful.search(load_system(system), asked, journal=journal)
    assert again.account is not None
    assert again.account.reused == len(vectors.queries)
    shutil.rmtree(tmp_path / "vectors")
    written(11)
    with pytest.raises(SearchError, match="folder.state"):
        gainful.search(load_system(system), asked, journal=journal)
