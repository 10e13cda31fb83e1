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
for words in json.loads(sys.argv[1]):
    assert main(words) == 0
    print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""


def loaded(*commands: str) -> list[set[str]]:
    """Return the modules beyond those of `import click` after each command of a process."""
    words = json.dumps([command.split() for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", PROBE, words], capture_output=True, text=True, check=True
    )
    return [set(json.loads(line)) for line in done.stderr.splitlines()]


def test_evaluating_loads_nothing_but_gainful() -> None:
    styles = ["table", "markdown", "latex", "tsv", "csv"]
    evaluated = loaded(*(f"evaluate qrels.txt bm25.run --format {style}" for style in styles))
    # Modules that Python itself may import, for names and text, its garbage collector and its end.
    python = {"__future__", "_locale", "atexit", "gc", "locale", "posixpath", "unicodedata"}
    for style, modules in zip(styles, evaluated, strict=True):
        foreign = {name for name in modules if not name.startswith("gainful")}
        writer = {"_csv", "csv"} if style in {"tsv", "csv"} else set()
        assert foreign <= python | writer
    # Only the module of the command is imported.
    commands = {name for name in modules if name.startswith("gainful.cli.")}
    others = {"explain", "reference", "convert", "demo", "judge"}
    assert not commands & {f"gainful.cli.{other}" for other in others}
    assert not any(name.startswith(("gainful.demo", "gainful.explanation")) for name in modules)


def test_listings_load_no_library() -> None:
    modules = loaded("measures", "conventions", "measures nDCG")[-1]
    roots = {name.partition(".")[0] for name in modules}
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
