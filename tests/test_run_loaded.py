"""The program that runs tests next to a load."""

from __future__ import annotations

from pathlib import Path

import pytest

import run_loaded


def test_files_that_start_something() -> None:
    files = run_loaded.files()
    # A fixture, a module of the standard library, a module of the tests, and one that imports that.
    assert "tests/report/test_browser.py" in files
    assert "tests/test_signals.py" in files
    assert "tests/cli/test_streams.py" in files
    assert "tests/backends/sql/test_values.py" in files
    assert "tests/measures/test_notation.py" not in files
    assert not any(path.startswith("tests/clusters") for path in files)


def test_failures_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    statuses = [0, 1, 1]
    monkeypatch.setattr(run_loaded, "REPORT", tmp_path / "report.xml")

    def run(suite: str, words: list[str], variables: dict[str, str]) -> int:
        status = statuses.pop(0)
        outcome = "<failure/>" if status else ""
        case = f'<testcase classname="tests.test_x" name="test_y">{outcome}</testcase>'
        run_loaded.REPORT.write_text(f"<testsuite>{case}<testcase/></testsuite>")
        return status

    monkeypatch.setattr(run_loaded.run_tests, "run", run)
    assert run_loaded.run(3, 1, ["tests/test_x.py"]) == 1
    assert capsys.readouterr().out.endswith("\n2 of 3 times: tests.test_x.test_y\n")
