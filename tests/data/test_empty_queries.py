"""Queries without results and ids with spaces, in each format that can represent them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import LossWarning
from gainful_program import gainful as program
from repeated_tests import for_each

RANKINGS: dict[str, Any] = {
    "without scores": {"lentil soup": ["d1", "d 2"], "bread": [], "q": ["d1"]},
    "with scores": {"lentil soup": {"d1": 2.0, "d 2": 1.0}, "bread": {}, "q": {"d1": 0.5}},
    "first": {"bread": [], "q": ["d1"]},
}


@for_each("kind", list(RANKINGS))
@for_each("suffix", [".tsv", ".csv", ".jsonl", ".json", ".tsv.gz"])
def test_written_runs_are_read_back(kind: str, suffix: str, tmp_path: Path) -> None:
    run = gainful.Run(RANKINGS[kind])
    path = tmp_path / f"run{suffix}"
    run.write(path)
    again = gainful.read_run(path)
    assert again.to_dict() == run.to_dict()
    assert list(again) == list(run)


def test_trec_has_no_line_for_a_query_without_documents(tmp_path: Path) -> None:
    with pytest.warns(LossWarning, match=r"a\.run lacks 1 query without results \('q 2'\)"):
        gainful.Run({"q1": ["d1"], "q 2": []}, name="mine").write(tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == "q1 Q0 d1 1 1 mine\n"


def test_evaluations_count_empty_queries(tmp_path: Path) -> None:
    qrels = {"lentil soup": {"d1": 1}, "bread": {"d1": 1}}
    run = gainful.Run({"lentil soup": ["d1"], "bread": []})
    run.write(tmp_path / "run.tsv")
    # This convention skips queries missing from the run, but not empty ones.
    for convention in ("gainful-1", "trec_eval"):
        expected = gainful.evaluate(qrels, run, "RR@10", convention=convention)
        found = gainful.evaluate(qrels, tmp_path / "run.tsv", "RR@10", convention=convention)
        assert found.mean() == expected.mean()


def test_search_and_python_write_equal_files(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("queries.txt").write_text("lentil soup\nbread\n")
    Path("system.py").write_text(
        "def search(query, top_k):\n    return [] if query == 'bread' else ['d1', 'd2']\n"
    )
    words = ("search", "queries.txt", "--system", "system.py:search", "-o", "run.tsv")
    assert program(*words).returncode == 0
    run = gainful.search(
        lambda query, top_k: [] if query == "bread" else ["d1", "d2"],
        Path("queries.txt"),
        k=100,
    )
    run.write("again.tsv")
    assert Path("run.tsv").read_text() == Path("again.tsv").read_text()
    assert Path("run.tsv").read_text().splitlines()[1:] == [
        "lentil soup\td1\t1",
        "lentil soup\td2\t2",
        "bread\t\t",
    ]
    done = program("convert", "run.tsv", "run.run", "--kind", "run", "--ids", "map.tsv")
    assert b"lacks 1 query without results" in done.stderr
    assert program("convert", "run.tsv", "run.jsonl", "--kind", "run").returncode == 0
    assert gainful.read_run("run.jsonl").to_dict() == {"lentil soup": ["d1", "d2"], "bread": []}
