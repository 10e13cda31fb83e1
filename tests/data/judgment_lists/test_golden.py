"""Golden sets are judgments: as objects in memory, and as files of several tools."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gainful
from gainful.data.judgment_lists import listed_queries, read_judgment_list
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    FormatError,
    GainfulError,
    ParameterError,
)
from repeated_tests import for_each
from requirements import need

WHY, HOW = "Why is it, again?", 'How "exactly"? 🙂'
JUDGED = {WHY: {"d1": 1, "d 3": 1}, HOW: {"d2": 1}}
BY_ID = {"7": JUDGED[WHY], "8": JUDGED[HOW]}


def records(question: str, relevant: str, **ids: str) -> list[dict[str, object]]:
    """Return records with these names of fields."""
    rows = []
    for id, (text, graded) in zip("78", JUDGED.items(), strict=True):
        rows.append({**({ids["id"]: int(id)} if ids else {}), question: text, relevant: [*graded]})
    return rows


LANGSMITH = [
    {
        "id": f"{at}",
        "inputs": {"question": text},
        "outputs": {"answer": "Yes.", "document_ids": list(graded)},
        "metadata": {"dataset_split": ["base"]},
    }
    for at, (text, graded) in zip("78", JUDGED.items(), strict=True)
]
LLAMA_INDEX = {
    "queries": dict(zip("78", JUDGED, strict=True)),
    "corpus": {"d1": "A text.", "d2": "Another.", "d 3": "And another."},
    "relevant_docs": dict(zip("78", map(list, JUDGED.values()), strict=True)),
    "mode": "text",
}
DEEPEVAL = [
    {
        "input": text,
        "actual_output": None,
        "expected_output": "Because.",
        "retrieval_context": None,
        "context": ["A text."],
        "name": None,
        "comments": None,
        "source_file": None,
        "additional_metadata": {"expected_ids": list(graded)},
    }
    for text, graded in JUDGED.items()
]
RAGAS = [
    {"user_input": text, "reference": "Because.", "reference_context_ids": list(graded)}
    for text, graded in JUDGED.items()
]

BY_TEXT = {
    "question, relevant": records("question", "relevant"),
    "query, expected_ids": records("query", "expected_ids"),
    "Input, Relevant Documents": records("Input", "Relevant Documents"),
    "user_input, relevantDocIds": records("user_input", "relevantDocIds"),
    "columns": {"question": list(JUDGED), "relevant": [list(each) for each in JUDGED.values()]},
    "relevant by question": {text: {"relevant": [*graded]} for text, graded in JUDGED.items()},
    "in an object": {"version": 1, "examples": records("question", "relevant")},
    "grades": [{"question": text, "relevant": graded} for text, graded in JUDGED.items()],
    "pairs": [
        {"question": text, "relevant": [[document, 1] for document in graded]}
        for text, graded in JUDGED.items()
    ],
    "objects": [
        {"question": text, "relevant": [{"id": document, "title": "x"} for document in graded]}
        for text, graded in JUDGED.items()
    ],
    "DeepEval": DEEPEVAL,
    "ragas": RAGAS,
}
WITH_IDS = {
    "id, question": records("question", "relevant", id="id"),
    "_id, query": records("query", "relevant", id="_id"),
    "query_id, question": records("question", "gold_ids", id="query_id"),
    "LangSmith": LANGSMITH,
    "LlamaIndex": LLAMA_INDEX,
}
ALL = [
    *((name, value, JUDGED) for name, value in BY_TEXT.items()),
    *((name, value, BY_ID) for name, value in WITH_IDS.items()),
]


@for_each(("value", "expected"), [each[1:] for each in ALL])
def test_objects_and_files_have_the_same_judgments(value, expected, tmp_path):
    assert gainful.Qrels(value).to_dict() == expected
    path = tmp_path / "golden.json"
    for indent in (None, 2):
        path.write_text(json.dumps(value, indent=indent), "utf-8")
        assert gainful.read_qrels(path).to_dict() == expected
    assert gainful.read_qrels(path, format="golden").to_dict() == expected
    texts = {query.id: query.text for query in listed_queries(path)}
    assert list(texts) == list(expected)
    assert list(texts.values()) == list(JUDGED)
    if isinstance(value, list):
        lines = tmp_path / "golden.jsonl"
        lines.write_text("".join(json.dumps(each) + "\n" for each in value), "utf-8")
        assert gainful.read_qrels(lines).to_dict() == expected
        assert gainful.Qrels(iter(value)).to_dict() == expected


@for_each(
    "cell",
    [
        lambda ids: json.dumps(ids),
        lambda ids: repr(ids),
        lambda ids: "; ".join(ids),
        lambda ids: "|".join(ids),
        lambda ids: ", ".join(ids),
    ],
)
@for_each("names", ["question,relevant", "Query,expected_ids"])
def test_cells_of_a_table_have_lists(cell, names, tmp_path):
    import csv

    path = tmp_path / "golden.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = [names.split(","), *([text, cell([*graded])] for text, graded in JUDGED.items())]
        csv.writer(file).writerows(rows)
    assert gainful.read_qrels(path).to_dict() == JUDGED


@for_each(
    ("ids", "judged"),
    [
        (["d1", "d2"], ["d1", "d2"]),
        (["d 1", "it's", 'so "it"', "a\\b", "[x]"], ["d 1", "it's", 'so "it"', "a\\b", "[x]"]),
        ([f"document-{n}" for n in range(99)], [f"document-{n}" for n in range(99)]),
        (["d1"], ["d1"]),
        ([1, 22, 3], ["1", "22", "3"]),
    ],
)
def test_cells_that_numpy_printed(ids, judged, tmp_path):
    pandas = need("pandas")
    cells = pandas.DataFrame({"query_id": ["q"], "relevant": [np.array(ids)]})
    cells.to_csv(tmp_path / "golden.csv", index=False)
    expected = {"q": dict.fromkeys(judged, 1)}
    assert gainful.read_qrels(tmp_path / "golden.csv").to_dict() == expected
    assert gainful.Qrels(cells).to_dict() == expected


@for_each(
    "cell",
    [
        *("nan", "NaN", "None", "<NA>", "d1; nan", "['d1', nan]", "[nan 'd1']", "[None]"),
        *("[0 1 ... 8 9]", "['d0' 'd1' ... 'd9']", "['d1' 'd2'", "[d1, d2]"),
    ],
)
def test_cells_without_certain_ids_are_refused(cell, tmp_path):
    (tmp_path / "golden.csv").write_text(f'query_id,relevant\nq,"{cell}"\n', "utf-8")
    with pytest.raises(FormatError, match="line 2, query 'q'"):
        gainful.read_qrels(tmp_path / "golden.csv")


def test_a_row_per_pair(tmp_path):
    path = tmp_path / "golden.csv"
    path.write_text("question,relevant\nx?,d1\nx?,d2\ny?,d1\n")
    assert gainful.read_qrels(path).to_dict() == {"x?": {"d1": 1, "d2": 1}, "y?": {"d1": 1}}


@for_each("library", ["pandas", "polars", "pyarrow", "duckdb", "narwhals"])
def test_data_frames(library):
    module = need(library if library != "narwhals" else "polars")
    columns = {"question": list(JUDGED), "relevant": [list(each) for each in JUDGED.values()]}
    if library == "pyarrow":
        frame = module.table(columns)
    elif library == "duckdb":
        golden = need("pyarrow").table(columns)
        frame = module.sql("select * from golden")
        assert len(golden) == 2
    else:
        frame = module.DataFrame(columns)
        if library == "narwhals":
            frame = need("narwhals").from_native(frame)
    assert gainful.Qrels(frame).to_dict() == JUDGED
    run = {query: [*graded][::-1] for query, graded in JUDGED.items()}
    assert gainful.evaluate(frame, run, "RR").means() == {"RR": 1.0}


@for_each(
    "data_set",
    [
        SimpleNamespace(queries=LLAMA_INDEX["queries"], relevant_docs=LLAMA_INDEX["relevant_docs"]),
        SimpleNamespace(
            samples=[SimpleNamespace(to_dict=lambda each=each: each) for each in RAGAS]
        ),
        SimpleNamespace(
            goldens=[SimpleNamespace(model_dump=lambda e=each: e) for each in DEEPEVAL]
        ),
    ],
)
def test_data_sets_of_tools(data_set):
    assert list(gainful.Qrels(data_set).to_dict().values()) == list(JUDGED.values())


class DataSet:
    """A data set as one of ragas, which iterates over its samples."""

    def __init__(self, records):
        self.samples = [SimpleNamespace(to_dict=lambda each=each: each) for each in records]

    def __iter__(self):
        return iter(self.samples)


RETRIEVED = {WHY: ["d2", "d1"], HOW: []}
RETRIEVING = [{**each, "retrieved_context_ids": RETRIEVED[each["user_input"]]} for each in RAGAS]


@pytest.mark.parametrize("data_set", [RETRIEVING, DataSet(RETRIEVING)], ids=["records", "samples"])
def test_data_sets_with_what_was_retrieved_are_runs(data_set):
    assert gainful.Run(data_set).to_dict() == RETRIEVED
    assert gainful.evaluate(data_set, data_set, "RR").per_query() == {WHY: 0.5, HOW: 0.0}
    assert gainful.compare(data_set, {"a": data_set, "b": JUDGED}, measures="RR").systems


@for_each(
    ("records", "message"),
    [
        (RAGAS, "has relevant documents, expected what a system returned"),
        ([RETRIEVING[0], RAGAS[1]], "row 1.*'retrieved_context_ids' has no value"),
        ([RETRIEVING[0], RETRIEVING[0]], "two records of one query"),
    ],
)
def test_records_that_are_no_run(records, message):
    with pytest.raises(GainfulError, match=message):
        gainful.Run(records)


@for_each(
    "value",
    [
        {WHY: ["d1", "d 3"], HOW: ("d2",)},
        {WHY: {"d1", "d 3"}, HOW: frozenset({"d2"})},
        {WHY: [("d1", 1), "d 3"], HOW: {"d2": 1}},
    ],
)
def test_lists_and_sets_of_a_query(value):
    assert gainful.Qrels(value).to_dict() == JUDGED


def test_a_question_without_relevant_documents_is_left_out(tmp_path):
    value = [{"question": "x?", "relevant": ["d1"]}, {"question": "y?", "relevant": []}]
    path = tmp_path / "golden.json"
    path.write_text(json.dumps(value))
    for judged in (value, path, {"x?": ["d1"], "y?": []}):
        result = gainful.evaluate(judged, {"x?": ["d1"], "y?": ["d1"]}, "RR")
        assert result.per_query() == {"x?": 1.0}
        assert "1 of 2 questions without relevant documents left out" in result.judgments_note


@for_each(
    ("record", "field"),
    [
        ({"question": "x?", "ground_truth": "It is 42."}, "ground_truth"),
        ({"question": "x?", "ground_truth": "Paris"}, "ground_truth"),
        ({"question": "x?", "ground_truths": ["It is 42."]}, "ground_truths"),
        ({"question": "x?", "answer": "a", "contexts": ["b"], "ground_truths": ["c"]}, "answer"),
        ({"user_input": "x?", "reference": "It is 42.", "response": "42"}, "reference"),
        ({"user_input": "x?", "reference_contexts": ["A text."]}, "reference_contexts"),
        ({"input": "x?", "expected_output": "42", "context": ["A text."]}, "expected_output"),
        ({"inputs": {"question": "x?"}, "outputs": {"answer": "42"}}, "outputs.answer"),
    ],
)
def test_answers_are_refused_by_the_name_of_the_field(record, field, tmp_path):
    is_quote = field == "reference_contexts"
    hint = "`gainful locate` finds" if is_quote else "'relevant' or 'expected_ids'"
    message = rf"field '{field}.* has text, .*{hint}"
    with pytest.raises(ColumnError, match=message):
        gainful.Qrels([record])
    for name, text in (("a.json", json.dumps([record])), ("a.jsonl", json.dumps(record) + "\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(ColumnError, match=rf"{name}.*{message}"):
            gainful.read_qrels(tmp_path / name)
        assert [query.text for query in listed_queries(tmp_path / name)] == ["x?"]


def test_ids_as_ground_truth():
    value = [
        {"question": "x?", "ground_truth": ["d1", "d2"]},
        {"question": "y?", "ground_truth": [3]},
    ]
    assert gainful.Qrels(value).to_dict() == {"x?": {"d1": 1, "d2": 1}, "y?": {"3": 1}}


@for_each(
    ("value", "message"),
    [
        ([{"question": "x?", "relevant": ["d1"]}, {"relevant": ["d1"]}], "row 1.*no 'question'"),
        (
            [{"question": "x?", "relevant": ["d1"]}, {"question": "y?"}],
            "query 'y.*no value",
        ),
        (
            [{"question": "x?", "relevant": [{"title": "t"}]}],
            "objects with 'title'",
        ),
        ([{"question": "x?", "relevant": [1.5]}], "the number 1.5, expected a document's id"),
        ([{"question": "x?", "relevant": [None]}], "found null, expected a document's id"),
        ([{"question": "", "relevant": ["d1"]}], "row 0.*the query's id"),
        ([{"question": "x?", "relevant": {"d1": "high"}}], "objects with 'd1'"),
        ({"x?": "d1"}, r"write relevant documents as \{query: \[document"),
    ],
)
def test_damaged_sets_are_refused(value, message):
    with pytest.raises(GainfulError, match=message):
        gainful.Qrels(value)


NAMED = {"query": "asked by", "relevant": "gold chunks"}
OTHER_FIELDS = [
    {"asked by": "x, y?", "gold chunks": ["d1", "d 2"], "doc_id": "of the answer"},
    {"asked by": "z?", "gold chunks": ["d3"], "doc_id": ""},
]
OTHER_JUDGED = {"x, y?": {"d1": 1, "d 2": 1}, "z?": {"d3": 1}}


def test_fields_with_other_names():
    assert gainful.Qrels(OTHER_FIELDS, columns=NAMED).to_dict() == OTHER_JUDGED
    assert gainful.Qrels(iter(OTHER_FIELDS), columns=NAMED).to_dict() == OTHER_JUDGED
    frame = need("pandas").DataFrame(OTHER_FIELDS)
    assert gainful.Qrels(frame, columns=NAMED).to_dict() == OTHER_JUDGED
    table = need("pyarrow").Table.from_pylist(OTHER_FIELDS)
    assert gainful.Qrels(table, columns="query=asked by,relevant=gold chunks").to_dict() == (
        OTHER_JUDGED
    )


@for_each("suffix", ["json", "jsonl", "csv"])
def test_files_with_other_names_of_fields(suffix, tmp_path, monkeypatch, capsys):
    from gainful.cli import main

    monkeypatch.chdir(tmp_path)
    path = Path(f"golden.{suffix}")
    if suffix == "csv":
        need("pandas").DataFrame(OTHER_FIELDS).to_csv(path, index=False)
    else:
        rows = [json.dumps(each) for each in OTHER_FIELDS]
        path.write_text("\n".join(rows) if suffix == "jsonl" else f"[{', '.join(rows)}]")
    qrels = gainful.read_qrels(path, columns=NAMED)
    assert qrels.to_dict() == OTHER_JUDGED
    assert "3 judgments" in str(qrels.note)
    gainful.Run({query: ["d3"] for query in OTHER_JUDGED}).write("run.json")
    words = ["evaluate", str(path), "run.json", "-m", "RR", "--format", "json"]
    assert main([*words, "--columns", "query=asked by,relevant=gold chunks"]) == 0
    assert '"mean": 0.5' in capsys.readouterr().out
    with pytest.raises(ColumnError, match=rf"{path}.*gold chunks.*expected a \w+ 'gold'"):
        gainful.read_qrels(path, columns={**NAMED, "relevant": "gold"})
    with pytest.raises(FormatError, match="grade 'of the answer' is not a number"):
        gainful.read_qrels(path, columns={**NAMED, "grade": "doc_id"})
    columns = "query=asked by,results=gold chunks,score=doc_id"
    with pytest.raises(ColumnError, match="'doc_id' is not in the objects of 'gold chunks'"):
        gainful.read_run(path, columns=columns)


def test_named_fields_without_a_value(tmp_path):
    path = tmp_path / "golden.csv"
    path.write_text('q,rel\na,"[1, 2]"\nb,\n')
    names = {"query": "q", "relevant": "rel"}
    with pytest.raises(FormatError, match="line 3, query 'b': found 'rel' has no value"):
        gainful.read_qrels(path, columns=names)
    path.write_text("")
    with pytest.raises(FormatError, match="the file is empty"):
        gainful.read_qrels(path, columns=names)
    with pytest.raises(FormatError, match="row 0, query 'a': found 'rel' has no value"):
        gainful.Qrels([{"q": "a", "rel": None}], columns=names)
    with pytest.raises(FormatError, match="row 0.*the query's id"):
        gainful.Qrels([{"q": None, "rel": ["d"]}], columns=names)
    with pytest.raises(ArgumentError, match="found 'relevant' for list, expected records"):
        gainful.Qrels([("a", "d", 1)], columns=names)


def test_unknown_fields_are_answered_with_the_way_to_name_them(tmp_path):
    records = [{"question": "x?", "gold chunks": ["d1"]}]
    path = tmp_path / "golden.jsonl"
    path.write_text(json.dumps(records[0]) + "\n")
    for judged in (records, path):
        with pytest.raises(ColumnError, match="columns='query=question,relevant=gold chunks'"):
            gainful.Qrels(judged)
        named = gainful.Qrels(judged, columns="query=question,relevant=gold chunks")
        assert named.to_dict() == {"x?": {"d1": 1}}


def test_a_field_without_a_value_is_named():
    with pytest.raises(FormatError, match="'relevant' has no value.*has an empty list"):
        gainful.Qrels([{"question": "x?", "relevant": None}])


def test_the_note_does_not_deny_other_grades():
    qrels = gainful.Qrels([{"question": "x?", "relevant": [["d1", 3], "d2"]}])
    assert qrels.to_dict() == {"x?": {"d1": 3, "d2": 1}}
    assert "relevant documents without a grade have the grade 1" in str(qrels.note)


def test_duplicates():
    same = [{"question": "x?", "relevant": ["d1", "d1"]}]
    assert gainful.Qrels(same).to_dict() == {"x?": {"d1": 1}}
    other = [{"question": "x?", "relevant": [["d1", 1], ["d1", 2]]}]
    with pytest.raises(DuplicateError):
        gainful.Qrels(other)
    assert gainful.Qrels(other, duplicates="best").to_dict() == {"x?": {"d1": 2}}


def test_a_golden_set_is_written(tmp_path):
    path = tmp_path / "golden.json"
    gainful.Qrels({"7": {"d1": 1}, "8": {"d1": 3, "d2": 0}}).write(
        path, "golden", queries={"7": WHY}
    )
    written = json.loads(path.read_text("utf-8"))
    assert written[0] == {"id": "7", "question": WHY, "relevant": ["d1"]}
    assert gainful.read_qrels(path).to_dict() == {"7": {"d1": 1}, "8": {"d1": 3, "d2": 0}}


def test_the_command_line_reads_a_golden_set(tmp_path: Path, capsys, monkeypatch):
    from gainful.cli import main

    monkeypatch.chdir(tmp_path)
    Path("golden.jsonl").write_text("".join(json.dumps(each) + "\n" for each in BY_TEXT["ragas"]))
    gainful.Run({WHY: ["d 3"], HOW: []}).write("run.tsv")
    assert main(["evaluate", "golden.jsonl", "run.tsv", "-m", "RR", "--format", "tsv"]) == 0
    assert "RR\t0.5\t" in capsys.readouterr().out


def test_the_format_of_records(tmp_path):
    path = tmp_path / "golden.jsonl"
    path.write_text('{"question": "x?", "relevant": ["d1"]}\n')
    for format in ("golden", "Goldens"):
        assert gainful.read_qrels(path, format=format).to_dict() == {"x?": {"d1": 1}}
    for read in (gainful.read_qrels, read_judgment_list):
        with pytest.raises(ParameterError, match="found 'golden:scale=0-1'.*without options"):
            read(path, format="golden:scale=0-1")
    path.write_text("q1 0 d1 1\n")
    with pytest.raises(FormatError, match="found the format trec, expected JSON"):
        gainful.read_qrels(path, format="golden")
    with pytest.raises(ArgumentError, match="which is in memory, expected a path"):
        gainful.Qrels([{"question": "x?", "relevant": ["d1"]}], format="golden")
