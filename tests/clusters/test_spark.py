"""gainful.backends.spark.evaluate(): the rows of gainful.evaluate, from tables of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from evaluation_words import contents, sorted_rows
from gainful.backends import spark as backend
from random_rankings import draw
from requirements import need
from spark_tables import frame, numbered, rows_of

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "ERR@20", "Judged@10", "NumRet"]
DRAWN = draw(7)
QRELS, RUN = dict(DRAWN.qrels), dict(DRAWN.run)
# A query that the run lacks, and one that nobody judged.
RUN.pop("q003")
RUN["q999"] = {"d001": 1.0}


@pytest.mark.parametrize("name", ["gainful-1", "trec_eval", "beir", "torchmetrics"])
def test_the_rows_are_those_of_evaluate(spark: Any, name: str) -> None:
    # Under a name of its own every measure is computed.
    convention = gainful.conventions.get(name).replace(name="own", ties="doc-id-desc")
    found = backend.evaluate(
        frame(spark, QRELS, "grade"), frame(spark, RUN, "score"), MEASURES, convention=convention
    )
    whole = gainful.evaluate(QRELS, RUN, MEASURES, convention=convention)
    # Rows do not say whether a grade is negative, on which the intervals of signed gains depend.
    described = sorted_rows if convention.negative == "signed" else contents
    assert described(found.evaluation()) == described(whole)


@pytest.mark.parametrize(
    ("qrels_ids", "run_ids"),
    [
        ("bigint", "bigint"),
        ("bigint", "int"),
        ("smallint", "string"),
        ("string", "binary"),
        ("binary", "binary"),
        ("decimal(20,0)", "bigint"),
        ("decimal(20,0)", "decimal(20,0)"),
    ],
)
def test_ids_of_every_type(spark: Any, qrels_ids: str, run_ids: str) -> None:
    qrels, run = numbered(QRELS), numbered(RUN)
    found = backend.evaluate(
        frame(spark, qrels, "grade", qrels_ids), frame(spark, run, "score", run_ids), MEASURES
    )
    assert contents(found.evaluation()) == contents(gainful.evaluate(qrels, run, MEASURES))
    kind = dict(found.rows.dtypes)["query_id"]
    if "binary" in (qrels_ids, run_ids):
        assert kind == "binary"
    else:
        assert kind == ("bigint" if "int" in qrels_ids and "int" in run_ids else "string")


def test_ids_that_are_no_text(spark: Any) -> None:
    ids = [b"\xff\xfe", b"q\x00", b""]
    rows = [(bytearray(id), bytearray(b"\x80"), 1.0) for id in ids]
    schema = "query_id binary, doc_id binary, {} double"
    found = backend.evaluate(
        spark.createDataFrame(rows, schema.format("grade")),
        spark.createDataFrame(rows, schema.format("score")),
        "RR",
    )
    assert found.evaluation().per_query() == {
        id.decode(errors="surrogateescape"): 1.0 for id in sorted(ids)
    }


def test_ids_of_a_collation_stay_apart(spark: Any) -> None:
    """UTF8_LCASE has 'Q' equal to 'q', which are two queries."""
    judged = [("Q", "a", 1), ("q", "a", 1), ("q", "A", 0)]
    returned = [("q", "A", 0.9), ("Q", "a", 0.8), ("q", "a", 0.7)]
    collated = "string collate UTF8_LCASE"
    found = backend.evaluate(
        spark.createDataFrame(judged, f"query_id {collated}, doc_id {collated}, grade int"),
        spark.createDataFrame(returned, f"query_id {collated}, doc_id {collated}, score double"),
        "RR",
    )
    assert found.evaluation().per_query() == {"Q": 1.0, "q": 0.5}


def test_columns_of_other_names_and_types(spark: Any) -> None:
    qrels = frame(spark, QRELS, "grade").selectExpr(
        "query_id AS `the query`", "doc_id AS `a.b``c`", "CAST(grade AS decimal(9,2)) AS Label"
    )
    run = frame(spark, RUN, "score").selectExpr(
        "doc_id AS docno", "CAST(score AS float) AS prediction", "query_id AS qid"
    )
    found = backend.evaluate(
        qrels, run, MEASURES, qrels_columns={"query_id": "the query", "doc_id": "a.b`c"}
    )
    floats = {
        query: {row[1]: row[3] for row in group}
        for query, group in _by_query(run.selectExpr("qid", "docno", "0", "prediction").collect())
    }
    assert contents(found.evaluation()) == contents(gainful.evaluate(QRELS, floats, MEASURES))


def _by_query(rows: list[Any]) -> list[tuple[str, list[Any]]]:
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row)
    return list(groups.items())


@pytest.mark.parametrize("as_column", [True, False])
def test_several_systems(spark: Any, as_column: bool) -> None:
    """Each is measured over all judged queries, also where a partition has no row of it."""
    other = {"q001": RUN["q001"], "q999": {"d1": 0.5}}
    runs = {"O'Neil": RUN, "few\\": other}
    tables = {name: frame(spark, run, "score") for name, run in runs.items()}
    given: Any = tables
    if as_column:
        schema = "query_id string, doc_id string, score double, system string"
        rows = [(*row, name) for name, run in runs.items() for row in rows_of(run)]
        given = spark.createDataFrame(rows, schema)
    found = backend.evaluate(frame(spark, QRELS, "grade"), given, MEASURES).evaluation()
    whole = gainful.evaluate(
        QRELS, runs={name: runs[name] for name in sorted(runs)}, measures=MEASURES
    )
    assert contents(found) == contents(whole)


def test_a_ranking_without_scores(spark: Any) -> None:
    ranks = [("q1", "a", 2), ("q1", "b", 1), ("q2", "c", 1)]
    run = spark.createDataFrame(ranks, "query_id string, doc_id string, rank int")
    qrels = spark.createDataFrame(
        [("q1", "a", 1), ("q2", "c", 1)], "query_id string, doc_id string, grade int"
    )
    assert backend.evaluate(qrels, run, "RR").evaluation().per_query() == {"q1": 0.5, "q2": 1.0}


def test_the_rank_where_the_convention_goes_by_it(spark: Any) -> None:
    ranks = [("q1", "a", 2, 0.9), ("q1", "b", 1, 0.1)]
    run = spark.createDataFrame(ranks, "query_id string, doc_id string, rank bigint, score double")
    qrels = spark.createDataFrame([("q1", "a", 1)], "query_id string, doc_id string, grade int")
    convention = gainful.conventions.get("gainful-1")
    for order, expected in (("rank", 0.5), ("score", 1.0)):
        found = backend.evaluate(qrels, run, "RR", convention=convention.replace(order=order))
        assert found.evaluation().per_query() == {"q1": expected}


def test_an_order_that_a_column_says(spark: Any) -> None:
    qrels, run = DRAWN
    ranx = gainful.conventions.get("ranx").replace(name="own")
    found = backend.evaluate(
        frame(spark, qrels, "grade"),
        frame(spark, run, "score", position=True),
        MEASURES,
        convention=ranx,
        position="position",
    )
    assert contents(found.evaluation()) == contents(
        gainful.evaluate(qrels, run, MEASURES, convention=ranx)
    )


def test_subtopics(spark: Any) -> None:
    judged = [("q1", "1", "a", 1), ("q1", "2", "b", 1), ("q2", "1", "a", 1), ("q2", "2", "a", 0)]
    run = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"x": 1.0, "a": 0.5}}
    qrels = spark.createDataFrame(
        judged, "query_id string, aspect string, doc_id string, grade int"
    )
    found = backend.evaluate(qrels, frame(spark, run, "score"), ["alpha_nDCG@5", "ERR_IA@5"])
    whole = gainful.evaluate(judged, run, ["alpha_nDCG@5", "ERR_IA@5"])
    assert contents(found.evaluation()) == contents(whole)


def test_bounds_over_the_grades_of_all_judgments(spark: Any) -> None:
    """No partition knows them all."""
    found = backend.evaluate(
        frame(spark, QRELS, "grade"), frame(spark, RUN, "score"), "nDCG@10", bounds=True
    )
    whole = gainful.evaluate(QRELS, RUN, "nDCG@10", bounds=True)
    assert found.evaluation().scale == whole.scale
    assert contents(found.evaluation()) == contents(whole)


def test_weights(spark: Any) -> None:
    weights = {query: 1.0 + (at % 3) for at, query in enumerate(QRELS)}
    found = backend.evaluate(
        frame(spark, QRELS, "grade"), frame(spark, RUN, "score"), MEASURES, weights=weights
    )
    whole = gainful.evaluate(QRELS, RUN, MEASURES, weights=weights)
    assert contents(found.evaluation()) == contents(whole)


def test_the_rows_stay_in_spark(spark: Any, tmp_path: Path) -> None:
    """They are a table like any: averaged, joined, written, and read again as an evaluation."""
    need("pyarrow")
    found = backend.evaluate(
        frame(spark, QRELS, "grade"), frame(spark, RUN, "score"), ["nDCG@10", "AP"]
    )
    means = found.rows.selectExpr("avg(`nDCG@10`)", "avg(AP)").collect()[0]
    whole = gainful.evaluate(QRELS, RUN, ["nDCG@10", "AP"])
    assert list(means) == pytest.approx([whole.mean("nDCG@10"), whole.mean("AP")], rel=1e-12)
    found.rows.write.parquet(str(tmp_path / "rows"))
    again = gainful.Evaluation.from_rows(str(tmp_path / "rows"), ["nDCG@10", "AP"])
    assert contents(again) == contents(whole)


def test_printed_it_is_the_table(spark: Any) -> None:
    found = backend.evaluate(frame(spark, QRELS, "grade"), frame(spark, RUN, "score"), "nDCG@10")
    rows = need("pyarrow").table(gainful.evaluate(QRELS, RUN, "nDCG@10").to_rows())
    whole = gainful.Evaluation.from_rows(rows, "nDCG@10")
    assert str(found) == str(whole)
    assert found._repr_html_() == whole._repr_html_()
    assert repr(found) == "<evaluation on Spark: nDCG@10; shuffled>"


def test_nothing_is_computed_before_it_is_asked_for(classic_spark: Any) -> None:
    tracker = classic_spark.sparkContext.statusTracker()
    group = "before it is asked for"
    classic_spark.sparkContext.setJobGroup(group, group)
    qrels, run = frame(classic_spark, QRELS, "grade"), frame(classic_spark, RUN, "score")
    result = backend.evaluate(qrels, run, "nDCG@10")
    assert tracker.getJobIdsForGroup(group) == []
    result.evaluation()
    jobs = len(tracker.getJobIdsForGroup(group))
    assert jobs > 0
    print(result)
    assert len(tracker.getJobIdsForGroup(group)) == jobs
