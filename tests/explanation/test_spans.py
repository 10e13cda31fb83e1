"""The explanation of measures of spans and groups."""

from __future__ import annotations

import pytest

import gainful

GOLD = {"q": {"a#char=100,120": 1, "a#char=110,130": 1, "b#char=0,10": 2}}
CHUNKS = {"q": ["a#char=0,110", "c#char=0,50", "a#char=90,200", "a#char=0,110", "b#char=5,25"]}
GROUPS = {
    "price;weight=0.5": {"a#char=0,10": 1, "b#char=50,60": 1},
    "date": {"a#char=80,90": 1},
    "who": {"c#char=0,1": 1},
}


@pytest.mark.parametrize(
    "measure", ["SpanR", "SpanDCG", "SpanU", "FullRecall", "Success", "SpanUnits"]
)
def test_ranks(measure: str) -> None:
    explanation = gainful.explain(GOLD, CHUNKS, "q", measure)
    assert explanation.value == gainful.evaluate(GOLD, CHUNKS, measure).mean()
    assert explanation.ranks[-1].running == explanation.value
    ranks = explanation.ranks
    assert [rank.new_units for rank in ranks] == [110, 50, 90, 0, 20]
    assert [rank.repeated_units for rank in ranks] == [0, 0, 20, 110, 0]
    assert [rank.relevant for rank in ranks] == [True, False, True, True, True]
    if measure != "SpanUnits":
        assert [rank.covered for rank in ranks] == [10 / 40, 10 / 40, 30 / 40, 30 / 40, 35 / 40]


@pytest.mark.parametrize("measure", ["SpanR(rel=2)", "SpanP(rel=2)"])
def test_relevance_level(measure: str) -> None:
    ranks = gainful.explain(GOLD, CHUNKS, "q", measure).ranks
    assert [rank.relevant for rank in ranks] == [False, False, False, False, True]
    assert [rank.covered for rank in ranks] == [0, 0, 0, 0, 0.5]


def test_spans_and_the_ranks_that_find_them() -> None:
    explanation = gainful.explain(GOLD, CHUNKS, "q", "FullRecall(overlap=0.6)@5")
    assert {each.document: each.rank for each in explanation.documents} == {
        "a#char=100,120": 3,
        "a#char=110,130": 3,
        "b#char=0,10": None,
    }
    assert [each.document for each in explanation.missing] == ["b#char=0,10"]
    text = explanation.to_text()
    assert "2 of 3 relevant spans are found above the cutoff" in text
    assert "not covered" in text
    assert "unjudged" not in text.partition("gainful-1")[0]


def test_groups() -> None:
    qrels = gainful.Qrels({"q": GROUPS}, subtopics=True)
    run = {"q": ["b#char=0,100", "a#char=0,85"]}
    for measure in ("FullRecall@1", "StRecall@1"):
        explanation = gainful.explain(qrels, run, "q", measure)
        found = {group.group: (group.weight, group.rank) for group in explanation.groups}
        assert found == {"price": (0.5, 1), "date": (1, 2), "who": (1, None)}
        assert [group.group for group in explanation.missing_groups] == ["date", "who"]
        assert "Missing groups: date, who." in " ".join(explanation.to_text().split())
        assert [table.title for table in explanation.tables()][1] == "Groups"
    whole = gainful.explain(qrels, run, "q", "StRecall")
    assert whole.value == 1.5 / 2.5
    assert [group.group for group in whole.missing_groups] == ["who"]


def test_groups_of_documents() -> None:
    qrels = gainful.Qrels(
        {"q": {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 0}}}, subtopics=True
    )
    explanation = gainful.explain(qrels, {"q": ["x", "b", "a"]}, "q", "FullRecall@3")
    assert [(group.group, group.rank) for group in explanation.groups] == [("1", 2), ("2", None)]
    assert not explanation.has_spans
    assert gainful.explain(qrels.merged("max"), {"q": ["b"]}, "q", "FullRecall@3").groups == ()


def test_measures_that_ignore_groups_list_none() -> None:
    qrels = gainful.Qrels({"q": {"1": {"a": 1}, "2": {"c": 1}}}, subtopics=True)
    assert gainful.explain(qrels, {"q": ["a"]}, "q", "nDCG@3").groups == ()


def test_columns_of_spans_only_with_spans() -> None:
    names = ("new_units", "repeated_units", "covered")
    spans = gainful.explain(GOLD, CHUNKS, "q", "SpanR")
    documents = gainful.explain({"q": {"a": 1}}, {"q": ["a"]}, "q", "RR")
    assert [name in spans.records() for name in names] == [True] * 3
    assert [name in documents.records() for name in names] == [False] * 3
    assert "new_units" in spans.to_dict()["ranks"][0]
    assert "new_units" not in documents.to_dict()["ranks"][0]
