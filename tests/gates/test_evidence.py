"""Gates of measures of evidence: FullRecall, and SpanR within a budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main

#: Each question has a span of 20 characters, which the good chunks contain, and the bad ones cut.
GOLD = {f"q{number}": {f"d#char={number},{number + 20}": 1} for number in range(40)}
GOOD = {query: [f"d#char={at},{at + 50}", "d#char=900,950"] for at, query in enumerate(GOLD)}
BAD = {query: ["d#char=900,950", f"d#char={at + 10},{at + 60}"] for at, query in enumerate(GOLD)}
COPIES: Any = {"copy": "a", "a": "a"}
MEASURES = ["FullRecall(overlap=1)@2", "SpanR(budget=50)", "SpanFull@1"]


def test_the_same_chunks_pass_and_cut_ones_fail() -> None:
    snapshot = gainful.make_snapshot(GOLD, GOOD, MEASURES)
    assert gainful.gate(GOLD, GOOD, snapshot).verdict == "pass"
    result = gainful.gate(GOLD, BAD, snapshot)
    assert result.verdict == "fail"
    assert {measure.measure: measure.difference for measure in result.measures} == {
        "FullRecall(overlap=1)@2": -1.0,
        "SpanR(budget=50)": -1.0,
        "SpanFull@1": -1.0,
    }


def test_the_rankings_of_a_snapshot_reach_the_budget() -> None:
    """Rescoring them gives the same values, although a budget is no cutoff."""
    snapshot = gainful.make_snapshot(GOLD, GOOD, "SpanR(budget=100)")
    assert snapshot.queries["q0"].documents == tuple(GOOD["q0"])
    rescored = gainful.gate(GOLD, BAD, snapshot, rescore=True)
    assert [measure.difference for measure in rescored.measures] == [-0.5]


def test_a_measure_without_offsets_is_refused() -> None:
    with pytest.raises(gainful.errors.MeasureError, match="ignores offsets"):
        gainful.make_snapshot(GOLD, GOOD, "nDCG@10")


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gainful.Qrels(GOLD).write("gold.tsv")
    for name, chunks in (("good", GOOD), ("bad", BAD)):
        gainful.Run(chunks).write(f"{name}.tsv")
    save = ["gate", "gold.tsv", "good.tsv", "--save", "snapshot.json"]
    assert main([*save, "-m", "FullRecall@2", "-m", "SpanR(budget=50)"]) == 0
    check = ["--snapshot", "snapshot.json"]
    assert main(["gate", "gold.tsv", "good.tsv", *check]) == 0
    assert main(["gate", "gold.tsv", "bad.tsv", *check]) == 4
    assert "SpanR(budget=50)" in capsys.readouterr().out


def test_a_snapshot_records_what_is_left_out_and_merged(tmp_path: Path) -> None:
    judged = {f"q{number}": {"a": 1, "x": 1} for number in range(6)}
    run = {query: ["copy", "a", "x"] for query in judged}
    left_out = [("q0", "x")]
    path = tmp_path / "snapshot.json"
    options: dict[str, Any]
    for options in (
        {"exclude": left_out},
        {"same": COPIES},
        {"exclude": left_out, "same": COPIES},
    ):
        gainful.make_snapshot(judged, run, "RR", **options).write(path)
        saved = gainful.gates.read_snapshot(path)
        assert list(saved.selection or {}) == list(options)
        result = gainful.gate(judged, run, saved, rescore=True, **options)
        assert (result.verdict, result.selection_changed) == ("pass", ())
        assert [measure.difference for measure in result.measures] == [0.0]
        with pytest.raises(gainful.errors.ParameterError, match=r"a snapshot with .(exclude|same)"):
            gainful.gate(judged, run, saved)
    with pytest.raises(gainful.errors.ParameterError, match="a snapshot without"):
        gainful.gate(judged, run, gainful.make_snapshot(judged, run, "RR"), same=COPIES)
    again = gainful.gate(judged, run, path, exclude=[("q1", "x")], same=COPIES)
    assert again.selection_changed == ("exclude",)
    assert "The excluded documents changed since the snapshot was saved." in again.notes


def test_an_anchor_is_selected_as_the_snapshot_that_replaces_it() -> None:
    judged = {f"q{number}": {"a": 1} for number in range(6)}
    run = {query: ["copy", "a"] for query in judged}
    first = gainful.make_snapshot(judged, run, "RR")
    other = {query: ["b", "copy", "a"] for query in judged}
    replaced = gainful.make_snapshot(judged, other, "RR", after=first, same=COPIES)
    assert replaced.anchor is not None
    assert {row.values for row in first.queries.values()} == {(0.5,)}
    assert {row.values for row in replaced.anchor.queries.values()} == {(1.0,)}
