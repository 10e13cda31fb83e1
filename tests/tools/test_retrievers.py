"""Real retrievers of LlamaIndex and Haystack as systems."""

from __future__ import annotations

import pytest

from gainful.errors import ArgumentError
from gainful.systems import Answer, Query, as_system
from requirements import need

pytestmark = pytest.mark.peer

SOUP = Query("q1", "soup", {"vector": [1.0, 0.0]})


def test_llama_index_itself():
    need("llama_index")
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    nodes = [TextNode(id_=f"n{n}", text=f"soup {n}") for n in range(3)]
    for node in nodes:
        related = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="doc")}
        node.relationships = related
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(4))
    (answer,) = as_system(index.as_retriever(similarity_top_k=3)).ask([SOUP], 2)
    assert set(answer.documents) <= {"n0", "n1", "n2"}
    assert len(answer.documents) == len(answer.scores) == 2
    fields = {"id": "node.ref_doc_id"}
    (answer,) = as_system(index.as_retriever(), fields=fields).ask([SOUP], 2)
    assert answer.documents == ["doc", "doc"]
    with pytest.raises(ArgumentError, match=r"Hint: use its as_retriever\(\)"):
        as_system(index)


def test_haystack_itself():
    need("haystack")
    from haystack import Document, Pipeline
    from haystack.components.retrievers.in_memory import (
        InMemoryBM25Retriever,
        InMemoryEmbeddingRetriever,
    )
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents(
        [
            Document(id="d1", content="lentil soup", embedding=[1.0, 0.0]),
            Document(id="d2", content="bread", embedding=[0.0, 1.0]),
        ]
    )
    (answer,) = as_system(InMemoryBM25Retriever(store)).ask([SOUP], 5)
    assert answer.documents == ["d1"]
    (answer,) = as_system(InMemoryEmbeddingRetriever(store)).ask([SOUP], 5)
    assert answer == Answer(["d1", "d2"], [1.0, 0.0])
    with pytest.raises(ArgumentError, match="Hint: write a function that takes the query's text"):
        as_system(Pipeline())
