"""Run a suite of tests in the environment that was installed for it.

    .venv/bin/python tools/run_tests.py test -k ties          # what `make test` runs
    .venv/bin/python tools/run_tests.py all                   # with slow tests, all combinations
    .venv/bin/python tools/run_tests.py quick --package data  # a package, and what imports it
    .venv/bin/python tools/run_tests.py tools --torch         # in an environment of their own

Words that are not options of this program go to pytest. With ``ALL=1`` in the environment, tests
try all combinations of their parameters instead of pairs, and ``tools``, ``engines`` and
``clusters`` run all of their tests.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
sys.path.append(str(ROOT / "tests/support"))

import install  # noqa: E402
import requirements  # noqa: E402

#: The longest that `make quick` starts further tests of packages that import the changed ones.
SECONDS = 25


@dataclass(frozen=True)
class Suite:
    """Which tests are run, and how.

    ``distribution`` is how pytest-xdist deals the tests to a process per core; without, they are
    run in one. ``folder`` has the environment below target if it is not .venv, and a home, because
    what is installed there writes to the user's home.
    """

    words: tuple[str, ...] = ()
    distribution: str = ""
    folder: str = ""
    variables: tuple[tuple[str, str], ...] = ()


#: For Java that does not live long: the quick compiler alone.
JAVA = ("JAVA_TOOL_OPTIONS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")

#: A file of tests of tools stays in one process, which imports its tools once. OpenMP's threads
#: would wait for one another in calls with one list each.
SUITES = {
    "test": Suite(distribution="worksteal"),
    "all": Suite(("-m", ""), "worksteal", variables=(("ALL", "1"),)),
    "tools": Suite(("-m", "peer", "tests/tools"), "loadfile", "tools", (("OMP_NUM_THREADS", "1"),)),
    "engines": Suite(("-m", "engine", "tests/engines")),
    "clusters": Suite(("-m", "cluster", "tests/clusters"), folder="clusters", variables=(JAVA,)),
}


def environment(name: str, *, torch: bool = False) -> dict[str, str]:
    """Return the variables of the environment for a suite, with what it requires."""
    suite, variables = SUITES[name], dict(os.environ)
    (TARGET / "tmp").mkdir(parents=True, exist_ok=True)
    variables |= {"TMPDIR": str(TARGET / "tmp"), **dict(suite.variables)}
    if suite.folder:
        home = TARGET / suite.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        variables = {key: text for key, text in variables.items() if not key.startswith("XDG_")}
        variables["HOME"] = str(home)
    if name in requirements.SUITES and name != "test":
        required = requirements.expected_by(name, torch=torch)
        required |= requirements.required() if name == "engines" else set()
        variables["GAINFUL_REQUIRE"] = ",".join(sorted(required))
    return variables


def run(name: str, words: Iterable[str], variables: dict[str, str]) -> int:
    """Run pytest on a suite; return its exit status."""
    suite = SUITES[name]
    parallel = (
        ["--numprocesses", "auto", "--dist", suite.distribution] if suite.distribution else []
    )
    python = sys.executable
    if suite.folder:
        python = str(TARGET / suite.folder / Path(python).relative_to(sys.prefix))
        if install.install_wheel(python):
            return 1
    command = [python, "-m", "pytest", *parallel, *suite.words, *words]
    return subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode


def imported(file: Path) -> Iterator[str]:
    """Yield the packages of Gainful that a file imports, those for types alone included."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("gainful."):
                yield name.split(".")[1]


@cache
def packages() -> dict[str, set[str]]:
    """Return the packages of Gainful and its single modules, with those that each imports."""
    imports: dict[str, set[str]] = {}
    for path in sorted((ROOT / "src/gainful").iterdir()):
        if path.is_dir() or path.suffix == ".py":
            files = path.rglob("*.py") if path.is_dir() else [path]
            imports[path.stem] = {name for file in files for name in imported(file)} - {path.stem}
    return imports


def changed_files(base: str) -> list[str]:
    """Return the files that differ from a commit, and those that Git does not know yet."""
    git = ["git", "-C", str(ROOT)]
    paths = []
    for command in (
        ["diff", "--name-only", "-z", base],
        ["ls-files", "-z", "-o", "--exclude-standard"],
    ):
        done = subprocess.run([*git, *command], capture_output=True, check=True, text=True)
        paths += done.stdout.split("\0")
    return sorted(path for path in set(paths) if path and (ROOT / path).exists())


def packages_of(paths: Iterable[str]) -> set[str]:
    """Return the packages whose sources or tests are among the paths; the kernel counts as data."""
    names = set()
    for path in map(Path, paths):
        if path.parts[:2] == ("src", "gainful") or path.parts[0] == "tests":
            name = path.parts[2 if path.parts[0] == "src" else 1]
            names.add(name.removeprefix("test_").removesuffix(".py"))
        elif path.parts[0] == "kernel":
            names |= {"data", "evaluation", "measures"}
    return names & packages().keys()


def tests_of(names: Iterable[str]) -> list[str]:
    """Return the folders and files of tests that are named as packages are."""
    paths = [ROOT / "tests" / form for name in names for form in (name, f"test_{name}.py")]
    return sorted(str(path.relative_to(ROOT)) for path in paths if path.exists())


def lint(paths: Sequence[str] = ()) -> int:
    """Check style, types, layers and words, side by side; return the highest status.

    With paths, style and words only of those.
    """
    program = Path(sys.executable).parent
    python = [path for path in paths if path.endswith(".py") or (ROOT / path).is_dir()]
    texts = [path for path in paths if (ROOT / path).is_file()]
    checks: list[list[str | Path]] = [[program / "mypy"], [program / "lint-imports", "--no-cache"]]
    if python or not paths:
        checks += [[program / "ruff", "check", *python]]
        checks += [[program / "ruff", "format", "--check", *python]]
    if texts or not paths:
        checks += [[sys.executable, "tools/check_language.py", *texts]]
    variables = os.environ | {"PYTHONPATH": "src"}
    running = [
        subprocess.Popen(
            check,
            cwd=ROOT,
            env=variables,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for check in checks
    ]
    for process in running:
        print(process.communicate()[0], end="")
    return int(any(process.returncode for process in running))


def check_quickly(names: set[str], base: str, words: list[str]) -> int:
    """Check style, types and tests of packages, and some tests of what imports them."""
    paths = [] if names else changed_files(base)
    names = names or packages_of(paths)
    unknown = names - packages().keys()
    if unknown:
        print(f"no such package: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    paths += [f"src/gainful/{name}" for name in names] + tests_of(names)
    status = lint([path for path in paths if (ROOT / path).exists()])
    tests = dict.fromkeys(
        tests_of(names) + [path for path in paths if path.startswith("tests/test_")]
    )
    if tests:
        status = status or run("test", ["-m", QUICK, *tests, *words], environment("test"))
    importers = {name for name, others in packages().items() if others & names} - names
    rest = [path for path in tests_of(importers) if path not in tests]
    if rest and not status:
        limited = environment("test") | {"GAINFUL_SECONDS": str(SECONDS)}
        status = run("test", ["-m", QUICK, *rest, *words], limited)
    return status


QUICK = "not slow and not peer and not engine and not cluster and not long"


def main() -> int:
    """Run what the command line names; return the exit status."""
    parser = argparse.ArgumentParser(description="Run a suite of tests.")
    parser.add_argument("suite", choices=["lint", "quick", *SUITES])
    parser.add_argument(
        "--package", action="append", default=[], help="only with quick; repeatable"
    )
    parser.add_argument("--base", default="HEAD", help="the commit that quick compares with")
    parser.add_argument("--torch", action="store_true", help="also the tools that need PyTorch")
    arguments, words = parser.parse_known_args()
    if arguments.suite == "lint":
        return lint(words)
    if arguments.suite == "quick":
        return check_quickly(set(arguments.package), arguments.base, words)
    variables = environment(arguments.suite, torch=arguments.torch)
    return run(arguments.suite, words, variables)


if __name__ == "__main__":
    sys.exit(main())
