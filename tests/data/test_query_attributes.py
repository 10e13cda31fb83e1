"""Attributes of queries, read from all supported formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from gainful.data.query_attributes import read_query_attribute, read_query_clusters
from gainful.errors import ColumnError, FormatError, SourceNotFoundError
from repeated_tests import for_each

WANTED = {"q1": "soup", "running shoes": "sport, all"}


@for_each(
    ("name", "text"),
    [
        ("a.tsv", "query_id\tkind\nq1\tsoup\nrunning shoes\tsport, all\nq3\t\n"),
        ("a.tsv", "\ufeffkind\tqid\r\nsoup\tq1\r\nsport, all\trunning shoes\r\n\tq3\r\n"),
        ("a.csv", 'QID,kind\nq1,soup\n"running shoes","sport, all"\n'),
        ("a.csv", "QID;kind\nq1;soup\nrunning shoes;sport, all\n"),
        ("a", "kind;Query ID;\nsoup;q1;\nsport, all;running shoes;\nsoup;q1\n"),
        (
            "a.jsonl",
            '{"query_id": "q1", "kind": "soup"}\n\n{"query_id": "running shoes",'
            ' "kind": "sport, all"}\n{"query_id": "q3", "kind": null}\n',
        ),
    ],
)
def test_formats(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    for place in (path, f"{path}:kind", f"{path}:Kind"):
        attribute = read_query_attribute(place)
        assert (attribute.name, attribute.values) == ("kind", WANTED)


def test_two_bare_columns(tmp_path: Path) -> None:
    path = tmp_path / "kinds"
    for text in (
        "q1\tsoup\nq2\tbread\n",
        "q1 soup\nq2  bread\n",
        "q1,soup\nq2,bread\n",
        "q1;soup\nq2;bread\nq1;soup\n",
    ):
        path.write_text(text)
        attribute = read_query_attribute(path)
        assert (attribute.name, attribute.values) == ("kinds", {"q1": "soup", "q2": "bread"})
    path.write_text("running shoes sport\n")
    assert read_query_attribute(path).values == {"running shoes": "sport"}


def test_numbers_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"_id": 3, "length": 2}\n{"_id": "q4", "length": true}\n')
    assert read_query_attribute(path).values == {"3": "2", "q4": "true"}


def test_a_colon_in_the_name_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a:kind"
    path.write_text("q1 soup\n")
    assert read_query_attribute(path).values == {"q1": "soup"}


@for_each(
    ("text", "place", "kind", "message"),
    [
        ("", "", FormatError, "the file is empty"),
        ("q1\ta\tb\n", "", ColumnError, "found the columns q1, a, b, expected a column for query"),
        (
            "qid\ta\tb\nq1\t1\t2\n",
            "",
            ColumnError,
            "2 columns besides the query id: a, b.*name one",
        ),
        ("qid\ta\tb\nq1\t1\t2\n", ":c", ColumnError, "no column 'c'. Hint: the columns are a, b"),
        ("qid\nq1\n", "", ColumnError, "0 columns besides the query id"),
        ("qid\ta\nq1\t1\nq1\t2\n", "", FormatError, "line 3, query 'q1': two values of a: '1' and"),
        ("qid,a,a\nq1,1,2\n", ":a", ColumnError, "several columns called 'a'. Hint: rename or"),
        ("qid,a,A\nq1,1,2\n", ":-a", ColumnError, "several columns called 'a', 'A'"),
        ("qid,QID,a\nq1,1,2\n", ":a", ColumnError, "several columns called 'qid', 'QID'"),
        ("qid\ta\nq1\t1\t2\n", "", FormatError, "line 2: found 3 fields"),
        ("qid\ta\n\t1\n", "", FormatError, "line 2: no query id"),
        ('{"qid": "q1", "a": [1]}\n', "", FormatError, "line 1: found a list as 'a'"),
        ('{"qid": "q1", "a": 1}\nx\n', "", FormatError, "line 2: not a JSON object"),
        (
            '{"a": 1}\n',
            "",
            ColumnError,
            "the columns a, expected a column for query ids \\(query_id, qid",
        ),
    ],
)
def test_invalid_files_are_errors(
    text: str, place: str, kind: type[Exception], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_text(text)
    with pytest.raises(kind, match=message):
        read_query_attribute(f"{path}{place}")


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(SourceNotFoundError, match="missing.tsv"):
        read_query_attribute("missing.tsv:kind")


def test_values_that_share_a_query_are_one_cluster(tmp_path: Path) -> None:
    """A chain of shared values is one cluster, whatever the order of rows."""
    rows = [
        ("q1", "a"),
        ("q1", "b"),
        ("q2", "b"),
        ("q2", "c"),
        ("q3", "d"),
        ("q4", "c"),
        ("q5", ""),
    ]
    path = tmp_path / "gold.tsv"
    for order in (rows, rows[::-1]):
        path.write_text("query_id\tdocument_id\n" + "".join(f"{q}\t{d}\n" for q, d in order))
        found = read_query_clusters(path)
        assert found.name == "document_id"
        chain = dict.fromkeys(("q1", "q2", "q4"), "a + b + c")
        assert found.values == {**chain, "q3": "d"}
    with pytest.raises(FormatError, match="two values of document_id"):
        read_query_attribute(path)


def test_documents_have_several_names(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text("query_id\tdocument_id\tstart\tend\nq1\ta\t0\t9\n")
    assert read_query_attribute(f"{path}:document").values == {"q1": "a"}
    assert read_query_attribute(f"{path}:doc").name == "document_id"
    with pytest.raises(ColumnError, match="no column 'user'"):
        read_query_attribute(f"{path}:user")
