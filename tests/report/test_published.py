"""Published scores in the leaderboards of a report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gainful.cli import main
from gainful.errors import ParameterError
from gainful.published import PublishedScore, read_published, write_published
from gainful.report import make_report
from requirements import need

RUNS = {"bm25": "bm25.run", "dense": "dense.run"}


def score(system: str, mean: float, **more: Any) -> PublishedScore:
    return PublishedScore(system=system, measure="ndcg_cut_10", mean=mean, **more)


def rows_of(page: str) -> list[str]:
    """Return the rows of the first leaderboard."""
    (body,) = re.findall(r'<table class="board.*?<tbody>\n(.*?)</tbody>', page, re.DOTALL)[:1]
    return body.strip().split("\n")


def test_rows_are_in_the_order_of_means(small_files: Path) -> None:
    need("altair")
    need("vl_convert")
    scores = [
        score("<SPLADE>", 0.74, convention="beir-2.2.0", source='a "paper"', low=0.7, high=0.8),
        score("BM25", 0.3),
    ]
    report = make_report("qrels.txt", RUNS, ["nDCG@10", "AP"], published=scores)
    first, second, third, fourth = rows_of(report.html())
    assert 'data-value="dense"' in first
    assert 'data-value="bm25"' in third
    assert "&lt;SPLADE&gt;<small>published, beir-2.2.0</small>" in second
    assert 'title="a &quot;paper&quot;"' in second
    assert "<b>.7400</b><small>.7000 to .8000</small>" in second
    assert "BM25<small>published, unknown convention</small>" in fourth
    # As many cells as the others, and no box to tick.
    cells = re.compile(r"<t[dh] ")
    assert len(cells.findall(first)) == len(cells.findall(second))
    assert "data-toggles" not in second
    assert "Published scores have no values by query, so they are not tested." in report.html()


def test_one_collection_is_chosen(small_files: Path) -> None:
    scores = [score("X", 0.5, collection="news"), score("Y", 0.6, collection="web")]
    with pytest.raises(ParameterError, match=r"several collections. Hint: .*: news, web"):
        make_report("qrels.txt", RUNS, published=scores)
    with pytest.raises(ParameterError, match="no published score of 'x', expected one of news"):
        make_report("qrels.txt", RUNS, published=scores, collection="x")
    assert make_report("qrels.txt", RUNS, published=scores, collection="web").published == (
        scores[1],
    )
    assert make_report("qrels.txt", RUNS, published=scores[:1]).published == (scores[0],)


def test_the_command_reads_and_writes(
    small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need("altair")
    need("vl_convert")
    write_published("paper.json", [score("SPLADE", 0.74, collection="recipes")])
    words = ["report", "qrels.txt", *RUNS.values(), "-m", "nDCG@10", "--published", "paper.json"]
    assert main([*words, "--publish", "own.json", "--collection", "recipes"]) == 0
    assert "SPLADE<small>published" in Path("report.html").read_text("utf-8")
    assert [(each.system, each.collection) for each in read_published("own.json")] == [
        ("bm25", "recipes"),
        ("dense", "recipes"),
    ]
    capsys.readouterr()
    assert main([*words, "--collection", "web"]) == 2
    assert "no published score of 'web'" in capsys.readouterr().err
