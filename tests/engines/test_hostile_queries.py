"""Whatever people type, the engine's parser of query strings sees only the words."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gainful
from engine_descriptions import asked, string_of, words_in, written
from engine_server import Server

TYPED = [
    *("AND", "OR OR", "NOT boots", "boots NOT waterproof", "boots AND", "NOT", "TO", "not"),
    *('"', '"boots', "\\", "boots\\", "\\u", "\\u00", "(boots", "boots)", "[a TO b]", "{a TO b]"),
    *("*:*", "title:boots", "_exists_:title", "/re/", "/re", "boots^", "boots^2", "boots~", "*"),
    *(">5", ">=5", "<boots", "a<b", "<", "&&", "||", "! boots", "- boots", "-boots", "+boots"),
    *("{!func}1", "{!lucene}title:boots", '_query_:"boots"', '_val_:"1"', "${df}", "boots ${q}"),
    *("boots && waterproof", "boots || lamp", "boots - waterproof", "+ - !", "--", "AND,"),
    *("café crème", "\U0001f97e boots", "boots\u3000AND\u3000lamp", "\u00a0NOT\u00a0boots", "it's"),
    *('"boots lamp"', "'boots'", "boots;lamp", "boots, lamp", "100% wool", "#1", "a@b.c", "1/2"),
]
PIECES = [*TYPED, *"abz&|+-!(){}[]^\"~*?:\\/<>=.;'%#$_", "boots", "waterproof", "lamp", " ", "\t"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    chance = random.Random(20)
    made = {
        " ".join(chance.choice(PIECES) + chance.choice(PIECES) for _ in range(chance.randint(1, 5)))
        for _ in range(300)
    }
    return [*TYPED, *sorted(text for text in made - {*TYPED} if text.strip())]


def test_signs_are_no_syntax(server: Server, texts: list[str], tmp_path: Path) -> None:
    system = written(string_of(server), tmp_path)
    queries = [(f"q{at}", text) for at, text in enumerate(texts)]
    run = gainful.search(system, queries, k=442)
    found = 0
    for query, text in queries:
        expected = dict(asked(server, "shop", words_in(server, "shop", "title", text), 442))
        # Sums of floats come out a little different in another order of the words.
        assert dict(run.get(query) or ()) == pytest.approx(expected, rel=1e-6), text
        found += bool(expected)
    assert found > 100
