"""Every line of the page of shapes reads a small file of that shape."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.data.coercion import as_qrels, as_run
from gainful.evaluation.arguments import named_runs
from requirements import ROOT, need

#: The same judgments and runs everywhere, by the numbers in their ids.
GRADES = {1: {1: 3, 2: 1}, 2: {3: 2}}
RELEVANT = {query: dict.fromkeys(documents, 1) for query, documents in GRADES.items()}
SCORES = {1: {2: 2.5, 1: 1.5}, 2: {3: 0.5}}
RANKED = {query: [*documents] for query, documents in SCORES.items()}

QUERIES = ("shoes 1", "hat 2")
PAIRS = [("shoes 1", "d1", 3), ("shoes 1", "d2", 1), ("hat 2", "d3", 2)]
LISTS = [("shoes 1", ["d1", "d2"]), ("hat 2", ["d3"])]
HITS = [("q1", "d2", 2.5), ("q1", "d1", 1.5), ("q2", "d3", 0.5)]
RETURNED = [("shoes 1", ["d2", "d1"]), ("hat 2", ["d3"])]


def table(header: str, rows: list[Any], between: str = ",") -> str:
    """Return the text of a table."""
    cells = [between.join(map(str, row)) for row in rows]
    return "\n".join([header, *cells] if header else cells) + "\n"


def lines(*records: Any) -> str:
    """Return JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


QUERY_IDS = ("q1", "q2")


def typed(value: object) -> dict[str, object]:
    """Return a value as OTLP writes it."""
    return {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}


def span(query: str) -> dict[str, Any]:
    """Return the span of a retriever, as OpenInference records it."""
    attributes: dict[str, Any] = {"input.value": query}
    for place, (_, document, score) in enumerate(hit for hit in HITS if hit[0] == query):
        start = f"retrieval.documents.{place}.document"
        attributes |= {f"{start}.id": document, f"{start}.score": score}
    return {"name": "retrieve", "attributes": attributes}


FILES = {
    "ratings.csv": table("Query,Product ID,Rating", PAIRS),
    "stars.csv": table("Search Term,SKU,Stars", PAIRS),
    "people.csv": table(
        "query,docid,rater_1,rater_2,rater_3", [(*pair, pair[2], 0) for pair in PAIRS]
    ),
    "quepid.csv": table("query,docid,rating", [*PAIRS, ("hat 2", "d9", "")]),
    "esci.csv": table(
        "query,product_id,esci_label",
        [(query, document, " CSE"[grade]) for query, document, grade in PAIRS],
    ),
    "verdicts.csv": table(
        "query,product_id,verdict",
        [
            (query, document, ["", "Fair", "good", "great"][grade])
            for query, document, grade in PAIRS
        ],
    ),
    "semicolons.csv": table("query;doc_id;grade", PAIRS, ";"),
    "chunks.csv": table(
        "query,chunk_id,grade",
        [
            (query, f"{document}#{chunk}", grade - chunk)
            for query, document, grade in PAIRS
            for chunk in (0, 1)
        ],
    ),
    "ml.inter": table("user_id:token\titem_id:token\trating:float", PAIRS, "\t"),
    "arqmath.tsv": table(
        "",
        [
            (query, document, rank, score, "tag")
            for (query, document, score), rank in zip(HITS, (1, 2, 1), strict=True)
        ],
        "\t",
    ),
    "rank_eval.json": json.dumps(
        {
            "requests": [
                {
                    "id": f"q{number}",
                    "request": {"query": {"match": {"title": query}}},
                    "ratings": [
                        {"_index": "shop", "_id": document, "rating": grade}
                        for other, document, grade in PAIRS
                        if other == query
                    ],
                }
                for number, query in enumerate(QUERIES, start=1)
            ]
        }
    ),
    "ltr.txt": "# qid:1: shoes 1\n# qid:2: hat 2\n3 qid:1 # d1\n1 qid:1 # d2\n2 qid:2 # d3\n",
    "workbench.json": json.dumps(
        {
            "name": "shop",
            "type": "IMPORT_JUDGMENT",
            "judgmentRatings": [
                {
                    "query": query,
                    "ratings": [
                        {"docId": document, "rating": str(grade)}
                        for other, document, grade in PAIRS
                        if other == query
                    ],
                }
                for query in QUERIES
            ],
        }
    ),
    "tasks.json": json.dumps(
        [
            {
                "data": {"query": query, "doc_id": document},
                "annotations": [
                    {
                        "completed_by": person,
                        "result": [
                            {
                                "from_name": "grade",
                                "type": "rating",
                                "value": {"rating": grade if person < 3 else 0},
                            }
                        ],
                    }
                    for person in (1, 2, 3)
                ],
            }
            for query, document, grade in PAIRS
        ]
    ),
    "argilla.json": json.dumps(
        [
            {
                "fields": {"query": query, "passage": "A text."},
                "metadata": {"doc_id": document},
                "suggestions": {},
                "responses": {
                    "relevance": [
                        {"value": grade - 1, "user_id": "a"},
                        {"value": grade + 1, "user_id": "b"},
                    ]
                },
            }
            for query, document, grade in PAIRS
        ]
    ),
    "spans.jsonl": lines({"attributes": {"llm.model_name": "x"}}, *map(span, QUERY_IDS)),
    "otlp.json": json.dumps(
        {
            "resourceSpans": [
                {
                    "scopeSpans": [
                        {
                            "spans": [
                                {
                                    "attributes": [
                                        {"key": key, "value": typed(value)}
                                        for key, value in span(query)["attributes"].items()
                                    ]
                                }
                                for query in QUERY_IDS
                            ]
                        }
                    ]
                }
            ]
        }
    ),
    "label-studio.json": json.dumps(
        [
            {"query": query, "doc_id": document, "rating": grade, "id": 70, "annotator": 4}
            for query, document, grade in PAIRS
        ]
    ),
    "clicks.csv": table(
        "query,url,clicked",
        [(query, f"https://x.org/{document}", 1) for query, document, _ in PAIRS],
    ),
    "golden.json": json.dumps([{"question": query, "relevant": ids} for query, ids in LISTS]),
    "cases.json": json.dumps(
        {"cases": [{"input": query, "source_chunk_ids": ids} for query, ids in LISTS]}
    ),
    "by-id.json": json.dumps(
        {
            f"q{number}": {"question": "why?", "relevant": ids}
            for number, (_, ids) in enumerate(LISTS, 1)
        }
    ),
    "gains.jsonl": lines(
        *(
            {
                "query": query,
                "relevant": [
                    {"id": document, "gain": grade}
                    for other, document, grade in PAIRS
                    if other == query
                ],
            }
            for query in QUERIES
        )
    ),
    "ragas.jsonl": lines(
        *(
            {"user_input": query, "reference_context_ids": ids, "reference": "An answer."}
            for query, ids in LISTS
        )
    ),
    "llama-index.json": json.dumps(
        {
            "queries": {"q1": "shoes", "q2": "hat"},
            "corpus": {"d1": "One.", "d2": "Two.", "d3": "Three."},
            "relevant_docs": {"q1": ["d1", "d2"], "q2": ["d3"]},
            "mode": "text",
        }
    ),
    "langsmith.jsonl": lines(
        *({"inputs": {"question": query}, "outputs": {"relevant": ids}} for query, ids in LISTS)
    ),
    "deepeval.json": json.dumps(
        [
            {"input": query, "expected_output": "x", "additional_metadata": {"relevant_ids": ids}}
            for query, ids in LISTS
        ]
    ),
    "promptfoo.json": json.dumps(
        [
            {"vars": {"query": query, "ids": ids}, "assert": [{"type": "contains", "value": "x"}]}
            for query, ids in LISTS
        ]
    ),
    "hotpot.json": json.dumps(
        [
            {
                "_id": f"q{number}",
                "question": query,
                "answer": "yes",
                "supporting_facts": [[document, 0] for document in ids],
            }
            for number, (query, ids) in enumerate(LISTS, start=1)
        ]
    ),
    "autorag.json": json.dumps(
        [
            {"qid": f"q{number}", "query": query, "retrieval_gt": [[document] for document in ids]}
            for number, (query, ids) in enumerate(LISTS, start=1)
        ]
    ),
    "longmemeval.json": json.dumps(
        [
            {"question_id": f"q{number}", "question": query, "answer_session_ids": ids}
            for number, (query, ids) in enumerate(LISTS, start=1)
        ]
    ),
    "locomo.json": json.dumps(
        [
            {
                "sample_id": "conv",
                "qa": [
                    {"question": query, "evidence": [f"D{document[1:]}:7" for document in ids]}
                    for query, ids in LISTS
                ],
            }
        ]
    ),
    "aspects.json": json.dumps(
        [
            {"id": f"q{number}-a1", "weight": 2, "supporting_docs": ids}
            for number, (_, ids) in enumerate(LISTS, start=1)
        ]
    ),
    "assignments.jsonl": lines(
        *(
            {
                "qid": f"q{number}",
                "docid": document,
                "nuggets": [{"text": "fact", "importance": "vital", "assignment": "support"}],
            }
            for number, (_, ids) in enumerate(LISTS, start=1)
            for document in ids
        )
    ),
    "u.data": table("", [(1, 1, 3, 881250949), (1, 2, 1, 881250950), (2, 3, 2, 881250951)], "\t"),
    "movielens.csv": table(
        "userId,movieId,rating,timestamp",
        [(1, 1, 3.0, 964982703), (1, 2, 1.0, 96), (2, 3, 2.0, 97)],
    ),
    "interactions.csv": table(
        "user_id,item_id,timestamp", [(1, 1, 964982703), (1, 2, 964982931), (2, 3, 964982224)]
    ),
    "purchases.csv": table("customer_id,articles", [("01", "001 002"), ("02", "003")]),
    "qrels.txt": "q1 0 d1 3\nq1 0 d2 1\nq2 0 d3 2\n",
    "scifact/qrels/test.tsv": table(
        "query-id\tcorpus-id\tscore", [(1, 1, 3), (1, 2, 1), (2, 3, 2)], "\t"
    ),
    "train.svm": "3 qid:1 1:0.5 # d1\n1 qid:1 1:0.2 # d2\n2 qid:2 1:0.9 # d3\n",
    "ranx.json": json.dumps({"q1": {"d1": 3, "d2": 1}, "q2": {"d3": 2}}),
    "hub.jsonl": lines(
        *(
            {"query-id": query, "corpus-id": document, "score": grade}
            for query, document, grade in PAIRS
        )
    ),
    "bm25.run": "q1 Q0 d2 1 2.5 bm25\nq1 Q0 d1 2 1.5 bm25\nq2 Q0 d3 1 0.5 bm25\n",
    "msmarco.tsv": "q1\td2\t1\nq1\td1\t2\nq2\td3\t1\n",
    "hits.jsonl": lines(
        *(
            {
                "query": query,
                "hits": [
                    {"_id": document, "_score": score}
                    for other, document, score in HITS
                    if other[-1] in query
                ],
            }
            for query in QUERIES
        )
    ),
    "chunks.jsonl": lines(
        *(
            {
                "question": query,
                "chunks": [{"chunk_id": document, "text": "x y"} for document in ids],
            }
            for query, ids in RETURNED
        )
    ),
    "ragas-run.jsonl": lines(
        *(
            {"user_input": query, "retrieved_context_ids": ids, "response": "An answer."}
            for query, ids in RETURNED
        )
    ),
    "submission.csv": table("customer_id,prediction", [("01", "002 001"), ("02", "003")]),
    "scores.txt": "1.5\n2.5\n0.5\n",
    "mteb.json": json.dumps(
        {"default": {"test": {"q1": {"d2": 2.5, "d1": 1.5}, "q2": {"d3": 0.5}}}}
    ),
}


@dataclass
class Judgment:
    """A judgment of an application."""

    query: str
    doc_id: str
    grade: int


class Dataset:
    """The part of the interface of ir_datasets' datasets that Gainful uses."""

    def qrels_iter(self) -> Any:
        """Yield judgments."""
        judged = namedtuple("judged", ["query_id", "doc_id", "relevance", "iteration"])
        return iter([judged(*pair, "0") for pair in PAIRS])


def frame(names: str, rows: list[Any]) -> Any:
    """Return a frame of pandas."""
    return need("pandas").DataFrame(rows, columns=names.split())


def cursor() -> Any:
    """Return a cursor with judgments."""
    database = sqlite3.connect(":memory:")
    database.execute("create table ratings (query text, doc_id text, grade integer)")
    database.executemany("insert into ratings values (?, ?, ?)", PAIRS)
    return database.execute("select * from ratings")


Prediction = namedtuple("Prediction", ["uid", "iid", "r_ui", "est", "details"])

#: What lines call by a name.
NAMES = {
    "frame": lambda: frame("term sku stars", PAIRS),
    "cursor": cursor,
    "objects": lambda: [Judgment(*pair) for pair in PAIRS],
    "dataset": Dataset,
    "pyterrier_qrels": lambda: frame("qid docno label", PAIRS),
    "pyterrier": lambda: frame(
        "qid docid docno rank score query",
        [
            (query, 70 + at, document, at, score, "x")
            for at, (query, document, score) in enumerate(HITS)
        ],
    ),
    "lenskit": lambda: frame(
        "user_id item_id score rank",
        [(1, 2, 2.5, 1), (1, 1, 1.5, 2), (2, 3, 0.5, 1)],
    ),
    "mlflow": lambda: frame(
        "question retrieved_doc_ids ground_truth_doc_ids",
        [(query, ["x"], ids) for query, ids in LISTS],
    ),
    "systems": lambda: frame(
        "system query_id doc_id score", [(name, *hit) for name in ("bm25", "dense") for hit in HITS]
    ),
    "surprise": lambda: [
        Prediction(query, document, 3.0, score, {"was_impossible": False})
        for query, document, score in HITS
    ],
    "distances": lambda: [
        ("q1", [{"id": "d2", "distance": -2.5}, {"id": "d1", "distance": -1.5}]),
        ("q2", [{"id": "d3", "distance": -0.5}]),
    ],
}

PAGE = (ROOT / "docs/your-data.md").read_text("utf-8")
JUDGMENTS, RUNS = (
    [
        (cells[1], cells[3].strip("`"))
        for line in section.splitlines()
        if line.startswith("| ")
        and (cells := [cell.strip() for cell in line.split("|")])[3][0] == "`"
    ]
    for section in PAGE.split("\n## ")[1:3]
)


def numbers(found: dict[str, Any]) -> Any:
    """Return the content with numbers as ids."""

    def number(text: str) -> int:
        return int(re.sub(r"\D", "", text))

    return {
        number(query): [number(document) for document in documents]
        if isinstance(documents, list)
        else {number(document): value for document, value in documents.items()}
        for query, documents in found.items()
    }


def written(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what a line evaluates to, with the files and names that it uses."""
    monkeypatch.chdir(folder)
    for name, text in FILES.items():
        if name.partition("/")[0] in code:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    names = {name: make() for name, make in NAMES.items() if re.search(rf"\b{name}\b", code)}
    return eval(code, {"gainful": gainful, **names})


@pytest.mark.parametrize(("title", "code"), JUDGMENTS)
def test_judgments(title: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = as_qrels(written(code, tmp_path, monkeypatch)).to_dict()
    assert numbers(qrels) in (GRADES, RELEVANT), title
    again = written(code, tmp_path, monkeypatch)
    assert gainful.evaluate(again, qrels, "nDCG").mean() == 1


@pytest.mark.parametrize(("title", "code"), RUNS)
def test_runs(title: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = named_runs(written(code, tmp_path, monkeypatch), None)
    assert len(runs) == (2 if "several" in title else 1)
    for run in runs.values():
        ranking = as_run(run)
        assert numbers(ranking.to_dict()) in (SCORES, RANKED), title
        best = {query: {documents[0][0]: 1} for query, documents in ranking.items()}
        assert gainful.evaluate(best, run, "RR").mean() == 1


def test_the_page_has_many_shapes() -> None:
    assert len(JUDGMENTS) + len(RUNS) >= 45
