"""Names of runs with equals signs and slashes, in every command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.cli.reading import split_name
from gainful.gates import read_snapshot
from repeated_tests import for_each
from requirements import ROOT

DATA = ROOT / "tests" / "documentation"
NAMES = ["org/model", "k1=0.9,b=0.4", "org/model@k1=0.9/b"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("qrels.txt", "bm25.run", "dense.run"):
        shutil.copy(DATA / name, tmp_path)
    (tmp_path / "runs").mkdir()
    shutil.copy(DATA / "bm25.run", tmp_path / "runs" / "k1=0.9.run")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "qrels.txt", "{run}", "{other}", "--format", "tsv"),
        ("compare", "qrels.txt", "{run}", "{other}", "--baseline", "{name}", "--format", "tsv"),
        ("compare", "qrels.txt", "{run}", "{other}", "--format", "markdown"),
        ("report", "qrels.txt", "{run}", "{other}", "--baseline", "{name}", "-o", "-"),
        (
            "find-unjudged",
            "qrels.txt",
            "{run}",
            "{other}",
            "--baseline",
            "{name}",
            "--format",
            "tsv",
        ),
        ("headroom", "qrels.txt", "{run}", "{other}", "--baseline", "{name}", "--format", "tsv"),
        ("assess-judgments", "qrels.txt", "--run", "{run}", "--run", "{other}", "--format", "tsv"),
        ("compare-measures", "qrels.txt", "{run}", "{other}", "dense.run", "--format", "json"),
        ("contrast", "qrels.txt", "{run}", "{other}", "-a", "trec_eval", "-b", "gainful-1"),
        ("gate", "qrels.txt", "{run}", "--save", "-"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_commands(
    words: tuple[str, ...], name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"run": f"{name}=bm25.run", "other": "runs/k1=0.9.run", "name": name}
    assert main([word.format(**given) for word in words]) == 0
    message = capsys.readouterr().out
    # The page of a report is compressed.
    assert name in message or words[0] == "report"


@pytest.mark.parametrize("name", NAMES)
def test_a_gate_names_its_run(name: str, folder: Path) -> None:
    assert main(["gate", "qrels.txt", f"{name}=bm25.run", "--save", "b.json"]) == 0
    assert read_snapshot("b.json").system == name
    words = ("gate", "qrels.txt", f"{name}=bm25.run", "--snapshot", "b.json", "--format", "tsv")
    assert main(words) == 0


@pytest.mark.parametrize("name", NAMES)
def test_python(name: str, folder: Path) -> None:
    runs = {name: "bm25.run", "other": "dense.run"}
    assert name in gainful.evaluate("qrels.txt", runs=runs).systems
    assert name in str(gainful.compare("qrels.txt", runs, baseline=name))
    run = gainful.read_run("bm25.run", name=name)
    run.write("named.run")
    assert gainful.read_run("named.run").to_dict() == run.to_dict()


@for_each(
    ("word", "expected"),
    [
        ("runs/k1=0.9.run", ("k1=0.9", "runs/k1=0.9.run")),
        ("org/model=runs/k1=0.9.run", ("org/model", "runs/k1=0.9.run")),
        ("a=b=bm25.run", ("a=b", "bm25.run")),
        ("org/model=*.run", ("org/model", "*.run")),
        ("org/model=-", ("org/model", "-")),
        ("org/model=s3://bucket/a=b.run", ("org/model", "s3://bucket/a=b.run")),
        ("https://example.org/a.run?key=bm25.run", ("a.run?key=bm25", None)),
        ("new=missing.run", ("new", "missing.run")),
        ("new=missing/bm25.run", ("new", "missing/bm25.run")),
        ("missing/a=b.run", ("a=b", "missing/a=b.run")),
        ("missing/a.run", ("a", "missing/a.run")),
    ],
)
def test_where_the_path_begins(word: str, expected: tuple[str, str | None], folder: Path) -> None:
    name, path = expected
    assert split_name(word, "run")[1] == (path or word)
    if path is not None:
        assert split_name(word, "run")[0] == name


@pytest.mark.parametrize("word", ["nofile", "name=nofile"])
def test_a_run_that_does_not_exist(
    word: str, small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "qrels.txt", word]) == 2
    assert capsys.readouterr().err == "gainful: no such file: nofile\n"
