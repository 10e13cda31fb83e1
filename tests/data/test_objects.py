"""Tables of other libraries are judgments and runs, and results become such tables."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy
import pytest

import gainful
from gainful.errors import ArgumentError, ColumnError, FormatError
from requirements import need

QRELS = {"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}}
ROWS = [("q1", "d1", 3), ("q1", "d2", 0), ("q2", "d3", 1)]
OWN = {"query": "Search Term", "doc": "SKU", "grade": "Stars"}


@pytest.mark.parametrize("record", [False, True])
def test_structured_arrays(record):
    kinds = [("query_id", "U9"), ("doc_id", "U9"), ("grade", "i4")]
    array = numpy.array(ROWS, dtype=kinds)
    assert gainful.Qrels(array.view(numpy.recarray) if record else array).to_dict() == QRELS
    run = numpy.array(
        [("q", "a", 2), ("q", "b", 1)], [("qid", "S9"), ("docno", "S9"), ("rank", int)]
    )
    assert gainful.Run(run).to_dict() == {"q": ["b", "a"]}
    own = numpy.array(
        ROWS, [(name, kind[1]) for name, kind in zip(OWN.values(), kinds, strict=True)]
    )
    assert gainful.Qrels(own, columns=OWN).to_dict() == QRELS
    with pytest.raises(ColumnError, match=r"'SKU', 'Stars', expected .*doc_id \(or docno"):
        gainful.Qrels(own)


@pytest.mark.parametrize("names", [("query", "doc"), (None, None), ("Search Term", "SKU")])
def test_a_pandas_series_with_two_levels(names):
    pandas = need("pandas")
    index = pandas.MultiIndex.from_tuples([row[:2] for row in ROWS], names=names)
    assert gainful.Qrels(pandas.Series([3, 0, 1], index=index)).to_dict() == QRELS
    scores = pandas.Series([0.5, 1.5, 2.0], index=index, name="score")
    assert gainful.Run(scores)["q1"] == [("d2", 1.5), ("d1", 0.5)]
    assert gainful.evaluate(QRELS, scores, "RR").per_query() == {"q1": 0.5, "q2": 1.0}
    with pytest.raises(ArgumentError, match="an index of queries and documents"):
        gainful.Qrels(pandas.Series([1, 2]))


@pytest.mark.parametrize("levels", [["query_id"], ["query_id", "doc_id"], ["doc_id", "query_id"]])
def test_a_pandas_frame_with_columns_in_its_index(levels):
    pandas = need("pandas")
    judged = pandas.DataFrame(ROWS, columns=["query_id", "doc_id", "grade"]).set_index(levels)
    assert gainful.Qrels(judged).to_dict() == QRELS
    run = judged.rename(columns={"grade": "score"})
    expected = gainful.evaluate(QRELS, run.reset_index(), "RR").per_query()
    assert gainful.evaluate(judged, run, "RR").per_query() == expected
    with pytest.raises(ColumnError, match="found columns 'grade', expected"):
        gainful.Qrels(judged.reset_index()[["grade"]])


def test_a_pandas_frame_with_all_columns_ignores_the_name_of_its_index():
    pandas = need("pandas")
    judged = pandas.DataFrame(ROWS, columns=["query_id", "doc_id", "grade"])
    judged.index.name = "topic"
    assert gainful.Qrels(judged).to_dict() == QRELS


@dataclass
class Hit:
    query_id: str
    doc_id: str
    rank: int


@pytest.mark.parametrize(
    "records",
    [
        [Hit("q", "b", 2), Hit("q", "a", 1)],
        [{"qid": "q", "docno": "b", "Rank": 2}, {"qid": "q", "docno": "a", "Rank": 1}],
        iter([{"qid": "q", "docno": "b", "Rank": 2}, {"qid": "q", "docno": "a", "Rank": 1}]),
    ],
)
def test_records_with_ranks_alone(records):
    assert gainful.Run(records).to_dict() == {"q": ["a", "b"]}


def test_records_with_other_names():
    rows = [dict(zip(OWN.values(), row, strict=True)) for row in ROWS]
    assert gainful.Qrels(rows, columns=OWN).to_dict() == QRELS
    assert gainful.Qrels(iter(rows), columns=OWN).to_dict() == QRELS
    with pytest.raises(
        ColumnError, match=r"'Search Term', 'SKU', 'Stars', expected a field doc_id"
    ):
        gainful.Qrels(rows)


def test_a_database_cursor_has_named_columns():
    database = sqlite3.connect(":memory:")
    database.execute("create table j (grade, doc_id, query_id)")
    database.executemany("insert into j values (?, ?, ?)", [row[::-1] for row in ROWS])
    assert gainful.Qrels(database.execute("select * from j")).to_dict() == QRELS
    with pytest.raises(ColumnError, match="expected a column query_id"):
        gainful.Qrels(database.execute("select grade, doc_id from j"))


@pytest.mark.parametrize("table", [gainful.Qrels, gainful.Run])
def test_lazy_frames_are_refused(table):
    polars = need("polars")
    lazy = polars.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]}).lazy()
    for frame in (lazy, need("narwhals").from_native(lazy)):
        with pytest.raises(ArgumentError, match=r"call .collect\(\) first"):
            table(frame)


@pytest.mark.parametrize("table", [gainful.Qrels, gainful.Run])
def test_frames_of_dask_and_modin_are_refused(table):
    class Frame:
        dask: object = {}
        columns = ("query_id", "doc_id", "score")

        def compute(self) -> None: ...

    with pytest.raises(ArgumentError, match=r"call .compute\(\) first"):
        table(Frame())
    modin = type("DataFrame", (), {"__module__": "modin.pandas.dataframe"})
    with pytest.raises(ArgumentError, match=r"Modin.*\.modin\.to_pandas\(\)"):
        table(modin())


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ([["d1", "d2"], ["d3"]], r"row 0.*needs its query: \{query: \['d1', 'd2'\]\}"),
        ([3, 2, 0], "row 0.*gainful.ndcg takes the grades"),
        (["d1", "d2"], r"documents need their query: \{query: \['d1', 'd2', ...\]\}"),
        ({"q1": "d1"}, r"documents need their query: \{query: \['d1', ...\]\}"),
    ],
)
def test_a_list_in_place_of_a_mapping_is_explained(run, message):
    with pytest.raises((ArgumentError, FormatError), match=message):
        gainful.evaluate(QRELS, run)


def test_judgments_in_place_of_a_run_are_recognized(tmp_path):
    rows = [{"query_id": "q", "doc_id": "d", "grade": 1}]
    with pytest.raises(ColumnError, match="looks like judgments; put the judgments first"):
        gainful.Run(rows)
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,grade\nq,d,1\n")
    with pytest.raises(ColumnError, match="looks like judgments; put the judgments first"):
        gainful.read_run(tmp_path / "qrels.csv")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Keywords,SKU,Stars\nred shoe,s1,3\n", "'Keywords', 'SKU', 'Stars'"),
        ("Keywords\tSKU\tStars\nred shoe\ts1\t3\n", "'Keywords', 'SKU', 'Stars'"),
        ("Keywords,SKU,Stars,By,When\nred shoe,s1,3,me,now\n", "'Stars', 'By', 'When'"),
        ("Search Term,SKU,Stars\nred shoe,s1,3\n", "'Search Term', 'SKU', 'Stars'"),
    ],
)
@pytest.mark.parametrize("read", [gainful.read_qrels, gainful.read_run])
def test_an_unknown_header_is_listed_with_the_accepted_names(text, found, read, tmp_path):
    path = tmp_path / "stars.csv"
    path.write_text(text)
    with pytest.raises(ColumnError) as caught:
        read(path)
    message = str(caught.value)
    assert found in message
    assert "doc_id (or docno" in message
    assert "columns='" in message
    assert "--columns" not in message


@pytest.mark.parametrize(
    "columns",
    [
        'grade=Stars,query="Search, Term",doc=SKU',
        "grade = 'Stars', query = 'Search, Term', doc = SKU",
        {"grade": "Stars", "query": "Search, Term", "doc": "SKU"},
    ],
)
def test_quoted_column_names(columns, tmp_path):
    path = tmp_path / "stars.csv"
    path.write_text('"Search, Term",SKU,Stars\nred shoe,s1,3\n')
    assert gainful.read_qrels(path, columns=columns).to_dict() == {"red shoe": {"s1": 3}}


def test_every_command_that_reads_files_has_columns(capsys):
    from gainful.cli import main
    from gainful.cli.commands import COMMANDS

    without = set()
    for command in COMMANDS:
        main([command, "--help-all"])
        text = capsys.readouterr().out
        usage = text.partition("\n\n")[0]
        if "QRELS" in usage and "--columns" not in text:
            without.add(command)
    assert without <= {"trec_eval", "sql"}
