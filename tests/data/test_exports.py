"""What tools export is read, or refused with what helps: engines, stores, spreadsheets."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import GainfulError
from repeated_tests import for_each
from requirements import need

SCORES = {"shoes": {"d2": 2.5, "d1": 1.5}, "hat": {"d3": 0.5}}
RANKED = {query: [*documents] for query, documents in SCORES.items()}
GRADES = {"shoes": {"d1": 3, "d2": 1}, "hat": {"d3": 2}}
RELEVANT = {query: dict.fromkeys(documents, 1) for query, documents in GRADES.items()}
PAIRS = [(query, *pair) for query, documents in GRADES.items() for pair in documents.items()]

Hit = Callable[[str, float], dict[str, Any]]


def hits(query: str, hit: Hit) -> list[dict[str, Any]]:
    """Return the hits of a query."""
    return [hit(*pair) for pair in SCORES[query].items()]


def named(id: str, score: str = "", **others: Any) -> Hit:
    """Return a writer of hits whose fields have these names."""
    return lambda document, value: {id: document, **({score: value} if score else {}), **others}


def inside(part: str, hit: Hit, score: str) -> Hit:
    """Return a writer of hits with the document in a part."""
    return lambda document, value: {part: hit(document, value), score: value}


def elasticsearch(query: str) -> dict[str, Any]:
    """Return an answer of Elasticsearch."""
    found = hits(query, named("_id", "_score", _index="i", _source={"title": "x", "price": 7}))
    total = {"value": 2, "relation": "eq"}
    return {
        "took": 3,
        "timed_out": False,
        "hits": {"total": total, "max_score": 2.5, "hits": found},
    }


def solr(query: str) -> dict[str, Any]:
    """Return an answer of Solr with its request."""
    found = hits(query, named("id", "score"))
    header = {"status": 0, "QTime": 1, "params": {"q": query, "fl": "id,score"}}
    return {"responseHeader": header, "response": {"numFound": 2, "start": 0, "docs": found}}


#: Answers of engines, saved with their query: one JSON line each.
ANSWERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "Elasticsearch": lambda query: {"query": query, **elasticsearch(query)},
    "Elasticsearch in a part": lambda query: {"query": query, "response": elasticsearch(query)},
    "Solr": solr,
    "Algolia": lambda query: {
        "hits": hits(query, named("objectID", name="x", _highlightResult={})),
        "nbHits": 2,
        "page": 0,
        "hitsPerPage": 20,
        "query": query,
        "params": "x",
    },
    "Meilisearch": lambda query: {
        "hits": hits(query, named("id", "_rankingScore", title="x")),
        "query": query,
        "limit": 20,
        "estimatedTotalHits": 2,
    },
    "Typesense": lambda query: {
        "found": 2,
        "out_of": 10,
        "page": 1,
        "search_time_ms": 1,
        "hits": hits(query, inside("document", named("id", title="x"), "text_match")),
        "request_params": {"q": query, "per_page": 10},
    },
    "Vespa": lambda query: {
        "query": query,
        "root": {
            "id": "toplevel",
            "relevance": 1.0,
            "children": hits(query, named("id", "relevance", source="music", fields={"year": 7})),
        },
    },
    "Qdrant": lambda query: {
        "query": query,
        "result": hits(query, named("id", "score", version=3, payload={"year": 7}, vector=None)),
        "status": "ok",
        "time": 0.001,
    },
    "Qdrant, points": lambda query: {
        "query": query,
        "result": {"points": hits(query, named("id", "score", version=3))},
    },
    "Pinecone": lambda query: {
        "query": query,
        "matches": hits(query, named("id", "score", values=[], metadata={"year": 7})),
        "usage": {"read_units": 5},
    },
    "Pinecone, records": lambda query: {
        "query": query,
        "result": {"hits": hits(query, named("_id", "_score", fields={"year": 7}))},
        "usage": {"read_units": 1},
    },
    "Marqo": lambda query: {"query": query, "hits": hits(query, named("_id", "_score"))},
    "Azure AI Search": lambda query: {
        "query": query,
        "value": hits(query, named("id", "@search.score", title="x")),
    },
    "Coveo": lambda query: {
        "query": query,
        "results": hits(query, named("uniqueId", "score", uri="u", percentScore=3.5)),
    },
    "Cohere": lambda query: {
        "query": query,
        "results": hits(query, inside("document", named("id", text="t"), "relevance_score")),
    },
    "MongoDB": lambda query: {
        "query": query,
        "results": hits(query, lambda document, score: {"_id": {"$oid": document}, "score": score}),
    },
    "LlamaIndex": lambda query: {
        "query": query,
        "source_nodes": hits(query, inside("node", named("id_", text="t"), "score")),
        "response": "x",
    },
    "Haystack": lambda query: {
        "query": query,
        "retriever": {"documents": hits(query, named("id", "score", content="t", meta={"n": 7}))},
    },
    "RankLLM": lambda query: {
        "query": {"text": "t", "qid": query},
        "candidates": hits(query, named("docid", "score", doc={"contents": "x"})),
    },
    "DPR": lambda query: {
        "question": query,
        "answers": ["x"],
        "ctxs": hits(query, named("id", "score", title="t", has_answer=True)),
    },
    "Azure AI Foundry": lambda query: {
        "query": query,
        "retrieval_ground_truth": [{"document_id": "d9", "query_relevance_label": 4}],
        "retrieved_documents": hits(query, named("document_id", "relevance_score")),
    },
    "LangSmith": lambda query: {
        "inputs": {"query": query},
        "outputs": {
            "documents": hits(
                query, lambda document, _: {"page_content": "t", "metadata": {"id": document}}
            )
        },
    },
    "Google": lambda query: {"query": query, "results": hits(query, named("uri", title="x"))},
}


def is_truth(found: dict[str, Any]) -> bool:
    """Return whether a run has the scores, or their order."""
    return found in (SCORES, RANKED)


@for_each("engine", ANSWERS)
def test_answers_of_engines_are_runs(engine: str, tmp_path: Path) -> None:
    answers = [ANSWERS[engine](query) for query in SCORES]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
    wrapped = tmp_path / "answers.json"
    wrapped.write_text(json.dumps({"answers": answers}))
    for source in (path, wrapped, answers, {"answers": answers}, iter(answers)):
        assert is_truth(gainful.Run(source).to_dict())
    with pytest.raises(GainfulError):
        gainful.Qrels([{**answers[0], "retrieval_ground_truth": None}])


@pytest.mark.parametrize("answer", [elasticsearch, solr, ANSWERS["Vespa"], ANSWERS["Qdrant"]])
def test_answers_by_query_are_runs(answer: Callable[[str], Any], tmp_path: Path) -> None:
    answers = {query: answer(query) for query in SCORES}
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(answers))
    for source in (path, answers):
        assert is_truth(gainful.Run(source).to_dict())


@dataclass
class Node:
    """A hit as an object."""

    id: str
    score: float


def test_hits_by_query_are_runs() -> None:
    assert gainful.Run({query: hits(query, Node) for query in SCORES}).to_dict() == SCORES
    records = {query: hits(query, named("id", "score")) for query in SCORES}
    assert gainful.Run(records).to_dict() == SCORES


EXAMPLES: dict[str, Callable[[str], dict[str, Any]]] = {
    "Vertex AI Search": lambda query: {
        "queryEntry": {"query": query, "targets": [{"uri": one} for one in GRADES[query]]}
    },
    "Langfuse": lambda query: {
        "input": {"question": query},
        "expectedOutput": {"relevant_ids": [*GRADES[query]]},
        "metadata": None,
    },
    "Braintrust": lambda query: {"input": query, "expected": {"document_ids": [*GRADES[query]]}},
    "OpenAI Evals": lambda query: {
        "item": {"query": query, "relevant_doc_ids": [*GRADES[query]]},
    },
    "Tevatron": lambda query: {
        "query": query,
        "positive_passages": [{"docid": one, "title": "t"} for one in GRADES[query]],
        "negative_passages": [{"docid": "d9", "title": "t"}],
    },
}


@pytest.mark.parametrize("tool", EXAMPLES)
def test_examples_of_tools_are_judgments(tool: str, tmp_path: Path) -> None:
    examples = [EXAMPLES[tool](query) for query in GRADES]
    path = tmp_path / "examples.jsonl"
    path.write_text("".join(f"{json.dumps(example)}\n" for example in examples))
    for source in (path, examples, {"data": examples}):
        assert gainful.Qrels(source).to_dict() == RELEVANT


@pytest.mark.parametrize("orient", ["records", "columns", "index", "split", "table"])
def test_frames_written_as_json_are_read(orient: Any, tmp_path: Path) -> None:
    pandas = need("pandas")
    path = tmp_path / "frame.json"
    pandas.DataFrame(PAIRS, columns=["query", "doc", "grade"]).to_json(path, orient=orient)
    assert gainful.Qrels(path).to_dict() == GRADES


def test_rows_of_hugging_face_and_extended_json_are_read(tmp_path: Path) -> None:
    records = [{"query": query, "doc": other, "grade": grade} for query, other, grade in PAIRS]
    rows = [
        {"row_idx": at, "row": record, "truncated_cells": []} for at, record in enumerate(records)
    ]
    extended = [
        {"_id": {"$oid": str(at)}, **record, "grade": {"$numberInt": str(record["grade"])}}
        for at, record in enumerate(records)
    ]
    for content in ({"features": [{"name": "query"}], "rows": rows, "num_rows_total": 3}, extended):
        path = tmp_path / "rows.json"
        path.write_text(json.dumps(content))
        assert gainful.Qrels(path).to_dict() == GRADES


def database_rows() -> list[sqlite3.Row]:
    """Return rows of sqlite3 whose values have names."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute("create table judged (doc, grade, query)")
    connection.executemany(
        "insert into judged values (?, ?, ?)",
        [(other, grade, query) for query, other, grade in PAIRS],
    )
    return connection.execute("select * from judged").fetchall()


def test_columns_of_several_names_are_no_queries() -> None:
    with pytest.raises(GainfulError, match="expected columns query_id"):
        gainful.Qrels({"queries": ["q"], "docs": ["d"], "labels": [3]})


def test_pairs_parts_and_rows_in_memory() -> None:
    import numpy
    import pandas

    frame = pandas.DataFrame(PAIRS, columns=["query", "doc", "grade"])
    parts = [frame[:1], frame[1:]]
    by_query = frame.set_index("doc").groupby("query")["grade"]
    sources: list[Any] = [
        {(query, document): grade for query, document, grade in PAIRS},
        parts,
        iter(parts),
        dict(iter(frame.drop(columns="query").groupby(frame["query"]))),
        dict(iter(by_query)),
        [[*pair] for pair in PAIRS],
        [(query, "0", document, grade) for query, document, grade in PAIRS],
        numpy.array(PAIRS, dtype=object),
        database_rows(),
    ]
    for source in sources:
        assert gainful.Qrels(source).to_dict() == GRADES
    run = [
        (query, "Q0", one, 1, score, "x")
        for query in SCORES
        for one, score in SCORES[query].items()
    ]
    assert gainful.Run(run).to_dict() == SCORES


#: What is refused, and the beginning of the hint that helps.
REFUSED: dict[str, tuple[str, str | bytes, str]] = {
    "merged cells": ("a.csv", "query,doc_id,grade\nq,a,3\n,b,1\n", "fill merged cells"),
    "totals": ("a.csv", "query,doc_id,grade\nq,a,3\nTotal,,3\n", "fill merged cells"),
    "a title": (
        "a.csv",
        "Judgments 2024,,\n,,\nquery,doc_id,grade\nq,a,3\n",
        "delete the lines above",
    ),
    "two headers": ("a.csv", "query,doc_id,grade\ntext,id,from 0\nq,a,3\nq,b,1\n", "second header"),
    "spaces": ("a.csv", "query, doc_id, grade\nq, a, 3\nq, b, 1\n", "remove it, as in sed"),
    "bars": ("a.csv", "query|doc_id|grade\nq|a|3\n", "export a CSV"),
    "a drawn table": (
        "a.txt",
        "| query | doc_id | grade |\n|---|---|---|\n| q | a | 3 |\n",
        "export a CSV",
    ),
    "NULL": ("a.csv", "query,doc_id,grade\nq,a,3\nq,b,NULL\n", "this is a missing value"),
    "\\N": ("a.tsv", "query\tdoc_id\tgrade\nq\ta\t3\nq\tb\t\\N\n", "this is a missing value"),
    "texts": ("a.tsv", "1\tdefine extreme\n2\twhat is chattel\n", "columns='query,doc'"),
    "lists": ("a.csv", "session_type,labels\n1_clicks,7 8\n1_carts,9\n", "columns='query,doc'"),
    "triples": (
        "a.tsv",
        "1000094\t5399011\t4239068\n1000095\t5399012\t4239069\n",
        "columns='query,doc,-'",
    ),
    "YAML": ("a.yml", "queries:\n  - query: q\n    relevant: [a]\n", "convert it to JSON"),
    "XML": ("a.xml", "<topics><topic number='1'/></topics>", "judgments and runs have no markup"),
    "SQLite": ("a.db", b"SQLite format 3\0\x10\0\1\1", "pass a cursor"),
    "a pickle": ("a.pkl", b"\x80\x04\x95\x0b\0\0\0\0\0\0\0}", "load it with pickle.load"),
    "an array": ("a.npy", b"\x93NUMPY\x01\0v\0{'descr'", "load it with numpy.load"),
    "Git LFS": (
        "a.csv",
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d\n",
        "git lfs pull",
    ),
    "rows of sheets": ("a.csv", "query,doc_id,grade\nq,a,3\n,,\nq,b,x\n", "give each label"),
}


@for_each("kind", REFUSED)
def test_a_refusal_says_what_helps(kind: str, tmp_path: Path) -> None:
    name, content, hint = REFUSED[kind]
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(GainfulError) as caught:
        gainful.Qrels(path)
    assert hint in caught.value.hint, caught.value


@pytest.mark.parametrize(
    "text",
    ["q1\tnDCG@10\t0.9\nq2\tnDCG@10\t0.8\n", "map                   \tq1\t0.5\n"],
)
def test_scores_of_measures_are_no_run(text: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text(text)
    with pytest.raises(GainfulError, match="scores of measures"):
        gainful.Run(path)


def test_empty_rows_of_spreadsheets_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,doc_id,grade\nshoes,d1,3\nshoes,d2,1\n,,\nhat,d3,2\n,,\n")
    assert gainful.Qrels(path).to_dict() == GRADES


def test_a_header_that_begins_like_a_binary_file_is_text(tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    rows = "".join(f"{document},{query},{grade}\n" for query, document, grade in PAIRS)
    path.write_text(f"PARENT_ASIN,QUERY,GRADE\n{rows}")
    assert gainful.Qrels(path).to_dict() == GRADES


def test_a_wrapped_list_of_records_is_not_by_query() -> None:
    rated = [
        {"id": query, "ratings": [{"_id": name, "rating": grade} for name, grade in grades.items()]}
        for query, grades in GRADES.items()
    ]
    assert gainful.Qrels({"requests": rated}).to_dict() == GRADES


def test_numbers_that_floats_round_are_refused_in_columns() -> None:
    polars = need("polars")
    large = 2**53 + 1
    rows = {"query": ["q", "q"], "doc": ["a", "b"], "rank": [large, large + 1]}
    frame = polars.DataFrame(rows, schema_overrides={"rank": polars.UInt64})
    for read in (gainful.Run, lambda table: gainful.evaluate({"q": {"a": 1}}, table, "RR")):
        with pytest.raises(GainfulError, match=f"rank '{large}' is rounded"):
            read(frame)
    groups = {"query": ["q"], "doc": ["a"], "grade": [1], "subtopic": ["s"], "weight": [large]}
    for table in (polars.DataFrame(groups), groups, polars.DataFrame(groups).to_dicts()):
        with pytest.raises(GainfulError, match=r"2\^53"):
            gainful.Qrels(table, subtopics=True)
