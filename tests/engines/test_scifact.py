"""A figure from elsewhere, through an engine that runs: BM25 on SciFact."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gainful
from engine_descriptions import ELASTIC, SOLR, filled, written
from engine_server import Document, Server
from gainful.data.corpus import each_document

# The words are put to the analysis as they are, by no parser of query strings.
WORDS = {
    "elasticsearch": '[body.query.match]\ncontents = "{{query}}"\n',
    "solr": '[body.query.edismax]\nquery = "{{query|solr}}"\nqf = "contents"\n',
}


# Elasticsearch's analysis for English is in a module that is not on Maven Central.
@pytest.mark.parametrize("server", ["opensearch", "solr"], indirect=True, scope="session")
def test_scifact(server: Server, shared_data: Path, tmp_path: Path) -> None:
    """.6789 is what Anserini has, whose analysis and ranking are Lucene's, too."""
    folder = shared_data / "scifact"
    server.create("scifact", "english", k1=0.9, b=0.4)
    documents = [
        Document(document, {"contents": f"{text.title} {abstract(text.text)}"})
        for document, text in each_document(folder / "scifact-hf.zip")
    ]
    for start in range(0, len(documents), 1000):
        server.add("scifact", documents[start : start + 1000])
    text = SOLR if server.name == "solr" else ELASTIC
    head = text.partition("[settings]")[0]
    query = WORDS["solr" if server.name == "solr" else "elasticsearch"]
    system = written(filled(head, server, index="scifact") + query, tmp_path)
    qrels = gainful.read_qrels(folder / "qrels" / "test.tsv")
    queries = gainful.systems.Queries.of(folder / "queries.jsonl")
    judged = {query.id: query.text for query in queries if query.id in qrels}
    run = gainful.search(system, judged, k=100)
    assert not run.incomplete
    assert len(documents) == 5183
    assert len(judged) == 300
    assert gainful.evaluate(qrels, run, "nDCG@10").mean() == pytest.approx(0.6789, abs=5e-5)


def abstract(written: str) -> str:
    """Return the sentences of an abstract, which NumPy has printed as an array of texts."""
    sentences = ast.literal_eval(re.sub(r"(?<=['\"])\n (?=['\"])", ", ", written))
    return " ".join(sentences)
