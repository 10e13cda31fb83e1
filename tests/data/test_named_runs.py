"""Several runs are passed in the same way everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

import gainful
from gainful.agreement import compare_measures
from gainful.errors import ArgumentError, MeasureError, ParameterError
from gainful.report import make_report
from requirements import need

QRELS = {"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}}
SCORED = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d9": 2.0, "d3": 1.0}}
RANKED = {"q1": ["d2", "d1"], "q2": ["d3", "d9"]}
RECORDS = [("q1", "d2", 2.0), ("q1", "d1", 1.0), ("q2", "d3", 2.0), ("q2", "d9", 1.0)]

FIELDS = [dict(zip(("query", "doc", "score"), record, strict=True)) for record in RECORDS]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gainful.Run(SCORED).write("first.run")
    gainful.Run(RANKED).write("second.run")


def frame(records: object = RECORDS) -> object:
    return need("pandas").DataFrame(records, columns=["query_id", "doc_id", "score"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"first": SCORED, "second": RANKED},
        lambda: {"first": SCORED, "second": RECORDS},
        lambda: {"second": FIELDS, "first": SCORED},
        lambda: {"first": "first.run", "second": Path("second.run")},
        lambda: {"first": gainful.Run(SCORED), "second": frame()},
        lambda: {"second": frame(), "first": "first.run"},
        lambda: ["first.run", Path("second.run")],
        lambda: (gainful.Run(SCORED, name="first"), "second.run"),
    ],
)
@pytest.mark.usefixtures("files")
def test_evaluate_and_compare_take_the_same_runs(make):
    runs = make()
    evaluation = gainful.evaluate(QRELS, runs, "RR")
    named = gainful.evaluate(QRELS, runs=runs, measures="RR")
    assert evaluation.to_dict() == named.to_dict()
    compared = gainful.compare(QRELS, runs, "RR")
    assert set(compared.systems) == set(evaluation.systems) == {"first", "second"}
    assert compared.pairs == gainful.compare(evaluation).pairs


@pytest.mark.parametrize(
    "run",
    [
        SCORED,
        RANKED,
        RECORDS,
        {"q1": [], "q2": ["d3"]},
        {"q1": {}, "q2": {"d3": 1.0}},
        {"q1": [("d1", 2.0)], "q2": []},
        {"q1": ("d1",)},
        {"q1": numpy.array(["d1"])},
        {},
    ],
)
def test_a_ranking_is_one_run(run):
    if run:
        assert gainful.evaluate(QRELS, run, "RR").systems == ("run",)
        return
    with pytest.raises(gainful.GainfulError, match="no queries"):
        gainful.evaluate(QRELS, run, "RR")


@pytest.mark.usefixtures("files")
def test_a_run_in_parts_is_one_path_of_a_name():
    Path("part-1.run").write_text("q1 Q0 d1 1 2 x\n")
    Path("part-2.run").write_text("q2 Q0 d3 1 2 x\n")
    named = {"x": ["part-1.run", "part-2.run"]}
    parts = gainful.evaluate(QRELS, runs=named, measures="RR")
    assert parts.per_query("RR") == {"q1": 1.0, "q2": 1.0}
    paths = {"x": [Path("part-1.run"), Path("part-2.run")]}
    assert gainful.evaluate(QRELS, paths, "RR").to_dict() == parts.to_dict()
    assert gainful.evaluate(QRELS, "part-*.run", "RR").per_query("RR") == {"q1": 1.0, "q2": 1.0}


@pytest.mark.usefixtures("files")
def test_reports_and_studies_take_lists_of_paths():
    files = ["first.run", "second.run"]
    assert make_report(QRELS, files, "RR").evaluation.systems == ("first", "second")
    assert compare_measures(QRELS, files, ["RR", "P@1"], bootstrap=0).systems == (
        "first",
        "second",
    )


def test_evaluations_are_compared():
    first = gainful.evaluate(QRELS, {"first": SCORED}, "RR")
    second = gainful.evaluate(QRELS, {"second": RANKED}, "RR")
    assert gainful.compare(first, second).pairs == gainful.compare([first, second]).pairs
    with pytest.raises(ArgumentError, match="pass evaluations alone"):
        gainful.compare(QRELS, second)


@pytest.mark.parametrize("name", ["org/model", "k1=0.9", "a=b/c=d", "naïve 🙂", "'\"<b>"])
def test_names_are_kept(name):
    compared = gainful.compare(QRELS, {name: SCORED, "other": RANKED}, baseline=name)
    assert compared.pairs[0].baseline == name
    assert name in gainful.evaluate(QRELS, {name: SCORED}).systems


@pytest.mark.usefixtures("files")
def test_errors_say_how_to_pass_several_runs():
    with pytest.raises(MeasureError, match=r"a list: \[run, 'second.run'\]"):
        gainful.evaluate(QRELS, "first.run", "second.run")
    with pytest.raises(ArgumentError, match=r"a list: \['first.run', ...\]"):
        gainful.compare(QRELS, "first.run", "RR")
    with pytest.raises(ParameterError, match="found a single run, expected several"):
        gainful.compare(QRELS, SCORED)
    with pytest.raises(ParameterError, match="found a single run, expected several"):
        gainful.evaluate(QRELS, runs=SCORED)
    with pytest.raises(ArgumentError, match="a list with dict.*need one"):
        gainful.compare(QRELS, [SCORED, RANKED])
    with pytest.raises(ParameterError, match="two runs are named 'first'"):
        gainful.evaluate(QRELS, ["first.run", "./first.run"])
    with pytest.raises(ParameterError, match="the same as text"):
        gainful.evaluate(QRELS, {1: "first.run", "1": "first.run"})


@pytest.mark.parametrize("function", [gainful.evaluate, gainful.compare])
def test_documents_and_unnamed_rankings_are_not_runs(function):
    with pytest.raises(ArgumentError, match=r"documents need their query: \{query: \['d1', 'd2'"):
        function(QRELS, ["d1", "d2"])
    with pytest.raises(ArgumentError, match=r"runs without a name need one: \{'bm25': run"):
        function(QRELS, [RANKED, SCORED])
