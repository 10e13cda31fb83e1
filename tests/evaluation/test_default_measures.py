"""The measures of calls without measures, where judgments are places in texts."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import MeasureError

GOLD = "query\tdocument\tstart\tend\tgrade\nq1\td1\t0\t100\t1\nq1\td2\t0\t10\t1\n"
CHUNKS = "query\tdocument\tstart\tend\tscore\nq1\td1\t0\t50\t2\nq1\td3\t50\t150\t1\n"
#: Two groups of alternatives: one is found in full.
GROUPS = (
    "query\tdocument\tstart\tend\tgroup\tweight\tgrade\n"
    "q1\td1\t0\t50\ta\t3\t1\nq1\td2\t0\t50\tb\t1\t1\n"
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"gold": GOLD, "groups": GROUPS, "one": CHUNKS, "two": CHUNKS}.items():
        Path(f"{name}.tsv").write_text(text, "utf-8")


@pytest.mark.parametrize("gold", ["gold.tsv", "groups.tsv"])
def test_functions_measure_spans(gold: str) -> None:
    spans = ("SpanR@5", "SpanP@5", "SpanDCG@5")
    for qrels in (gold, gainful.read_qrels(gold)):
        evaluation = gainful.evaluate(qrels, "one.tsv")
        assert tuple(map(repr, evaluation.measures)) == spans
    evaluation = gainful.evaluate(gold, "one.tsv")
    assert evaluation.to_dict() == gainful.evaluate(gold, "one.tsv", spans).to_dict()
    comparison = gainful.compare(gold, ["one.tsv", "two.tsv"])
    assert list(map(repr, comparison.measures)) == ["SpanR@5"]
    assert gainful.make_snapshot(gold, "one.tsv").measures == comparison.measures
    assert repr(gainful.explain(gold, "one.tsv", "q1").measure) == "SpanR@5"
    report = gainful.report.make_report(gold, ["one.tsv", "two.tsv"])
    assert tuple(map(repr, report.evaluation.measures)) == spans


def test_requested_measures_and_documents_stay() -> None:
    with pytest.raises(MeasureError, match=r"nDCG@10 ignores offsets"):
        gainful.evaluate("gold.tsv", "one.tsv", "nDCG@10")
    with pytest.raises(MeasureError, match="ignores offsets"):
        gainful.evaluate("gold.tsv", "one.tsv", convention="trec_eval")
    whole = {"q1": {"d1": 1}}
    assert repr(gainful.evaluate(whole, {"q1": ["d1"]}).measures[0]) == "nDCG@10"


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "gold.tsv", "one.tsv"],
        ["evaluate", "gold.tsv", "one.tsv", "--convention", "gainful-1"],
        ["compare", "gold.tsv", "one.tsv", "two.tsv"],
        ["explain", "gold.tsv", "one.tsv"],
        ["gate", "gold.tsv", "one.tsv", "--save", "snapshot.json"],
        ["report", "gold.tsv", "one.tsv", "two.tsv", "-o", "report.html"],
    ],
)
def test_commands_measure_spans(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    shown = Path("report.html").read_text("utf-8") if "report" in words else capsys.readouterr().out
    assert "SpanR@5" in shown
