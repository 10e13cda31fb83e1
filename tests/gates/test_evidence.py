"""Gates of measures of evidence: FullRecall, and SpanR within a budget."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.cli import main

#: Each question has a span of 20 characters, which the good chunks contain, and the bad ones cut.
GOLD = {f"q{number}": {f"d#char={number},{number + 20}": 1} for number in range(40)}
GOOD = {query: [f"d#char={at},{at + 50}", "d#char=900,950"] for at, query in enumerate(GOLD)}
BAD = {query: ["d#char=900,950", f"d#char={at + 10},{at + 60}"] for at, query in enumerate(GOLD)}
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
