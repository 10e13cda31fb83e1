"""`gainful demo`: what it shows is true, and what it says to type works."""

from __future__ import annotations

import re
import shlex
import sys
from html import unescape
from pathlib import Path

import pytest

import gainful as package
from gainful.cli import main
from gainful.demo.demonstration import MEASURES, demonstrate
from gainful_program import gainful
from requirements import need


def commands(text: str) -> list[list[str]]:
    """Return the commands among the last lines."""
    lines = [line.strip() for line in text.splitlines()[-8:]]
    return [shlex.split(line) for line in lines if line.startswith("gainful ")]


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, and make it the current one."""
    folder = tmp_path / "nowhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("words", [(), ("-o", "a folder")])
def test_what_it_says_to_type_next_works(words: tuple[str, ...], nowhere: Path) -> None:
    done = gainful("demo", *words)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert len(text.splitlines()) < 100
    # Commands and the address of the page are as long as the names of their folders.
    prose = [line for line in text.splitlines() if "gainful " not in line and "file:" not in line]
    assert max(map(len, prose)) <= 102
    found = commands(text)
    assert len(found) >= 4
    for command in found:
        answer = gainful(*command[1:])
        assert (answer.returncode, answer.stderr) == (0, b""), command
        assert answer.stdout


def test_without_a_folder_it_writes_nothing(nowhere: Path) -> None:
    assert main(["demo"]) == 0
    assert list(nowhere.iterdir()) == []


def test_better_worse_and_inconclusive_all_occur(nowhere: Path, capsys) -> None:
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    verdicts = [line.split()[-1] for line in lines if re.search(r" beside fts5-", line)]
    assert sorted(verdicts) == ["better", "inconclusive", "worse"]


def test_the_files_give_the_numbers_shown(nowhere: Path, capsys) -> None:
    assert main(["demo", "-o", "shop"]) == 0
    shown = capsys.readouterr().out
    names = ["fts5-plain", "fts5-tuned", "title-words"]
    runs = {f"{name}.run" for name in names}
    files = {"qrels.txt", "queries.tsv", "products.jsonl", "annotations.csv", "report.md"}
    written = {path.name for path in Path("shop").iterdir()}
    # Only where Altair is, which draws its charts.
    assert written - {"report.html"} == runs | files
    result = package.evaluate(
        "shop/qrels.txt", runs={name: f"shop/{name}.run" for name in names}, measures=MEASURES
    )
    report = Path("shop/report.md").read_text("utf-8")
    for name in names:
        means = [f"{result.mean(measure, name):.4f}".removeprefix("0") for measure in MEASURES]
        line = next(line for line in shown.splitlines() if line.startswith(f"{name} "))
        assert [cell for cell in line.split() if cell in means] == means
        row = next(line for line in report.splitlines() if line.startswith(f"| {name} "))
        assert [cell for cell in row.split() if cell in means] == means


def test_differences_are_the_systems_means_apart() -> None:
    shown = demonstrate()
    for pair in shown.comparison.pairs:
        apart = shown.evaluation.mean("nDCG@10", pair.system) - shown.evaluation.mean(
            "nDCG@10", pair.baseline
        )
        assert pair.difference == pytest.approx(apart, abs=1e-12)
        assert pair.low < pair.difference < pair.high
        assert pair.wins + pair.ties + pair.losses == 80


def test_a_folder_that_cannot_be_made(nowhere: Path, capsys) -> None:
    (nowhere / "taken").write_text("x")
    assert main(["demo", "-o", "taken"]) == 2
    assert "taken: found a file, expected a folder" in capsys.readouterr().err


def test_it_ends_with_the_html_report(nowhere: Path, capsys) -> None:
    need("altair")
    need("vl_convert")
    assert main(["demo", "-o", "shop"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    address = (nowhere / "shop" / "report.html").as_uri()
    assert last == f"And open in a browser: {address}"
    page = Path("shop/report.html").read_text("utf-8")
    command = re.search(r'<pre id="command"[^>]*><code>([^<]*)</code>', page)
    assert command is not None
    before = page
    Path("shop/report.html").unlink()
    # What the page says of how to make it again makes the same page.
    words = shlex.split(unescape(command[1]))
    assert words[0] == "gainful"
    assert main(words[1:]) == 0
    again = Path("shop/report.html").read_text("utf-8")
    own = re.compile(r'<pre id="command".*?</pre>', re.S)
    assert own.sub("", again) == own.sub("", before)


def test_without_altair_it_says_what_the_html_report_takes(
    nowhere: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert main(["demo", "-o", "shop"]) == 0
    assert "pip install 'gainful[report]'" in capsys.readouterr().out.splitlines()[-1]
    assert not Path("shop/report.html").exists()
