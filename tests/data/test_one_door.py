"""What is read is the truth or refused, from memory and from every kind of file."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import GainfulError
from repeated_tests import for_each

#: How records are given: as objects, and as files.
Source = Callable[[list[dict[str, Any]], Path], Any]


def _text(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


SOURCES: dict[str, Source] = {
    "list": lambda records, _: records,
    "iterator": lambda records, _: iter(records),
    "JSON": lambda records, folder: _text(folder / "a.json", json.dumps(records, indent=1)),
    "JSON lines": lambda records, folder: _text(
        folder / "a.jsonl", "".join(f"{json.dumps(record)}\n" for record in records)
    ),
    "under a key": lambda records, folder: _text(
        folder / "key.json", json.dumps({"version": 1, "cases": records})
    ),
    "object": lambda records, _: {"cases": records},
}


def columns_of(error: GainfulError) -> str:
    """Return the columns that the hint of an error says to write."""
    said = re.search(r"columns='(.*?)'", str(error))
    assert said is not None, str(error)
    return said[1]


@for_each("source", SOURCES)
def test_results_are_no_judgments(source, tmp_path):
    records = [
        {"question": "x?", "relevant": ["b"], "results": ["a", "b"]},
        {"question": "y?", "relevant": ["z"], "results": ["p", "q"]},
    ]
    judgments, run = (SOURCES[source](records, tmp_path) for _ in range(2))
    evaluation = gainful.evaluate(judgments, run, ["nDCG@10", "RR"])
    assert evaluation.means()["nDCG@10"] == pytest.approx(0.3155, abs=5e-5)
    assert evaluation.means()["RR"] == 0.25


@for_each("source", SOURCES)
@for_each(
    ("name", "values"),
    [
        ("query_relevance_label", [4, 2, 0]),
        ("stars", [4, 2, 0]),
        ("weight", [4.0, 2.0, 0.0]),
        ("level", [4, 2, 0]),
        ("correct", [True, True, False]),
        ("is_relevant", [True, True, False]),
        ("relevant", [True, True, False]),
    ],
)
def test_a_grade_of_an_unknown_name_is_refused_with_its_name(source, name, values, tmp_path):
    gold = [
        {"document_id": str(at), name: value} for at, value in zip((1, 2, 3), values, strict=True)
    ]
    records = [{"query": "q one", "relevant": gold}]
    with pytest.raises(GainfulError) as caught:
        gainful.Qrels(SOURCES[source](records, tmp_path))
    columns = columns_of(caught.value)
    assert columns == f"grade=relevant[].{name}"
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), columns=columns)
    assert qrels.to_dict() == {
        "q one": {str(at): float(value) for at, value in zip((1, 2, 3), values, strict=True)}
    }


@for_each("source", SOURCES)
@for_each(
    ("record", "grades"),
    [
        ({"retrieval_gt": [["12", "34"]]}, {"12": 1, "34": 1}),
        ({"supporting_facts": [["Arthur's", 0], ["First", 3]]}, {"Arthur's": 1, "First": 1}),
        ({"relevant": [["a", 2], ["b", 1]]}, {"a": 2, "b": 1}),
        ({"relevant": {"a": 2, "b": 1}}, {"a": 2, "b": 1}),
        ({"relevant": ["a", "a"]}, {"a": 1}),
        ({"relevant": [{"id": "a", "page": 3}]}, {"a": 1}),
        ({"relevant": "a; b"}, {"a": 1, "b": 1}),
        ({"id": "q one", "question": "x", "relevant": ["a"]}, {"a": 1}),
    ],
)
def test_lists_of_documents(source, record, grades, tmp_path):
    records = [{"query": "q one", **record}]
    assert gainful.Qrels(SOURCES[source](records, tmp_path)).to_dict() == {"q one": grades}


@for_each("source", SOURCES)
@for_each(
    ("record", "cause"),
    [
        ({"query": "q", "relevant": ["a"], "relevant_docs": ["b"]}, "relevant_docs"),
        ({"query": "q", "hits": ["a"]}, "what a system returned"),
        ({"query_id": "1", "qid": "2", "doc_id": "a", "grade": 1}, "qid"),
        ({"query_id": "1", "doc_id": "a", "grade": 1, "label": 2}, "label"),
        ({"query_id": "1", "doc_id": "a", "score": 1, "rank": 1}, "looks like a run"),
        ({"query_id": "1", "doc_id": "a", "grade": 1, "call": 0}, "no meaning"),
        ({"query": "q", "ground_truth": "Because of rain."}, "ids of documents"),
        ({"query": "q", "relevant": [{"name": "x"}]}, "an id"),
        ({"query": "q", "relevant": None}, "no value"),
    ],
)
def test_what_has_two_meanings_is_refused(source, record, cause, tmp_path):
    with pytest.raises(GainfulError, match=re.escape(cause)):
        gainful.Qrels(SOURCES[source]([record], tmp_path))


@for_each("source", SOURCES)
@for_each(
    ("record", "ranking"),
    [
        ({"query": "q", "hits": [{"id": "b", "_score": 2.5}, {"id": "a", "_score": 1}]}, "ba"),
        ({"question": "q", "chunks": [{"chunk_id": "b"}, {"chunk_id": "a"}]}, "ba"),
        ({"user_input": "q", "retrieved_context_ids": ["b", "a"], "reference": "x y"}, "ba"),
        ({"query": "q", "results": [["a", 1.0], ["b", 2.0]]}, "ba"),
        ({"query": "q", "documents": ["b", "a"]}, "ba"),
        ({"query": "q", "ranking": []}, ""),
    ],
)
def test_rankings(source, record, ranking, tmp_path):
    run = gainful.Run(SOURCES[source]([record], tmp_path))
    # An entry is an id, or an id with its score, and these ids have one letter.
    assert {query: [entry[0] for entry in run[query]] for query in run} == {"q": list(ranking)}


def test_a_run_is_not_the_gold(tmp_path):
    for source in SOURCES.values():
        with pytest.raises(GainfulError, match="relevant documents"):
            gainful.Run(source([{"query": "q", "relevant": ["a"]}], tmp_path))


@for_each("source", SOURCES)
def test_what_a_caller_names_wins(source, tmp_path):
    records = [{"id": "7", "question": "why?", "sources": ["a"], "relevant": ["b"]}]
    columns = {"query": "question", "relevant": "sources"}
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), columns=columns)
    assert qrels.to_dict() == {"why?": {"a": 1}}


def test_keys_are_queries(tmp_path):
    records = {"q1": {"question": "x?", "relevant": ["d1"]}, "q2": {"relevant": []}}
    assert gainful.Qrels(records).to_dict() == {"q1": {"d1": 1}}
    path = _text(tmp_path / "a.json", json.dumps(records))
    assert gainful.Qrels(path) == gainful.Qrels(records)


def test_a_field_that_comes_late_does_not_change_what_the_others_mean(tmp_path):
    records = [{"query": f"q{at}", "doc": "d", "label": 1} for at in range(150)]
    records[120] = {"query": "q120", "doc": "d", "grade": 2}
    for name in ("list", "JSON lines"):
        with pytest.raises(GainfulError, match="grade"):
            gainful.Qrels(SOURCES[name](records, tmp_path))
    records[120] = {"query": "q120", "doc": "d", "label": 2, "comment": "late"}
    assert gainful.Qrels(records).to_dict()["q120"] == {"d": 2}


@for_each(
    ("cell", "documents"),
    [
        ("0706016001 0706016002", ["0706016001", "0706016002"]),
        ("a|b c", ["a", "b c"]),
        ('["a", "b"]', ["a", "b"]),
        ("['a' 'b']", ["a", "b"]),
        ("a", ["a"]),
    ],
)
def test_cells_with_several_documents(cell, documents, tmp_path):
    path = tmp_path / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["customer_id", "articles"], ["c1", cell], ["c2", "z"]])
    columns = "query=customer_id,relevant=articles"
    qrels = gainful.read_qrels(path, columns=columns)
    assert qrels.to_dict() == {"c1": dict.fromkeys(documents, 1), "c2": {"z": 1}}
    run = gainful.read_run(path, columns="query=customer_id,results=articles")
    assert gainful.evaluate(qrels, run, "AP").means() == {"AP": 1.0}


#: Ids with a number each in a second list, and the field of a run that has it.
PARALLEL = [
    ("qrels", {"relevant": ["a", "b"], "grades": [3, 1]}, {"a": 3, "b": 1}),
    ("qrels", {"relevant": ["a", "b"], "relevance": [3, 0]}, {"a": 3, "b": 0}),
    ("run", {"doc_ids": ["a", "b"], "scores": [1.5, 2.5]}, {"a": 1.5, "b": 2.5}),
    ("run", {"results": ["a", "b"], "score": [2, 1]}, {"a": 2, "b": 1}),
]


@for_each("source", SOURCES)
@for_each(("table", "lists", "values"), PARALLEL)
def test_numbers_in_a_list_next_to_ids_belong_to_them(source, table, lists, values, tmp_path):
    read = gainful.Qrels if table == "qrels" else gainful.Run
    records = [{"query": "x y", **lists}]
    assert read(SOURCES[source](records, tmp_path)).to_dict() == {"x y": values}
    *_, last = lists
    records[0][last] = [1]
    with pytest.raises(GainfulError, match="found 1 numbers in .*, expected 2, one for each"):
        read(SOURCES[source](records, tmp_path))


@for_each("cells", ["a|b,3|1", '"[""a"", ""b""]","[3, 1]"'])
def test_numbers_in_a_cell_next_to_ids_belong_to_them(cells, tmp_path):
    path = _text(tmp_path / "a.csv", f"query,relevant,grades\nx,{cells}\ny,c,2\n")
    assert gainful.Qrels(path).to_dict() == {"x": {"a": 3, "b": 1}, "y": {"c": 2}}


def test_scores_of_a_system_are_no_grades(tmp_path):
    lists = {"relevant": ["a"], "retrieved_ids": ["b", "a"], "scores": [2.5, 1.5]}
    records = [{"query": "x", **lists}]
    assert gainful.Qrels(records).to_dict() == {"x": {"a": 1}}
    assert gainful.Run(records).to_dict() == {"x": {"b": 2.5, "a": 1.5}}
    with pytest.raises(GainfulError) as caught:
        gainful.Qrels([{"query": "x", "relevant": ["a", "b"], "scores": [3, 1]}])
    assert columns_of(caught.value) == "grade=scores"
    records = [{"query": "x", "relevant": ["a", "b"], "scores": [3, 1]}]
    assert gainful.Qrels(records, columns="grade=scores").to_dict() == {"x": {"a": 3, "b": 1}}
    assert gainful.Qrels(records, columns="-=scores").to_dict() == {"x": {"a": 1, "b": 1}}


#: An answer of Chroma: one list per query.
CHROMA = {"distances": [[0.1, 0.2]], "documents": [["a text", "b"]], "metadatas": [[None, None]]}


@for_each("source", SOURCES)
def test_documents_next_to_ids_are_texts(source, tmp_path):
    records = [{"query": "x y", "ids": [["d2", "d1"]], **CHROMA, "embeddings": None}]
    with pytest.raises(GainfulError, match="smaller for better documents") as caught:
        gainful.Run(SOURCES[source](records, tmp_path))
    columns = columns_of(caught.value)
    assert columns == "-=distances"
    run = gainful.Run(SOURCES[source](records, tmp_path), columns=columns)
    assert run.to_dict() == {"x y": ["d2", "d1"]}


def test_answers_of_several_queries_need_their_queries(tmp_path):
    answers = {"ids": [["d2", "d1"], ["d3"]], "distances": [[0.1, 0.2], [0.3]], "uris": None}
    path = _text(tmp_path / "a.json", json.dumps({**answers, "included": ["distances"]}))
    with pytest.raises(GainfulError, match="the lists of 'ids' have no queries"):
        gainful.Run(path)
    _text(path, json.dumps({"query": ["x", "y"], **answers, "included": ["distances"]}))
    run = gainful.Run(path, columns="-=distances")
    assert run.to_dict() == {"x": ["d2", "d1"], "y": ["d3"]}


@for_each("lists", [[["a", "b"], ["c"]], [["a", "0.9"], ["b", "0.8"]]])
def test_a_run_has_one_list_per_query(lists):
    with pytest.raises(GainfulError, match="found 2 lists of documents, expected one for each"):
        gainful.Run([{"query": "x", "results": lists}])


@for_each("source", SOURCES)
def test_documents_below_answers_are_named_by_their_path(source, tmp_path):
    """As in KILT."""
    pages = [{"provenance": [{"wikipedia_id": page, "title": "a page"}]} for page in ("7", "8")]
    records = [{"id": "1", "input": "x y", "output": pages}]
    with pytest.raises(GainfulError) as caught:
        gainful.Qrels(SOURCES[source](records, tmp_path))
    columns = columns_of(caught.value)
    assert columns == "query=id,relevant=output[].provenance"
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), columns=columns)
    assert qrels.to_dict() == {"1": {"7": 1, "8": 1}}


@for_each("source", SOURCES)
def test_scores_of_positive_documents_are_a_retrievers(source, tmp_path):
    """As in the training files of DPR."""
    passage = {"passage_id": "7", "title": "a", "text": "a b", "score": 1000, "title_score": 1}
    records = [{"question": "x y", "positive_ctxs": [passage], "negative_ctxs": []}]
    with pytest.raises(GainfulError) as caught:
        gainful.Qrels(SOURCES[source](records, tmp_path))
    used, ignored = re.findall(r"columns='(.*?)'", str(caught.value))
    assert used == "grade=positive_ctxs[].score"
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), columns=ignored)
    assert qrels.to_dict() == {"x y": {"7": 1}}


@for_each("names", [("pos", "neg"), ("positives", "hard_negatives")])
def test_a_hint_names_the_list_of_relevant_documents(names):
    positive, negative = names
    with pytest.raises(GainfulError) as caught:
        gainful.Qrels([{"query": "x", negative: ["b"], positive: ["a"]}])
    assert columns_of(caught.value) == f"query=query,relevant={positive}"


@for_each(
    ("table", "value"),
    [
        ("qrels", {"grade": 3}),
        ("qrels", {"grade": 3, "by": "ann"}),
        ("run", {"score": 3, "rank": 1}),
    ],
)
def test_objects_by_query_and_document_have_the_value(table, value, tmp_path):
    path = _text(tmp_path / "a.json", json.dumps({"x": {"a": value}}))
    read = gainful.Qrels if table == "qrels" else gainful.Run
    assert read(path).to_dict() == {"x": {"a": 3}}


@for_each("suffix", ["csv", "txt", "none"])
@for_each("mark", [",", ";"])
def test_spaces_after_separators_are_no_separators(mark, suffix, tmp_path):
    text = "".join(f"red shoe{mark} {doc}{mark} 3\n" for doc in "ab")
    with pytest.raises(GainfulError, match="a space follows each"):
        gainful.Qrels(_text(tmp_path / f"a.{suffix}", text))
    closed = text.replace(f"{mark} ", mark)
    qrels = gainful.Qrels(_text(tmp_path / f"b.{suffix}", closed))
    assert qrels.to_dict() == {"red shoe": {"a": 3, "b": 3}}


@for_each("suffix", ["tsv", "txt", "csv"])
@for_each("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
def test_fields_between_tabs_may_be_quoted(suffix, quoting, tmp_path):
    path = tmp_path / f"a.{suffix}"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = [("query", "doc", "grade"), ('12" pizza', "a", 3), ("x", 'say "b"', 1)]
        csv.writer(file, "excel-tab", quoting=quoting).writerows(rows)
    assert gainful.Qrels(path).to_dict() == {'12" pizza': {"a": 3}, "x": {'say "b"': 1}}


def test_quotes_without_doubled_ones_are_part_of_an_id(tmp_path):
    written = {'"red shoe"': {'"a" or "b"': 3}}
    path = _text(tmp_path / "a.tsv", 'query\tdoc\tgrade\n"red shoe"\t"a" or "b"\t3\n')
    assert gainful.Qrels(path).to_dict() == written
    with pytest.raises(GainfulError, match="quotes as in CSV"):
        gainful.Qrels({'"a""b"': {"d": 1}}).write(path)


@for_each("end", [",", ""])
@for_each("suffix", ["json", "jsonl"])
def test_lines_of_json_may_end_with_commas(suffix, end, tmp_path):
    rows = [{"query": "x", "doc": doc, "grade": 3} for doc in "ab"]
    path = _text(tmp_path / f"a.{suffix}", ",\n".join(map(json.dumps, rows)) + f"{end}\n")
    assert gainful.Qrels(path).to_dict() == {"x": {"a": 3, "b": 3}}


def test_a_judgment_list_refuses_rules_that_it_does_not_apply(tmp_path):
    ratings = [{"_index": "i", "_id": "d1#2", "rating": 3}]
    requests = {"requests": [{"id": "x", "request": {}, "ratings": ratings}]}
    path = _text(tmp_path / "a.json", json.dumps(requests))
    assert gainful.Qrels(path).to_dict() == {"x": {"d1#2": 3}}
    with pytest.raises(GainfulError, match="for a judgment list"):
        gainful.Qrels(path, columns="doc=:^(.+)#")


@for_each("source", SOURCES)
@for_each(
    ("name", "documents"),
    [
        ("grade", {"relevant": ["a", "b"]}),
        ("rating", {"doc_ids": ["a", "b"]}),
        ("score", {"relevant": [["a"], ["b"]]}),
        ("relevance", {"relevant": [{"id": "a", "title": "t"}, {"id": "b"}]}),
        ("grades", {"expected_ids": ["a", "b"]}),
    ],
)
def test_one_grade_next_to_a_list_needs_its_name(source, name, documents, tmp_path):
    records = [{"query": "x y", name: 2, **documents}, {"query": "z", name: 0, **documents}]
    with pytest.raises(GainfulError, match=f"'{name}' is one value for a list") as caught:
        gainful.Qrels(SOURCES[source](records, tmp_path))
    used, ignored = re.findall(r"columns='(.*?)'", str(caught.value))
    assert (used, ignored) == (f"grade={name}", f"-={name}")
    for columns, grades in [(used, [2, 0]), (ignored, [1, 1])]:
        qrels = gainful.Qrels(SOURCES[source](records, tmp_path), columns=columns)
        lists = [dict.fromkeys("ab", grade) for grade in grades]
        assert qrels.to_dict() == dict(zip(("x y", "z"), lists, strict=True))


def test_one_grade_in_a_cell_next_to_a_list_needs_its_name(tmp_path):
    path = _text(tmp_path / "a.csv", "query,relevant,grade\nx,a|b,2\ny,a,0\n")
    with pytest.raises(GainfulError, match="'grade' is one value for a list of documents"):
        gainful.Qrels(path)
    qrels = gainful.Qrels(path, columns="grade=grade")
    assert qrels.to_dict() == {"x": {"a": 2, "b": 2}, "y": {"a": 0}}


@for_each("source", SOURCES)
@for_each("grades", [("yes", "no"), ("2", "0"), ("Relevant", "Not relevant")])
def test_one_grade_as_text_next_to_a_list_needs_its_name(source, grades, tmp_path):
    rows = zip("xy", grades, strict=True)
    records = [{"query": query, "grade": grade, "doc_ids": ["a", "b"]} for query, grade in rows]
    with pytest.raises(GainfulError, match="'grade' is one value for a list of documents"):
        gainful.Qrels(SOURCES[source](records, tmp_path))
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), columns="grade=grade")
    assert [min(row.values()) > 0 for row in qrels.to_dict().values()] == [True, False]


def test_a_label_of_an_answer_is_no_grade():
    records = [{"question": "x", "label": "SUPPORTS", "doc_ids": ["a"]}]
    assert gainful.Qrels(records).to_dict() == {"x": {"a": 1}}


@for_each("source", SOURCES)
@for_each(
    ("relevant", "irrelevant", "grades"),
    [
        ({"relevant": ["a"]}, {"irrelevant": ["b", "c"]}, {"a": 1, "b": 0, "c": 0}),
        ({"relevant_doc_ids": ["a"]}, {"non_relevant_doc_ids": ["b"]}, {"a": 1, "b": 0}),
        (
            {"expected_docs": [{"id": "a", "grade": 3}]},
            {"not relevant": [{"id": "b"}]},
            {"a": 3, "b": 0},
        ),
        ({"relevant": [["a"], ["b"]]}, {"irrelevant": ["c"]}, {"a": 1, "b": 1, "c": 0}),
        ({"relevant": ["a"]}, {"irrelevant": [{"id": "b"}]}, {"a": 1, "b": 0}),
        (
            {"relevant": [{"id": "a", "start": 120, "end": 180}]},
            {"irrelevant": [{"id": "a", "start": 0, "end": 50}]},
            {"a#char=120,180": 1, "a#char=0,50": 0},
        ),
        ({"relevant": []}, {"irrelevant": ["b"]}, {"b": 0}),
        ({"relevant": ["a"]}, {"irrelevant": []}, {"a": 1}),
        ({"relevant": ["a"]}, {"negatives": ["b"]}, {"a": 1}),
        ({"relevant": ["a"]}, {"irrelevant": 2}, {"a": 1}),
    ],
)
def test_irrelevant_documents_have_the_grade_0(source, relevant, irrelevant, grades, tmp_path):
    records = [{"query": "x", **relevant, **irrelevant}]
    assert gainful.Qrels(SOURCES[source](records, tmp_path)).to_dict() == {"x": grades}


def test_irrelevant_documents_of_groups():
    relevant = [{"id": "a", "subtopic": "1"}, {"id": "b", "subtopic": "2"}]
    irrelevant = [{"id": "b", "subtopic": "1"}]
    records = [
        {"query": "x", "relevant": relevant, "irrelevant": irrelevant},
        {"query": "y", "relevant": relevant, "irrelevant": ["c"]},
    ]
    for part, groups in [
        (records[:1], {"x": {"1": {"a": 1, "b": 0}, "2": {"b": 1}}}),
        (records[1:], {"y": {"1": {"a": 1}, "2": {"b": 1}}}),
    ]:
        assert gainful.Qrels(part, subtopics=True).to_dict() == groups
    assert gainful.Qrels(records[1:]).to_dict() == {"y": {"a": 1, "b": 1, "c": 0}}


def test_irrelevant_documents_of_one_record_of_many(tmp_path):
    records = [{"query": f"q{number}", "relevant": ["a"]} for number in range(3000)]
    records[-1]["irrelevant"] = ["b"]
    path = _text(tmp_path / "a.jsonl", "".join(f"{json.dumps(record)}\n" for record in records))
    assert gainful.Qrels(path).to_dict()["q2999"] == {"a": 1, "b": 0}


def test_irrelevant_documents_in_cells(tmp_path):
    path = _text(tmp_path / "a.csv", "query,relevant,irrelevant\nx,a|b,c\ny,[],d; e\n")
    assert gainful.Qrels(path).to_dict() == {"x": {"a": 1, "b": 1, "c": 0}, "y": {"d": 0, "e": 0}}


def test_a_document_that_is_relevant_and_irrelevant_is_twice_there():
    with pytest.raises(GainfulError, match="document 'a': duplicate document"):
        gainful.Qrels([{"query": "x", "relevant": ["a"], "irrelevant": ["a"]}])


def test_a_number_of_a_system_is_no_grade():
    records = [{"query": "x", "relevant": ["a"], "results": ["b", "a"], "score": 1}]
    assert gainful.Qrels(records).to_dict() == {"x": {"a": 1}}


@for_each("source", SOURCES)
def test_labels_need_grades(source, tmp_path):
    records = [{"query": "x", "relevant": ["a"]}]
    with pytest.raises(GainfulError, match="the judgments have no grades"):
        gainful.Qrels(SOURCES[source](records, tmp_path), columns="grade=:3=1")
    records[0]["relevant"] = [["a", 3]]
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), columns="grade=:3=1")
    assert qrels.to_dict() == {"x": {"a": 1}}


@for_each(
    ("text", "columns"),
    [
        ("query,doc,grade,w\nx,a,1,2\n", "weight=w"),
        ('{"query": "x", "relevant": ["a"], "w": 2}\n', "weight=w"),
    ],
)
def test_a_weight_needs_a_subtopic(text, columns, tmp_path):
    path = _text(tmp_path / "a.txt", text)
    with pytest.raises(GainfulError, match="subtopic") as caught:
        gainful.Qrels(path, columns=columns)
    assert columns_of(caught.value) == "subtopic=NAME"


def test_a_weight_in_order_needs_a_subtopic(tmp_path):
    path = _text(tmp_path / "a.tsv", "x\ta\t1\t2\n")
    with pytest.raises(GainfulError, match="a weight is that of a subtopic"):
        gainful.Qrels(path, columns="query,doc,grade,weight")


NAMED = "qid Q0 docno rank score tag\nx Q0 a 1 2.5 t\n"
QUOTED = '"query" "doc" "score"\n"1" "red shoe" "a" 3\n'


@for_each(
    ("text", "found", "hint"),
    [
        (NAMED, "the first line has the names", "delete it: tail -n +2"),
        ("query doc score\nx a 3\n", "the first line has the names", "tr -s ' ' '\\t'"),
        (QUOTED, "as R's write.table writes them", "write.csv(TABLE"),
        ('// a run\n{"x": {"a": 1}}', "begins with a comment", "sed '/^ *"),
        ('{"x": {"a": 1, // good\n"b": 2}}', "invalid JSON", "JSON has no comments"),
        ("query,d1,d2\nx,3,1\n", "expected columns doc_id", "melt('query', var_name='doc'"),
        (",d1,d2\nx,3,\ny,0,1\n", "the first column has no name", "sed '1s/^/query/'"),
    ],
)
def test_other_forms_of_text_are_named(text, found, hint, tmp_path):
    for suffix in ("txt", "run", "json"):
        with pytest.raises(GainfulError) as caught:
            gainful.Run(_text(tmp_path / f"a.{suffix}", text))
        assert found in str(caught.value)
        assert hint in str(caught.value)


@for_each("form", ["trec", "csv"])
def test_json_is_named_where_another_format_was(form, tmp_path):
    path = _text(tmp_path / "a.txt", '{"x": {"a": 1, "b": 0}, "y": {"a": 1, "b": 0}}')
    with pytest.raises(GainfulError, match="the file looks like JSON") as caught:
        gainful.Qrels(path, format=form)
    assert "format='json'" in str(caught.value)


def test_ids_may_begin_as_json_does(tmp_path):
    qrels = gainful.Qrels(_text(tmp_path / "a.txt", "{x} 0 [a] 1\n"))
    assert qrels.to_dict() == {"{x}": {"[a]": 1}}


def test_ids_may_look_like_names_and_comments(tmp_path):
    lines = ['"query" 0 "doc" 1', "// 0 /* 2", "topic 0 document relevant"]
    qrels = gainful.Qrels(_text(tmp_path / "a.txt", "".join(f"{line}\n" for line in lines)))
    assert qrels.to_dict() == {'"query"': {'"doc"': 1}, "//": {"/*": 2}, "topic": {"document": 1}}
