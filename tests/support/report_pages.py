"""Reports for tests: of the demo shop and of unusual data."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
from functools import cache
from typing import Any

import gainful
from gainful.demo.collection import products_path, qrels, queries_path
from gainful.demo.search import runs
from gainful.report import Report, make_report

MEASURES = ("nDCG@10", "AP", "RR")


@cache
def shop() -> Report:
    """Return the report of the demo's three systems."""
    return make_report(
        qrels(),
        runs(),
        MEASURES,
        docs=products_path(),
        queries=queries_path(),
        title="Three <systems> & a shop",
        command="gainful report qrels.txt *.run",
    )


@cache
def shop_page() -> str:
    """Return the page of the shop's report."""
    return shop().html()


def many(systems: int, queries: int) -> Report:
    """Return a report with a number of systems, some of which are equal."""
    judgments = {f"q{q}": {"a": 2, "b": 1, "z": 1} for q in range(queries)}
    order = "abcdz"
    rankings = {
        f"system-{s}": {
            f"q{q}": [order[(s + q + at) % 5] for at in range(4)] for q in range(queries)
        }
        for s in range(systems)
    }
    return make_report(judgments, rankings, "nDCG@3")


def sliced(baseline: str | None = None, count: int = 2) -> Report:
    """Return a report with slices of the shop's queries, the last of which has a long name."""
    names = [f"slice {at}" for at in range(count - 1)]
    names.append("queries about replacement parts for household appliances <i>" + 80 * "x")
    by = {query: names[at % count] for at, query in enumerate(qrels())}
    return make_report(qrels(), runs(), ["nDCG@10", "RR"], baseline=baseline, by=by, resamples=500)


def hostile() -> Report:
    """Return a report whose names and texts contain markup."""
    name = "</script><script>document.title='broken'</script>"
    return make_report(
        {"q<b>1": {"d&1": 1, 'd"2': 0}, "q\u2028": {"d&1": 1}},
        {name: {"q<b>1": ['d"2', "d&1"]}, "<img src=x onerror=alert(1)>": {"q<b>1": ["d&1"]}},
        "nDCG@5",
        docs={"d&1": {"title": "<i>one</i>", "text": "</script>"}},
        queries={"q<b>1": "<b>first</b>"},
        title="<script>alert(1)</script>",
    )


def block(page: str, name: str) -> bytes:
    """Return the content of a packed block of a page."""
    found = re.search(rf'<script type="text/plain" id="block-{name}">([^<]*)</script>', page)
    assert found is not None, name
    return gzip.decompress(base64.b64decode(found[1]))


def unpacked(page: str, name: str) -> Any:
    """Return a packed block of JSON."""
    return json.loads(block(page, name))


def scores(page: str, measure: int, systems: int) -> list[list[float]]:
    """Return the scores of a measure by system and query."""
    raw = block(page, f"scores-{measure}")
    values = struct.unpack(f"<{len(raw) // 8}d", raw)
    n = len(values) // systems
    return [list(values[at * n : (at + 1) * n]) for at in range(systems)]


def facts(page: str) -> Any:
    """Return the facts of a page."""
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def evaluation() -> gainful.Evaluation:
    """Return the evaluation of the shop, which its page must agree with."""
    return gainful.evaluate(qrels(), runs=runs(), measures=MEASURES)
