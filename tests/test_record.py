"""The record of behavior notices what changes, and refuses differences without a reason."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from requirements import ROOT

INPUTS = """
[[session]]
name = "small/evaluate"
files = {"qrels.txt" = "q1 0 a 1\\n", "a.run" = "q1 Q0 b 1 2 t\\nq1 Q0 a 2 1 t\\n"}
[[session.steps]]
gainful = ["evaluate", "qrels.txt", "*.run", "-m", "RR", "--format", "json"]
[[session.steps]]
name = "missing"
gainful = ["evaluate", "none.txt", "a.run"]
[[session.steps]]
gainful = ["convert", "a.run", "b.csv"]
aside = true
[[session.steps]]
python = "import os, gainful\\nprint(gainful.read_run('a.run').to_dict(), os.listdir())"
[[session.steps]]
prompts = ">>> 1 + 1\\n>>> gainful.read_run('b.csv')"

[[session]]
name = "small/absent"
needs = ["no_such_package"]
[[session.steps]]
python = "import no_such_package"
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a record of five cases."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "inputs").mkdir()
    (folder / "inputs" / "small.toml").write_text(INPUTS, "utf-8")
    (folder / "differences.toml").write_text("# Differences.\n", "utf-8")
    status, printed = call(folder, "make")
    assert status == 0, printed
    assert "recorded 5 cases: small 5" in printed
    assert "1 cases skipped: no no_such_package" in printed
    return folder


@pytest.fixture
def record(recorded: Path, tmp_path: Path) -> Path:
    """Return a copy of the record."""
    return Path(shutil.copytree(recorded, tmp_path / "record"))


def call(folder: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "record"), "--folder", str(folder), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def outputs(folder: Path) -> dict[str, dict[str, object]]:
    lines = (folder / "outputs" / "small.jsonl").read_text("utf-8").splitlines()
    return {entry["case"]: entry for entry in map(json.loads, lines)}


def change(folder: Path, case: str, **values: object) -> None:
    """Change a recorded output, as if the build printed another."""
    found = outputs(folder)
    found[case] |= values
    text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in found.values())
    (folder / "outputs" / "small.jsonl").write_text(text, "utf-8")


def test_outputs(recorded: Path) -> None:
    found = outputs(recorded)
    assert found["small/evaluate:1"]["status"] == 0
    assert '"RR"' in json.dumps(found["small/evaluate:1"]["out"])
    assert found["small/evaluate:missing"]["status"] == 2
    assert "none.txt" in str(found["small/evaluate:missing"]["err"])
    assert list(found["small/evaluate:3"]["files"]) == ["b.csv"]  # type: ignore[call-overload]
    assert "b.csv" not in str(found["small/evaluate:4"]["out"]), "a step aside leaves no file"
    assert found["small/evaluate:5"]["out"] == "2\n"
    assert str(found["small/evaluate:5"]["raised"]).startswith("SourceNotFoundError: ")


def test_differences_are_shown_and_accepted(record: Path) -> None:
    change(record, "small/evaluate:5", out="3\n")
    status, printed = call(record, "same")
    assert status == 1
    assert "=== small/evaluate:5" in printed
    assert "-out: 3" in printed
    assert "+out: 2" in printed
    before = (record / "outputs" / "small.jsonl").read_bytes()
    status, printed = call(record, "make")
    assert status == 1, "make does not record a difference"
    assert (record / "outputs" / "small.jsonl").read_bytes() == before
    status, printed = call(record, "accept", "small/*", "--reason", "no")
    assert status == 1
    assert "no reason" in printed
    status, printed = call(record, "accept", "small/*", "--reason", "numbers are added now")
    assert (status, printed) == (0, "accepted 1 cases\n")
    status, printed = call(record, "same", "small/*")
    assert status == 0, printed
    assert "1 as listed in differences.toml" in printed


def test_a_listed_difference_that_is_gone_fails(record: Path) -> None:
    entry = {"case": "small/evaluate:5", **outputs(record)["small/evaluate:5"]}
    (record / "accepted.jsonl").write_text(json.dumps(entry) + "\n", "utf-8")
    (record / "differences.toml").write_text('[[difference]]\ncases = "other*"\nreason = ""\n')
    status, printed = call(record, "same")
    assert status == 1
    assert "small/evaluate:5 no longer differs" in printed
    assert "small/evaluate:5: differences.toml gives no reason" in printed
    assert "'other*' has no reason" in printed
    assert "no case that differs matches 'other*'" in printed


def test_inputs_of_recorded_cases_stay(record: Path) -> None:
    inputs = record / "inputs" / "small.toml"
    text = inputs.read_text("utf-8")
    inputs.write_text(text.replace("q1 0 a 1", "q1 0 a 2"), "utf-8")
    status, printed = call(record, "same")
    assert status == 1
    assert "small/evaluate:1: the input of a recorded session was changed" in printed
    inputs.write_text(text.split('[[session]]\nname = "small/absent')[0].replace("ll/e", "ll/f"))
    status, printed = call(record, "same")
    assert "small/evaluate:1: the input of a recorded case is missing" in printed
    assert "small/fvaluate:1 is not recorded" in printed


def test_a_missing_requirement_that_is_named_fails(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAINFUL_REQUIRE", "no_such_package")
    status, printed = call(record, "same")
    assert status == 1
    assert "small/absent needs no_such_package" in printed
