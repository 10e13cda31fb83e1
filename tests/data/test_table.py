"""Qrels and Run as objects: immutable mappings with selection, equality and pickling."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import gainful
from gainful.errors import ArgumentError, DuplicateError, GainfulError, MatchError, ParameterError

QRELS = gainful.Qrels({"q2": {"d1": 3, "d2": 0}, "q1": {"d3": 1}}, name="judged")
RUN = gainful.Run({"q2": {"d1": 1.0, "d2": 2.0, "d3": 2.0}, "q1": {"d9": -1.5}}, name="bm25")
RANKED = gainful.Run({"q": ["d2", "d1"]})
TABLES = [QRELS, RUN, RANKED]


def test_the_mapping() -> None:
    assert len(QRELS) == 2
    assert QRELS.rows == 3
    assert list(QRELS) == QRELS.keys() == ["q2", "q1"]
    assert dict(QRELS) == {"q2": {"d1": 3, "d2": 0}, "q1": {"d3": 1}}
    assert "q1" in QRELS
    assert "q3" not in QRELS
    assert None not in QRELS
    assert QRELS.get("q3") is None
    assert [sum(grades.values()) for grades in QRELS.values()] == [3, 1]


def test_a_ranking_is_in_rank_order() -> None:
    assert RUN["q2"] == [("d3", 2.0), ("d2", 2.0), ("d1", 1.0)]
    assert dict(RUN.items())["q1"] == RUN.get("q1") == [("d9", -1.5)]
    assert next(iter(RUN.values())) == RUN["q2"]


@pytest.mark.parametrize("table", TABLES)
def test_an_unknown_query_is_an_error(table: Any) -> None:
    with pytest.raises(KeyError, match="no query 'zzz'") as caught:
        table["zzz"]
    assert isinstance(caught.value, GainfulError)


def test_nothing_can_be_changed() -> None:
    for table in TABLES:
        with pytest.raises(AttributeError):
            table.name = "other"
        with pytest.raises(TypeError):
            table["q"] = {}
    with pytest.raises(TypeError):
        QRELS["q1"]["d3"] = 2  # type: ignore[index]


def test_select() -> None:
    assert QRELS.select(["q1"]).to_dict() == {"q1": {"d3": 1}}
    assert list(QRELS.select(["q1", "q2", "q1"])) == ["q1", "q2"]
    assert RUN.select(query for query in RUN if query > "q1").name == "bm25"
    with pytest.raises(MatchError, match="query 'q7': not among the"):
        QRELS.select(["q1", "q7"])
    with pytest.raises(ArgumentError, match=r"write select\(\['q1'\]\)"):
        QRELS.select("q1")


def test_top() -> None:
    assert RUN.top(2).to_dict() == {"q2": {"d3": 2.0, "d2": 2.0}, "q1": {"d9": -1.5}}
    assert RANKED.top(1).to_dict() == {"q": ["d2"]}
    for k in (0, -1, 2.0, True):
        with pytest.raises(ParameterError, match="a whole number of 1 or more"):
            RUN.top(k)  # type: ignore[arg-type]


def test_at_least_keeps_the_queries() -> None:
    assert QRELS.at_least(2).to_dict() == {"q2": {"d1": 3}, "q1": {}}
    assert QRELS.at_least(0.5).rows == 2
    with pytest.raises(ParameterError):
        QRELS.at_least(float("nan"))


def test_rename_by_mapping_and_by_function() -> None:
    renamed = QRELS.rename(queries={"q1": "first"}, documents=lambda own: own.upper())
    assert renamed.to_dict() == {"q2": {"D1": 3, "D2": 0}, "first": {"D3": 1}}
    assert RUN.rename(documents={"d9": 9}).to_dict()["q1"] == {"9": -1.5}
    assert not RANKED.rename(queries={"q": "p"}).scored
    with pytest.raises(DuplicateError, match="the same new name"):
        QRELS.rename(documents=lambda own: "d")
    with pytest.raises(ArgumentError):
        QRELS.rename()


@pytest.mark.parametrize(
    ("rule", "grade"), [("first", 1), ("last", 2), ("max", 4), ("mean", 7 / 3)]
)
def test_a_rule_chooses_the_grade_of_documents_that_get_one_id(rule: str, grade: float) -> None:
    chunks = gainful.Qrels({"q1": {"d#1": 1, "d#2": 4, "d#3": 2}, "q2": {}})
    renamed = chunks.rename(documents=lambda own: own.split("#")[0], duplicates=rule)
    assert renamed.to_dict() == {"q1": {"d": grade}, "q2": {}}


def test_errors_of_the_function_are_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        QRELS.rename(documents=lambda own: str(1 // 0))


def test_equality_compares_content() -> None:
    assert gainful.Qrels([("q1", "d3", 1), ("q2", "d2", 0), ("q2", "d1", 3.0)]) == QRELS
    assert gainful.Qrels({"q2": {"d1": 3, "d2": 1}, "q1": {"d3": 1}}) != QRELS
    assert QRELS.select(["q1"]) != QRELS
    assert gainful.Run({"q": ["d1", "d2"]}) != RANKED
    assert gainful.Run({"q": {"d1": 0.0, "d2": 0.0}}) != RANKED
    assert QRELS.select(["q1"]) != gainful.Run({"q1": {"d3": 1}})
    assert QRELS != {"q2": {"d1": 3, "d2": 0}, "q1": {"d3": 1}}
    assert len({QRELS, gainful.Qrels(QRELS.to_dict())}) == 1


@pytest.mark.parametrize("table", TABLES)
def test_pickles_and_copies(table: Any) -> None:
    for again in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table)):
        assert type(again) is type(table)
        assert again == table
        assert (again.name, list(again)) == (table.name, list(table))


def test_a_damaged_pickle_is_an_error() -> None:
    from gainful import _kernel

    with pytest.raises(ValueError, match="no state"):
        _kernel.rows_from_state(b"gainful1" + b"\xff" * 64, True, False)


def test_repr() -> None:
    assert repr(QRELS) == "<Qrels 'judged': 2 queries, 3 judgments>"
    assert repr(RUN) == "<Run 'bm25': 2 queries, 4 documents>"
    assert repr(gainful.Run({"q": ["d"]})) == "<Run: 1 query, 1 document>"


def test_notebooks_show_the_first_rows() -> None:
    many = gainful.Qrels({f"<q{query}>": {f"d{n}": n for n in range(9)} for query in range(9)})
    html = many._repr_html_()
    assert "&lt;q0&gt;" in html
    assert "<q0>" not in html
    assert "9 queries, 81 judgments; 69 judgments not shown" in html
    assert ">9.25<" in gainful.Run({"q": {"d": 9.25}})._repr_html_()
    assert "–" in RANKED._repr_html_()


def test_the_constructors_share_existing_tables() -> None:
    again = gainful.Run(RUN)
    assert again._rows is RUN._rows
    assert (again.name, gainful.Run(RUN, name="other").name) == ("bm25", "other")
