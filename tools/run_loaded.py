"""Run the tests that start a process, a server or a browser many times, next to a load.

    .venv/bin/python tools/run_loaded.py                    # 20 times, next to 8 busy processes
    .venv/bin/python tools/run_loaded.py --times 2 tests/report -- -k slices
    .venv/bin/python tools/run_loaded.py --list             # only the files of these tests

Prints each test that failed, and how often. The exit status is 1 if one did.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import run_tests

ROOT = run_tests.ROOT
TESTS = ROOT / "tests"
REPORT = run_tests.TARGET / "loaded.xml"
#: What starts a process or listens, and the fixtures of tests/conftest.py that do.
STARTS = re.compile(
    r"\b(subprocess|multiprocessing|os\.fork|socketserver|http\.server|start_server|"
    r"browser|postgres|pgvector)\b"
)
#: These have suites and environments of their own.
APART = {TESTS / name for name in ("clusters", "engines", "tools")}


def starting_modules() -> set[str]:
    """Return the modules of tests/support that start something, or import one that does."""
    texts = {path.stem: path.read_text("utf-8") for path in (TESTS / "support").rglob("[a-z]*.py")}
    names = {name for name, text in texts.items() if STARTS.search(text)} - {"requirements"}
    before: set[str] = set()
    while names != before:
        before, pattern = names, imports_of(names)
        names = names | {name for name, text in texts.items() if pattern.search(text)}
    return names


def imports_of(names: set[str]) -> re.Pattern[str]:
    """Return a pattern for imports of some modules."""
    alternatives = "|".join(sorted(names))
    return re.compile(rf"^(?:from|import) (?:\w+\.)*(?:{alternatives})\b", re.MULTILINE)


def files() -> list[str]:
    """Return the files of tests that start something."""
    pattern = imports_of(starting_modules())
    paths = [path for path in TESTS.rglob("test_*.py") if not APART.intersection(path.parents)]
    texts = {path: path.read_text("utf-8") for path in sorted(paths)}
    return [
        str(path.relative_to(ROOT))
        for path, text in texts.items()
        if STARTS.search(text) or pattern.search(text)
    ]


@contextmanager
def load(count: int) -> Iterator[None]:
    """Keep processes busy for the duration of the block."""
    command = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def failures(report: Path) -> Iterator[str]:
    """Yield the tests of a JUnit report that failed."""
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            yield f"{case.get('classname')}.{case.get('name')}"


def run(times: int, busy: int, words: Sequence[str]) -> int:
    """Run pytest some times next to busy processes; return 1 if a test failed."""
    counts: Counter[str] = Counter()
    status = 0
    for number in range(1, times + 1):
        print(f"== {number} of {times}, next to {busy} busy processes", flush=True)
        REPORT.unlink(missing_ok=True)
        with load(busy):
            options = ["-q", "--tb=short", f"--junitxml={REPORT}"]
            status |= run_tests.run("test", [*options, *words], run_tests.environment("test"))
        if REPORT.exists():
            counts.update(failures(REPORT))
    for name, count in counts.most_common():
        print(f"{count} of {times} times: {name}")
    return int(bool(status))


def main() -> int:
    """Run what the command line names; return the exit status."""
    parser = argparse.ArgumentParser(description="Run tests that start processes, next to a load.")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--load", type=int, default=8, help="how many processes are busy")
    parser.add_argument("--list", action="store_true", help="print the files, and run none")
    parser.add_argument("words", nargs="*", help="files or folders, and after -- options of pytest")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(files()))
        return 0
    words = arguments.words
    if not any((ROOT / word.partition("::")[0]).exists() for word in words):
        words = [*files(), *words]
    return run(arguments.times, arguments.load, words)


if __name__ == "__main__":
    sys.exit(main())
