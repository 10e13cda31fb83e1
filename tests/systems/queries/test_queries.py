"""Queries in all supported formats."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from pathlib import Path

import pytest

import gainful
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    FormatError,
    GainfulError,
    MatchError,
    SourceError,
    UnknownQueryError,
)
from gainful.systems import Queries, Query
from requirements import need

TWO = [Query("q1", "lentil soup", {}), Query("q2", "bread, plain", {})]
LOCALES = [Query("q1", "lentil soup", {"locale": "de"}), Query("q2", "bread, plain", {})]


@pytest.mark.parametrize(
    "given",
    [
        {"q1": "lentil soup", "q2": "bread, plain"},
        {"q1": {"text": "lentil soup"}, "q2": {"query": "bread, plain"}},
        [("q1", "lentil soup"), ["q2", "bread, plain"]],
        iter(TWO),
        [{"_id": "q1", "text": "lentil soup"}, {"qid": "q2", "title": "bread, plain"}],
        Queries(TWO),
    ],
)
def test_what_is_in_memory(given):
    assert list(Queries.of(given)) == TWO


def test_texts_are_their_own_ids():
    assert list(Queries.of(["tea", "oat milk"])) == [
        Query("tea", "tea"),
        Query("oat milk", "oat milk"),
    ]
    qrels = gainful.Qrels({"oat milk": {"d1": 1}, "tea": {"d1": 0}})
    assert [query.text for query in Queries.of(qrels)] == ["oat milk", "tea"]


def test_numbers_are_ids():
    assert list(Queries.of({1: "tea"})) == [Query("1", "tea")]
    assert list(Queries.of([{"id": 1, "text": "tea"}])) == [Query("1", "tea")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("users.txt", "u1\n7\n"),
        ("users.txt", "user_id\nu1\n7\n"),
        ("users.csv", "user_id\nu1\n7\n"),
        ("users.jsonl", '{"user_id": "u1"}\n{"user_id": 7}\n'),
        ("ratings.csv", "user_id,item_id,rating\nu1,a,5\nu1,b,1\n7,a,2\n"),
        ("ratings.jsonl", '{"user": "u1", "item": "a", "rating": 2}\n'
         '{"user": "7", "item": "a", "rating": 1}\n'),
    ],
)  # fmt: skip
def test_users_without_texts_are_queried_by_id(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert list(Queries.of(tmp_path / name)) == [Query("u1", "u1"), Query("7", "7")]


def test_what_is_known_of_users(tmp_path):
    people = [{"user_id": 7, "history": ["a", "b"]}, {"user_id": "u1"}]
    want = [Query("7", "7", {"history": ["a", "b"]}), Query("u1", "u1")]
    assert list(Queries.of(people)) == want
    file = tmp_path / "users.jsonl"
    file.write_text("".join(json.dumps(user) + "\n" for user in people))
    assert list(Queries.of(file)) == want
    # If there is a text, the user is a field; with only a text and a user, it is the id.
    both = Queries.of([{"query": "tea", "user_id": "u1", "at": 3}])
    assert list(both) == [Query("tea", "tea", {"user_id": "u1", "at": 3})]
    (tmp_path / "two.csv").write_text("user_id,text\nu1,likes tea\n")
    assert list(Queries.of(tmp_path / "two.csv")) == [Query("u1", "likes tea")]


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_data_frames(kind):
    columns = {"qid": ["q1", "q2"], "text": ["tea", "milk"], "locale": ["de", None]}
    frame = {
        "polars": lambda: need("polars").DataFrame(columns),
        "pandas": lambda: need("pandas").DataFrame(columns),
        "pyarrow": lambda: need("pyarrow").table(columns),
    }[kind]()
    assert list(Queries.of(frame)) == [Query("q1", "tea", {"locale": "de"}), Query("q2", "milk")]


def test_records_without_a_text_are_refused_with_their_fields(tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_text('{"number": 1}\n{"number": 2}\n')
    with pytest.raises(ColumnError, match=r"line 1: found the columns number, expected .* text"):
        Queries.of(file)


def test_other_fields_stay():
    given = {"q1": {"text": "tea", "locale": "de", "filter": {"price": [1, 2]}}}
    queries = Queries.of(given)
    assert queries["q1"].fields == {"locale": "de", "filter": {"price": [1, 2]}}
    assert queries.fields == ("locale", "filter")


def test_what_a_collection_can_do():
    queries = Queries.of({"q1": "tea", "q2": "milk"})
    assert (len(queries), "q1" in queries, "q3" in queries) == (2, True, False)
    assert repr(queries) == "<Queries: 2>"
    assert list(queries) == list(queries), "more than once"
    with pytest.raises(UnknownQueryError, match="query 'q3': no such query"):
        queries["q3"]


def test_equal_duplicate_queries_are_merged():
    queries = Queries.of([("q1", "tea"), ("q2", "milk"), ("q1", "tea")])
    assert ([query.id for query in queries], queries.repeated) == (["q1", "q2"], 1)


# --- files --------------------------------------------------------------------------------------

TOPICS = """<top>
<num> Number: q1
<title> lentil soup
</top>

<top>
<num> Number: q2
<title> bread, plain
</top>
"""

FILES = {
    "bare.tsv": "q1\tlentil soup\nq2\tbread, plain\n",
    "header.tsv": "query_id\ttext\nq1\tlentil soup\nq2\tbread, plain\n",
    "bom.tsv": "\ufeffQuery-ID\tQuery\r\nq1\tlentil soup\r\n\r\nq2\tbread, plain\r\n",
    "turned.tsv": "text\tqid\nlentil soup\tq1\nbread, plain\tq2\n",
    "unknown.tsv": "qid\twords\nq1\tlentil soup\nq2\tbread, plain\n",
    "tabs.txt": "q1\tlentil soup\nq2\tbread, plain\n",
    "bare.csv": 'q1,lentil soup\nq2,"bread, plain"\n',
    "header.csv": 'qid,query\nq1,lentil soup\nq2,"bread, plain"\n',
    "header.txt": 'qid,query\nq1,lentil soup\nq2,"bread, plain"\n',
    "lines.jsonl": '{"_id": "q1", "text": "lentil soup"}\n\n'
    '{"_id": "q2", "text": "bread, plain"}\n',
    "texts.json": '{"q1": "lentil soup",\n "q2": "bread, plain"}',
    "objects.json": '{"q1": {"text": "lentil soup"}, "q2": {"text": "bread, plain"}}',
    "list.json": '[{"id": "q1", "text": "lentil soup"}, {"id": "q2", "text": "bread, plain"}]',
    "held.json": '{"queries": [{"id": "q1", "text": "lentil soup"},'
    '{"id": "q2", "text": "bread, plain"}]}',
    "topics.trec": TOPICS,
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(FILES[name].encode())
    assert list(Queries.of(path)) == TWO
    assert Queries.of(str(path)).source == str(path)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(FILES[name].encode()))
    assert list(Queries.of(packed)) == TWO


def test_folders_archives_and_the_standard_input(tmp_path, monkeypatch):
    folder = tmp_path / "beir"
    folder.mkdir()
    (folder / "queries.jsonl").write_text(FILES["lines.jsonl"])
    assert list(Queries.of(folder)) == TWO
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("beir/queries.jsonl", FILES["lines.jsonl"])
        archive.writestr("beir/corpus.jsonl", "{}")
    assert list(Queries.of(tmp_path / "all.zip")) == TWO
    raw = io.BytesIO(FILES["bare.tsv"].encode())
    stream = io.TextIOWrapper(io.BufferedReader(raw))
    monkeypatch.setattr(sys, "stdin", stream)
    assert list(Queries.of("-")) == TWO


def test_columns_of_a_file_are_fields(tmp_path):
    for name, text in {
        "a.tsv": "qid\tquery\tlocale\nq1\tlentil soup\tde\nq2\tbread, plain\t\n",
        "a.csv": 'qid,locale,query\nq1,de,lentil soup\nq2,,"bread, plain"\n',
        "a.jsonl": '{"qid": "q1", "query": "lentil soup", "locale": "de"}\n'
        '{"qid": "q2", "query": "bread, plain"}\n',
    }.items():
        (tmp_path / name).write_text(text)
        assert list(Queries.of(tmp_path / name)) == LOCALES


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "lentil soup\n\n  bread, plain  \n"),
        ("a.csv", 'query\nlentil soup\n"bread, plain"\n'),
        ("a.tsv", "text\nlentil soup\nbread, plain\n"),
        ("a.json", '["lentil soup", "bread, plain"]'),
        ("a.csv", 'query,locale\nlentil soup,\n"bread, plain",\n'),
    ],
)
def test_texts_without_ids(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    found = list(Queries.of(tmp_path / name))
    assert found == [Query(text, text) for text in ("lentil soup", "bread, plain")]


def test_lines_of_numbers_are_texts_too(tmp_path):
    (tmp_path / "a.txt").write_text("windows xp service 3\nred shoes\n")
    assert len(Queries.of(tmp_path / "a.txt")) == 2


def test_judgments_with_texts(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text(
        "query,docid,rating,locale,title\ntea,d1,3,de,A\ntea,d2,0,de,B\nmilk,d1,1,en,A\n"
    )
    found = list(Queries.of(path))
    assert found == [Query("tea", "tea", {"locale": "de"}), Query("milk", "milk", {"locale": "en"})]
    path.write_text("id,qid,query,doc_id,grade\n1,q1,tea,d1,3\n2,q1,tea,d2,0\n")
    assert list(Queries.of(path)) == [Query("q1", "tea", {})]
    path.write_text("query_id,doc_id,grade,title\noat milk,d1,3,A\ntea,d2,0,B\n")
    assert [query.text for query in Queries.of(path)] == ["oat milk", "tea"]
    json_path = tmp_path / "judged.json"
    json_path.write_text(json.dumps({"oat milk": {"d1": 1}, "tea": {"d1": 2}}))
    assert [query.text for query in Queries.of(json_path)] == ["oat milk", "tea"]


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.tsv", "", FormatError, "a.tsv: the file is empty"),
        ("a.tsv", "q1\ttea\nq1\tmilk\n", DuplicateError,
         "a.tsv, line 2, query 'q1': duplicate id with another text: 'tea' and 'milk'"),
        ("a.tsv", "qid\tquery\tlocale\nq1\ttea\tde\nq1\ttea\ten\n", DuplicateError,
         "line 3, query 'q1': duplicate id with another locale"),
        ("a.tsv", "q1\ttea\nq2\t \n", FormatError, "line 2, query 'q2': the text is empty"),
        ("a.tsv", "q1\ttea\n\tmilk\n", FormatError, "line 2: id '' is"),
        ("a.tsv", "q1\ttea\tde\nq2\tmilk\ten\n", ColumnError,
         "line 1: 3 columns without a header"),
        ("a.tsv", "q1\ttea\nq2\tmilk\tx\n", FormatError, "line 2: found 3 fields, expected 2"),
        ("a.csv", "qid,text\nq1,a,b\n", FormatError, "line 2: found 3 fields, expected 2"),
        ("a.jsonl", '{"id": "q1", "text": "a"}\nx\n', FormatError, "line 2: not a JSON object"),
        ("a.jsonl", '{"id": "q1", "text": "a"}\n{"id": "q2"}\n', ColumnError,
         r"line 2: found the columns id, expected a column for the text of queries \(text, query,"),
        ("a.tsv", "qid\ttext\tx\tx\nq1\ta\tb\tc\n", ColumnError, "several columns called 'x'"),
        ("a.csv", "qid;text;text\nq1;a;b\n", ColumnError, "several columns called 'text'"),
        ("a.jsonl", '{"id": 1.5, "text": "a"}\n', FormatError, "id 1.5 is neither text"),
        ("a.jsonl", '{"id": "q1", "text": 3}\n', FormatError, "text 3 is not a text"),
        ("a.jsonl", '{"id": "q1", "text": "\\ud83d"}', FormatError, "line 1: .*surrogate"),
        ("a.json", "{", FormatError, "not JSON"),
        ("a.json", "[]", FormatError, "no queries in the JSON document"),
        ("a.json", '{"q1": 3}', FormatError, "query 'q1': the query is a int"),
        ("qrels.txt", "q1 0 d1 3\n", FormatError, "no texts of queries, but TREC judgments or a "
                                                  "run, such as"),
        ("qrels.txt", "q1 x d1 3\nq1 x d2 1\nq2 x d2 1\n", FormatError, "no texts of queries, "
                                                                        "but TREC judgments"),
        ("a.run", "q1 Q0 d1 1 3.5 bm25\n", FormatError, "no texts of queries, but TREC judgments "
                                                        "or a run"),
        ("a.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n", FormatError,
         "no texts of queries, but judgments with the query ids q1"),
        ("a.json", '{"q1": {"d1": 1}}', FormatError, "but judgments with the query ids q1"),
        ("a.csv", "qid,query,docid,rating\nq1,tea,d1,1\nq1,milk,d2,1\n", FormatError,
         "line 3, query 'q1': two texts: 'milk', and in line 2 'tea'"),
        ("a.trec", "<doc>\n", FormatError, "no id in the element"),
    ],
)  # fmt: skip
def test_bad_files(name, text, error, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(error, match=message) as caught:
        Queries.of(tmp_path / name)
    assert isinstance(caught.value, GainfulError)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SourceError, match="no such file: "):
        Queries.of(tmp_path / "none.tsv")
    with pytest.raises(SourceError, match="no queries.jsonl.* in the folder"):
        Queries.of(tmp_path)
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(b"q1\ttea\n" * 99)[:30])
    with pytest.raises(SourceError, match="truncated"):
        Queries.of(tmp_path / "cut.tsv.gz")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (3, ArgumentError, "queries: found int, expected a path"),
        (b"q1", ArgumentError, "queries: found bytes"),
        ([3], ArgumentError, "queries, item 0: found 3, expected a text"),
        ({"q1": None}, FormatError, "query 'q1': the query is a NoneType"),
        ({"q\ud800": "tea"}, FormatError, "queries: id .*lone surrogate"),
        ({"q1": " "}, FormatError, "queries, query 'q1': the text is empty"),
        ({"": "tea"}, FormatError, "queries: id '' is"),
        ({1.5: "tea"}, FormatError, "id 1.5 is neither text"),
        ({"q1": {"locale": "de"}}, ColumnError, "found the columns locale, expected"),
        (
            [("q1", "tea"), ("q1", "milk")],
            DuplicateError,
            "duplicate id with another text: 'tea' and 'milk'",
        ),
        ([Query("q1", 3)], FormatError, "text 3 is not a text"),
    ],
)
def test_bad_queries_in_memory(given, error, message):
    with pytest.raises(error, match=message):
        Queries.of(given)


# --- those that are judged ----------------------------------------------------------------------


def test_only_those_that_are_judged():
    qrels = gainful.Qrels({"q2": {"d1": 1}, "51": {"d1": 1}, "q9": {"d1": 1}})
    queries = Queries.of(
        {"q1": "a", "q2": "b", "051": "c"}, vectors={"q1": [1], "q2": [2], "051": [3]}
    )
    found = queries.judged(qrels)
    assert list(found) == [Query("q2", "b", {"vector": [2]}), Query("51", "c", {"vector": [3]})]
    with pytest.raises(MatchError, match="none of the 3 judged queries.*the ids here, 'q7'"):
        Queries.of({"q7": "a"}).judged(qrels)


# --- vectors ------------------------------------------------------------------------------------


class TestVectors:
    """Vectors become a field."""

    QUERIES = Queries.of({"q1": "tea", "q2": "milk"})

    def test_a_mapping(self):
        found = Queries.of(self.QUERIES, vectors={"q2": (2.0,), "q1": [1.0]})
        assert [query.fields["vector"] for query in found] == [[1.0], [2.0]]
        assert found["q2"].fields == {"vector": [2.0]}
        assert found.fields == ("vector",)
        assert self.QUERIES.fields == ()

    def test_numpy(self, tmp_path):
        import numpy as np

        path = tmp_path / "vectors.npy"
        np.save(path, np.array([[1.0, 0.5], [2.0, 0.25]], dtype=np.float32))
        found = Queries.of(self.QUERIES, vectors=path)
        assert [query.fields["vector"] for query in found] == [[1.0, 0.5], [2.0, 0.25]]
        assert type(found["q1"].fields["vector"][0]) is float

    @pytest.mark.parametrize(
        ("shape", "message"),
        [((3, 2), "3 rows for 2 queries"), ((2,), "shape .2,., expected a two-dim")],
    )
    def test_numpy_of_another_shape(self, tmp_path, shape, message):
        import numpy as np

        np.save(tmp_path / "v.npy", np.zeros(shape))
        with pytest.raises(FormatError, match=message):
            Queries.of(self.QUERIES, vectors=tmp_path / "v.npy")

    def test_numpy_that_is_none(self, tmp_path):
        import numpy as np

        (tmp_path / "v.npy").write_text("1 2 3")
        with pytest.raises(FormatError, match=r"v.npy: not a NumPy array"):
            Queries.of(self.QUERIES, vectors=tmp_path / "v.npy")
        np.save(tmp_path / "w.npy", np.array([[1.0], [np.nan]]))
        with pytest.raises(FormatError, match="row 1, .*a number is not finite"):
            Queries.of(self.QUERIES, vectors=tmp_path / "w.npy")
        with pytest.raises(SourceError, match="no such file"):
            Queries.of(self.QUERIES, vectors=tmp_path / "none.npy")
        np.save(tmp_path / "x.npy", np.zeros((2, 1)))
        again = Queries.of([("q1", "tea"), ("q1", "tea"), ("q2", "milk")])
        with pytest.raises(FormatError, match="for 2 queries and 1 with a duplicate id"):
            Queries.of(again, vectors=tmp_path / "x.npy")

    def test_parquet(self, tmp_path, need):
        need("pyarrow")
        import pyarrow.parquet

        path = tmp_path / "v.parquet"
        table = {"qid": ["q2", "q1"], "embedding": [[2.0], [1.0]], "model": ["a", "a"]}
        pyarrow.parquet.write_table(pyarrow.table(table), path)
        found = Queries.of(self.QUERIES, vectors=path)
        assert [query.fields["vector"] for query in found] == [[1.0], [2.0]]
        pyarrow.parquet.write_table(pyarrow.table({"qid": ["q1"]}), path)
        with pytest.raises(ColumnError, match="found no column of lists, expected one among qid"):
            Queries.of(self.QUERIES, vectors=path)
        path.write_text("no Parquet")
        with pytest.raises(SourceError, match="PyArrow cannot read the file"):
            Queries.of(self.QUERIES, vectors=path)

    def test_a_query_without_a_vector(self):
        with pytest.raises(MatchError, match="query 'q2': no vector .1 of 2 queries"):
            Queries.of(self.QUERIES, vectors={"q1": [1.0]})
        with pytest.raises(ArgumentError, match="vectors: found int"):
            Queries.of(self.QUERIES, vectors=3)


# --- real files ---------------------------------------------------------------------------------

REAL = {
    "scifact": 1109,
    "vaswani/query-text.trec": 93,
    "judgments/chorus/Broad_Query_Set_rated.csv": 135,
    "judgments/chorus/Broad_Query_Set_individual_ratings.csv": 135,
    "judgments/chorus/Chorus_Electronics_basic.csv": 2,
    "judgments/esci/esci.sample.csv": 200,
    "judgments/esci/esci_us_queryset.json": 150,
    "judgments/hello-ltr/title_features.csv": 40,
}


@pytest.mark.parametrize("name", REAL)
def test_real_files(name, shared_data: Path):
    assert len(Queries.of(shared_data / name)) == REAL[name]
