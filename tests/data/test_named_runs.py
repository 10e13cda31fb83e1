"""Several runs are passed in the same way everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import pytest

import gainful
from gainful.agreement import compare_measures
from gainful.cli import main
from gainful.data.named_runs import runs_by_name
from gainful.errors import ArgumentError, ColumnError, FormatError, MeasureError, ParameterError
from gainful.report import make_report
from repeated_tests import for_each
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


@for_each(
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


#: The rows of two systems; dense finds nothing for q2.
SYSTEMS = [
    ("bm25", "q1", "d1", 2.0),
    ("bm25", "q1", "d2", 1.0),
    ("dense", "q1", "d2", 0.5),
    ("bm25", "q2", "d3", 1.0),
    ("dense", "q1", "d1", 0.25),
]
REPORTED = {"bm25": {"q1": 1.0, "q2": 1.0}, "dense": {"q1": 0.5, "q2": 0.0}}


def _records(name: str = "system", rows: Iterable[Any] = SYSTEMS) -> list[dict[str, Any]]:
    return [dict(zip((name, "query", "doc", "score"), row, strict=True)) for row in rows]


def _columns(name: str = "system") -> dict[str, list[Any]]:
    records = _records(name)
    return {key: [record[key] for record in records] for key in records[0]}


def _file(name: str) -> str:
    table = need("pandas").DataFrame(_columns())
    match name:
        case "csv" | "csv.gz":
            table.to_csv(f"all.{name}", index=False)
        case "tsv":
            table.to_csv("all.tsv", sep="\t", index=False)
        case "parquet" | "feather":
            getattr(table, f"to_{name}")(f"all.{name}")
        case "json":
            Path("all.json").write_text(json.dumps({"version": 1, "results": _records()}))
        case "jsonl":
            Path("all.jsonl").write_text("\n".join(map(json.dumps, _records())))
    return f"all.{name}"


class Row(NamedTuple):
    query: str
    doc: str
    score: float
    system: str


TABLES = {
    "pandas": lambda: need("pandas").DataFrame(_columns()),
    "objects of pandas": lambda: need("pandas").DataFrame(_columns(), dtype=object),
    "polars": lambda: need("polars").DataFrame(_columns()),
    "pyarrow": lambda: need("pyarrow").table(_columns()),
    "stream": lambda: need("pyarrow").table(_columns()).to_reader(),
    "structured": lambda: need("pandas").DataFrame(_columns()).to_records(index=False),
    "lists": _columns,
    "records": _records,
    "wrapped": lambda: {"version": 1, "rows": _records()},
    "named tuples": lambda: [Row(query, doc, score, name) for name, query, doc, score in SYSTEMS],
    **{
        name: partial(_file, name)
        for name in ("csv", "csv.gz", "tsv", "json", "jsonl", "parquet", "feather")
    },
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.usefixtures("files")
def test_a_column_of_systems_makes_several_runs(kind):
    make = TABLES[kind]
    for arguments in ({"run": make()}, {"runs": make()}):
        evaluation = gainful.evaluate(QRELS, **arguments, measures="RR")
        assert {name: evaluation.per_query("RR", name) for name in evaluation.systems} == REPORTED
    assert gainful.compare(QRELS, make(), "RR").systems == ("bm25", "dense")
    with pytest.raises(ColumnError, match="2 systems in 'system': 'bm25', 'dense'.*'bm25'$"):
        gainful.Run(make())


@pytest.mark.parametrize("name", ["system", "System_ID", "run", "run-id", "model"])
def test_one_system_is_one_run_of_that_name(name):
    for table in (_records(name, SYSTEMS[:2]), frame_of(_records(name, SYSTEMS[:2]))):
        run = gainful.Run(table)
        assert (run.name, run.to_dict()) == ("bm25", {"q1": {"d1": 2, "d2": 1}})
        assert gainful.evaluate(QRELS, table, "RR").systems == ("bm25",)
        assert gainful.evaluate(QRELS, {"mine": table}, "RR").systems == ("mine",)
    assert gainful.evaluate(QRELS, frame_of(_records(name)), "RR").systems == ("bm25", "dense")


def frame_of(records: list[dict[str, Any]]) -> Any:
    return need("pandas").DataFrame(records)


def test_a_model_may_be_that_of_a_product():
    rows = [("x1", "q1", "d1", 2.0), ("y2", "q1", "d2", 1.0)]
    with pytest.raises(ColumnError, match="2 values in 'model'") as caught:
        gainful.evaluate(QRELS, _records("model", rows))
    said = re.search("columns='(.*?)'", str(caught.value))
    assert said is not None
    for table in (_records("model", rows), frame_of(_records("model", rows))):
        assert gainful.Run(table, columns=said[1]).to_dict() == {"q1": {"d1": 2, "d2": 1}}
    assert gainful.evaluate(QRELS, _records("system", rows), "RR").systems == ("x1", "y2")


@pytest.mark.usefixtures("files")
def test_a_list_of_frames_is_several_runs():
    frames = [frame(RECORDS[:2]), frame(RECORDS[2:])]
    assert gainful.evaluate(QRELS, frames, "RR").systems == ("run1", "run2")
    assert gainful.evaluate(QRELS, [frames[0], "first.run"], "RR").systems == ("run1", "first")
    several = frame_of(_records())
    assert gainful.evaluate(QRELS, [several, "first.run"], "RR").systems == (
        *("bm25", "dense", "first"),
    )
    assert gainful.evaluate(QRELS, [several, several], "RR").systems == (
        *("run1/bm25", "run1/dense", "run2/bm25", "run2/dense"),
    )


@pytest.mark.usefixtures("files")
def test_queries_without_documents_are_those_of_a_system():
    """Conventions differ on queries that are not in a run."""
    records = [*_records(), {"system": "dense", "query": "q3", "doc": None, "score": None}]
    lists = [
        {"model": "a", "query": "q1", "results": ["d1"]},
        {"model": "b", "query": "q1", "results": ["d1"]},
        {"model": "b", "query": "q2", "results": []},
    ]
    for runs, last in ((records, "q3"), (frame_of(records), "q3"), (lists, "q2")):
        first, second = runs_by_name(runs).values()
        assert last not in first
        assert second[last] == []


def test_a_mapping_has_one_run_per_name():
    with pytest.raises(ColumnError, match="2 systems in 'system'"):
        gainful.evaluate(QRELS, {"mine": frame_of(_records())})


@pytest.mark.usefixtures("files")
def test_the_command_line_reads_several_systems(capsys):
    gainful.Qrels(QRELS).write("qrels.txt")
    Path("by.csv").write_text("engine,query,doc,score\na,q1,d1,2\nb,q1,d2,1\n")
    for words, systems in (
        ((_file("csv"),), "bm25 dense"),
        ((_file("jsonl"), "first.run"), "bm25 dense first"),
        (("by.csv", "--columns", "system=engine"), "a b"),
    ):
        main(
            ["evaluate", "qrels.txt", *words, "-m", "RR", "--format", "tsv"],
        )
        rows = capsys.readouterr().out.splitlines()[1:]
        assert " ".join(row.split("\t")[0] for row in rows) == systems
    main(["compare", "qrels.txt", "all.csv", "-m", "RR"])
    assert "bm25" in capsys.readouterr().out


def test_parts_without_systems_are_refused(tmp_path):
    (tmp_path / "1.csv").write_text("query,doc,score\nq1,d1,2\n")
    (tmp_path / "2.csv").write_text("system,query,doc,score\na,q1,d1,2\n")
    with pytest.raises(FormatError, match="some rows have a system"):
        gainful.Run([str(tmp_path / "1.csv"), str(tmp_path / "2.csv")])
