"""score_table and score_batches: judgments and runs in one table or stream."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from evaluation_words import contents
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    ParameterError,
)
from gainful.evaluation.partition import (
    score_batches,
    score_table,
    tagged,
)
from partition_data import MEASURES, both, collection, columns, of
from requirements import need

pyarrow = need("pyarrow")


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 200), cut=st.integers(1, 60))
def test_batches_give_the_rows_of_the_whole(seed: int, rows: int, cut: int) -> None:
    qrels, run = collection(seed)
    queries = sorted(qrels.keys() | run.keys())
    random.Random(seed).shuffle(queries)
    table = both(qrels, run, queries)
    batches = [table.slice(at, cut) for at in range(0, len(table), cut)]
    batches.insert(1, table.slice(0, 0))
    found = list(score_batches(batches, MEASURES, rows=rows))
    assert contents(gainful.Evaluation.from_rows(found, MEASURES)) == contents(
        gainful.evaluate(qrels, run, MEASURES)
    )


def test_a_stream_is_split_between_queries() -> None:
    qrels, run = collection(3)
    table = both(qrels, run, sorted(qrels.keys() | run.keys()))
    one = list(score_batches([table], MEASURES))
    many = list(score_batches(table.to_batches(max_chunksize=7), MEASURES, rows=20))
    assert len(one) == 1
    assert len(many) > 3
    assert {batch.schema for batch in [*one, *many]} == {one[0].schema}


def test_one_query_fills_many_batches() -> None:
    run = {"q": {f"d{at}": float(at) for at in range(1000)}}
    qrels = {"q": {"d999": 1, "d0": 1}}
    table = both(qrels, run, ["q"])
    found = list(score_batches(table.to_batches(max_chunksize=10), "AP", rows=30))
    assert gainful.Evaluation.from_rows(found, "AP").mean() == (1 + 2 / 1000) / 2


def test_no_batches() -> None:
    assert list(score_batches([], "AP")) == []


def test_several_systems_at_once() -> None:
    qrels, run = collection(5)
    _, other = collection(6)
    other = {query: own for query, own in other.items() if query > "q009"}
    whole = gainful.evaluate(qrels, runs={"a": run, "b": other}, measures=MEASURES)
    tables = []
    for query in sorted(qrels.keys() | run.keys() | other.keys()):
        for system, one in (("a", run), ("b", other)):
            own = columns(of(one, [query]), "score").append_column(
                "is_judgment", [[False] * len(one.get(query, ()))]
            )
            tables.append(own.append_column("system", [[system] * len(own)]))
        own = columns(of(qrels, [query]), "grade")
        tables.append(own.append_column("is_judgment", [[True] * len(own)]))
    table = pyarrow.concat_tables(tables, promote_options="default")
    batches = table.to_batches(max_chunksize=13)
    found = list(score_batches(batches, MEASURES, systems=["a", "b"], rows=50))
    assert contents(gainful.Evaluation.from_rows(found, MEASURES)) == contents(whole)
    with pytest.raises(ColumnError, match=r"'b', expected one of a"):
        list(score_batches(batches, MEASURES, systems=["a"]))


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        (lambda t: t.drop_columns("grade"), ColumnError, "expected a column 'grade'"),
        (lambda t: t.drop_columns("score"), ColumnError, "expected a column 'score'"),
        (lambda t: t.drop_columns("is_judgment"), ColumnError, "expected a column 'is_judgment'"),
        (lambda t: t.drop_columns("query_id"), ColumnError, "expected a column 'query_id'"),
        (
            lambda t: t.set_column(2, "is_judgment", [[None, *t["is_judgment"].to_pylist()[1:]]]),
            ColumnError,
            "column 'is_judgment': found a null",
        ),
        (
            lambda t: t.set_column(
                t.column_names.index("score"), "score", pyarrow.nulls(len(t), "double")
            ),
            ColumnError,
            "null in column 'score'",
        ),
        (lambda t: pyarrow.concat_tables([t, t]), DuplicateError, "query 'q', document 'd'"),
    ],
)
def test_invalid_tables_are_errors(change: Callable[[Any], Any], error: Any, match: str) -> None:
    table = both({"q": {"d": 1}}, {"q": {"d": 0.5}}, ["q"]).select(
        ["query_id", "doc_id", "is_judgment", "grade", "score"]
    )
    with pytest.raises(error, match=match):
        list(score_batches([change(table)], "AP"))


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_tables_may_have_any_row_order(seed: int) -> None:
    qrels, run = collection(seed)
    source = random.Random(seed)
    queries = sorted(qrels.keys() | run.keys())
    found = []
    for own in (queries[::2], queries[1::2], []):
        table = both(qrels, run, own) if own else both(qrels, run, queries[:1]).slice(0, 0)
        order = source.sample(range(len(table)), len(table))
        shuffled = table.take(pyarrow.array(order, "int64"))
        found.append(score_table(shuffled, MEASURES))
    assert len({table.schema for table in found}) == 1
    assert contents(gainful.Evaluation.from_rows(found, MEASURES)) == contents(
        gainful.evaluate(qrels, run, MEASURES)
    )


def test_tagged_tables_can_be_concatenated() -> None:
    qrels, run = collection(3)
    renamed = columns(run, "score").rename_columns(["qid", "docno", "sim"])
    pieces = [tagged(columns(qrels, "grade"), "qrels"), tagged(renamed, "run")]
    table = pyarrow.concat_tables(pieces, promote_options="default")
    found = gainful.Evaluation.from_rows(score_table(table, MEASURES), MEASURES)
    assert contents(found) == contents(gainful.evaluate(qrels, run, MEASURES))


def test_tagged_judgments_and_run_have_equal_columns() -> None:
    rows = pyarrow.table({"q": [7], "topic": ["t"], "doc_id": [b"d"], "grade": [1]})
    more = ("subtopic", "system", "rank")
    own = tagged(rows, "qrels", columns={"query_id": "q", "subtopic": "topic"}, more=more)
    assert own.to_pylist() == [
        {
            "query_id": "7",
            "doc_id": "d",
            "is_judgment": True,
            "grade": 1.0,
            "score": None,
            "subtopic": "t",
            "rank": None,
            "system": None,
        }
    ]
    run = pyarrow.table({"qid": ["7"], "docno": ["d"], "sim": [Decimal("0.1")], "rank": [3]})
    other = tagged(run, "run", more=more, system="bm25")
    assert other.to_pylist() == [
        {
            "query_id": "7",
            "doc_id": "d",
            "is_judgment": False,
            "grade": None,
            "score": 0.1,
            "subtopic": None,
            "rank": 3.0,
            "system": "bm25",
        }
    ]
    assert other.schema == own.schema == tagged(run.slice(0, 0), "run", more=more).schema
    ranked = run.drop_columns("sim")
    assert tagged(ranked, "run")["score"].to_pylist() == [None]


def test_tables_that_cannot_be_tagged_are_errors() -> None:
    run = pyarrow.table({"qid": [b"\xff"], "docno": ["d"], "score": [2**60 + 1]})
    with pytest.raises(ParameterError, match="side: found 'judgments'"):
        tagged(run, "judgments")
    with pytest.raises(ParameterError, match="more: found 'title', expected some of subtopic"):
        tagged(run, "run", more=["rank", "title"])
    with pytest.raises(ColumnError, match="expected a column grade"):
        tagged(run.drop_columns("score"), "qrels")
    with pytest.raises(ColumnError, match="column 'qid': found .* expected ids of UTF-8"):
        tagged(run, "run")
    with pytest.raises(ColumnError, match="column 'qid': found double, expected text, bytes"):
        tagged(run.set_column(0, "qid", [[7.0]]), "run")
    with pytest.raises(ColumnError, match="column 'score': found .* expected numbers"):
        tagged(run.set_column(0, "qid", [["q"]]), "run")


ONE = both({"q": {"d": 1}, "r": {"e": 1}}, {"q": {"d": 0.5, "c": 0.9}}, ["q", "r"])


def rr(found: Any) -> dict[str, float]:
    return gainful.Evaluation.from_rows(found, "RR").per_query()


@pytest.mark.parametrize("kind", ["large_string", "string_view", "binary_view", "dictionary"])
@pytest.mark.parametrize("column", ["query_id", "doc_id"])
def test_ids_of_any_type(column: str, kind: str) -> None:
    own = ONE[column]
    own = own.dictionary_encode() if kind == "dictionary" else own.cast(kind)
    table = ONE.set_column(ONE.column_names.index(column), column, own)
    assert rr(score_table(table, "RR")) == {"q": 0.5, "r": 0}
    assert rr(score_batches(table.to_batches(max_chunksize=1), "RR", rows=1)) == {"q": 0.5, "r": 0}


def test_tables_of_other_libraries() -> None:
    frame = need("polars").DataFrame(ONE)
    assert rr(score_table(frame, "RR")) == {"q": 0.5, "r": 0}
    assert rr(score_batches([frame[:2], frame[2:]], "RR", rows=1)) == {"q": 0.5, "r": 0}
    # One table instead of several.
    assert rr(score_batches(ONE, "RR")) == {"q": 0.5, "r": 0}


@pytest.mark.parametrize("rows", [1, 100])
def test_batches_of_different_types(rows: int) -> None:
    # The rows of q continue in a batch without judgment columns and with wider ids.
    first, second = ONE.slice(0, 1), ONE.slice(1)
    second = second.set_column(0, "query_id", second["query_id"].cast("large_string"))
    first = first.drop_columns("grade")
    assert rr(score_batches([first, second], "RR", rows=rows)) == {"q": 0.5, "r": 0}
    first = first.set_column(0, "query_id", first["query_id"].dictionary_encode())
    assert rr(score_batches([first, second], "RR", rows=rows)) == {"q": 0.5, "r": 0}


def with_column(name: str, values: Any) -> Any:
    return ONE.set_column(ONE.column_names.index(name), name, [values])


@pytest.mark.parametrize(
    ("batches", "match"),
    [
        ([with_column("is_judgment", ["yes", *"0123"][: len(ONE)])], "'is_judgment': found string"),
        ([ONE.append_column("query_id", ONE["query_id"])], "several columns 'query_id'"),
        (
            [ONE, ONE.set_column(0, "query_id", [list(range(len(ONE)))])],
            "incompatible types",
        ),
        (
            [ONE.append_column("system", [[[1]] * len(ONE)])],
            "column 'system': found list<.*>, expected names of systems",
        ),
    ],
)
def test_invalid_columns_are_errors(batches: list[Any], match: str) -> None:
    systems = ["a"] if "system" in batches[0].column_names else None
    with pytest.raises(ColumnError, match=match):
        list(score_batches(batches, "RR", systems=systems))


def test_invalid_arguments_are_errors() -> None:
    for call in (score_table, lambda table, *more: list(score_batches(table, *more))):
        with pytest.raises(ArgumentError, match="found int, expected record batches or tables"):
            call(5, "RR")
    for wrong in ({"rows": "9"}, {"systems": "ab"}, {"ids": "int"}, {"threads": 0}):
        with pytest.raises(ParameterError, match=f"{min(wrong)}: found"):
            score_batches([], "RR", **wrong)
    with pytest.raises(ArgumentError, match="table: found int, expected a pyarrow"):
        tagged(5, "run")
    with pytest.raises(ArgumentError, match="system: found int"):
        tagged(columns({"q": {"d": 1.0}}, "score"), "run", system=1)


def test_errors_of_combined_tables_name_no_row() -> None:
    queries = ONE["query_id"].to_pylist()
    for at, side in ((1, "the run"), (len(ONE) - 1, "the judgments")):
        table = with_column("query_id", [*queries[:at], None, *queries[at + 1 :]])
        with pytest.raises(ColumnError) as caught:
            score_table(table, "RR")
        assert str(caught.value).startswith(f"{side}: null in column 'query_id'")
