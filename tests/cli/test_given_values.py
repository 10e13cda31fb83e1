"""Files of values that were computed elsewhere: evaluate, compare, gate and report."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from repeated_tests import for_each

Output = Callable[..., str]
RUNS = ["qrels.txt", "bm25.run", "dense.run"]


@pytest.fixture
def scores(small_files: Path) -> str:
    source = random.Random(4)
    rows = ["query,system,value"]
    for at in range(40):
        for system, share in (("old", 0.3), ("new", 0.8)):
            value = "" if (at, system) == (7, "old") else str(int(source.random() < share))
            rows.append(f"q{at},{system},{value}")
    Path("scores.csv").write_text("\n".join(rows) + "\n")
    Path("latency.csv").write_text("query,bm25,dense\nq1,30,20\nq2,20,10\nq3,22,11\nq4,40,20\n")
    return "scores.csv"


def test_means_and_verdicts(scores: str, output_of: Output) -> None:
    words = [scores, "-m", "correct", "--range", "0:1"]
    result = gainful.Evaluation.from_values(scores, "correct", range=(0, 1))
    assert output_of("evaluate", *words).rstrip() == str(result).rstrip()
    few = ["--resamples", "500"]
    printed = output_of("compare", *words, "--baseline", "old", *few)
    assert "better" in printed
    assert "correct has no value for 1 of 40 queries of old (q7); left out." in printed
    assert "Computed elsewhere: scores.csv, values in value." in printed
    document = json.loads(output_of("compare", *words, "--format", "json", *few))
    assert document["pairs"][0]["verdict"] == "better"
    lines = output_of("evaluate", *words, "--per-query", "--format", "csv").splitlines()
    assert lines[0] == "system,query_id,correct"
    assert len(lines) == 80
    Path("again.csv").write_text("\n".join(lines) + "\n")
    again = output_of("compare", "again.csv", "--range", "0:1", "--format", "csv", *few)
    assert again == output_of("compare", *words, "--format", "csv", *few)


def test_options_of_queries(scores: str, output_of: Output) -> None:
    rows = [f"q{at}\t{'ab'[at % 2]}\tu{at // 2}" for at in range(40)]
    Path("kinds.tsv").write_text("\n".join(["qid\tkind\tuser", *rows]) + "\n")
    words = ["--by", "kinds.tsv:kind", "--clusters", "kinds.tsv:user"]
    printed = output_of("evaluate", scores, *words)
    assert "in 20 clusters (user)" in printed
    assert "by kind" in printed
    compared = output_of("compare", scores, *words, "--resamples", "500")
    assert "by kind" in compared


def test_lower_is_better(scores: str, output_of: Output) -> None:
    words = ["latency.csv", "-m", "latency", "--lower-is-better", "latency"]
    assert "4 / 0 / 0" in output_of("compare", *words)
    assert "| dense  | **15.2500** |" in output_of("evaluate", *words, "--format", "markdown")


def test_values_next_to_measures(scores: str, output_of: Output) -> None:
    words = [*RUNS, "-m", "nDCG@10", "--values", "latency.csv", "--range", "0:"]
    printed = output_of("evaluate", *words)
    known = gainful.evaluate("qrels.txt", RUNS[1:], "nDCG@10")
    value = gainful.Evaluation.from_values("latency.csv", range=(0, None))
    assert printed.rstrip() == str(known.join(value)).rstrip()
    compared = output_of("compare", *words, "--lower-is-better", "value")
    assert "nDCG@10, 6 queries" in compared
    assert "value, 4 queries" in compared


def test_gates(scores: str, output_of: Output, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-m", "correct", "--range", "0:1"]
    output_of("gate", scores, "--system", "old", "--save", "old.json", *words)
    check = ["gate", scores, "--snapshot", "old.json", "--margin", "0.1"]
    assert main([*check, "--system", "new", *words]) == 0
    assert "The values were computed elsewhere." in capsys.readouterr().out
    output_of("gate", scores, "--system", "new", "--save", "new.json", *words)
    assert main(["gate", scores, "--snapshot", "new.json", "--system", "old", *words]) == 4
    assert main([*check, *words]) == 2
    assert "expected one of old, new" in capsys.readouterr().err
    snapshot = json.loads(Path("old.json").read_text())
    assert snapshot["declared"][0]["name"] == "correct"
    assert len(snapshot["looks"]) == 1
    result = gainful.Evaluation.from_values(scores, "correct", range=(0, 1))
    assert gainful.gate(result, "new", "old.json", margin=0.1).verdict == "pass"
    # A later snapshot keeps the first one as its anchor.
    output_of("gate", scores, "--system", "new", "--save", "old.json", *words)
    assert json.loads(Path("old.json").read_text())["anchor"]["system"] == "old"


def test_the_direction_is_saved(scores: str, output_of: Output) -> None:
    words = ["latency.csv", "-m", "seconds", "--lower-is-better", "seconds"]
    output_of("gate", *words, "--system", "bm25", "--save", "s.json")
    gainful.measures.declare("seconds", higher_is_better=True)
    [declared] = json.loads(Path("s.json").read_text())["declared"]
    assert declared["higher_is_better"] is False


def test_reports(scores: str, output_of: Output) -> None:
    pytest.importorskip("altair")
    output_of("report", scores, "-m", "correct", "--range", "0:1", "-o", "r.html")
    page = Path("r.html").read_text()
    assert "correct" in page
    assert "40 queries" in page or "queries" in page
    assert "judgments</dt>" not in page


@for_each(
    ("words", "message"),
    [
        (["evaluate", "qrels.txt"], "judgments need runs"),
        (["compare", "scores.csv", "--policy", "no_relevant=skip"], "--policy needs judgments"),
        (["compare", "scores.csv", "--only", "q1"], "needs judgments and runs"),
        (["evaluate", "scores.csv", "--comments"], "--comments needs judgments and runs"),
        (["evaluate", "scores.csv", "--ignore-offsets"], "--ignore-offsets needs judgments and"),
        (["compare", "scores.csv", "--qrels-format", "tsv"], "--qrels-format needs judgments"),
        (["evaluate", "scores.csv", "--bounds"], "--bounds needs judgments"),
        (["evaluate", "scores.csv", "--range", "1"], "--range: found '1', expected LOW:HIGH"),
        (["evaluate", "scores.csv", "-m", "twos", "--range", "2:3"], "expected 2 to 3"),
        (["evaluate", "scores.csv", "--lower-is-better", "x"], "found no measure 'x'"),
        (["compare", *RUNS, "--range", "0:1"], "--range works with files of values only"),
        (
            ["compare", *RUNS, "--values", "scores.csv"],
            "--values scores.csv: found no values of value for bm25, dense",
        ),
        (["report", "scores.csv", "--docs", "docs.jsonl"], "--docs needs judgments"),
        (["gate", "scores.csv", "--snapshot", "none.json"], "none.json"),
        (["gate", *RUNS[:2], "--save", "s.json", "--system", "a"], "--system works with"),
    ],
)
def test_what_does_not_work_is_refused(
    scores: str, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err
