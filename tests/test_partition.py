"""score_partition and score_batches: parts of a collection make the rows of the whole."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from gainful.backends.partition import (
    order_dependence,
    score_batches,
    score_partition,
    score_table,
    tagged,
)
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    FormatError,
    GradeError,
    MatchError,
    ParameterError,
)
from random_rankings import draw
from requirements import need

pyarrow = need("pyarrow")

MEASURES = ["nDCG@10", "nDCG(gain='exponential')@3", "AP", "RR", "P@5", "GMAP", "NumRel", "DCG@10"]
#: Under which any order of a run's rows will do, and all ways to settle ties of which that is said.
CONVENTIONS = [
    preset.name
    for preset in gainful.conventions.presets()
    if not order_dependence("P@5", preset.convention)
]
TIES = {
    f"ties={ties}": gainful.Convention(ties=ties)
    for ties in ("expected", "average-rank", "average-rank-down", "optimistic", "pessimistic")
}
#: Apart, as conventions refuse some of them.
SETTLED = (
    ["P@5", "AP", "RR", "bpref", "NumRelRet@5"],
    ["nDCG", "DCG@10", "nDCG(gain='exponential')@3"],
    ["Judged@3", "Unjudged@5", "RBPResidual"],
    ["ERR(max_grade=4)@4", "RBP(max_grade=4)"],
)
Graded = dict[str, dict[str, Any]]


def told(evaluation: gainful.Evaluation) -> list[str]:
    """Everything that an evaluation says; texts, for NaN is not equal to itself."""
    rows = [repr(row) for row in evaluation.rows()]
    return [repr(evaluation.to_dict()), str(evaluation), *rows]


def collection(seed: int, queries: int = 20) -> tuple[Graded, Graded]:
    """Judgments and a run; some queries stand in only one of them."""
    drawn = draw(seed, queries=queries)
    names = list(drawn.qrels)
    qrels = {name: drawn.qrels[name] for name in names[2:]}
    run = {name: drawn.run[name] for name in names[:-3]}
    return qrels, run


def of(table: Graded, queries: list[str]) -> Graded:
    return {query: table[query] for query in queries if query in table}


def columns(table: Graded, value: str) -> Any:
    rows = [(query, doc, number) for query, own in table.items() for doc, number in own.items()]
    kind = pyarrow.int64() if value == "grade" else pyarrow.float64()
    return pyarrow.table(
        {
            "query_id": pyarrow.array([row[0] for row in rows], "string"),
            "doc_id": pyarrow.array([row[1] for row in rows], "string"),
            value: pyarrow.array([row[2] for row in rows], kind),
        }
    )


def both(qrels: Graded, run: Graded, queries: list[str], **more: list[str]) -> Any:
    """Judgments and run as one table, query by query."""
    tables = []
    for query in queries:
        for table, value in ((of(run, [query]), "score"), (of(qrels, [query]), "grade")):
            own = columns(table, value)
            tables.append(own.append_column("is_judgment", [[value == "grade"] * len(own)]))
    return pyarrow.concat_tables(tables, promote_options="default")


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 7))
@pytest.mark.parametrize("held", [dict, "columns"])
@pytest.mark.parametrize("missing", ["empty", "skip"])
@pytest.mark.parametrize("no_relevant", ["skip", 0, "nan"])
def test_parts_make_the_whole(
    no_relevant: object, missing: str, held: object, seed: int, count: int
) -> None:
    qrels, run = collection(seed)
    convention = gainful.Convention(missing=missing, no_relevant=no_relevant)
    whole = gainful.evaluate(qrels, run, MEASURES, convention=convention)
    queries = sorted(qrels.keys() | run.keys())
    random.Random(seed).shuffle(queries)
    parts = []
    for at in range(count + 2):
        own = queries[at::count] if at < count else []
        judged, ranked = of(qrels, own), of(run, own)
        if held == "columns":
            judged, ranked = columns(judged, "grade"), columns(ranked, "score")
        parts.append(score_partition(judged, ranked, MEASURES, convention=convention))
    found = gainful.Evaluation.from_rows(parts, MEASURES, convention=convention)
    assert told(found) == told(whole)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 200), cut=st.integers(1, 60))
def test_batches_make_the_whole(seed: int, rows: int, cut: int) -> None:
    qrels, run = collection(seed)
    queries = sorted(qrels.keys() | run.keys())
    random.Random(seed).shuffle(queries)
    table = both(qrels, run, queries)
    batches = [table.slice(at, cut) for at in range(0, len(table), cut)]
    batches.insert(1, table.slice(0, 0))
    found = list(score_batches(batches, MEASURES, rows=rows))
    assert told(gainful.Evaluation.from_rows(found, MEASURES)) == told(
        gainful.evaluate(qrels, run, MEASURES)
    )


def test_a_stream_is_cut_between_queries() -> None:
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


@pytest.mark.parametrize(
    ("qrels", "run", "counts"),
    [
        ({"q": {"d": 1}}, None, (1, 1, 0)),
        (None, {"q": ["d"]}, (0, 0, 1)),
        ({}, {}, (0, 0, 0)),
        (None, None, (0, 0, 0)),
        ({"q": {"d": 1}}, {"p": ["d"]}, (1, 1, 1)),
    ],
)
def test_what_a_part_may_lack(qrels: Any, run: Any, counts: tuple[int, int, int]) -> None:
    # Another part has a query of both.
    parts = [
        score_partition(qrels, run, "AP"),
        score_partition({"z": {"d": 1}}, {"z": ["d"]}, "AP"),
    ]
    found = gainful.Evaluation.from_rows(parts, "AP").counts()
    judged, missing, extra = counts
    assert found["judged_queries"] == judged + 1
    assert (found["missing"], found["extra"]) == (missing, extra)


@pytest.mark.parametrize("kind", ["table", "reader", "pandas", "polars"])
@pytest.mark.parametrize("side", ["qrels", "run", "both"])
def test_tables_without_rows(kind: str, side: str) -> None:
    def made(table: Graded, value: str) -> Any:
        own = columns(table, value)
        if kind == "reader":
            return own.to_reader()
        if kind == "pandas":
            need("pandas")
            return own.to_pandas()
        return need("polars").DataFrame(own) if kind == "polars" else own

    qrels = {} if side != "run" else {"q": {"d": 1}}
    run = {} if side != "qrels" else {"q": {"d": 0.5}}
    found = score_partition(made(qrels, "grade"), made(run, "score"), "AP")
    statuses = pyarrow.table(found)["status"].to_pylist()
    assert statuses == {"qrels": ["extra"], "run": ["evaluated", "missing"], "both": []}[side]


def test_rankings_without_scores() -> None:
    run = pyarrow.table({"query_id": ["q", "q"], "doc_id": ["b", "a"], "rank": [2, 1]})
    found = score_partition({"q": {"b": 1}}, run, "RR")
    assert pyarrow.table(found)["RR"].to_pylist() == [0.5]
    assert len(score_partition({"q": {"b": 1}}, run.slice(0, 0).to_reader(), "RR")) == 2


def test_subtopics_of_parts_without_judgments() -> None:
    rows = [("q1", "1", "d1", 1), ("q1", "2", "d2", 1), ("q2", "1", "d3", 1)]
    qrels = pyarrow.table(
        {
            name: [row[at] for row in rows]
            for at, name in enumerate(("query_id", "subtopic", "doc_id", "grade"))
        }
    )
    run = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}, "q3": {"d": 1.0}}
    whole = gainful.evaluate(qrels, run, ["alpha_nDCG@10", "StRecall@10"])
    parts = [
        # All judgments of the second part are of one subtopic, and the third has none.
        score_partition(qrels.slice(0, 2), of(run, ["q1"]), whole.measures),
        score_partition(qrels.slice(2), of(run, ["q2"]), whole.measures),
        score_partition(qrels.slice(0, 0), of(run, ["q3"]), whole.measures),
    ]
    assert told(gainful.Evaluation.from_rows(parts, whole.measures)) == told(whole)


def test_integer_ids_and_names_of_others() -> None:
    qrels = pyarrow.table({"user": [7, 8], "item": [1, 2], "stars": [1, 1]})
    run = pyarrow.table({"user": [7, 7], "item": [2, 1], "prediction": [0.5, 0.5]})
    found = score_partition(qrels, run, "RR", qrels_columns={"grade": "stars"})
    assert pyarrow.table(found)["query_id"].to_pylist()[:2] == ["7", "8"]
    assert pyarrow.table(found)["RR"].to_pylist()[:2] == [0.5, 0]


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
    assert told(gainful.Evaluation.from_rows(found, MEASURES)) == told(whole)
    with pytest.raises(ColumnError, match=r"'b', expected one of a"):
        list(score_batches(batches, MEASURES, systems=["a"]))


def test_bounds() -> None:
    qrels, run = collection(8)
    options = {"measures": ["nDCG@5", "AP"], "bounds": "cutoff", "scale": [0, 1, 3]}
    whole = gainful.evaluate(qrels, run, **options)
    queries = sorted(qrels.keys() | run.keys())
    parts = [
        score_partition(of(qrels, own), of(run, own), **options)
        for own in (queries[::2], queries[1::2], [])
    ]
    found = gainful.Evaluation.from_rows(parts, **options)
    assert told(found) == told(whole)
    assert found.bounds("AP") == whole.bounds("AP")
    # The same grades, said otherwise.
    assert gainful.Evaluation.from_rows(parts, **options | {"scale": (3, 0, 1.0, 3)}).scale == (
        whole.scale
    )
    with pytest.raises(ParameterError, match="scale: found bounds without a scale"):
        score_partition(qrels, run, "AP", bounds=True)
    with pytest.raises(MatchError, match="the same bounds"):
        gainful.Evaluation.from_rows(parts, **options | {"scale": [0, 1, 2]})


@pytest.mark.parametrize(
    ("measures", "convention", "expected"),
    [
        ("nDCG@10", {}, ()),
        ("nDCG@10", {"ties": "random(3)"}, ()),
        ("nDCG@10", {"ties": "given"}, ("ties=given",)),
        ("nDCG@10", {"ties": "reverse", "duplicates": "last"}, ("ties=reverse", "duplicates=last")),
        ("nDCG@10", {"order": "given", "ties": "given"}, ("order=given",)),
        ("nDCG@10", {"ties": "optimistic"}, ()),
        ("alpha_nDCG@10", {"ties": "pessimistic"}, ()),
    ],
)
def test_policies_that_go_by_the_order_of_rows(
    measures: str, convention: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert order_dependence(measures, gainful.Convention(**convention)) == expected


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize("measures", SETTLED, ids=lambda measures: measures[0])
@pytest.mark.parametrize("name", [*CONVENTIONS, *TIES])
def test_any_order_of_rows_will_do_otherwise(name: str, measures: list[str], seed: int) -> None:
    convention = TIES.get(name) or gainful.conventions.get(name)
    source = random.Random(seed)
    qrels, run = collection(seed, queries=6)
    judged, ranked = columns(qrels, "grade"), columns(run, "score")

    def shuffled(table: Any) -> Any:
        return table.take(source.sample(range(len(table)), len(table)))

    def values(*tables: Any) -> object:
        try:
            result = gainful.evaluate(*tables, measures, convention=convention)
        except gainful.GainfulError as error:
            return type(error)
        # NaN is not equal to itself.
        return [repr(row) for row in result.rows()]

    assert values(shuffled(judged), shuffled(ranked)) == values(judged, ranked)


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
            "found a null in column 'score'",
        ),
        (lambda t: pyarrow.concat_tables([t, t]), DuplicateError, "query 'q', document 'd'"),
    ],
)
def test_what_is_wrong_with_a_table(change: Callable[[Any], Any], error: Any, match: str) -> None:
    table = both({"q": {"d": 1}}, {"q": {"d": 0.5}}, ["q"]).select(
        ["query_id", "doc_id", "is_judgment", "grade", "score"]
    )
    with pytest.raises(error, match=match):
        list(score_batches([change(table)], "AP"))


def test_arguments() -> None:
    with pytest.raises(ParameterError, match="rows: found 0"):
        score_batches([], "AP", rows=0)
    with pytest.raises(ParameterError, match="systems: found"):
        score_batches([], "AP", systems=["a", "a"])
    with pytest.raises(ArgumentError, match="batches: found dict"):
        list(score_batches([{}], "AP"))
    with pytest.raises(ParameterError, match="ids: found 'bytes'"):
        score_partition(None, None, "AP", ids="bytes")


def test_errors_name_the_query() -> None:
    strict = gainful.Convention(negative="error", missing="error", extra="error")
    with pytest.raises(GradeError, match="query 'q', document 'd'"):
        score_partition({"q": {"d": -1}}, {"q": ["d"]}, "AP", convention=strict)
    with pytest.raises(MatchError, match="the judged query 'q'"):
        score_partition({"q": {"d": 1}}, {}, "AP", convention=strict)
    with pytest.raises(MatchError, match="the query 'q' without judgments"):
        score_partition({}, {"q": ["d"]}, "AP", convention=strict)
    with pytest.raises(FormatError, match="query 'q', document 'd'"):
        score_partition({"q": {"d": 1}}, {"q": {"d": float("nan")}}, "AP")


def test_what_ids_are_rows_of() -> None:
    qrels = pyarrow.table({"query_id": [b"\xff"], "doc_id": ["d"], "grade": [1]})
    run = pyarrow.table({"query_id": [b"\xff"], "doc_id": ["d"], "score": [1.0]})
    found = score_partition(qrels, run, "AP", ids="binary")
    assert pyarrow.table(found)["query_id"].to_pylist() == [b"\xff"]
    assert told(gainful.Evaluation.from_rows(found, "AP")) == told(
        gainful.evaluate(qrels, run, "AP")
    )
    with pytest.raises(ColumnError, match="no UTF-8"):
        pyarrow.table(score_partition(qrels, run, "AP"))


def test_a_function_of_it_travels() -> None:
    # What a cluster sends to its workers.
    assert pickle.loads(pickle.dumps(score_partition)) is score_partition
    assert pickle.loads(pickle.dumps(score_batches)) is score_batches


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_table_needs_no_order(seed: int) -> None:
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
    assert told(gainful.Evaluation.from_rows(found, MEASURES)) == told(
        gainful.evaluate(qrels, run, MEASURES)
    )


def test_tables_are_tagged() -> None:
    qrels, run = collection(3)
    renamed = columns(run, "score").rename_columns(["qid", "docno", "sim"])
    pieces = [tagged(columns(qrels, "grade"), "qrels"), tagged(renamed, "run")]
    table = pyarrow.concat_tables(pieces, promote_options="default")
    found = gainful.Evaluation.from_rows(score_table(table, MEASURES), MEASURES)
    assert told(found) == told(gainful.evaluate(qrels, run, MEASURES))


def test_both_sides_have_the_same_columns() -> None:
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


def test_what_cannot_be_tagged() -> None:
    run = pyarrow.table({"qid": [b"\xff"], "docno": ["d"], "score": [2**60 + 1]})
    with pytest.raises(ParameterError, match="side: found 'judgments'"):
        tagged(run, "judgments")
    with pytest.raises(ParameterError, match="more: found 'title', expected some of subtopic"):
        tagged(run, "run", more=["rank", "title"])
    with pytest.raises(ColumnError, match="expected grade"):
        tagged(run.drop_columns("score"), "qrels")
    with pytest.raises(ColumnError, match="column 'qid': found .* expected ids of UTF-8"):
        tagged(run, "run")
    with pytest.raises(ColumnError, match="column 'qid': found double, expected text, bytes"):
        tagged(run.set_column(0, "qid", [[7.0]]), "run")
    with pytest.raises(ColumnError, match="column 'score': found .* expected numbers"):
        tagged(run.set_column(0, "qid", [["q"]]), "run")


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 5))
@pytest.mark.parametrize("missing", ["empty", "skip"])
def test_every_part_may_have_all_judgments(missing: str, seed: int, count: int) -> None:
    qrels, run = collection(seed)
    options: dict[str, Any] = {
        "measures": MEASURES,
        "convention": gainful.Convention(missing=missing),
    }
    queries = list(run)
    parts = [
        score_partition(gainful.Qrels(qrels), of(run, own), shared=True, **options)
        for own in ([], *(queries[at::count] for at in range(count)))
    ]
    # The judged queries that a part lacks are none of its rows.
    statuses = [status for part in parts for status in pyarrow.table(part)["status"].to_pylist()]
    assert statuses.count("evaluated") == len(qrels.keys() & run.keys())
    assert "missing" not in statuses
    found = gainful.Evaluation.from_rows(parts, qrels=qrels, **options)
    assert told(found) == told(gainful.evaluate(qrels, run, **options))
    # Rows that are complete stay what they are.
    again = gainful.Evaluation.from_rows(found.to_rows(), qrels=qrels, **options)
    assert told(again) == told(found)
    with pytest.raises(MatchError, match="rows of a query that the judgments lack"):
        gainful.Evaluation.from_rows(parts, qrels={"q": {"d": 1}}, **options)


def test_judgments_that_all_parts_have_and_a_query_that_none_has() -> None:
    strict = gainful.Convention(missing="error")
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}}
    part = score_partition(qrels, {"q1": ["d"]}, "AP", convention=strict, shared=True)
    with pytest.raises(MatchError, match="no ranking for the judged query 'q2'"):
        gainful.Evaluation.from_rows(part, "AP", convention=strict, qrels=qrels)


def test_a_query_that_was_torn_apart() -> None:
    judged = score_partition({"q": {"d": 1}, "p": {"d": 1}}, {"p": ["d"]}, "AP")
    ranked = score_partition(None, {"q": ["d"]}, "AP")
    with pytest.raises(MatchError, match="query 'q': found its judgments in one part"):
        gainful.Evaluation.from_rows([judged, ranked], "AP")
    skips = gainful.Convention(missing="skip")
    judged = score_partition({"q": {"d": 1}, "p": {"d": 1}}, {"p": ["d"]}, "AP", convention=skips)
    ranked = score_partition(None, {"q": ["d"]}, "AP", convention=skips)
    with pytest.raises(MatchError, match="and its ranking in another"):
        gainful.Evaluation.from_rows([ranked, judged], "AP", convention=skips)


@pytest.mark.parametrize("twice", ["missing", "extra"])
def test_a_part_that_was_added_twice(twice: str) -> None:
    skips = gainful.Convention(missing="skip")
    qrels, run = ({"q": {"d": 1}}, None) if twice == "missing" else (None, {"q": ["d"]})
    part = score_partition(qrels, run, "AP", convention=skips)
    with pytest.raises(MatchError, match="query 'q': found rows of it in two parts"):
        gainful.Evaluation.from_rows([part, part], "AP", convention=skips)


def test_queries_without_values_are_named() -> None:
    skips = gainful.Convention(missing="skip")
    run = {f"x{at:03}": ["d"] for at in range(500)}
    part = score_partition({"a": {"d": 1}, "b": {"d": 1}}, run, "AP", convention=skips)
    table = pyarrow.table(part)
    assert len(part) == len(table) == 502
    assert table["query_id"].to_pylist() == ["a", "b", *run]
    assert table["status"].to_pylist() == ["missing"] * 2 + ["extra"] * 500
    assert set(table["queries"].to_pylist()) == {1}
