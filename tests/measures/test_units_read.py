"""The units that measures of spans read, as a column of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.measures import parse_measures
from gainful.measures.budgets import units_measure, with_units

GOLD = {"q1": {"d#char=0,10": 1}, "q2": {"d#char=50,60": 1}}
RUN = {"q1": ["d#char=0,100", "d#char=50,150"], "q2": ["d#char=40,90"]}


def columns(evaluation: gainful.Evaluation) -> dict[str, list[object]]:
    table = evaluation.tables()[0]
    return {column.key: [row[at] for row in table.rows] for at, column in enumerate(table.columns)}


def test_units_are_a_column_of_their_measures() -> None:
    measures = with_units(parse_measures(["SpanR@1", "SpanR(budget=120)", "FullRecall@1"]))
    assert list(map(repr, measures[3:])) == ["SpanUnits@1", "SpanUnits(budget=120)"]
    found = columns(gainful.evaluate(GOLD, RUN, measures))
    assert found["measure"] == ["SpanR@1", "SpanR(budget=120)", "FullRecall@1"]
    assert found["units"] == [75.0, 85.0, None]
    assert "judged" not in found


def test_units_alone_are_a_measure() -> None:
    found = columns(gainful.evaluate(GOLD, RUN, ["SpanUnits@1", "SpanR@2"]))
    assert found["measure"] == ["SpanUnits@1", "SpanR@2"]
    assert "units" not in found


def test_the_unit_of_a_budget_is_that_of_the_measure() -> None:
    (measure,) = parse_measures(["SpanP(budget=9, unit='tokens', last='drop', rel=2)"])
    assert repr(units_measure(measure)) == "SpanUnits(budget=9, unit='tokens', last='drop')"


def test_no_chunk_is_judged() -> None:
    evaluation = gainful.evaluate(GOLD, RUN, ["FullRecall@1", "SpanR@1"])
    assert evaluation.summary("FullRecall@1").judged is None
    assert evaluation.counts()["judged_at_cutoff"] == {"1": None}
    documents = gainful.evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, "FullRecall@2")
    assert documents.summary().judged == 0.5


def test_the_command_adds_them_to_the_table_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gainful.Qrels(GOLD).write("gold.tsv")
    gainful.Run(RUN).write("run.tsv")
    words = ["evaluate", "gold.tsv", "run.tsv", "-m", "SpanR@1"]
    assert main(words) == 0
    assert "units read" in capsys.readouterr().out
    for more in (["--format", "csv"], ["--per-query"], ["--wide"], ["--format", "json"]):
        assert main([*words, *more]) == 0
        assert "nits" not in capsys.readouterr().out
