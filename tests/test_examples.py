"""The programs in examples/ run and print their documented output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gainful.data import layouts
from markdown_blocks import Reader, blocks_of
from requirements import ROOT, need

EXAMPLES = ROOT / "examples"


def test_every_example_is_listed() -> None:
    listed = (EXAMPLES / "README.md").read_text("utf-8")
    there = {path.name for path in EXAMPLES.iterdir()} - {"README.md", "__pycache__"}
    assert {name for name in there if f"[{name}" not in listed} == set()


def test_a_retriever_in_python(tmp_path: Path) -> None:
    script = EXAMPLES / "retriever.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("TitleFirst\nmeasure   mean ")
    assert "\nnDCG@10, 80 queries, baseline title=1,stem=20 (.6561)\n" in done.stdout
    gained = re.search(
        r"title=2,stem=4 gains 0\.(\d+) here, and elsewhere about 0\.(\d+)\.$", done.stdout.rstrip()
    )
    assert gained is not None
    assert int(gained[1]) > int(gained[2]), "the best of twelve is partly luck"
    assert list(tmp_path.iterdir()) == []


def test_a_package_with_a_measure_and_a_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is built and installed without the network, and its page is true."""
    need("uv")
    need("bash")
    folder = tmp_path / "own_metric"
    shutil.copytree(EXAMPLES / "own_metric", folder)
    target = tmp_path / "installed"
    words = ["pip", "install", "--quiet", "--offline", "--no-deps", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "uv", *words, str(folder)], check=True)
    shutil.rmtree(folder / "src")
    monkeypatch.setenv("PYTHONPATH", str(target))
    monkeypatch.syspath_prepend(target)
    monkeypatch.chdir(folder)
    layouts._of_packages.cache_clear()
    reader = Reader(folder)
    try:
        for block in blocks_of(folder / "README.md"):
            reader.read(block)
    finally:
        layouts._of_packages.cache_clear()


@pytest.fixture
def job(tmp_path: Path) -> Path:
    need("bash")
    folder = tmp_path / "examples" / "ci"
    shutil.copytree(EXAMPLES / "ci", folder)
    return folder


def test_the_job_runs_as_documented(job: Path) -> None:
    page = job / "README.md"
    reader = Reader(job)
    for block in blocks_of(page):
        reader.read(block)
    comment = (job / "comment.md").read_text("utf-8")
    assert "| nDCG@10 |" in comment
    assert "<testsuite" in (job / "gate.xml").read_text("utf-8")


def test_the_files_of_the_job_exist(job: Path) -> None:
    """Its steps name files below the root of the repository, and what it calls is called here."""
    steps = (job / "search-quality.yml").read_text("utf-8")
    commands = re.findall(r"^ +run: (.+)$", steps, re.MULTILINE)
    run = [command for command in commands if "examples/" in command]
    assert run == ["python examples/ci/start_engine.py", "bash examples/ci/check.sh"]
    for path in re.findall(r"examples/ci/[\w.]+", steps):
        made = path.endswith(("comment.md", "search.run", "gate.xml"))
        assert made or (job / Path(path).name).exists(), path
    # Without a snapshot the check is an error, and no verdict.
    subprocess.run([sys.executable, "start_engine.py"], cwd=job, check=True)
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    done = subprocess.run(
        [need("bash"), "examples/ci/check.sh"],
        cwd=job.parent.parent,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "snapshot.json" in done.stderr
