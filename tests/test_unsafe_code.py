"""ARCHITECTURE.md lists the files with unsafe code."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNSAFE = re.compile(r"\bunsafe\b(?!_)")


def test_files_with_unsafe_code_are_listed() -> None:
    kernel = ROOT / "kernel"
    unsafe = {
        str(path.relative_to(kernel))
        for path in kernel.glob("*/src/**/*.rs")
        if any(UNSAFE.search(line.partition("//")[0]) for line in path.read_text().splitlines())
    }
    table = (ROOT / "ARCHITECTURE.md").read_text().partition("| file | unsafe code |")[2]
    assert unsafe == set(re.findall(r"`([^`]+\.rs)`", table.partition("\n\n")[0]))
