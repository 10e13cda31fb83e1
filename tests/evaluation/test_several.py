"""`gainful evaluate` with several conventions: one column each, in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gainful as package
from gainful.cli import main
from gainful.conventions import Convention, presets
from gainful.errors import GainfulError, ParameterError
from gainful.evaluation.several import evaluate_each, query_table, summary_table
from gainful.formats.saving import rendered
from gainful_program import gainful
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

Say = Callable[..., str]
NAMES = ("gainful-1", "trec_eval-9.0.8")
UNDER = ("--convention", "gainful", "--convention", "trec_eval")
ONE = ("evaluate", "qrels.txt", "cut.run")
BOTH = ("evaluate", "qrels.txt", "cut.run", "dense.run")


@pytest.fixture(autouse=True)
def cut(small_files: Path) -> Path:
    """Return a run that lacks two queries, which conventions treat differently."""
    lines = (small_files / "bm25.run").read_text().splitlines(keepends=True)
    path = small_files / "cut.run"
    path.write_text("".join(line for line in lines if not line.startswith(("q2 ", "q5 "))))
    return path


def test_each_convention_has_a_column_of_means(output_of: Say) -> None:
    text = output_of(*BOTH, *UNDER, "-m", "nDCG@10", "-m", "NumRel")
    lines = text.splitlines()
    assert lines[0].split() == ["system", "measure", *NAMES]
    runs = {"cut": "cut.run", "dense": "dense.run"}
    for at, (system, measure) in enumerate(
        (system, measure) for system in runs for measure in ("nDCG@10", "NumRel")
    ):
        means = []
        for name in NAMES:
            found = package.evaluate("qrels.txt", runs=runs, measures=measure, convention=name)
            value = found.summary(system=system).value
            means.append(f"{value:.0f}" if measure == "NumRel" else f"{value:.4f}".lstrip("0"))
        assert lines[2 + at].split() == [system, measure, *means]
    notes = "\n".join(lines[7:])
    assert "cut nDCG@10, cut NumRel: queries that count: 6 under gainful-1, 4 under" in notes
    assert "gainful-1, cut: 6 queries: 2 not in the run (counted as empty)" in notes
    assert "trec_eval-9.0.8, cut: 6 queries: 2 not in the run (left out)" in notes
    for name in NAMES:
        assert str(package.conventions.get(name)) in " ".join(text.split())


def test_one_convention_prints_the_usual_table(output_of: Say) -> None:
    for style in ("table", "tsv", "json", "jsonl", "markdown", "latex"):
        words = (*ONE, "--format", style)
        assert output_of(*words) == output_of(*words, "--convention", "gainful")
    assert json.loads(output_of(*ONE, "--format", "json"))["schema"] == "gainful.evaluation/1"


def test_a_policy_applies_to_all(output_of: Say) -> None:
    text = output_of(*ONE, *UNDER, "--policy", "missing=empty", "-m", "AP", "--format", "json")
    found = [each["convention"]["missing"] for each in json.loads(text)["evaluations"]]
    assert found == ["empty", "empty"]
    table = output_of(*ONE, *UNDER, "--policy", "no_relevant=skip", "-m", "AP")
    assert "gainful-1 with no_relevant=skip" in table.splitlines()[1]


@pytest.mark.parametrize("style", ["tsv", "csv"])
def test_delimited_rows_begin_with_the_convention(style: str, output_of: Say) -> None:
    words = (*BOTH, *UNDER, "-m", "nDCG@10", "-m", "AP", "--format", style)
    mark = "\t" if style == "tsv" else ","
    rows = list(csv.DictReader(io.StringIO(output_of(*words)), delimiter=mark))
    assert [row["convention"] for row in rows] == [NAMES[0]] * 4 + [NAMES[1]] * 4
    for row in rows:
        only = output_of(*BOTH, "--convention", row["convention"], *words[8:])
        assert any(
            {**each, "convention": row["convention"]} == row
            for each in csv.DictReader(io.StringIO(only), delimiter=mark)
        )
    rows = list(csv.DictReader(io.StringIO(output_of(*words, "--per-query")), delimiter=mark))
    assert len(rows) == 2 * 6 + 4 + 6


def test_measures_of_one_convention(output_of: Say) -> None:
    # XGBoost's bare nDCG is nDCG@32.
    under = ("--convention", "gainful", "--convention", "xgboost")
    words = (*ONE, *under, "-m", "nDCG", "--per-query", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(output_of(*words))))
    assert {row["judged@32"] for row in rows if row["convention"] == "gainful-1"} == {""}
    assert all(row["judged@32"] for row in rows if row["convention"] != "gainful-1")


@pytest.mark.parametrize("per_query", [False, True])
def test_json_matches_its_schema(per_query: bool, output_of: Say) -> None:
    words = ("--per-query",) if per_query else ()
    found = json.loads(output_of(*BOTH, *UNDER, "-m", "AP", "--format", "json", *words))
    outer, inner = schema_of("evaluations"), schema_of("evaluation")
    assert errors(found, outer) == []
    for each, name in zip(found["evaluations"], NAMES, strict=True):
        assert errors(each, inner) == []
        assert ("per_query" in each) == per_query
        alone = output_of(*BOTH, "--convention", name, "-m", "AP", "--format", "json", *words)
        assert {**each, "inputs": found["inputs"]} == json.loads(alone)


@pytest.mark.parametrize("per_query", [False, True])
def test_json_lines_name_the_convention(per_query: bool, output_of: Say) -> None:
    words = ("--per-query",) if per_query else ()
    rows = [
        json.loads(line)
        for line in output_of(*ONE, *UNDER, "-m", "AP", "--format", "jsonl", *words).splitlines()
    ]
    assert len(rows) == (10 if per_query else 2)
    assert list(dict.fromkeys(row["convention"] for row in rows)) == [*NAMES]
    assert list(rows[0])[:2] == ["convention", "system"]


@pytest.mark.parametrize("style", ["markdown", "latex"])
def test_pages(style: str, output_of: Say) -> None:
    text = output_of(*ONE, *UNDER, "-m", "nDCG@10", "--format", style)
    values = [
        f"{package.evaluate('qrels.txt', 'cut.run', 'nDCG@10', convention=name).mean():.4f}"[1:]
        for name in NAMES
    ]
    between = " & " if style == "latex" else " | "
    row = next(line for line in text.splitlines() if "nDCG@10" in line and values[0] in line)
    assert [cell for cell in row.split() if cell.startswith(".")] == values
    assert between in row


def test_rows_of_queries(output_of: Say) -> None:
    lines = output_of(*ONE, *UNDER, "-m", "AP", "--per-query").splitlines()
    assert lines[0] == "cut, AP"
    assert lines[1].split() == ["query_id", *NAMES]
    assert [line.split()[0] for line in lines[3:9]] == ["q1", "q2", "q3", "q4", "q5", "q6"]
    # A query that a convention leaves out has no value there.
    assert lines[4].split() == ["q2", ".0000", "–"]
    lines = output_of(*BOTH, *UNDER, "-m", "AP", "-m", "RR", "--per-query").splitlines()
    assert lines[0].split() == ["system", "query_id", "measure", *NAMES]
    assert len([line for line in lines if " AP " in line]) == 12


def test_names_that_are_too_wide_become_letters() -> None:
    long = [Convention(name=f"{'x' * 50}-{number}", missing="skip") for number in range(3)]
    found = evaluate_each("qrels.txt", "cut.run", "AP", conventions=long)
    lines = str(found).splitlines()
    assert lines[1].split() == ["measure", "A", "B", "C"]
    assert any(line.startswith("B  xxx") for line in lines)
    assert rendered([query_table(found)], "table").splitlines()[1].split()[1:] == ["A", "B", "C"]
    many = [Convention(name=f"convention {number}") for number in range(40)]
    lines = str(evaluate_each("qrels.txt", "cut.run", "AP", conventions=many)).splitlines()
    assert lines[1].split()[1:3] == ["1", "2"]


@cache
def means_by_preset() -> dict[str, str]:
    """Return the means of the presets that accept the data, as text: NaN is not equal to itself."""
    means = {}
    for preset in presets():
        with suppress(GainfulError):
            evaluation = package.evaluate(
                "qrels.txt", "bm25.run", "nDCG@10", convention=preset.name
            )
            means[preset.name] = repr(evaluation.mean())
    return means


@pytest.mark.parametrize("count", [2, 5])
def test_all_presets_that_accept_the_data(count: int) -> None:
    chosen = list(means_by_preset())
    for at in range(0, len(chosen) - count, count):
        found = evaluate_each(
            "qrels.txt", "bm25.run", "nDCG@10", conventions=chosen[at : at + count]
        )
        table = summary_table(found)
        assert max(map(len, str(found).splitlines()[:4])) <= 100
        assert len(table.rows[0]) == count + 1
        assert [repr(each.mean()) for each in found] == [
            means_by_preset()[name] for name in chosen[at : at + count]
        ]


def test_the_result_is_a_value() -> None:
    found = evaluate_each("qrels.txt", "cut.run", "nDCG@3", conventions=NAMES)
    assert len(found) == 2
    assert repr(found) == "<EvaluationsByConvention of cut under gainful-1, trec_eval-9.0.8>"
    with pytest.raises(AttributeError):
        found.evaluations = ()
    own = evaluate_each("qrels.txt", "cut.run", "nDCG(gain='binary')@3", conventions=NAMES)
    assert "Parameters of a measure" in str(own)


def test_standard_input_is_read_once(cut: Path) -> None:
    piped = gainful("evaluate", "qrels.txt", "cut=-", *UNDER, "-m", "AP", input=cut.read_bytes())
    assert piped.stdout == gainful(*ONE, *UNDER, "-m", "AP").stdout != b""


def test_weights_apply_to_all_conventions(small_files: Path, output_of: Say) -> None:
    (small_files / "weights.tsv").write_text("".join(f"q{n} {n}\n" for n in range(1, 7)))
    words = (*ONE, *UNDER, "-m", "AP", "--weights", "weights.tsv", "--format", "jsonl")
    weights = {f"q{n}": float(n) for n in range(1, 7)}
    for line, name in zip(output_of(*words).splitlines(), NAMES, strict=True):
        expected = package.evaluate("qrels.txt", "cut.run", "AP", convention=name, weights=weights)
        assert json.loads(line)["mean"] == expected.mean()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*UNDER, "--convention", "gainful-1"), "--convention: found gainful-1 twice"),
        ((*UNDER, "--convention", "trec_evil"), "unknown convention 'trec_evil'"),
        (
            (*UNDER, "--convention", "trec_eval-10"),
            "under trec_eval-10.0-rc3: the run has no ranking for 2 judged queries",
        ),
        ((*UNDER, "--policy", "tie=expected"), "--policy: unknown policy 'tie'"),
        (("--convention", "gainful", "--convention", "cwl_eval", "-m", "ndgc"), "measure 'ndgc'"),
    ],
)
def test_invalid_combinations_are_errors(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*ONE, *words]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_an_error_names_its_run() -> None:
    runs = {"whole": "dense.run", "cut": "cut.run"}
    with pytest.raises(GainfulError, match=r"^under trec_eval-10.0-rc3, run cut: the run has no"):
        evaluate_each("qrels.txt", runs=runs, conventions=["gainful", "trec_eval-10"])
    # An error of the judgments names no run.
    qrels = {"q1": {"r01": -1, "r02": 1}}
    with pytest.raises(GainfulError, match=r"^under ndeval-4.5, query 'q1', document 'r01'"):
        evaluate_each(qrels, None, "NumRel", runs=runs, conventions=["gainful", "ndeval"])


def test_invalid_calls_are_errors() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"conventions": []}, "conventions: found none"),
        ({"conventions": ["gainful", "gainful-1"]}, "gainful-1 twice"),
    ]
    for arguments, message in wrong:
        with pytest.raises(ParameterError, match=message):
            evaluate_each("qrels.txt", "cut.run", **arguments)


def test_a_narrow_terminal_has_letters_for_conventions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gainful.cli.output.on_terminal", lambda: True)
    words = ["evaluate", "qrels.txt", "cut.run", "-m", "nDCG@10"]
    for name in ("gainful", "trec_eval", "scikit-learn"):
        words += ["--convention", name]
    for columns, heads in ((70, "gainful-1 trec_eval-9.0.8 scikit-learn-1.9.1"), (50, "A B C")):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main(words) == 0
        text = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
        assert text.splitlines()[1].split() == ["measure", *heads.split()]
        assert max(map(len, text.splitlines())) <= columns


def test_equal_data_checks_are_merged() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    runs = {
        "whole": {"q1": {"a": 1.0}, "q2": {"b": 1.0}},
        "tied": {"q1": {"a": 1.0, "x": 1.0}, "q2": {"b": 1.0}},
    }
    conventions = ["gainful-1", "trec_eval-9.0.8"]
    found = evaluate_each(qrels, None, "P@1", runs=runs, conventions=conventions)
    notes = [note.partition(":")[0] for note in summary_table(found).notes]
    assert notes == ["whole", "tied", *conventions]
    del runs["whole"]["q2"]
    found = evaluate_each(qrels, None, "P@1", runs=runs, conventions=[*conventions, "pytrec_eval"])
    notes = [note.partition(": 2 q")[0] for note in summary_table(found).notes]
    assert "gainful-1, whole" in notes
    assert "trec_eval-9.0.8, whole; pytrec_eval-0.5.11, whole" in str(notes)
    assert "tied" in notes
