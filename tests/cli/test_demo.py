"""`gainful demo`: its numbers are correct, and the suggested commands work."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import pytest

import gainful as package
from gainful import demo
from gainful.cli import main
from gainful.demo.demonstration import MEASURES, Demonstration, demonstrate
from report_pages import unpacked
from requirements import need


def commands(text: str) -> list[list[str]]:
    """Return the commands among the last lines."""
    lines = [line.strip() for line in text.splitlines()[-10:]]
    return [shlex.split(line) for line in lines if line.startswith("gainful ")]


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is the current one."""
    folder = tmp_path / "nowhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module", params=[True, False], ids=["with baselines", "without"])
def baselines(request) -> Iterator[list[str]]:
    """Return the available baselines, with and without the packages they need."""
    with pytest.MonkeyPatch.context() as patched:
        if request.param:
            need("bm25s")
            yield ["bm25", "tfidf"]
        else:
            patched.setitem(sys.modules, "bm25s", None)
            yield []


class Shown(NamedTuple):
    """The folder that contains the folder ``a shop`` of the demo, and the output."""

    folder: Path
    text: str


@pytest.fixture(scope="module")
def made(baselines: list[str], tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """Return the demo, which tests must not change."""
    folder = tmp_path_factory.mktemp("demo")
    content = io.BytesIO()
    out = io.TextIOWrapper(content, "utf-8", write_through=True)
    with contextlib.chdir(folder), contextlib.redirect_stdout(out):
        assert main(["demo", "-o", "a shop"]) == 0
    return Shown(folder, content.getvalue().decode())


@pytest.fixture(scope="module")
def shown(baselines: list[str]) -> Demonstration:
    return demonstrate()


@pytest.fixture
def shop(made: Shown, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Return the demo in the current folder."""
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def own_shop(made: Shown, nowhere: Path) -> Shown:
    """Return a copy of the demo in the current folder."""
    shutil.copytree(made.folder / "a shop", nowhere / "a shop")
    return made._replace(folder=nowhere)


WITH_BASELINES = pytest.mark.parametrize("baselines", [True], indirect=True)


@WITH_BASELINES
def test_the_suggested_commands_work(own_shop: Shown, output_of, capsys) -> None:
    assert len(own_shop.text.splitlines()) < 100
    before = sorted(own_shop.folder.iterdir())
    first, *rest = commands(output_of("demo"))
    assert sorted(own_shop.folder.iterdir()) == before
    assert first == ["gainful", "demo", "-o", "gainful-demo"]
    assert len(rest) >= 4
    # With a folder they are the same, without the one that makes it.
    named = [[word.replace("gainful-demo", "a shop") for word in command] for command in rest]
    assert commands(own_shop.text) == named
    for command in named:
        status = main(command[1:])
        out, err = capsys.readouterr()
        assert status == 0, (command, err)
        # A search reports to the standard error and writes a file.
        assert bool(err) == (command[1] in ("search", "sweep")), (command, err)
        assert out or command[1] == "search"


def test_better_worse_and_inconclusive_all_occur(shop: Shown, baselines) -> None:
    lines = shop.text.splitlines()
    verdicts = [line.split()[-1] for line in lines if re.search(r" vs\. (fts5-|bm25)", line)]
    assert sorted(set(verdicts)) == ["better", "inconclusive", "worse"]
    assert len(verdicts) == (4 if baselines else 3)


def test_missing_baselines_are_reported(shop: Shown, baselines) -> None:
    text = shop.text
    assert ("pip install 'gainful[baselines]'" in text) is not bool(baselines)
    assert f"{3 + len(baselines)} systems" in text
    # Commands and the address of the page are as long as the names of their folders.
    prose = [line for line in text.splitlines() if "gainful " not in line and "file:" not in line]
    assert max(map(len, prose)) <= 102


def test_the_files_give_the_numbers_shown(shop: Shown, baselines) -> None:
    table = shop.text.partition("Evaluate\n")[2]
    names = ["fts5-plain", "fts5-tuned", "title-words"]
    files = {"qrels.txt", "queries.tsv", "products.jsonl", "annotations.csv", "report.md"}
    written = {path.name for path in Path("a shop").iterdir() if path.is_file()}
    # The report needs Altair.
    searched = {"shop.db", "fts5-tuned.toml"}
    assert written - {"report.html"} == {f"{name}.run" for name in names} | files | searched
    apart = {path.name for path in Path("a shop").glob("baselines/*")}
    assert apart == {f"{name}.run" for name in baselines}
    runs = {name: f"a shop/{name}.run" for name in names}
    runs |= {name: f"a shop/baselines/{name}.run" for name in baselines}
    result = package.evaluate("a shop/qrels.txt", runs=runs, measures=MEASURES)
    report = Path("a shop/report.md").read_text("utf-8")
    for name in runs:
        means = [f"{result.mean(measure, name):.4f}".removeprefix("0") for measure in MEASURES]
        line = next(line for line in table.splitlines() if line.startswith(f"{name} "))
        assert [cell for cell in line.split() if cell in means] == means
        row = next(line for line in report.splitlines() if line.startswith(f"| {name} "))
        assert [cell for cell in row.split() if cell in means] == means


@WITH_BASELINES
def test_a_baseline_equals_that_of_its_function(shop: Shown, shown: Demonstration) -> None:
    for name, make in (("bm25", package.baselines.bm25), ("tfidf", package.baselines.tfidf)):
        run = make("a shop/products.jsonl", "a shop/queries.tsv", 50)
        assert run.to_dict() == shown.runs[name].to_dict()


def test_the_written_description_searches_as_the_function_does(shop: Shown) -> None:
    found = package.search("a shop/fts5-tuned.toml", "a shop/queries.tsv", 50)
    for query, ranking in demo.runs()["fts5-tuned"].items():
        assert sorted(found[query]) == sorted(ranking), query


@WITH_BASELINES
def test_the_floor_is_the_mean_of_random_orders(shown: Demonstration) -> None:
    ids = [product.doc_id for product in demo.products()]
    generator = random.Random(5)
    draws = []
    for _ in range(50):
        generator.shuffle(ids)
        run = {query: list(ids) for query in shown.judgments}
        draws.append(package.evaluate(shown.judgments, run, "nDCG@10").mean())
    spread = stdev(draws) / len(draws) ** 0.5
    assert fmean(draws) == pytest.approx(shown.headroom.floors["nDCG@10"], abs=4 * spread)


def test_nothing_is_above_the_ceiling(shown: Demonstration) -> None:
    for measure in MEASURES:
        for system in shown.evaluation.systems:
            values = shown.evaluation.per_query(measure, system)
            assert all(values[q] <= best for q, best in shown.headroom.ceiling[measure].items())


def test_differences_are_those_of_the_means(shown: Demonstration) -> None:
    for pair in shown.comparison.pairs:
        apart = shown.evaluation.mean("nDCG@10", pair.system) - shown.evaluation.mean(
            "nDCG@10", pair.baseline
        )
        assert pair.difference == pytest.approx(apart, abs=1e-12)
        assert pair.interval.low < pair.difference < pair.interval.high
        assert pair.wins + pair.ties + pair.losses == 80


@WITH_BASELINES
def test_it_replaces_what_it_wrote(own_shop: Shown, output_of) -> None:
    runs = sorted(Path("a shop").rglob("*.run"))
    before = [path.read_bytes() for path in runs]
    runs[0].unlink()
    output_of("demo", "-o", "a shop")
    assert [path.read_bytes() for path in runs] == before


def test_a_folder_that_cannot_be_made(nowhere: Path, capsys) -> None:
    (nowhere / "taken").write_text("x")
    assert main(["demo", "-o", "taken"]) == 2
    assert "taken: not a folder" in capsys.readouterr().err


@WITH_BASELINES
def test_it_ends_with_the_html_report(made: Shown, own_shop: Shown) -> None:
    need("altair")
    need("vl_convert")
    address = (made.folder / "a shop" / "report.html").as_uri()
    assert made.text.splitlines()[-1] == f"Open the HTML report in a browser: {address}"
    page = Path("a shop/report.html").read_text("utf-8")
    command = re.search(r'<pre id="command"[^>]*><code>([^<]*)</code>', page)
    assert command is not None
    before = page
    Path("a shop/report.html").unlink()
    # The command on the page reproduces the page.
    words = shlex.split(unescape(command[1]))
    assert words[0] == "gainful"
    assert main(words[1:]) == 0
    again = Path("a shop/report.html").read_text("utf-8")
    own = re.compile(r'<pre id="command".*?</pre>', re.S)
    assert own.sub("", again) == own.sub("", before)


def test_terminal_and_reports_agree_on_every_pair(shop: Shown, baselines) -> None:
    """All three compare one family of pairs, so that no pair has two verdicts."""
    need("altair")
    need("vl_convert")
    text = shop.text
    page = Path("a shop/report.html").read_text("utf-8")
    markdown = Path("a shop/report.md").read_text("utf-8")
    facts = json.loads(re.findall(r'id="facts">(.*?)</script>', page)[0])
    found = unpacked(page, "pairs")
    rows = [row for row in found["rows"] if facts["measures"][row[0]] == MEASURES[0]]
    assert len(rows) == (4 if baselines else 3)
    compared = set()
    for row in rows:
        system, other, verdict = facts["systems"][row[1]], facts["systems"][row[2]], row[3]
        own = dict(zip(found["fields"], row[6:], strict=True))
        figures = [own["difference"], own["low"], own["high"]]
        cells = [f"{figure:+.4f}".replace("0.", ".") for figure in figures]
        name = f"{system} vs. {other}"
        line = next(line for line in text.splitlines() if line.startswith(name))
        assert line.removeprefix(name).split()[:4] == [cells[0], cells[1], "to", cells[2]]
        assert line.split()[-1] == verdict
        line = next(line for line in markdown.splitlines() if line.startswith(f"| {name} "))
        assert all(cell.lstrip("+-") in line for cell in [*cells, verdict])
        compared.add(name)
    shown = {line.split("  ")[0] for line in text.splitlines() if " vs. " in line}
    assert compared == {name for name in shown if name.split(" ")[0] in facts["systems"]}


def test_without_altair_it_names_the_extra_of_the_html_report(
    nowhere: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert main(["demo", "-o", "a shop"]) == 0
    assert "pip install 'gainful[report]'" in capsys.readouterr().out.splitlines()[-1]
    assert not Path("a shop/report.html").exists()
