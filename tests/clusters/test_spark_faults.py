"""Evaluations on Spark: errors of tables and executors, and too large queries."""

from __future__ import annotations

import doctest
import importlib
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import gainful
from evaluation_words import sorted_rows
from gainful.backends import spark as backend
from gainful.backends.spark import call
from gainful.errors import (
    ArgumentError,
    ColumnError,
    ConventionError,
    DuplicateError,
    FormatError,
    GainfulError,
    MatchError,
    MeasureError,
    ParameterError,
)
from spark_tables import frame

QRELS = {"q1": {"a": 1.0, "b": 0.0}, "q2": {"c": 1.0}}
RUN = {"q1": {"b": 0.9, "a": 0.5}, "q2": {"c": 0.5}}
RUN_SCHEMA = "query_id string, doc_id string, score double"
QRELS_SCHEMA = "query_id string, doc_id string, grade double"
NAN = float("nan")


# --- rows that nobody can measure ----------------------------------------------------------------

WRONG_RUN = {
    "a document twice": (("q1", "a", 0.1), DuplicateError, "query 'q1', document 'a'"),
    "a null document": (("q1", None, 0.1), ColumnError, "the run: null in column 'doc_id'"),
    "a null query": ((None, "a", 0.1), ColumnError, "the run: null in column 'query_id'"),
    "a null score": (("q1", "z", None), ColumnError, "the run: null in column 'score'"),
    "a score of NaN": (("q1", "z", NAN), FormatError, "query 'q1', document 'z': found NaN"),
}
WRONG_QRELS = {
    "a document twice": (("q1", "a", 2.0), DuplicateError, "query 'q1', document 'a'"),
    "a null grade": (("q1", "z", None), ColumnError, "the judgments: null in column"),
    "a grade of NaN": (("q1", "z", NAN), GainfulError, "query 'q1', document 'z': found NaN"),
}


def refused(spark: Any, qrels: Any, run: Any, **options: Any) -> GainfulError:
    """Return the error of an evaluation, which says nothing of rows of an executor."""
    with pytest.raises(GainfulError) as caught:
        backend.evaluate(qrels, run, "nDCG@10", **options).evaluation()
    shown = str(caught.value)
    assert "line" not in shown
    assert not re.search(r"row [0-9]", shown)
    assert "Traceback" not in shown
    assert caught.value.__cause__ is None
    return caught.value


@pytest.mark.parametrize("fault", WRONG_RUN)
def test_rows_of_a_run(classic_spark: Any, fault: str) -> None:
    row, kind, message = WRONG_RUN[fault]
    rows = [(q, d, s) for q, ranked in RUN.items() for d, s in ranked.items()]
    run = classic_spark.createDataFrame([*rows, row], RUN_SCHEMA)
    error = refused(classic_spark, frame(classic_spark, QRELS, "grade"), run)
    assert type(error) is kind
    assert message in str(error)


@pytest.mark.parametrize("fault", WRONG_QRELS)
def test_rows_of_judgments(classic_spark: Any, fault: str) -> None:
    row, kind, message = WRONG_QRELS[fault]
    rows = [(q, d, g) for q, judged in QRELS.items() for d, g in judged.items()]
    qrels = classic_spark.createDataFrame([*rows, row], QRELS_SCHEMA)
    error = refused(classic_spark, qrels, frame(classic_spark, RUN, "score"))
    assert isinstance(error, kind)
    assert message in str(error)


def test_an_error_comes_through_a_server(connected_spark: Any) -> None:
    rows = [("q1", "a", 0.1), ("q1", "a", 0.2)]
    run = connected_spark.createDataFrame(rows, RUN_SCHEMA)
    error = refused(connected_spark, frame(connected_spark, QRELS, "grade"), run)
    assert type(error) is DuplicateError
    assert str(error).startswith("the run, query 'q1', document")


def test_no_query_in_common(spark: Any) -> None:
    run = frame(spark, {"1": {"a": 1.0}}, "score")
    with pytest.raises(MatchError, match="no query in common: 2 in the judgments, 1 in the run"):
        backend.evaluate(frame(spark, QRELS, "grade"), run, "nDCG@10").evaluation()


@pytest.mark.parametrize("empty", ["qrels", "run", "both"])
def test_tables_without_rows(classic_spark: Any, empty: str) -> None:
    qrels, run = frame(classic_spark, QRELS, "grade"), frame(classic_spark, RUN, "score")
    with pytest.raises(MatchError):
        backend.evaluate(
            qrels.limit(0) if empty != "run" else qrels,
            run.limit(0) if empty != "qrels" else run,
            "nDCG@10",
        ).evaluation()


# --- tables that are refused before Spark is asked -----------------------------------------------


def test_columns_of_the_wrong_type(classic_spark: Any) -> None:
    qrels, run = frame(classic_spark, QRELS, "grade"), frame(classic_spark, RUN, "score")
    floats = run.selectExpr("CAST(1 AS double) AS query_id", "doc_id", "score")
    with pytest.raises(ColumnError, match="column 'query_id' of the run: found type double"):
        backend.evaluate(qrels, floats, "nDCG@10")
    structs = run.selectExpr("named_struct('a', query_id) AS query_id", "doc_id", "score")
    with pytest.raises(ColumnError, match="column 'query_id' of the run: found type struct"):
        backend.evaluate(qrels, structs, "nDCG@10")
    texts = qrels.selectExpr("query_id", "doc_id", "'1' AS grade")
    with pytest.raises(ColumnError, match="column 'grade' of the judgments: found type string"):
        backend.evaluate(texts, run, "nDCG@10")
    with pytest.raises(ColumnError, match="expected a column grade"):
        backend.evaluate(qrels.drop("grade"), run, "nDCG@10")
    with pytest.raises(ColumnError, match="expected 'at', for the position"):
        backend.evaluate(qrels, run, "nDCG@10", position="at")


def test_what_is_no_table(classic_spark: Any) -> None:
    run = frame(classic_spark, RUN, "score")
    with pytest.raises(
        ArgumentError, match="the judgments: found dict, expected a Spark DataFrame"
    ):
        backend.evaluate(QRELS, run, "nDCG@10")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no run"):
        backend.evaluate(frame(classic_spark, QRELS, "grade"), {}, "nDCG@10")
    with pytest.raises(ParameterError, match="partitions"):
        backend.evaluate(frame(classic_spark, QRELS, "grade"), run, partitions=0)


def test_a_system_without_a_name(classic_spark: Any) -> None:
    rows = [("q1", "a", 0.5, "one"), ("q1", "b", 0.5, None)]
    run = classic_spark.createDataFrame(rows, f"{RUN_SCHEMA}, which string")
    with pytest.raises(ColumnError, match="column 'which' of the run: found a null"):
        backend.evaluate(frame(classic_spark, QRELS, "grade"), run, system="which")


def test_judgments_of_one_subtopic(classic_spark: Any) -> None:
    qrels = frame(classic_spark, QRELS, "grade").selectExpr("*", "'0' AS subtopic")
    with pytest.raises(MeasureError, match="all judgments are of the subtopic '0'"):
        backend.evaluate(qrels, frame(classic_spark, RUN, "score"), "alpha_nDCG@10")


def test_conventions_that_go_by_an_order(classic_spark: Any) -> None:
    qrels, run = frame(classic_spark, QRELS, "grade"), frame(classic_spark, RUN, "score")
    with pytest.raises(ConventionError, match=r"under ranx.*ties=given.*position=COLUMN"):
        backend.evaluate(qrels, run, "nDCG@10", convention="ranx")
    with pytest.raises(ConventionError, match="qrels_position=COLUMN"):
        backend.evaluate(qrels, run, "nDCG(ideal='given-order')@10")


# --- executors -----------------------------------------------------------------------------------


def dying(once: Path) -> Callable[[Any], Any]:
    """Return what `task` returns, but that the first Python worker that runs it is killed."""
    sent, path, kill = call.task, str(once), int(signal.SIGKILL)

    def made(settings: Any) -> Any:
        measure = sent(settings)

        def perform(batches: Any) -> Iterator[Any]:
            import os

            for number, batch in enumerate(measure(batches)):
                if number == 0 and not os.path.exists(path):
                    with open(path, "x"):
                        pass
                    os.kill(os.getpid(), kill)
                yield batch

        return perform

    return made


def test_a_worker_that_is_killed_is_tried_again(
    classic_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with Connect, whose server in these tests tries no task twice."""
    once = tmp_path / "killed"
    monkeypatch.setattr(call, "task", dying(once))
    qrels, run = frame(classic_spark, QRELS, "grade"), frame(classic_spark, RUN, "score")
    found = backend.evaluate(qrels, run, "nDCG@10")
    whole = gainful.evaluate(QRELS, RUN, "nDCG@10")
    assert sorted_rows(found.evaluation()) == sorted_rows(whole)
    assert found.evaluation().counts() == whole.counts()
    assert once.exists()


def test_another_version_in_the_executors(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gainful, "__version__", "9.9.9")
    found = backend.evaluate(frame(spark, QRELS, "grade"), frame(spark, RUN, "score"), "nDCG@10")
    with pytest.raises(
        ArgumentError, match=r"an executor: found gainful .* expected gainful 9\.9\.9"
    ):
        found.evaluation()


# --- how queries are dealt out -------------------------------------------------------------------


def test_one_shuffle(classic_spark: Any) -> None:
    found = backend.evaluate(
        frame(classic_spark, QRELS, "grade"), frame(classic_spark, RUN, "score"), "nDCG@10"
    )
    output = StringIO()
    with redirect_stdout(output):
        found.rows.explain()
    plan = output.getvalue()
    assert plan.count("Exchange") == 1
    assert "Exchange hashpartitioning(query_id" in plan
    assert plan.count("MapInArrow") == 1


def test_a_query_with_most_of_the_rows(classic_spark: Any) -> None:
    """Adaptive execution splits partitions that are too large; it must not split this one."""
    settings = {
        "spark.sql.adaptive.advisoryPartitionSizeInBytes": "4096",
        "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "4096",
        "spark.sql.adaptive.skewJoin.skewedPartitionFactor": "1.0",
        "spark.sql.adaptive.optimizeSkewsInRebalancePartitions.enabled": "true",
        "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "500",
    }
    run = {f"q{number}": {f"d{at}": float(at) for at in range(3)} for number in range(40)}
    run["q7"] = {f"d{at}": float(at) for at in range(20_000)}
    qrels = {query: {"d1": 1.0} for query in run}
    kept = {name: classic_spark.conf.get(name, None) for name in settings}
    try:
        for name, value in settings.items():
            classic_spark.conf.set(name, value)
        measures = ["RR", "nDCG", "NumRet"]
        found = backend.evaluate(
            frame(classic_spark, qrels, "grade").repartition(3),
            frame(classic_spark, run, "score").repartition(5),
            measures,
        ).evaluation()
    finally:
        for name, value in kept.items():
            classic_spark.conf.unset(name) if value is None else classic_spark.conf.set(name, value)
    assert sorted_rows(found) == sorted_rows(gainful.evaluate(qrels, run, measures))


def test_more_partitions_than_queries(classic_spark: Any) -> None:
    found = backend.evaluate(
        frame(classic_spark, QRELS, "grade"),
        frame(classic_spark, RUN, "score"),
        "nDCG@10",
        partitions=7,
    )
    assert found.rows.rdd.getNumPartitions() == 7
    assert sorted_rows(found.evaluation()) == sorted_rows(gainful.evaluate(QRELS, RUN, "nDCG@10"))


def test_the_example_of_the_docstring(classic_spark: Any) -> None:
    module = importlib.import_module("gainful.backends.spark.call")
    found = doctest.testmod(module, verbose=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 5
    assert found.failed == 0
