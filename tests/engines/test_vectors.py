"""The search for nearest vectors in Elasticsearch 8, with the description of docs/engines.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import gainful
from engine_descriptions import written
from engine_server import Server
from requirements import ROOT

VECTORS = {"boots": [1.0, 0.0, 0.0], "lamp": [0.0, 1.0, 0.0], "laces": [0.9, 0.1, 0.0]}
RETRIEVER = """
[body.retriever.knn]
field = "embedding"
query_vector = "{{vector}}"
k = "{{k}}"
num_candidates = 100
"""


def described() -> str:
    page = (ROOT / "docs" / "engines.md").read_text("utf-8")
    (found,) = re.findall(
        r"```toml\n(engine = \"elasticsearch\"[^`]*?\[body\.knn\].*?)```", page, re.DOTALL
    )
    return found


@pytest.mark.parametrize("server", ["elasticsearch8"], indirect=True, scope="session")
@pytest.mark.parametrize("retriever", [False, True])
def test_nearest_vectors(server: Server, tmp_path: Path, retriever: bool) -> None:
    index = f"vectors-{retriever}".lower()
    vector = {"type": "dense_vector", "dims": 3, "similarity": "cosine"}
    server.ask(f"/{index}", {"mappings": {"properties": {"embedding": vector}}}, "PUT")
    lines = []
    for name, values in VECTORS.items():
        lines += [{"index": {"_id": name}}, {"embedding": values}]
    server.ask(f"/{index}/_bulk?refresh=true", "".join(json.dumps(line) + "\n" for line in lines))
    text = described().replace("http://localhost:9200", server.url)
    text = text.replace('"products"', f'"{index}"')
    if retriever:
        text = text.partition("[body.knn]")[0] + RETRIEVER
    queries = {"q1": {"text": "shoes", "vector": [1.0, 0.05, 0.0]}}
    run = gainful.search(written(text, tmp_path), queries, k=2)
    assert [document for document, _ in run["q1"]] == ["boots", "laces"]
    # Elasticsearch stores vectors in fewer bits.
    assert run["q1"][0][1] == pytest.approx(0.5 + 0.5 / (1 + 0.05**2) ** 0.5, abs=1e-3)
