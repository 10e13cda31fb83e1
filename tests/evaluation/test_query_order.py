"""The order of the queries of an evaluation, the type of their ids, and access by measure."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.errors import ArgumentError, ParameterError
from requirements import need

QRELS = {"q9": {"a": 1}, "q10": {"b": 2}, "q1": {"c": 1}, "q2": {"d": 1}}
RUN = {"q1": ["x", "c"], "q2": ["d"], "q9": ["x", "y", "a"]}
ROWS = [(query, document, grade) for query in QRELS for document, grade in QRELS[query].items()]
ORDER = list(QRELS)
NUMBERED = {9: {1: 1}, 10: {2: 2}, 1: {3: 1}}
RANKED = {1: [4, 3], 9: [1], 10: [2]}


def frame(query_ids: list[Any]) -> Any:
    pandas = need("pandas")
    return pandas.DataFrame({"query_id": query_ids, "doc_id": [1, 2, 3], "grade": [1, 2, 1]})


@pytest.fixture(params=["mapping", "records", "text", "scattered text", "Parquet", "Qrels"])
def judged(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    path = str(tmp_path / "judgments")
    if request.param == "records":
        return ROWS
    if request.param == "Qrels":
        return gainful.Qrels(QRELS)
    if "text" in request.param:
        rows = [*ROWS, ("q1", "z", 0), ("q9", "z", 0)] if "scattered" in request.param else ROWS
        Path(path).write_text("".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in rows))
        return path
    if request.param == "Parquet":
        polars = need("polars")
        frame = polars.DataFrame(ROWS, schema=["query_id", "doc_id", "grade"], orient="row")
        frame.write_parquet(path + ".parquet")
        return path + ".parquet"
    return QRELS


def test_queries_are_in_the_order_of_the_judgments(judged: Any) -> None:
    result = gainful.evaluate(judged, RUN, "RR", bounds=True)
    expected = {"q9": 1 / 3, "q10": 0.0, "q1": 0.5, "q2": 1.0}
    for values in (result["RR"], result.per_query()):
        assert list(values.items()) == list(expected.items())
    assert list(result.bounds()) == ORDER
    assert [row["query_id"] for row in result.rows()] == ORDER
    assert result.records()["query_id"] == ORDER
    assert result.to_arrow()["query_id"].to_pylist() == ORDER
    again = pickle.loads(pickle.dumps(result))
    assert list(again["RR"].items()) == list(expected.items())
    assert again == result


def test_parts_and_rows_are_in_byte_order() -> None:
    result = gainful.evaluate(QRELS, RUN, "RR")
    parts = [
        gainful.evaluate(gainful.Qrels(QRELS).select(part), gainful.Run(RUN).select(ranked), "RR")
        for part, ranked in ((("q9", "q10"), ["q9"]), (("q1", "q2"), ["q2", "q1"]))
    ]
    for found in (
        gainful.Evaluation.concat(parts),
        gainful.Evaluation.concat([result]),
        gainful.Evaluation.from_rows(result.to_rows(), "RR"),
    ):
        assert list(found["RR"]) == sorted(QRELS)
        assert found == result
        assert found.mean() == result.mean()


def test_the_order_does_not_change_a_mean() -> None:
    draw = np.random.default_rng(7)
    qrels = {f"q{at}": {"a": 1} for at in draw.permutation(200)}
    run = {query: [f"x{at}" for at in range(draw.integers(9))] + ["a"] for query in qrels}
    sorted_qrels = {query: qrels[query] for query in sorted(qrels)}
    assert (
        gainful.evaluate(qrels, run, "RR").mean()
        == gainful.evaluate(sorted_qrels, run, "RR").mean()
    )


@pytest.mark.parametrize(
    "judgments",
    [
        NUMBERED,
        {np.int64(query): grades for query, grades in NUMBERED.items()},
        [(9, 1, 1), (10, 2, 2), (1, 3, 1)],
        gainful.Qrels(NUMBERED),
        pickle.loads(pickle.dumps(gainful.Qrels(NUMBERED))),
        gainful.Qrels({**NUMBERED, 7: {1: 1}}).select([9, 10, 1]),
    ],
    ids=["mapping", "NumPy", "records", "Qrels", "pickled", "selected"],
)
def test_integer_ids_stay_integers(judgments: Any) -> None:
    result = gainful.evaluate(judgments, RANKED, "RR")
    assert list(result["RR"].items()) == [(9, 1.0), (10, 1.0), (1, 0.5)]
    assert all(type(query) is int for query in result["RR"])
    assert result.records()["query_id"] == [9, 10, 1]
    assert pickle.loads(pickle.dumps(result))["RR"] == result["RR"]
    assert gainful.Evaluation.concat([result])["RR"] == result["RR"]


def test_ids_of_a_frame_join_it() -> None:
    result = gainful.evaluate(frame([9, 10, 1]), RANKED, "RR")
    joined = need("pandas").DataFrame({"query_id": [1, 9]}).query_id.map(result["RR"])
    assert joined.tolist() == [0.5, 1.0]
    polars = need("polars")
    assert polars.DataFrame(result).schema["query_id"] == polars.Int64


@pytest.mark.parametrize(
    "judgments",
    [
        {"9": {1: 1}, 10: {2: 2}, 1: {3: 1}},
        {9: {1: 1}, 2**70: {2: 2}},
        [("9", 1, 1), (10, 2, 2)],
        gainful.Qrels(NUMBERED).rename(queries=lambda query: query),
    ],
    ids=["a text among them", "beyond 64 bits", "records", "renamed"],
)
def test_other_ids_are_text(judgments: Any) -> None:
    result = gainful.evaluate(judgments, {9: [1]}, "RR")
    assert result["RR"]["9"] == 1.0
    assert all(type(query) is str for query in result["RR"])
    assert result.to_arrow().num_rows == len(gainful.Qrels(judgments))


def test_means_are_accessed_by_measure() -> None:
    one = gainful.evaluate(QRELS, RUN, ["RR", "P@1"])
    assert one.mean() == one.means() == {"RR": one.mean("RR"), "P@1": one.mean("P@1")}
    assert gainful.evaluate(QRELS, RUN, "RR").mean() == one.mean("RR")
    assert gainful.evaluate(QRELS, RUN, "RR").means() == {"RR": one.mean("RR")}
    both = gainful.evaluate(QRELS, runs={"a": RUN, "b": {"q1": ["c"]}}, measures=["RR", "P@1"])
    assert both.mean(system="a") == one.mean()
    assert both.means() == {
        (system, measure): both.mean(measure, system)
        for system in ("a", "b")
        for measure in ("RR", "P@1")
    }
    weighted = gainful.evaluate(QRELS, RUN, "RR", weights={"q9": 3, "q10": 1, "q1": 0, "q2": 0})
    assert weighted.means()["RR"] == weighted.mean() == 0.25


def test_unnamed_measures_and_systems_are_errors() -> None:
    both = gainful.evaluate(QRELS, runs={"a": RUN, "b": RUN}, measures=["RR", "P@1"])
    with pytest.raises(ParameterError, match=r"2 systems.*per_query\('RR', 'a'\)"):
        both["RR"]
    with pytest.raises(ParameterError, match="expected one of a, b"):
        both.mean()
    one = gainful.evaluate(QRELS, RUN, ["RR", "P@1"])
    with pytest.raises(ParameterError, match="expected one of RR, P@1"):
        one["AP"]
    with pytest.raises(ArgumentError, match="found int"):
        one[0]  # type: ignore[index]
