"""score_partition: parts of a collection give the rows of the whole."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from combinations import in_turn, pairwise
from evaluation_words import contents, sorted_rows
from gainful.conventions import get
from gainful.errors import (
    ArgumentError,
    ColumnError,
    FormatError,
    GradeError,
    MatchError,
    ParameterError,
)
from gainful.evaluation.partition import (
    order_dependence,
    score_batches,
    score_partition,
)
from partition_data import MEASURES, Graded, collection, columns, of
from requirements import need

pyarrow = need("pyarrow")

#: Conventions that do not depend on the order of rows, with each such tie policy. They have new
#: names, so that every measure is computed.
CONVENTIONS = {
    preset.name: get(preset.name).replace(name=f"own-{preset.name}")
    for preset in gainful.conventions.presets()
    if not order_dependence("NumRet", get(preset.name))
}
TIES = {
    f"ties={ties}": gainful.Convention(ties=ties)
    for ties in ("expected", "average-rank", "average-rank-down", "optimistic", "pessimistic")
}
#: Apart, as conventions refuse some of them.
SETTLED = (
    ["P@5", "AP", "RR", "bpref", "NumRelRet"],
    ["nDCG", "DCG@10", "nDCG(gain='exponential')@3"],
    ["Judged@3", "Unjudged@5", "RBPResidual"],
    ["ERR(max_grade=4)@4", "RBP(max_grade=4)"],
)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 7))
@pytest.mark.parametrize(
    ("no_relevant", "missing", "held"),
    pairwise(["skip", 0, "nan"], ["empty", "skip"], [dict, "columns"]),
)
def test_parts_give_the_rows_of_the_whole(
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
    assert contents(found) == contents(whole)


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
def test_parts_may_lack_judgments_or_results(
    qrels: Any, run: Any, counts: tuple[int, int, int]
) -> None:
    # Another part has a query with judgments and results.
    parts = [
        score_partition(qrels, run, "AP"),
        score_partition({"z": {"d": 1}}, {"z": ["d"]}, "AP"),
    ]
    found = gainful.Evaluation.from_rows(parts, "AP").counts()
    judged, missing, extra = counts
    assert found["judged_queries"] == judged + 1
    assert (found["missing"], found["extra"]) == (missing, extra)


def test_queries_without_judgments_may_count_as_irrelevant_in_a_part_of_their_own() -> None:
    convention = gainful.Convention(extra="no-relevant")
    qrels, run = {"z": {"d": 1}}, {"p": ["d"], "q": ["d", "e"]}
    parts = [
        score_partition(None, run, "AP", convention=convention),
        score_partition(qrels, {"z": ["d"]}, "AP", convention=convention),
    ]
    found = gainful.Evaluation.from_rows(parts, "AP", convention=convention)
    whole = gainful.evaluate(qrels, {**run, "z": ["d"]}, "AP", convention=convention)
    assert found.per_query() == whole.per_query() == {"p": 0.0, "q": 0.0, "z": 1.0}


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
    assert contents(gainful.Evaluation.from_rows(parts, whole.measures)) == contents(whole)


def test_integer_ids_and_column_names_of_other_tools() -> None:
    qrels = pyarrow.table({"user": [7, 8], "item": [1, 2], "stars": [1, 1]})
    run = pyarrow.table({"user": [7, 7], "item": [2, 1], "prediction": [0.5, 0.5]})
    found = score_partition(qrels, run, "RR", qrels_columns={"grade": "stars"})
    assert pyarrow.table(found)["query_id"].to_pylist()[:2] == ["7", "8"]
    assert pyarrow.table(found)["RR"].to_pylist()[:2] == [0.5, 0]


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
    assert contents(found) == contents(whole)
    assert found.bounds("AP") == whole.bounds("AP")
    # The same grades in another notation.
    assert gainful.Evaluation.from_rows(parts, **options | {"scale": (3, 0, 1.0, 3)}).scale == (
        whole.scale
    )
    with pytest.raises(ParameterError, match="scale: found bounds without a scale"):
        score_partition(qrels, run, "AP", bounds=True)
    with pytest.raises(MatchError, match="and bounds"):
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
def test_policies_that_depend_on_row_order_are_errors(
    measures: str, convention: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert order_dependence(measures, gainful.Convention(**convention)) == expected


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize(
    ("name", "measures"), in_turn([*CONVENTIONS, *TIES], SETTLED, len(SETTLED))
)
def test_other_policies_accept_any_row_order(name: str, measures: list[str], seed: int) -> None:
    convention = (CONVENTIONS | TIES)[name]
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
        return [repr(row) for row in sorted_rows(result)]

    assert values(shuffled(judged), shuffled(ranked)) == values(judged, ranked)


def test_invalid_arguments_are_errors() -> None:
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
    with pytest.raises(MatchError, match="query 'q' has no judgments"):
        score_partition({}, {"q": ["d"]}, "AP", convention=strict)
    with pytest.raises(FormatError, match="query 'q', document 'd'"):
        score_partition({"q": {"d": 1}}, {"q": {"d": float("nan")}}, "AP")


def test_ids_of_rows_can_be_bytes() -> None:
    qrels = pyarrow.table({"query_id": [b"\xff"], "doc_id": ["d"], "grade": [1]})
    run = pyarrow.table({"query_id": [b"\xff"], "doc_id": ["d"], "score": [1.0]})
    found = score_partition(qrels, run, "AP", ids="binary")
    assert pyarrow.table(found)["query_id"].to_pylist() == [b"\xff"]
    assert contents(gainful.Evaluation.from_rows(found, "AP")) == contents(
        gainful.evaluate(qrels, run, "AP")
    )
    with pytest.raises(ColumnError, match="not UTF-8"):
        pyarrow.table(score_partition(qrels, run, "AP"))


def test_functions_that_call_it_can_be_pickled() -> None:
    # A cluster sends such functions to its workers.
    assert pickle.loads(pickle.dumps(score_partition)) is score_partition
    assert pickle.loads(pickle.dumps(score_batches)) is score_batches


@settings(max_examples=5, deadline=None)
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
    # Judged queries that the part lacks have no rows.
    statuses = [status for part in parts for status in pyarrow.table(part)["status"].to_pylist()]
    assert statuses.count("evaluated") == len(qrels.keys() & run.keys())
    assert "missing" not in statuses
    found = gainful.Evaluation.from_rows(parts, qrels=qrels, **options)
    assert contents(found) == contents(gainful.evaluate(qrels, run, **options))
    # Complete rows do not change.
    again = gainful.Evaluation.from_rows(found.to_rows(), qrels=qrels, **options)
    assert contents(again) == contents(found)
    with pytest.raises(MatchError, match="rows of a query without judgments"):
        gainful.Evaluation.from_rows(parts, qrels={"q": {"d": 1}}, **options)


def test_a_query_missing_from_all_parts_has_one_row() -> None:
    strict = gainful.Convention(missing="error")
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}}
    part = score_partition(qrels, {"q1": ["d"]}, "AP", convention=strict, shared=True)
    with pytest.raises(MatchError, match="no ranking for the judged query 'q2'"):
        gainful.Evaluation.from_rows(part, "AP", convention=strict, qrels=qrels)


def test_a_query_split_between_parts_is_an_error() -> None:
    judged = score_partition({"q": {"d": 1}, "p": {"d": 1}}, {"p": ["d"]}, "AP")
    ranked = score_partition(None, {"q": ["d"]}, "AP")
    with pytest.raises(MatchError, match="'q': its judgments and its ranking"):
        gainful.Evaluation.from_rows([judged, ranked], "AP")
    skips = gainful.Convention(missing="skip")
    judged = score_partition({"q": {"d": 1}, "p": {"d": 1}}, {"p": ["d"]}, "AP", convention=skips)
    ranked = score_partition(None, {"q": ["d"]}, "AP", convention=skips)
    with pytest.raises(MatchError, match="and its ranking are in different"):
        gainful.Evaluation.from_rows([ranked, judged], "AP", convention=skips)


@pytest.mark.parametrize("twice", ["missing", "extra"])
def test_a_duplicate_part_is_an_error(twice: str) -> None:
    skips = gainful.Convention(missing="skip")
    qrels, run = ({"q": {"d": 1}}, None) if twice == "missing" else (None, {"q": ["d"]})
    part = score_partition(qrels, run, "AP", convention=skips)
    with pytest.raises(MatchError, match="query 'q': its ranking is in two parts"):
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


def test_an_error_names_the_row() -> None:
    run = pyarrow.table({"query_id": ["q", None], "doc_id": ["d", "e"], "score": [1.0, 0.5]})
    with pytest.raises(ColumnError, match="the run, row 1: null"):
        score_partition({"q": {"d": 1}}, run, "AP")
    qrels = run.rename_columns({"score": "grade"})
    with pytest.raises(ColumnError, match="the judgments, row 1: null"):
        score_partition(qrels, run, "AP")


def test_empty_paths_and_zero_threads_are_errors() -> None:
    with pytest.raises(ParameterError, match="a path cannot be empty"):
        score_partition("", {"q": ["d"]}, "AP")
    with pytest.raises(ParameterError, match="threads: found 0"):
        score_partition({"q": {"d": 1}}, {"q": ["d"]}, "AP", threads=0)
