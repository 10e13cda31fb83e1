"""Reports for tests: of the demo shop and of unusual data."""

from __future__ import annotations

import gzip
import json
import re
import struct
from functools import cache
from itertools import islice
from typing import Any

import gainful
from gainful.demo import search
from gainful.demo.collection import products_path, qrels, queries_path
from gainful.report import Report, make_report

MEASURES = ("nDCG@10", "AP", "RR")
#: The demo's search for 80 queries takes .1 s.
runs = cache(search.runs)


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
    letters = [chr(code) for code in range(33, 127) if chr(code) not in '"&<']
    digits = [letters.index(letter) for letter in found[1]]
    pairs = zip(digits[::2], digits[1::2], strict=False)
    bits = "".join(f"{91 * first + second:013b}" for first, second in pairs)
    length = len(bits) // 8 - len(digits) % 2
    return gzip.decompress(int(bits[: 8 * length], 2).to_bytes(length))


def unpacked(page: str, name: str) -> Any:
    """Return a packed block of JSON."""
    return json.loads(block(page, name))


def columns(page: str, name: str) -> dict[str, Any]:
    """Return the header of a packed block of columns, with the columns by name."""
    raw = block(page, name)
    start = 4 + int.from_bytes(raw[:4], "little")
    header = json.loads(raw[4:start])
    for column, length, width in header["columns"]:
        own = raw[start : start + length * width]
        start += len(own)
        header[column] = [int.from_bytes(own[at::length], "little") for at in range(length)]
    assert start == len(raw)
    return dict(header)


def scores(page: str, measure: int, systems: int) -> list[list[float]]:
    """Return the scores of a measure by system and query."""
    found = columns(page, f"scores-{measure}")
    raw, places = bytes(found["numbers"]), found["places"]
    numbers = struct.unpack(f"<{len(raw) // 8}d", raw)
    n = len(places) // systems
    return [[numbers[place] for place in places[at * n : (at + 1) * n]] for at in range(systems)]


def rankings(page: str, number: int, systems: int) -> list[dict[str, Any]]:
    """Return the rankings of a block's queries, as the page's script does."""
    found = columns(page, f"rankings-{number}")
    ids = found["ids"]
    if ids is None:
        ids = [f"{found['start']}{id}" for id in found["document"]]
    grades = [found["grades"][code] for code in found["grade"]]
    best = [
        (place - 1, found["adds"][code])
        for place, code in zip(found["ideal"], found["ideal_adds"], strict=True)
    ]
    adds = [
        (rank, found["adds"][code])
        for rank, code in zip(found["contribution"], found["adds_of"], strict=True)
    ]
    ranks, ties = _cut(found["rank"], found["ranks"]), _cut(found["tie"], found["ties"])
    contributions = _cut(adds, found["contributions"])
    by_query = [
        *zip(
            _cut(ids, found["documents"]),
            _cut(grades, found["documents"]),
            _cut(best, found["ideals"]),
            strict=True,
        )
    ]
    for query, (_, _, ideal) in enumerate(by_query):
        # 0 is the first document that no list above has.
        following = max((place for place, _ in ideal), default=-1) + 1
        for own in ranks[query * systems : (query + 1) * systems]:
            for at, code in enumerate(own):
                own[at] = code - 1 if code else following
                following += not code
    return [
        {
            "documents": documents,
            "grades": own,
            "ideal": ideal,
            "ranks": ranks[at * systems : (at + 1) * systems],
            "contributions": contributions[at * systems : (at + 1) * systems],
            "ties": ties[at * systems : (at + 1) * systems],
        }
        for at, (documents, own, ideal) in enumerate(by_query)
    ]


def _cut(column: list[Any], lengths: list[int]) -> list[list[Any]]:
    rest = iter(column)
    return [list(islice(rest, length)) for length in lengths]


def facts(page: str) -> Any:
    """Return the facts of a page."""
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


@cache
def evaluation() -> gainful.Evaluation:
    """Return the evaluation of the shop, which its page must agree with."""
    return gainful.evaluate(qrels(), runs=runs(), measures=MEASURES)
