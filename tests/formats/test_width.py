"""Text of any script is as wide as terminals draw it, and is cut between characters."""

from __future__ import annotations

import sys

import pytest

from gainful.formats.table import Column, Table, cut, width
from gainful.formats.text import text, wrapped
from repeated_tests import for_each


@for_each(
    ("shown", "columns"),
    [
        ("👩\u200d💻 dev", 6),
        ("👍🏽", 2),
        ("🇩🇪 shop", 7),
        ("❤\ufe0f", 2),
        ("a\u200bb", 2),
        ("नमस्ते", 4),
        ("क्षि", 2),
        ("e\u0301t", 2),
        ("検索", 4),
        ("\u1112\u1161\u11ab", 2),
        ("naïve – d12…", 12),
    ],
)
def test_width(shown: str, columns: int) -> None:
    assert width(shown) == columns


@for_each("shown", ["a👩\u200d💻👩\u200d💻👩\u200d💻z", "नमस्तेनमस्ते", "e\u0301" * 9])
@for_each("columns", [4, 5, 6])
@for_each("middle", [False, True])
def test_a_cut_keeps_characters_whole(shown: str, columns: int, middle: bool) -> None:
    head, tail = cut(shown, columns, middle=middle).split("…")
    assert width(head) + 1 + width(tail) <= columns
    assert shown.startswith(head)
    assert shown.endswith(tail)
    parts = [part for part in (head, shown[len(head) : len(shown) - len(tail)], tail) if part]
    assert sum(map(width, parts)) == width(shown)
    assert not any(part.startswith(("\u200d", "\u0301", "े", "ते"[1:])) for part in parts)


def test_columns_are_aligned() -> None:
    names = ["👩\u200d💻 dev", "नमस्ते", "plain", "a\u200bb"]
    table = Table([Column("system"), Column("n", show=str)], [[name, 1] for name in names])
    assert len({width(line) for line in text(table).splitlines()}) == 1


def test_long_words_are_broken_between_characters() -> None:
    lines = wrapped("👩\u200d💻" * 9, 8)
    assert max(map(width, lines)) <= 8
    assert sum(line.count("👩\u200d💻") for line in lines) == 9


def test_ascii_and_the_characters_of_tables_import_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wcwidth", None)
    assert width("bm25 – .5…") == 10
    assert cut("clueweb12-0000wb", 8) == "clueweb…"
    with pytest.raises(ImportError):
        width("é")
