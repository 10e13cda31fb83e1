"""Coverage over budgets: the measures, one table, crossings and the picture."""

from __future__ import annotations

import pytest

import gainful
from gainful.comparison.rendering import coverage_rows, is_over_budgets
from gainful.errors import ParameterError
from gainful.measures.budgets import budget_measures

GOLD = {f"q{query}": {"d#char=300,400": 1} for query in range(20)}
#: Finds all at once, but only after 1,000 characters.
LATE = {query: {"d#char=1000,2000": 2.0, "d#char=0,1000": 1.0} for query in GOLD}
#: Finds half at once, and never the rest.
EARLY = {
    query: {"d#char=350,450": 9.0, **{f"d#char={at},{at + 100}": 5.0 for at in (1050, 2050, 3050)}}
    | {f"d#char={at},{at + 100}": 1.0 for at in range(4050, 8000, 100)}
    for query in GOLD
}


@pytest.fixture
def comparison() -> gainful.Comparison:
    return gainful.compare(
        GOLD,
        {"late": LATE, "early": EARLY},
        budget_measures("100,200,2000"),
        family="all",
        resamples=2_000,
        bootstrap=0,
    )


def test_budgets_are_a_range_or_a_list():
    assert [measure.params["budget"] for measure in budget_measures("400:1600")] == [
        *(400, 570, 800, 1100, 1600)
    ]
    assert len(budget_measures("500:8000:4")) == 4
    assert repr(budget_measures("1000,500")) == "(SpanR(budget=500), SpanR(budget=1000))"


@pytest.mark.parametrize("text", ["", "8000:500", "a:b", "0:10", "1:2:3:4", "5:10:1", "1.5,2"])
def test_other_texts_are_refused(text):
    with pytest.raises(ParameterError, match="LOW:HIGH"):
        budget_measures(text)


def test_one_table_has_the_budgets_as_rows_and_names_the_crossing(comparison):
    assert is_over_budgets(comparison.measures)
    (table,) = comparison.tables()
    assert [row[0] for row in table.rows] == [100, 200, 2000]
    assert [row[1:3] for row in table.rows] == [(0.0, 0.5), (0.0, 0.5), (1.0, 0.5)]
    text = str(comparison)
    assert "The winner depends on the budget: early covers more up to 200, late from 2,000." in text


def test_the_picture_has_a_band_per_system(comparison):
    rows = coverage_rows(comparison.evaluations)
    assert [(row["system"], row["at"], row["value"]) for row in rows[:2]] == [
        ("late", 100, 0.0),
        ("early", 100, 0.5),
    ]
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    spec = comparison.plot().to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line"]


def test_other_measures_keep_their_tables():
    measures = ["SpanR(budget=100)", "SpanR(budget=200)", "SpanU"]
    found = gainful.compare(GOLD, {"a": LATE, "b": EARLY}, measures, resamples=500, bootstrap=0)
    assert not is_over_budgets(found.measures)
    assert len(found.tables()) == 3
