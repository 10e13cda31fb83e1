"""strict(): data checks that do not pass are errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.cli.program import run
from gainful.errors import DataCheckError
from gainful.evaluation.several import evaluate_each

QRELS = {"q1": {"a": 1}, "q2": {"b": 2, "c": 1}}
GOOD = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 2.0, "c": 1.0}}

#: From the subject of a check to judgments and a run that do not pass it, and a part of the error.
DOUBTS = {
    "missing": (QRELS, {"q1": GOOD["q1"]}, "1 not in the run"),
    "extra": (QRELS, GOOD | {"q3": {"a": 1.0}}, "1 more in the run without judgments"),
    "no relevant": (QRELS | {"q2": {"b": 0}}, GOOD, "1 with no relevant documents"),
    "ties": (QRELS, GOOD | {"q1": {"a": 1.0, "b": 1.0}}, "ties across rank 1 in 1 query"),
    "unjudged": (QRELS, {"q1": {"x": 1.0}, "q2": {"y": 1.0}}, "no document of the run is judged"),
    "fractions": (
        {"q1": {"a": 0.25, "b": 0.5}, "q2": {"b": 0.75, "c": 0.5}},
        GOOD,
        "If these are the scores of a run, pass the judgments first",
    ),
}


@pytest.mark.parametrize("subject", DOUBTS)
def test_data_checks_that_do_not_pass_are_errors(subject: str) -> None:
    qrels, ranking, message = DOUBTS[subject]
    gainful.evaluate(qrels, ranking, "nDCG@1")
    with gainful.strict(), pytest.raises(DataCheckError) as raised:
        gainful.evaluate(qrels, ranking, "nDCG@1")
    assert message in str(raised.value)


def test_all_checks_are_in_one_error() -> None:
    with gainful.strict(), pytest.raises(DataCheckError) as raised:
        gainful.evaluate(QRELS, {"q1": {"a": 1.0, "b": 1.0}, "q3": {"a": 1.0}}, "nDCG@1")
    assert all(DOUBTS[subject][2] in str(raised.value) for subject in ("missing", "extra", "ties"))


def test_good_data_pass_and_the_block_ends() -> None:
    with gainful.strict():
        gainful.evaluate(QRELS, GOOD, "nDCG@1")
    gainful.evaluate(*DOUBTS["missing"][:2])


CALLS: dict[str, Callable[[dict[str, dict[str, float]]], object]] = {
    "compare": lambda ranking: gainful.compare(QRELS, {"a": GOOD, "b": ranking}, "nDCG@1"),
    "make_snapshot": lambda ranking: gainful.make_snapshot(QRELS, ranking, "nDCG@1"),
    "headroom": lambda ranking: gainful.headroom(QRELS, {"a": ranking}, "nDCG@1"),
    "several conventions": lambda ranking: evaluate_each(
        QRELS, ranking, "nDCG@1", conventions=["gainful-1"]
    ),
    "report": lambda ranking: gainful.report.make_report(QRELS, {"a": ranking}, "nDCG@1"),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_that_evaluate_runs_check_them(name: str) -> None:
    with gainful.strict():
        CALLS[name](GOOD)
        with pytest.raises(DataCheckError, match="1 more in the run without judgments"):
            CALLS[name](GOOD | {"q3": {"a": 1.0}})


@pytest.mark.parametrize("words", ["", "--format json", "--per-query --format csv", "--bounds"])
def test_the_command_exits_with_2_and_prints_nothing(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, table in (("qrels", QRELS), ("good", GOOD), ("poor", {"q1": GOOD["q1"]})):
        (tmp_path / f"{name}.json").write_text(json.dumps(table))
    statuses = [
        run(["evaluate", f"{tmp_path}/qrels.json", f"{tmp_path}/{name}.json", "-m", "nDCG@1",
             *words.split(), "--strict"])
        for name in ("good", "poor")
    ]  # fmt: skip
    assert statuses == [0, 2]
    assert "gainful: data checks: 2 queries: 1 not in the run" in capsys.readouterr().err
    assert run(["evaluate", f"{tmp_path}/qrels.json", f"{tmp_path}/poor.json"]) == 0
