"""The page that evaluates in the browser, in Chromium."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import browser as web_page
import gainful
from accessibility import violations
from requirements import ROOT, need

QUOTED = 'q"<b>é😀'


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    need("wasm")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs/_static/web", folder / "web")
    web_page.write(folder / "web")
    markup = (ROOT / "docs/browser.md").read_text("utf-8")
    raw = markup.split("```{raw} html\n")[1].split("```")[0].replace("_static/", "")
    head = (
        '<meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Page</title>'
    )
    look = '<meta name="viewport" content="width=device-width"><h1>Evaluate in the browser</h1>'
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en">{head}<main>{look}{raw}</main>', "utf-8"
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    errors: list[str] = []
    found = browser.new_page()
    found.set_default_timeout(120_000)
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.goto(address)
    found.get_by_text("Choose the judgments and the run.").wait_for()
    yield found
    found.close()
    assert errors == []


def choose(page: Any, qrels: Path | str, run: Path | str) -> None:
    page.get_by_label("Judgments (qrels)").set_input_files(qrels)
    page.get_by_label("Run", exact=True).set_input_files(run)


def test_two_files_are_evaluated_and_explained(page: Any, small_files: Path) -> None:
    choose(page, "qrels.txt", "bm25.run")
    mean = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10").mean("nDCG@10")
    page.get_by_text(f"nDCG@10 = {mean:.4f} over 6 queries").wait_for()
    page.get_by_role("button", name="q1", exact=True).click()
    own = gainful.explain("qrels.txt", "bm25.run", "q1", "nDCG@10")
    page.get_by_text(
        f"Query q1: nDCG@10 = {own.value:.4f} = {own.dcg:.4f} / {own.idcg:.4f}"
    ).wait_for()
    ranks = page.locator("table", has_text="The ranking").locator("tbody tr")
    assert [row.split("\t")[1] for row in ranks.all_inner_texts()] == [
        each.document for each in own.ranks
    ]
    measure = page.get_by_label(re.compile("^ ?Measure"))
    measure.select_option("AP")
    own = gainful.explain("qrels.txt", "bm25.run", "q1", "AP@10")
    page.get_by_text(f"Query q1: AP@10 = {own.value:.4f}").wait_for()
    headings = page.locator("table", has_text="The ranking").locator("th").all_inner_texts()
    assert headings == ["rank", "document", "score", "grade", "relevant", "precision", "sum"]
    measure.select_option("nDCG")
    page.get_by_label("Cutoff").fill("3")
    page.get_by_label("Convention").select_option("burges-2005")
    other = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@3", convention="burges-2005")
    page.get_by_text(f"nDCG@3 = {other.summary().value:.4f} over").wait_for()


def test_the_sample_is_compared_and_explained(page: Any, small_files: Path) -> None:
    page.get_by_role("button", name="Try it with sample files").click()
    comparison = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
    pair = comparison.pair("dense", "bm25")
    for system, mean in comparison.means("nDCG@10").items():
        page.get_by_text(f"{system}.run: nDCG@10 = {mean:.4f} over 6 queries").wait_for()
    tiles = dict(
        zip(
            page.locator(".gainful-tiles dt").all_inner_texts(),
            page.locator(".gainful-tiles dd").all_inner_texts(),
            strict=True,
        )
    )
    assert tiles == {
        "difference, dense.run − bm25.run": f"+{pair.difference:.4f}",
        "p (randomization test)": f"{pair.p:.4f}",
        "wins / ties / losses": f"{pair.wins} / {pair.ties} / {pair.losses}",
    }
    page.get_by_text("not statistically significant at the 5% level").wait_for()
    rows = page.locator("table", has_text="largest loss first").locator("tbody tr")
    differences = comparison.differences(pair)
    first = rows.first.inner_text().split("\t")
    assert first[0].startswith(min(differences, key=differences.__getitem__))
    # Ids of the sample have texts.
    page.get_by_text("lentil soup").first.wait_for()
    page.get_by_role("button", name="q1", exact=True).click()
    for system in ("bm25", "dense"):
        own = gainful.explain("qrels.txt", f"{system}.run", "q1", "nDCG@10")
        page.get_by_text(f"{system}.run, Query q1: nDCG@10 = {own.value:.4f}").wait_for()
    assert page.get_by_text("Lentil soup with cumin").count() >= 2
    page.get_by_role("button", name="Remove the second run").click()
    page.get_by_text("Queries, lowest value first").wait_for()
    assert page.locator(".gainful-tiles").count() == 0
    # Files of one's own have no texts of the sample.
    choose(page, "qrels.txt", "bm25.run")
    page.wait_for_function("() => !document.body.innerText.includes('lentil soup')")


def test_runs_without_a_common_query(page: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    for name, query in (("a", "q1"), ("b", "q2")):
        (tmp_path / f"{name}.run").write_text(f"{query} Q0 d1 1 1.0 t\n")
    choose(page, tmp_path / "qrels.txt", tmp_path / "a.run")
    page.get_by_label("Convention").select_option("trec_eval-9.0.8")
    page.get_by_label("Second run, to compare (optional)").set_input_files(tmp_path / "b.run")
    page.get_by_text("The runs have no evaluated query in common.").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_page_is_accessible(browser: Any, address: str, scheme: str, width: int) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.set_default_timeout(120_000)
    page.goto(address)
    page.get_by_role("button", name="Try it with sample files").click()
    page.get_by_role("button", name="q1", exact=True).click()
    page.get_by_text("dense.run, Query q1").wait_for()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_an_error_is_shown_and_then_corrected(page: Any, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.run", tmp_path / "bad.run"
    (tmp_path / "qrels.txt").write_text(f"{QUOTED} 0 d1 1\n", "utf-8")
    good.write_text(f"{QUOTED} Q0 d1 1 1.0 t\n", "utf-8")
    bad.write_text(f"{QUOTED} Q0 d1 1 high t\n", "utf-8")
    choose(page, tmp_path / "qrels.txt", bad)
    page.get_by_text("bad.run: line 1").wait_for()
    choose(page, tmp_path / "qrels.txt", good)
    page.get_by_text("nDCG@10 = 1.0000 over 1 query").wait_for()
    page.get_by_role("button", name=QUOTED).click()
    page.get_by_text(f"Query {QUOTED}: nDCG@10 = 1.0000").wait_for()


DROP = """([files, target]) => {
    const data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([text], name));
    const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
    const place = [...document.querySelectorAll(target)].at(-1);
    return place.dispatchEvent(event);
}"""


def drop(page: Any, *names: str, target: str = "body") -> None:
    """Drop files; a browser that nobody stops shows them in place of the page."""
    files = [(name, Path(name).read_text("utf-8")) for name in names]
    assert page.evaluate(DROP, [files, target]) is False


@pytest.mark.parametrize("names", [("qrels.txt", "bm25.run"), ("bm25.run", "qrels.txt")])
def test_two_files_are_dropped_in_any_order(
    page: Any, small_files: Path, names: tuple[str, str]
) -> None:
    drop(page, *names)
    mean = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10").mean("nDCG@10")
    page.get_by_text(f"nDCG@10 = {mean:.4f} over 6 queries").wait_for()
    for label, name in (("Judgments (qrels)", "qrels.txt"), ("Run", "bm25.run")):
        field = page.get_by_label(label, exact=True)
        assert field.evaluate("field => field.files[0].name") == name


def test_files_that_are_dropped_elsewhere(page: Any, small_files: Path) -> None:
    drop(page, "qrels.txt")
    page.get_by_text("Drop a file on its field").wait_for()
    drop(page, "qrels.txt", "bm25.run", "dense.run")
    page.get_by_text("Drop a file on its field").wait_for()
    drop(page, "bm25.run", target="[data-role=run]")
    page.get_by_text("Choose the judgments and the run.").wait_for()
    drop(page, "qrels.txt", target="[data-role=qrels]")
    page.get_by_text("nDCG@10 = 0.7193 over 6 queries").wait_for()
    drop(page, "docs.jsonl", "docs.jsonl")
    page.get_by_text("docs.jsonl: line 1").wait_for()
    assert page.get_by_text("nDCG@10 =").count() == 0


def test_a_folder_replaces_no_result(page: Any, small_files: Path) -> None:
    choose(page, "qrels.txt", "bm25.run")
    page.get_by_text("nDCG@10 = 0.7193 over 6 queries").wait_for()
    page.evaluate("() => { File.prototype.arrayBuffer = () => Promise.reject(new Error()); }")
    page.get_by_label("Run", exact=True).set_input_files("dense.run")
    page.get_by_text("dense.run cannot be read").wait_for()
    assert page.get_by_text("nDCG@10 =").count() == 0


@pytest.mark.parametrize("cutoff", ["0", "-3", "1.5", "1e20"])
def test_a_cutoff_that_is_none(page: Any, small_files: Path, cutoff: str) -> None:
    choose(page, "qrels.txt", "bm25.run")
    page.get_by_text("nDCG@10 = 0.7193 over 6 queries").wait_for()
    page.get_by_label("Cutoff").fill(cutoff)
    page.get_by_label("Cutoff").blur()
    page.get_by_text("The cutoff is a whole number of 1 or more").wait_for()
    assert page.get_by_text("over 6 queries").count() == 0


def test_many_queries(page: Any, tmp_path: Path) -> None:
    qrels = "".join(f"q{query} 0 d1 1\n" for query in range(1500))
    (tmp_path / "qrels.txt").write_text(qrels, "utf-8")
    (tmp_path / "a.run").write_text(qrels.replace(" 0 d1 1", " Q0 d1 1 1.0 a"), "utf-8")
    choose(page, tmp_path / "qrels.txt", tmp_path / "a.run")
    page.get_by_text("nDCG@10 = 1.0000 over 1500 queries").wait_for()
    page.get_by_text("The 1000 of 1500 queries with the lowest values").wait_for()
    assert page.locator("tbody tr").count() == 1000
