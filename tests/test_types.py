"""Type checkers accept what the documentation shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from markdown_blocks import PYTHON, blocks_of
from requirements import ROOT, need

PAGES = [
    page
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    if any(block.language in PYTHON and block.not_run is None for block in blocks_of(page))
]

#: Examples read fields that other data leaves empty, such as the p-value of systems that do not
#: differ, and use one name for several things. Other packages are skipped if they have no types.
SETTINGS = """
[mypy]
strict_optional = False
allow_redefinition = True
disable_error_code = no-redef
ignore_missing_imports = True

[mypy-gainful.*]
ignore_missing_imports = False

[mypy-altair.*,duckdb.*,pandas.*,polars.*,pyarrow.*,scipy.*,sklearn.*,qdrant_client.*]
follow_imports = skip
"""

#: What users write, and the type that they get.
EXPRESSIONS = {
    'gainful.conventions["trec_eval"]': "gainful.conventions.convention.Convention",
    'gainful.conventions.get("trec_eval")': "gainful.conventions.convention.Convention",
    "list(gainful.conventions)": "list[str]",
    "gainful.dcg([3, 0, 2])": "float",
    "gainful.ndcg([3, 0, 2], k=2, scores=[0.1, 0.7, 0.2])": "float",
    "gainful.ndcg([[3, 2, 0], [0, 0, 1]])": "list[float]",
    'gainful.cg([3, 0, 2], gain="exponential")': "float",
    "gainful.idcg([[3, 2, 0]])": "list[float]",
    'gainful.evaluate("qrels", "run").mean("nDCG@10")': "float",
    'gainful.evaluate("qrels", "run").plot()': "gainful.plots.plot.Plot",
    'gainful.read_run("run").to_dict()': "dict[str, Any]",
}


def checked(folder: Path, sources: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Check files with mypy, with the installed package."""
    need("mypy")
    (folder / "mypy.ini").write_text(SETTINGS, encoding="utf-8")
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini"]
    # Outside of the repository, whose sources would be found before the installed package.
    return subprocess.run(
        [
            *command,
            "--cache-dir",
            str(ROOT / "target/mypy-documentation"),
            *map("{}.py".format, sources),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def source_of(page: Path) -> str:
    """Return the Python of a page, each line where the page has it."""
    lines: list[str] = []
    for block in blocks_of(page):
        if block.language not in PYTHON or block.not_run is not None:
            continue
        lines += [""] * (block.line - 1 - len(lines))
        prompts = ">>> " in block.text
        for line in block.text.splitlines():
            code = line[:4].rstrip() in (">>>", "...")
            lines.append(line[4:] if prompts and code else "" if prompts else line)
    return "\n".join(lines) + "\n"


@pytest.mark.long
def test_the_documentation_type_checks(tmp_path: Path) -> None:
    sources = {
        page.relative_to(ROOT).with_suffix("").as_posix().replace("/", "_").replace("-", "_")
        + "_md": source_of(page)
        for page in PAGES
    }
    assert len(sources) > 30
    done = checked(tmp_path, sources)
    assert done.returncode == 0, done.stdout + done.stderr


def test_documented_expressions_have_types(tmp_path: Path) -> None:
    lines = ["import gainful", *(f"reveal_type({each})" for each in EXPRESSIONS)]
    done = checked(tmp_path, {"expressions": "\n".join(lines) + "\n"})
    found = {
        int(line.split(":")[1]): line.split('"')[1]
        for line in done.stdout.splitlines()
        if "Revealed type" in line
    }
    assert found == dict(enumerate(EXPRESSIONS.values(), 2)), done.stdout


@pytest.mark.parametrize("wrong", ["gainful.dcg([3], kk=2)", 'gainful.conventions["x"].gian'])
def test_mistakes_are_found(tmp_path: Path, wrong: str) -> None:
    done = checked(tmp_path, {"mistake": f"import gainful\n{wrong}\n"})
    assert done.returncode == 1, done.stdout
    assert "mistake.py:2: error" in done.stdout
