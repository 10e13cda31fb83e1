"""One wheel works with every Python from 3.11 on, tested with the Pythons of the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from requirements import ROOT, need


def test_the_wheel_works_elsewhere(tmp_path: Path) -> None:
    need("checkout")
    (wheel,) = (ROOT / "target" / "wheels").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    # The kernel and the formulas need no other package, so none is installed.
    program = "import gainful; print(gainful.__version__, gainful.dcg([3, 0, 2]))"
    for python in need("other-pythons"):
        place = tmp_path / Path(python).name
        flags = ["--target", str(place), "--python-version", Path(python).name[len("python") :]]
        subprocess.run(
            [*pip, *flags, "--only-binary=:all:", str(wheel)], check=True, capture_output=True
        )
        done = subprocess.run(
            [python, "-c", program],
            cwd=tmp_path,
            env={"PYTHONPATH": str(place), "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{python}: {done.stderr}"
        assert done.stdout.split()[1] == "4.0"
