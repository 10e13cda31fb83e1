"""Judgments of subtopics: a document has one grade per subtopic."""

from __future__ import annotations

import pickle
from collections import namedtuple

import pytest

import gainful
from gainful.errors import ColumnError, DuplicateError, FormatError, ParameterError
from requirements import need

ROWS = [
    ("q1", "1", "d1", 1),
    ("q1", "1", "d2", 0),
    ("q1", "2", "d1", 0),
    ("q1", "2", "d3", 2),
    ("q2", "1", "d1", 1),
]
NESTED = {"q1": {"1": {"d1": 1, "d2": 0}, "2": {"d1": 0, "d3": 2}}, "q2": {"1": {"d1": 1}}}
TREC = "".join(
    f"{query} {subtopic} {document} {grade}\n" for query, subtopic, document, grade in ROWS
)


def columns():
    query, subtopic, document, grade = zip(*ROWS, strict=True)
    return {"qid": query, "subtopic_id": subtopic, "docno": document, "rel": grade}


def nested():
    return NESTED


def tuples():
    return ROWS


def records():
    judged = namedtuple("TrecSubQrel", ["query_id", "doc_id", "relevance", "subtopic_id"])
    return [judged(query, document, grade, subtopic) for query, subtopic, document, grade in ROWS]


def ir_measures_records():
    judged = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])
    return [judged(query, document, grade, subtopic) for query, subtopic, document, grade in ROWS]


def dictionaries():
    return [dict(zip(columns(), row, strict=True)) for row in ROWS]


def polars_frame():
    return need("polars").DataFrame(columns())


def pandas_frame():
    return need("pandas").DataFrame(columns())


def integer_subtopics():
    frame = need("polars").DataFrame(columns())
    return frame.with_columns(frame["subtopic_id"].cast(int))


@pytest.mark.parametrize(
    "source",
    [
        nested,
        tuples,
        records,
        ir_measures_records,
        dictionaries,
        polars_frame,
        pandas_frame,
        integer_subtopics,
    ],
)
def test_every_kind_of_input_supports_subtopics(source):
    qrels = gainful.Qrels(source(), subtopics=True)
    assert qrels.has_subtopics
    assert qrels.to_dict() == NESTED
    assert qrels == gainful.Qrels(NESTED, subtopics=True)
    assert {query: dict(graded) for query, graded in qrels.items()} == NESTED


@pytest.mark.parametrize("format", ["trec", "tsv", "csv", "jsonl"])
def test_files_are_written_and_read_with_subtopics(tmp_path, format):
    path = tmp_path / f"qrels.{format}"
    qrels = gainful.Qrels(NESTED, subtopics=True)
    qrels.write(path, format)
    assert gainful.read_qrels(path, subtopics=True) == qrels
    if format == "trec":
        assert path.read_text() == TREC


@pytest.mark.parametrize("format", ["json", "beir", "svmlight"])
def test_formats_without_subtopics_are_errors(tmp_path, format):
    with pytest.raises(FormatError, match="subtopics"):
        gainful.Qrels(NESTED, subtopics=True).write(tmp_path / "qrels", format)
    assert not (tmp_path / "qrels").exists()


def test_subtopics_with_spaces_are_errors_in_trec(tmp_path):
    qrels = gainful.Qrels({"q1": {"red shoes": {"d1": 1}}}, subtopics=True)
    with pytest.raises(FormatError, match="'red shoes' with white space"):
        qrels.write(tmp_path / "qrels.txt")
    qrels.write(tmp_path / "qrels.tsv")
    assert gainful.read_qrels(tmp_path / "qrels.tsv", subtopics=True) == qrels


def test_rows_of_a_query_can_be_scattered(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("".join(sorted(TREC.splitlines(keepends=True), key=lambda line: line[3:])))
    assert gainful.read_qrels(path, subtopics=True) == gainful.Qrels(NESTED, subtopics=True)


def test_tables_keep_their_subtopics():
    qrels = gainful.Qrels(NESTED, subtopics=True)
    assert pickle.loads(pickle.dumps(qrels)) == qrels
    assert qrels.select(["q2"]).to_dict() == {"q2": NESTED["q2"]}
    assert qrels.at_least(1).to_dict() == {
        "q1": {"1": {"d1": 1}, "2": {"d3": 2}},
        "q2": {"1": {"d1": 1}},
    }
    renamed = qrels.rename(documents={"d1": "x"})
    assert renamed["q1"]["2"] == {"x": 0, "d3": 2}
    other = gainful.Qrels({**NESTED, "q2": {"7": {"d1": 1}}}, subtopics=True)
    assert other != qrels
    assert "subtopic" in qrels._repr_html_()
    assert repr(qrels) == "<Qrels: 2 queries, 5 judgments>"


def test_frames_get_a_column():
    polars = need("polars")
    frame = polars.DataFrame(gainful.Qrels(NESTED, subtopics=True))
    assert frame.columns == ["query_id", "subtopic", "doc_id", "grade"]
    assert frame.rows() == ROWS


def test_merged_keeps_one_grade_per_document():
    qrels = gainful.Qrels(NESTED, subtopics=True)
    merged = qrels.merged("max")
    assert merged.to_dict() == {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}}
    assert not merged.has_subtopics
    assert merged.merged("sum") is merged
    with pytest.raises(ParameterError, match="'max' or 'sum'"):
        qrels.merged("mean")


def test_a_document_with_two_grades_for_a_subtopic_is_a_duplicate(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(TREC + "q1 2 d3 1\n")
    with pytest.raises(DuplicateError, match=r"line 6.*'?d3'?"):
        gainful.read_qrels(path, subtopics=True)
    last = gainful.read_qrels(path, subtopics=True, duplicates="last")
    assert last["q1"]["2"]["d3"] == 1
    with pytest.raises(DuplicateError):
        gainful.Qrels([*ROWS, ROWS[0]], subtopics=True)


def test_without_the_option_a_second_grade_is_a_duplicate(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(TREC)
    with pytest.raises(DuplicateError, match=r"second column has subtopics.*subtopics=True"):
        gainful.read_qrels(path)
    path.write_text("q1 0 d1 1\nq1 0 d1 1\n")
    with pytest.raises(DuplicateError) as raised:
        gainful.read_qrels(path)
    assert "second column" not in str(raised.value)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ({"q1": {"d1": 1}}, FormatError, r"\{document: grade\} for each subtopic"),
        ({"q1": 1}, FormatError, r"\{subtopic: \{document: grade\}\}"),
        ([("q1", "d1", 1)], FormatError, r"\(query, subtopic, document, grade\)"),
        ([{"query_id": "q1", "doc_id": "d1", "grade": 1}], FormatError, "subtopic"),
        ([("q1", None, "d1", 1)], ColumnError, "subtopic"),
        ([("q1", 1.5, "d1", 1)], ColumnError, "subtopic"),
    ],
)
def test_rows_without_subtopics_are_errors(source, error, message):
    with pytest.raises(error, match=message):
        gainful.Qrels(source, subtopics=True)


def test_a_frame_without_the_column_is_an_error():
    polars = need("polars")
    frame = polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "grade": [1]})
    with pytest.raises(ColumnError, match="a column subtopic"):
        gainful.Qrels(frame, subtopics=True)
    frame = polars.DataFrame({**columns(), "subtopic_id": ["1", None, "2", "2", "1"]})
    with pytest.raises(ColumnError, match="null in column 'subtopic_id'"):
        gainful.Qrels(frame, subtopics=True)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "q1 1 d1 1\nq1 d1 1\n", "line 2.*3 fields"),
        ("a.tsv", "query_id\tdoc_id\tgrade\nq1\td1\t1\n", "has no subtopic"),
        ("a.jsonl", '{"query_id": "q", "doc_id": "d", "grade": 1}\n', "has no subtopic"),
        ("a.json", '{"q1": {"d1": 1}}', "has no subtopic"),
        ("a.svm", "1 qid:1 # d1\n", "has no subtopics"),
    ],
)
def test_a_file_without_subtopics_is_an_error(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        gainful.read_qrels(path, subtopics=True)
