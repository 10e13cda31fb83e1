"""The modules that an evaluation on the command line imports."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("small_files")

PROBE = """
import json, sys
import click
before = set(sys.modules)
from gainful.cli import main
status = main(sys.argv[1:])
loaded = sorted(set(sys.modules) - before)
print(json.dumps([status, loaded]), file=sys.stderr)
"""


def loaded(*words: str) -> set[str]:
    """Return the modules that a command loads beyond those that `import click` does."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *words], capture_output=True, text=True, check=True
    )
    status, modules = json.loads(done.stderr)
    assert status == 0
    return set(modules)


@pytest.mark.parametrize("style", ["tsv", "csv", "table", "markdown", "latex"])
def test_evaluating_loads_nothing_but_gainful(style: str) -> None:
    modules = loaded("evaluate", "qrels.txt", "bm25.run", "--format", style)
    foreign = {name for name in modules if not name.startswith("gainful")}
    # Modules that Python itself may import, for names and text, its garbage collector and its end.
    python = {"__future__", "_locale", "atexit", "gc", "locale", "posixpath", "unicodedata"}
    writer = {"_csv", "csv"} if style in {"tsv", "csv"} else set()
    assert foreign <= python | writer


def test_only_the_module_of_the_command_is_imported() -> None:
    modules = loaded("evaluate", "qrels.txt", "bm25.run", "--format", "tsv")
    commands = {name for name in modules if name.startswith("gainful.cli.")}
    others = {"explain", "reference", "convert", "demo", "judge"}
    assert not commands & {f"gainful.cli.{other}" for other in others}
    assert not any(name.startswith(("gainful.demo", "gainful.explanation")) for name in modules)


@pytest.mark.parametrize("words", [("measures",), ("conventions",), ("measures", "nDCG")])
def test_listings_load_no_library(words: tuple[str, ...]) -> None:
    roots = {name.partition(".")[0] for name in loaded(*words)}
    assert not roots & {"numpy", "scipy", "rich"}


@pytest.mark.parametrize("module", ["gainful.cli", "gainful.compat.trec_eval"])
def test_the_end_of_a_command_searches_no_garbage(module: str) -> None:
    code = (
        "import atexit, gc, sys\n"
        "atexit.register(lambda: print(gc.get_freeze_count(), file=sys.stderr))\n"
        f"from {module} import main\n"
        "sys.argv = ['program', '--version']\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stderr.split()[-1]) > 1_000
