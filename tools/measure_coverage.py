"""Measure which lines and branches of the installed Gainful the tests run, in all processes.

The suite runs under the package ``coverage``, which is installed into ``target/coverage/site``, so
that ``.venv`` stays as it is. A module ``sitecustomize`` on the path starts it in each process of
Python that inherits the environment: processes of tests, commands, servers.

    .venv/bin/python tools/measure_coverage.py run after.json -- -n 2 tests
    .venv/bin/python tools/measure_coverage.py show before.json after.json
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "coverage"
SITE = WORK / "site"
HOOK = "import coverage\ncoverage.process_startup()\n"
# A comparison fails if the total falls by more percent points.
LARGEST_FALL = 0.5


class Covered(NamedTuple):
    """Counts of the lines and branches that ran, and of all."""

    lines: int = 0
    all_lines: int = 0
    branches: int = 0
    all_branches: int = 0

    def plus(self, other: "Covered") -> "Covered":
        """Return the sum of the counts."""
        return Covered(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def shares(self) -> tuple[float, float]:
        """Return the shares of lines and of branches in percent; of none, all ran."""
        lines = 100 * self.lines / self.all_lines if self.all_lines else 100.0
        return lines, 100 * self.branches / self.all_branches if self.all_branches else 100.0


def install() -> None:
    """Install ``coverage`` into its own folder, once."""
    if not (SITE / "coverage").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(SITE)]
        subprocess.run([*pip, *requirements()], check=True)


def requirements() -> list[str]:
    """Return the dependency group ``coverage`` of pyproject.toml."""
    import tomllib

    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return list(stated["dependency-groups"].get("coverage", ["coverage>=7.6"]))


def measure(report: Path, words: list[str]) -> int:
    """Run pytest with some words; write the report; return the exit status of pytest."""
    install()
    find = "import gainful, pathlib; print(pathlib.Path(gainful.__file__).parent)"
    found = subprocess.run(
        [sys.executable, "-c", find], cwd=ROOT / "tools", capture_output=True, text=True, check=True
    )
    package = Path(found.stdout.strip())
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        settings = Path(folder) / "settings.toml"
        options = {
            "branch": True,
            "parallel": True,
            "sigterm": True,
            "data_file": f"{folder}/data",
            # With `source`, each process would look for all files when it ends.
            "include": [f"{package}/*"],
            # A process that ends by forking, or imports nothing of Gainful, has nothing to report.
            "disable_warnings": ["no-data-collected", "module-not-measured", "module-not-imported"],
        }
        lines = [f"{name} = {json.dumps(setting)}" for name, setting in options.items()]
        settings.write_text("[tool.coverage.run]\n" + "\n".join(lines) + "\n", "utf-8")
        hook = Path(folder) / "hook"
        hook.mkdir()
        (hook / "sitecustomize.py").write_text(HOOK, "utf-8")
        path = os.pathsep.join([str(hook), str(SITE), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {
            "PYTHONPATH": path.rstrip(os.pathsep),
            "COVERAGE_PROCESS_START": str(settings),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        status = subprocess.run(
            [sys.executable, "-m", "pytest", *words], cwd=ROOT, env=environment, check=False
        ).returncode
        # Without the hook: these processes are not measured.
        environment = os.environ | {"PYTHONPATH": str(SITE)}
        command = [sys.executable, "-m", "coverage"]
        common = ["--quiet", f"--rcfile={settings}"]
        # One process names all files, so that those that no test imports count.
        every_file = [f"--source={package}", f"--data-file={folder}/data", "--branch", "--parallel"]
        importing = Path(folder) / "importing.py"
        importing.write_text("import gainful\n", "utf-8")
        subprocess.run(
            [*command, "run", "--rcfile=", *every_file, str(importing)],
            cwd=folder,
            env=environment,
            check=True,
        )
        subprocess.run([*command, "combine", *common], cwd=folder, env=environment, check=True)
        subprocess.run(
            [*command, "json", *common, "-o", str(report.resolve())],
            cwd=package.parent,
            env=environment,
            check=True,
        )
    return status


def read_report(path: Path) -> dict[str, Covered]:
    """Return the counts of each package, and of all."""
    rows: dict[str, Covered] = defaultdict(Covered)
    for file, entry in json.loads(path.read_text("utf-8"))["files"].items():
        summary = entry["summary"]
        covered = Covered(
            summary["covered_lines"],
            summary["num_statements"],
            summary["covered_branches"],
            summary["num_branches"],
        )
        name = "gainful." + file.removeprefix("gainful/").split("/")[0].removesuffix(".py")
        for row in (name, "all"):
            rows[row] = rows[row].plus(covered)
    return rows


def format_rows(rows: dict[str, Covered], base: dict[str, Covered] | None) -> Iterable[str]:
    """Yield the lines of a Markdown table."""
    yield f"| {'':22} | {'lines %':>15} | {'branches %':>15} |"
    yield f"| {'-' * 22} | {'-' * 14}: | {'-' * 14}: |"
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        cells = []
        for place, share in enumerate(rows[name].shares()):
            change = share - base[name].shares()[place] if base and name in base else 0.0
            cells.append(f"{share:.2f}" + (f" ({change:+.2f})" if abs(change) >= 0.005 else ""))
        yield f"| {name:22} | {cells[0]:>15} | {cells[1]:>15} |"


def show(reports: list[Path]) -> int:
    """Print a report, or the second with its differences; return 1 if it is much lower."""
    *before, after = [read_report(path) for path in reports]
    base = before[0] if before else None
    print("\n".join(format_rows(after, base)))
    if base is None:
        return 0
    pairs = zip(base["all"].shares(), after["all"].shares(), strict=True)
    return int(any(old - new > LARGEST_FALL for old, new in pairs))


def main() -> int:
    """Measure, or show what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run pytest, write a report and print it")
    run.add_argument("report", type=Path)
    run.add_argument("words", nargs="*", metavar="ARGS", help="arguments of pytest, after --")
    compare = commands.add_parser("show", help="print a report, or compare two")
    compare.add_argument("reports", type=Path, nargs="+", metavar="REPORT")
    arguments = parser.parse_args()
    if arguments.command == "show":
        return show(arguments.reports[:2])
    status = measure(arguments.report, arguments.words)
    show([arguments.report])
    return status


if __name__ == "__main__":
    sys.exit(main())
