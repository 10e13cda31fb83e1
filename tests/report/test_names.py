"""Long names of systems in an HTML report."""

from __future__ import annotations

from gainful.report.leaderboard import MOST, render_name, shorten_names


def test_short_names_stay() -> None:
    assert shorten_names(("bm25", "x" * MOST)) == {"bm25": "bm25", "x" * MOST: "x" * MOST}


def test_names_that_differ_in_the_middle_stay_distinct() -> None:
    names = tuple(f"{'a' * 25}-{at:02}-{'b' * 25}" for at in range(20))
    short = shorten_names(names)
    assert len(set(short.values())) == len(names)
    assert all(len(each) <= len(name) for name, each in short.items())


def test_names_of_one_family_are_cut_where_they_are_equal() -> None:
    names = tuple(f"org-research/dense-retriever-v{at}-finetuned-msmarco" for at in range(12))
    short = shorten_names(names)
    assert len(set(short.values())) == len(names)
    assert {len(each) for each in short.values()} == {MOST}


def test_the_tooltip_has_the_whole_name() -> None:
    name = '"<b>' + "x" * 50
    shown = render_name((name,), name)
    assert shown.startswith(f'<span title="&quot;&lt;b&gt;{"x" * 50}">&quot;&lt;b&gt;xx')
    assert "…" in shown
    assert render_name(("a&b",), "a&b") == "a&amp;b"
