"""The bars of references: which part of the relevant text each system reads."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.report import make_report
from gainful.report.page import list_queries, list_references
from requirements import need

GOLD = {
    "q1": {"a#char=100,120": 1, "b#char=0,10": 1, "a#char=300,310": 0},
    "q2": {"b#char=5,25": 1, "b#char=7,7": 1},
}
RUNS = {
    "long": {"q1": ["a#char=0,110", "b#char=0,50"], "q2": ["a#char=0,50"]},
    "short": {"q1": ["a#char=105,110", "a#char=112,200"], "q2": ["b#char=0,10", "b#char=20,40"]},
}


def references(measure: str, qrels: object = GOLD) -> Any:
    need("altair")
    report = make_report(qrels, RUNS, measure)
    return list_references(report, list_queries(report.evaluation))


def test_the_relevant_places_and_what_is_read() -> None:
    found = references("SpanR(budget=70, last='drop')")
    assert found["places"] == [["a#char=100,120", "b#char=0,10"], ["b#char=5,25", "b#char=7,7"]]
    assert (found["cutoff"], found["budget"], found["drops"]) == (None, 70, True)
    assert references("FullRecall@5")["cutoff"] == 5


def test_groups_have_their_places() -> None:
    grouped = {"q1": {"g": {"a#char=100,120": 1}, "h": {"a#char=100,120": 1, "c#char=1,2": 1}}}
    found = references("FullRecall@5", gainful.Qrels(grouped, subtopics=True))
    assert found["places"] == [["a#char=100,120", "c#char=1,2"]]


def test_documents_have_no_bars() -> None:
    need("altair")
    report = make_report({"q": {"a": 1}}, {"s": {"q": ["a"]}}, "nDCG@5")
    assert list_references(report, ["q"]) is None


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a page that shows the references of a query."""
    need("vl_convert")
    path = tmp_path_factory.mktemp("references") / "report.html"
    make_report(GOLD, RUNS, "SpanR@2").write(str(path))
    page = browser.new_page()
    page.set_default_timeout(120_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    # Charts are drawn when a browser is idle.
    page.add_init_script("requestIdleCallback = () => 0")
    page.goto(f"{path.as_uri()}#query=q1")
    page.wait_for_selector(".references")
    yield page
    page.close()
    assert errors == []


def test_bars(page: Any) -> None:
    rows = page.locator(".references tbody tr")
    assert rows.count() == 2
    assert page.locator(".references thead th").all_inner_texts() == ["reference", "short", "long"]
    texts = [row.locator("td").all_inner_texts() for row in rows.all()]
    assert texts == [[".6500 read", ".5000 read"], [".0000 read", "1.0000 read"]]
    parts = rows.nth(0).locator("td").nth(0).locator("i")
    styles = [part.get_attribute("style") for part in parts.all()]
    assert [style.rpartition(";")[0] for style in styles] == [
        "left:25%;width:25%",
        "left:60%;width:40%",
    ]
    background = rows.nth(1).locator(".reference").first
    image = background.evaluate("bar => getComputedStyle(bar).backgroundImage")
    assert image.startswith("repeating-linear-gradient")


@pytest.mark.parametrize("last", ["cut", "drop"])
def test_shares_are_those_of_the_kernel(page: Any, last: str) -> None:
    """The page reads random rankings as SpanR does, at cutoffs and within budgets."""
    draw = random.Random(44)
    cases, means = [], []
    for _ in range(40):
        ids = [
            f"d{draw.randrange(2)}#char={start},{start + draw.randrange(1, 40)}"
            for start in (draw.randrange(60) for _ in range(6))
        ]
        ids.append("d0#char=900,901")
        gold = f"d0#char={draw.randrange(30)},{30 + draw.randrange(1, 40)}"
        budget, cutoff = draw.randrange(1, 120), draw.randrange(1, 7)
        for measure, reading in (
            (f"SpanR@{cutoff}", {"cutoff": cutoff}),
            (f"SpanR(budget={budget}, last='{last}')", {"budget": budget, "drops": last == "drop"}),
        ):
            cases.append([gold, ids, reading])
            means.append(gainful.evaluate({"q": {gold: 1}}, {"q": ids}, measure).mean())
    shares = page.evaluate(
        f"""(cases) => {{
            {(Path(gainful.__file__).parent / "report/assets/references.js").read_text()}
            return cases.map(([gold, ids, reading]) => {{
                const reference = placeOf(gold);
                const parts = partsRead(reference, readPlaces(ids, reading));
                const read = parts.reduce((sum, [start, end]) => sum + end - start, 0);
                return read / (reference.end - reference.start);
            }});
        }}""",
        cases,
    )
    for case, share, mean in zip(cases, shares, means, strict=True):
        assert math.isclose(share, mean, abs_tol=1e-12), case
