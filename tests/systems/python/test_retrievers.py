"""Retrievers of LangChain, LlamaIndex and Haystack as systems.

LangChain's core is small and run for real. Of the other two there are stand-ins with their shapes
here; tests/tools/test_retrievers.py runs them themselves.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.systems import Answer, Query, as_system
from requirements import need

SOUP = Query("q1", "soup", {"vector": [1.0, 0.0]})


# --- LangChain ----------------------------------------------------------------------------------


@pytest.fixture
def langchain():
    """Return classes of LangChain's core."""
    need("langchain_core")
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import InMemoryVectorStore

    return SimpleNamespace(
        Document=Document, BaseRetriever=BaseRetriever, InMemoryVectorStore=InMemoryVectorStore
    )


def test_a_langchain_retriever(langchain):
    class Retriever(langchain.BaseRetriever):
        size: int = 3

        def _get_relevant_documents(self, query, *, run_manager):
            return [
                langchain.Document(page_content=query, metadata={"source": f"{n}.md", "doc_id": n})
                for n in range(self.size)
            ]

    system = as_system(Retriever(size=2))
    assert (system.name, system.asynchronous) == ("Retriever", False)
    assert system.ask([SOUP], 5) == [Answer(["0", "1"])]
    by_source = as_system(Retriever(), fields={"id": "metadata.source"})
    assert by_source.ask([SOUP], 1) == [Answer(["0.md"])]
    with pytest.raises(ParameterError, match="takes one query per call"):
        as_system(Retriever(), batch=2)


def test_a_langchain_chain(langchain):
    from langchain_core.runnables import RunnableLambda

    chain = RunnableLambda(lambda text: [text.upper()]) | RunnableLambda(lambda found: found * 2)
    assert as_system(chain, version="1").ask([SOUP], 5) == [Answer(["SOUP", "SOUP"])]


def test_a_langchain_document_without_an_id(langchain):
    class Retriever(langchain.BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [langchain.Document(page_content="x", metadata={"source": "a.md"})]

    with pytest.raises(FormatError, match=r'Hint: .*fields=\{"id": "metadata.source"\}'):
        as_system(Retriever()).ask([SOUP], 1)


def test_a_langchain_vector_store(langchain):
    class Embeddings:
        def embed_documents(self, texts):
            return [self.embed_query(text) for text in texts]

        def embed_query(self, text):
            return [float(len(text)), 1.0]

    store = langchain.InMemoryVectorStore(Embeddings())
    store.add_texts(["tea", "soup", "porridge and more"], ids=["d1", "d2", "d3"])
    expected = [document.id for document in store.similarity_search("soup", k=2)]
    # As a retriever it has a k of its own, and takes another.
    for one in (store, store.as_retriever(), store.as_retriever(search_kwargs={"k": 1})):
        assert as_system(one).ask([SOUP], 2) == [Answer(expected)]


# --- LlamaIndex ---------------------------------------------------------------------------------


class Node:
    def __init__(self, node_id, ref_doc_id=None):
        self.node_id = node_id
        self.ref_doc_id = ref_doc_id
        self.metadata = {}


class LlamaIndexRetriever:
    """What `llama_index.core.base.base_retriever.BaseRetriever` looks like from outside."""

    def __init__(self, similarity_top_k=2):
        self.similarity_top_k = similarity_top_k

    def retrieve(self, str_or_query_bundle):
        assert str_or_query_bundle == "soup"
        nodes = [Node(f"n{n}", f"d{n}") for n in range(self.similarity_top_k)]
        return [SimpleNamespace(node=node, score=1.0 - n / 4) for n, node in enumerate(nodes)]

    async def aretrieve(self, str_or_query_bundle):
        raise AssertionError


def test_the_shape_of_a_llama_index_retriever():
    system = as_system(LlamaIndexRetriever())
    assert system.name == "LlamaIndexRetriever"
    assert system.ask([SOUP], 5) == [Answer(["n0", "n1"], [1.0, 0.75])]
    by_document = as_system(LlamaIndexRetriever(), fields={"id": "node.ref_doc_id"})
    assert by_document.ask([SOUP], 1) == [Answer(["d0"], [1.0])]


# --- Haystack -----------------------------------------------------------------------------------


class HaystackComponent:
    """What `@component` makes of a class, as far as anybody outside can see."""

    __haystack_input__ = ()

    def __init__(self):
        self.calls = []

    def _found(self, **given):
        self.calls.append(given)
        hits = [SimpleNamespace(id="d1", score=2.0), SimpleNamespace(id="d2", score=1.0)]
        return {"documents": hits[: given.get("top_k", 2)]}


class KeywordRetriever(HaystackComponent):
    def run(self, query, filters=None, top_k=None):
        return self._found(query=query, filters=filters, top_k=top_k)


class EmbeddingRetriever(HaystackComponent):
    def run(self, query_embedding, top_k=None):
        return self._found(query_embedding=query_embedding, top_k=top_k)


class Writer(HaystackComponent):
    def run(self, documents):
        raise AssertionError


def test_the_shape_of_haystack_components():
    keyword, embedding = KeywordRetriever(), EmbeddingRetriever()
    assert as_system(keyword).ask([SOUP], 1) == [Answer(["d1"], [2.0])]
    assert keyword.calls == [{"query": "soup", "filters": None, "top_k": 1}]
    assert as_system(embedding).ask([SOUP], 2) == [Answer(["d1", "d2"], [2.0, 1.0])]
    assert embedding.calls == [{"query_embedding": [1.0, 0.0], "top_k": 2}]
    with pytest.raises(ArgumentError, match="query 'q2': .*needs the field 'vector'"):
        as_system(embedding).ask([Query("q2", "tea")], 1)
    with pytest.raises(
        ArgumentError, match="run.. of the component Writer takes documents, but no query"
    ):
        as_system(Writer())


def test_no_retriever_library_is_imported():
    """Whatever is installed: only what the user brings is loaded."""
    import subprocess

    code = (
        "import sys; from gainful.systems import as_system, Query;"
        "as_system(lambda text: [text]).ask([Query('q', 't')], 1);"
        "print([n for n in ('langchain_core', 'llama_index', 'haystack', 'numpy', 'pandas',"
        " 'aiohttp', 'asyncio') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
