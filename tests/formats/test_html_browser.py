"""Results in Chromium, on pages with the styles of light and dark notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.demo.collection import products_path, qrels, queries_path
from gainful.demo.search import runs
from requirements import need

need("chromium")

CONTRASTS = (Path(__file__).parents[1] / "report/contrasts.js").read_text("utf-8")

#: What notebooks do to all tables.
NOTEBOOK = """
table { border-spacing: 0; margin-left: auto; table-layout: fixed; width: 100% }
td, th, tr { text-align: right; max-width: 8em; white-space: normal }
tbody tr:nth-child(odd) { background: #7777 }
"""
THEMES = {"light": ("#fff", "#222"), "dark": ("#111", "#ddd")}


@pytest.fixture(scope="module")
def fragment() -> str:
    systems = runs()
    systems["organization/a-model-with-a-name-of-fifty-characters"] = systems["title-words"]
    query = next(iter(qrels()))
    results = [
        gainful.evaluate(qrels(), runs=systems, measures=["nDCG@10", "AP", "RR"]),
        gainful.evaluate(qrels(), runs=systems, measures="nDCG@10"),
        gainful.compare(qrels(), systems, "nDCG@10", resamples=200),
        gainful.explain(
            qrels(), runs()["fts5-plain"], query, docs=products_path(), queries=queries_path()
        ),
        gainful.conventions["trec_eval"],
    ]
    return "".join(each._repr_html_() for each in results)


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    with browser.new_context(offline=True) as context:
        yield context.new_page()


@pytest.mark.parametrize("theme", THEMES)
def test_results_fit_the_page_and_its_theme(page: Any, fragment: str, theme: str) -> None:
    background, color = THEMES[theme]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(
        f"<style>{NOTEBOOK} body {{ background: {background}; color: {color} }}</style>{fragment}"
    )
    for width in (390, 1300):
        page.set_viewport_size({"width": width, "height": 800})
        check_layout(page, width)
    assert asked == []


def check_layout(page: Any, width: int) -> None:
    # Wide tables scroll inside the page.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert min(ratio for _, ratio in page.evaluate(CONTRASTS)) >= 4.5
    # Bars of one column begin at one place, whatever the width of the text next to them.
    edges = page.evaluate(
        """() => [...document.querySelectorAll("table")].flatMap(table =>
            [...table.querySelectorAll("th")].map((_, column) => new Set(
                [...table.querySelectorAll(`tr > td:nth-child(${column + 1}) svg`)]
                    .map(bar => bar.getBoundingClientRect().left)).size))"""
    )
    assert max(edges) == 1
