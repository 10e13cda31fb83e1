"""Supported and invalid return values of Python systems."""

from __future__ import annotations

import sqlite3
from collections import namedtuple
from decimal import Decimal
from types import SimpleNamespace
from uuid import UUID

import numpy as np
import pytest

from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.systems import Answer
from gainful.systems.python.answers import AnswerReader
from requirements import need

READ = AnswerReader()
HIT = namedtuple("HIT", "docid score")
TWO = Answer(["d2", "d1"], [1.5, 0.5])
OBJECTS = [SimpleNamespace(id="d2", score=1.5), SimpleNamespace(id="d1", score=0.5)]


@pytest.mark.parametrize(
    "found",
    [
        [("d2", 1.5), ("d1", 0.5)],
        [["d2", 1.5], ["d1", 0.5]],
        (("d2", 1.5), ("d1", 0.5)),
        iter([("d2", 1.5), ("d1", 0.5)]),
        (["d2", "d1"], [1.5, 0.5]),
        (np.array(["d2", "d1"]), np.array([1.5, 0.5], dtype=np.float32)),
        {"d1": 0.5, "d2": 1.5},
        {"d1": np.float64(0.5), "d2": np.float64(1.5)},
        TWO,
        OBJECTS,
        [(OBJECTS[0], 1.5), (OBJECTS[1], 0.5)],
        [HIT("d2", 1.5), HIT("d1", 0.5)],
        [{"_id": "d2", "_score": 1.5}, {"_id": "d1", "_score": 0.5}],
        [{"docid": 7, "docno": "d2", "score": 1.5}, {"docid": 8, "docno": "d1", "score": 0.5}],
        {"documents": OBJECTS},
        {"took": 3, "hits": {"total": 2, "hits": [{"_id": "d2", "_score": 1.5},
                                                 {"_id": "d1", "_score": 0.5}]}},
        SimpleNamespace(points=OBJECTS),
        SimpleNamespace(source_nodes=OBJECTS),
        [SimpleNamespace(node=SimpleNamespace(node_id="d2"), score=1.5),
         SimpleNamespace(node=SimpleNamespace(node_id="d1"), score=0.5)],
        [{"payload": {"sku": "d2"}, "score": 1.5}, {"payload": {"sku": "d1"}, "score": 0.5}],
    ],
)  # fmt: skip
def test_ids_and_scores(found):
    assert READ(found, 10) == TWO
    assert [type(one) for one in READ(TWO, 10).documents] == [str, str]


@pytest.mark.parametrize(
    "found",
    [
        ["7", "d1"],
        [7, "d1"],
        np.array(["7", "d1"]),
        (str(one) for one in (7, "d1")),
        [{"id": 7}, {"id": "d1"}],
        [{"id": 7, "score": None}, {"id": "d1", "score": None}],
        {"results": ["7", "d1"]},
        Answer(["7", "d1"]),
    ],
)
def test_ids_alone(found):
    assert READ(found, 10) == Answer(["7", "d1"], None)


def test_numbers_and_uuids_are_ids():
    assert READ(np.array([3, 1]), 10).documents == ["3", "1"]
    name = "12345678-1234-5678-1234-567812345678"
    assert READ([UUID(name)], 10).documents == [name]
    assert READ([np.int64(4), np.str_("x")], 10).documents == ["4", "x"]


@pytest.mark.parametrize("found", [[], (), {}, np.array([]), iter(()), {"documents": []}])
def test_empty_answers(found):
    assert list(READ(found, 10).documents) == []


@pytest.mark.parametrize("many", [list, iter, tuple])
def test_only_the_first_k_results_are_read(many):
    found = many([("d1", 2.0), ("d2", 1.0), (None, "not a number")])
    assert READ(found, 2) == Answer(["d1", "d2"], [2.0, 1.0])


def test_rows_of_a_database():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("select 'd2' as sku, 1.5 as score union all select 'd1', 0.5")
    assert READ(rows, 10) == TWO
    connection.close()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library):
    frame = need(library).DataFrame(
        {"qid": ["1", "1"], "docid": [7, 8], "docno": ["d2", "d1"], "score": [1.5, 0.5]}
    )
    assert READ(frame, 10) == TWO
    assert AnswerReader({"id": "docid", "score": "-score"})(frame, 1) == Answer(["7"], [-1.5])
    with pytest.raises(FormatError, match="no column of ids among title"):
        READ(need(library).DataFrame({"title": ["a"]}), 10)


def arrow_stream(table):
    """Return an object that exports Arrow data and has nothing else of a table."""
    stream = type("Stream", (), {"__arrow_c_stream__": lambda self, schema=None: export(schema)})()
    export, stream.schema = table.__arrow_c_stream__, table.schema
    return stream


TABLES = {
    "table": lambda table: table,
    "record batch": lambda table: table.to_batches()[0],
    "reader": lambda table: table.to_reader(),
    "another library": arrow_stream,
    "DuckDB": lambda table: need("duckdb").from_arrow(table),
    "lazy frame": lambda table: need("polars").DataFrame(table).lazy(),
    "inside": lambda table: {"documents": table},
}


@pytest.mark.parametrize("kind", TABLES)
def test_arrow_tables_and_relations(kind):
    columns = {"qid": ["1", "1"], "docid": [7, 8], "docno": ["d2", "d1"], "score": [1.5, 0.5]}
    table = need("pyarrow").table(columns)
    make = TABLES[kind]
    assert READ(make(table), 10) == TWO
    assert READ(make(table), 1) == Answer(["d2"], [1.5])
    inner = {"documents": "documents"} if kind == "inside" else {}
    turned = AnswerReader({**inner, "id": "docid", "score": "-score"})
    assert turned(make(table), 1) == Answer(["7"], [-1.5])
    with pytest.raises(FormatError, match="no column of ids among qid, score"):
        READ(make(table.select(["qid", "score"])), 10)
    missing = need("pyarrow").table({"docno": ["d2", None]})
    with pytest.raises(FormatError, match="document 2: the id is None"):
        READ(make(missing), 10)


def test_columns_of_arrow_and_pandas():
    pyarrow, pandas = need("pyarrow"), need("pandas")
    ids, scores = pyarrow.chunked_array([["d2"], ["d1"]]), pyarrow.array([1.5, 0.5])
    assert READ(ids, 10) == Answer(["d2", "d1"])
    assert READ((ids, scores), 10) == TWO
    assert READ(pandas.Series([0.5, 1.5], index=["d1", "d2"]), 10) == TWO
    assert READ(pandas.Series(["d2", "d1"]), 10) == Answer(["d2", "d1"])
    assert READ(pandas.Series([7, 3]), 10) == Answer(["7", "3"])


def test_fields_name_ids_and_scores():
    read = AnswerReader({"documents": "data.found", "id": "meta.file", "score": "-distance"})
    found = {"data": {"found": [{"meta": SimpleNamespace(file="a.md"), "id": 1, "distance": 0.25}]}}
    assert read(found, 10) == Answer(["a.md"], [-0.25])
    assert AnswerReader({"id": "1", "score": "0"})([(0.5, "d1", "x")], 10) == Answer(["d1"], [0.5])
    assert AnswerReader({"score": None})([("d1", 0.1), ("d2", 0.2)], 9) == Answer(["d1", "d2"])


def test_methods_are_not_ids():
    class Hit:
        docid = "d1"

        def key(self):
            return "never"

        def score(self):
            return "never"

    assert READ([Hit()], 10) == Answer(["d1"], None)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "query 'q1': found None, expected a list of ids.*Hint: return the documents"),
        ("d1", "found a str, expected a list"),
        (7, "found 7, expected a list"),
        ({"d1": "x"}, "found a dict with d1, expected a list"),
        ([["d1"]], "document 1, query 'q1': no id in a list of 1"),
        ([("d1", 1.0), "d2"], "document 2, query 'q1': found a str, but the first is a pair"),
        ([("d1", 1.0), ("d2", None)], "document 'd2': score None is not a finite"),
        ([("d1", float("nan"))], "score nan is not a finite number"),
        ([("d1", "high")], "score 'high' is not"),
        ([("d1", True)], "score True is not"),
        ([("d1", 10**400)], "score 10+… is not a finite number"),
        ([("d1", np.array([1.5]))], r"score array\(\[1.5\]\) is not a finite number"),
        ((each for each in [("d1", Decimal("sNaN"))]), r"score Decimal\('sNaN'\) is not"),
        ([1.5], "no id in 1.5"),
        ([True], "the id is True"),
        ([b"d1"], "no id in a bytes"),
        ([""], "the id is empty"),
        ([{"title": "Tea"}], "no id in a dict with title. Hint: set its location"),
        ([{"id": "d1", "score": 1.0}, {"id": "d2"}], "document 'd2': score None is not"),
        (([1, 2], [3, 4]), "may be two pairs"),
        (Answer(["d1", "d2"], [1.0]), "2 documents and 1 scores"),
    ],
)  # fmt: skip
def test_unsupported_answers_are_errors(found, message):
    with pytest.raises((ArgumentError, FormatError), match=message):
        READ(found, 10, "q1")


def test_messages_do_not_contain_the_answer():
    with pytest.raises(FormatError) as caught:
        READ([{"title": "s3cr3t"}], 10)
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.filterwarnings("error")
def test_awaitable_answers_are_errors():
    async def search(text, k):
        return []

    with pytest.raises(ArgumentError, match="Hint: define the function with `async def`"):
        READ(search("tea", 3), 10)

    async def stream(text, k):
        yield "d1"

    with pytest.raises(ArgumentError, match="Hint: return a list instead of yielding"):
        READ(stream("tea", 3), 10)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ids": "x"}, "found 'ids', expected one of documents, id, score"),
        ({"id": ""}, "found '', expected a name"),
        ({"id": "a..b"}, "found 'a..b'"),
        ({"id": None}, "found None"),
        ({"id": "-x"}, "a path without -, which is for scores only"),
        ({"score": 3}, "found 3"),
    ],
)
def test_invalid_fields_are_errors(fields, message):
    with pytest.raises(ParameterError, match=message):
        AnswerReader(fields)


def test_missing_fields_are_errors():
    with pytest.raises(FormatError, match=r"no 'meta.file' in .*Hint: fields"):
        AnswerReader({"id": "meta.file"})([{"meta": {}}], 10)
    with pytest.raises(ArgumentError, match=r"no 'data.found'"):
        AnswerReader({"documents": "data.found"})({"data": {}}, 10)


def test_pairs_in_reverse_order():
    turned = [(0.25, "d2"), (0.5, "d1")]
    with pytest.raises(FormatError, match=r"document 1, query 'q1': no id in 0.25"):
        READ(turned, 10, "q1")
    read = AnswerReader({"id": "1", "score": "-0"})
    assert read(turned, 10) == Answer(["d2", "d1"], [-0.25, -0.5])
    hits = [({"meta": {"file": "a.md"}}, 0.25)]
    read = AnswerReader({"id": "0.meta.file", "score": "-1"})
    assert read(hits, 10) == Answer(["a.md"], [-0.25])


def test_other_hits_are_read_with_the_names_in_the_first():
    hits = [{"id": 1, "sku": "a"}, {"sku": "b"}, {"_id": "x", "sku": "c"}]
    assert READ(hits, 10).documents == ["1", "b", "c"]
