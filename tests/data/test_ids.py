"""Ids are text, bytes or whole numbers, and compared as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gainful
from gainful.errors import ColumnError, DuplicateError, FormatError

SAME: list[Any] = ["7", b"7", 7, np.int64(7), np.uint8(7), np.str_("7"), np.bytes_(b"7")]


@pytest.mark.parametrize("own", SAME, ids=repr)
def test_the_same_id_in_other_types(own: Any) -> None:
    qrels = gainful.Qrels({own: {own: 1}})
    assert qrels.to_dict() == {"7": {"7": 1}}
    assert own in qrels
    assert gainful.Qrels([(own, own, 1)]) == qrels
    assert gainful.Run({own: [own]}).to_dict() == {"7": ["7"]}


@pytest.mark.parametrize("own", [1.0, True, None, (1,), np.float32(1)], ids=repr)
def test_ids_of_other_types_are_errors(own: Any) -> None:
    for make in (
        lambda: gainful.Qrels({own: {"d": 1}}),
        lambda: gainful.Qrels({"q": {own: 1}}),
        lambda: gainful.Qrels([("q", own, 1)]),
    ):
        with pytest.raises(ColumnError, match="expected text or a whole number"):
            make()


def test_float_ids_are_errors_with_a_hint() -> None:
    with pytest.raises(ColumnError, match=r"row 1: found document id 2\.0 .*integers with missing"):
        gainful.Run([("q", 1, 1.0), ("q", 2.0, 1.0)])


@pytest.mark.parametrize("text", ["", "running shoes", "Ωμέγα", "a\tb", "🎿", "\udcff"])
def test_any_text_can_be_an_id(text: str) -> None:
    run = gainful.Run({text: {text: 1.0}})
    assert run.to_dict() == {text: {text: 1.0}}
    assert run[text] == [(text, 1.0)]


@pytest.mark.parametrize(
    "content",
    [
        {1: {"d": 1}, "1": {"d": 2}},
        {"q": {1: 1, "1": 2}},
        {"q": {b"d": 1, "d": 2}},
    ],
)
def test_equal_ids_of_different_types_are_duplicates(content: dict[Any, Any]) -> None:
    with pytest.raises(DuplicateError, match="duplicate document"):
        gainful.Qrels(content)


def test_equal_query_ids_of_different_types_are_merged() -> None:
    assert gainful.Qrels({1: {"a": 1}, "1": {"b": 2}}).to_dict() == {"1": {"a": 1, "b": 2}}


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("first", {"a": 1, "b": 0}), ("last", {"b": 0, "a": 2}), ("best", {"b": 0, "a": 3})],
)
def test_duplicates_by_policy(policy: str, expected: dict[str, int]) -> None:
    rows = [("q", "a", 1), ("q", "b", 0), ("q", "a", 3), ("q", "a", 2)]
    assert gainful.Qrels(rows, duplicates=policy).to_dict() == {"q": expected}


def test_the_convention_decides_on_duplicates_of_a_run() -> None:
    rows = [("q", "a", 1.0), ("q", "b", 2.0), ("q", "a", 3.0)]
    with pytest.raises(DuplicateError):
        gainful.evaluate({"q": {"a": 1}}, rows, "RR")
    best = gainful.conventions["gainful-1"].replace(duplicates="best")
    assert gainful.evaluate({"q": {"a": 1}}, rows, "RR", convention=best).mean() == 1.0


@pytest.mark.parametrize("content", [{"q\ud800": {"d": 1}}, {"q": {"d\ud800": 1}}])
@pytest.mark.parametrize("make", [gainful.Qrels, gainful.Run])
def test_a_lone_surrogate_is_an_error(make: Any, content: dict[str, dict[str, int]]) -> None:
    with pytest.raises(FormatError, match=r"the id '.\\ud800' is not valid Unicode"):
        make(content)
