"""Reports on judgments of people for a sample of queries, and of a model for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.errors import ParameterError
from gainful.report import make_report
from gainful.report.leaderboard import Board
from model_labels import collection, write_collection
from requirements import need

need("altair")
PEOPLE, MODEL, RUNS = collection()
OPTIONS: dict[str, Any] = {"predicted": MODEL, "sampled": "random", "resamples": 500}


def test_the_leaderboard_combines_people_and_model() -> None:
    report = make_report(PEOPLE, RUNS, "nDCG@10", baseline="good", **OPTIONS)
    expected = gainful.compare(PEOPLE, RUNS, "nDCG@10", baseline="good", bootstrap=0, **OPTIONS)
    assert report.comparison is not None
    [pair] = report.comparison.pairs
    assert (pair.difference, pair.interval) == (
        expected.pairs[0].difference,
        expected.pairs[0].interval,
    )
    estimates = gainful.evaluate(PEOPLE, RUNS, "nDCG@10", predicted=MODEL, sampled="random")
    for line in Board(report, 0).lines:
        estimate = estimates.estimate(system=line.system)
        assert (line.summary.mean, line.summary.interval) == (estimate.mean, estimate.interval)
    page = report.html()
    assert "<span>nDCG@10</span><small>people and model, 95% CI</small>" in page
    assert "<span>people only</span><small>30 queries, 95% CI</small>" in page
    assert f'<td class="people" data-value="{report.evaluation.mean("nDCG@10", "good")!r}"' in page
    assert '<a href="#people-model">' in page
    assert "30 of 120 queries judged by people, all by the model" in page
    assert "was fixed without them" in page
    assert [source.role for source in report.sources] == ["judgments", "predictions", "run", "run"]
    assert report.sources[0].queries == 30


def test_one_system_has_the_combined_mean() -> None:
    options = {**OPTIONS, "resamples": None}
    report = make_report(PEOPLE, {"good": RUNS["good"]}, "P@5", **options)
    assert report.predicted is not None
    assert Board(report, 0).lines[0].summary.mean == report.predicted.mean()


def test_a_report_without_predictions_has_no_such_section() -> None:
    page = make_report(PEOPLE, RUNS, "nDCG@10", resamples=500).html()
    assert "people-model" not in page
    with pytest.raises(ParameterError, match="declare that people judged a random sample"):
        make_report(PEOPLE, RUNS, "nDCG@10", predicted=MODEL)


def test_the_command_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ["report", "human.qrels", "good.run", "poor.run", "--predicted", "llm.qrels"]
    assert main([*words, "--sampled", "random", "-o", "page.html"]) == 0
    assert 'id="people-model"' in Path("page.html").read_text("utf-8")
    assert main(words) == 2
    assert "--sampled random" in capsys.readouterr().err
