"""The comparison of two measurements of coverage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from requirements import ROOT


def write_report(path: Path, lines: int, branches: int) -> Path:
    """Write a report of a package and a module, of 1,000 lines and 200 branches in all."""

    def summary(*counts: int) -> dict[str, dict[str, int]]:
        names = ("covered_lines", "num_statements", "covered_branches", "num_branches")
        return {"summary": dict(zip(names, counts, strict=True))}

    files = {
        "gainful/data/run.py": summary(lines, 600, branches, 200),
        "gainful/data/judgment_lists/reading.py": summary(300, 300, 0, 0),
        "gainful/writing.py": summary(50, 100, 0, 0),
    }
    path.write_text(json.dumps({"files": files}), "utf-8")
    return path


def show(*reports: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools/measure_coverage.py", "show", *reports]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows(output: str) -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in output.splitlines()]
    return {row[0]: row[1:] for row in cells}


def test_files_are_summed_by_package(tmp_path: Path) -> None:
    done = show(write_report(tmp_path / "after.json", 450, 50))
    assert done.returncode == 0, done.stderr
    table = rows(done.stdout)
    assert table["gainful.data"] == ["83.33", "25.00"]
    # All of no branches ran.
    assert table["gainful.writing"] == ["50.00", "100.00"]
    assert table["all"] == ["80.00", "25.00"]


@pytest.mark.parametrize(
    ("lines", "branches", "status", "total"),
    [
        (450, 50, 0, ["80.00", "25.00"]),
        (445, 50, 0, ["79.50 (-0.50)", "25.00"]),
        (444, 50, 1, ["79.40 (-0.60)", "25.00"]),
        (460, 48, 1, ["81.00 (+1.00)", "24.00 (-1.00)"]),
    ],
)
def test_a_fall_by_more_than_half_a_percent_point_fails(
    tmp_path: Path, lines: int, branches: int, status: int, total: list[str]
) -> None:
    before = write_report(tmp_path / "before.json", 450, 50)
    done = show(before, write_report(tmp_path / "after.json", lines, branches))
    assert done.returncode == status, done.stderr
    assert rows(done.stdout)["all"] == total
