"""Grades and scores are finite numbers of any Python type."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.cli.option_values import read_weights
from gainful.errors import FormatError
from repeated_tests import for_each

NUMBERS: list[Any] = [
    2, True, 2.5, Decimal("2.5"), Fraction(5, 2), np.float32(2.5), np.float16(2.5), np.int8(2),
    np.uint64(2), np.bool_(True), np.float64(2.5), -0.5, 2**53, -(2**53),
]  # fmt: skip
BAD: list[Any] = [
    "high",
    b"2",
    None,
    [2],
    1j,
    float("nan"),
    float("inf"),
    np.float64("nan"),
    object(),
]


@for_each("number", NUMBERS)
def test_numbers(number: Any) -> None:
    assert gainful.Qrels({"q": {"d": number}})["q"]["d"] == float(number)
    assert gainful.Run({"q": {"d": number}})["q"] == [("d", float(number))]
    assert gainful.Run([("q", "d", number)])["q"] == [("d", float(number))]


@for_each("number", BAD)
def test_other_types_are_errors(number: Any) -> None:
    with pytest.raises(FormatError, match="query 'q', document 'd': found .*, expected a grade"):
        gainful.Qrels({"q": {"c": 1, "d": number}})
    with pytest.raises(FormatError, match="query 'q', document 'd': found .*, expected a score"):
        gainful.Run({"q": {"c": 1, "d": number}})
    with pytest.raises(FormatError, match="row 1, query 'q', document 'd'"):
        gainful.Run([("q", "c", 1), ("q", "d", number)])


def test_scores_may_be_larger_than_grades() -> None:
    assert gainful.Run({"q": {"d": 1e300}})["q"] == [("d", 1e300)]
    with pytest.raises(FormatError, match="within ±2\\^53"):
        gainful.Qrels({"q": {"d": 1e300}})


@for_each("number", [2**53 + 1, -(2**70 + 1), 10**400])
def test_integers_without_an_equal_float_are_errors(number: int) -> None:
    for make in (gainful.Qrels, gainful.Run):
        with pytest.raises(FormatError, match="query 'q', document 'd'"):
            make({"q": {"d": number}})


def test_grades_are_int_only_if_all_are_integers() -> None:
    assert gainful.Qrels({"q": {"a": 1.0, "b": 2.0}}).to_dict() == {"q": {"a": 1, "b": 2}}
    assert type(gainful.Qrels({"q": {"a": 1.0}})["q"]["a"]) is int
    assert type(gainful.Qrels({"q": {"a": 1, "b": 0.5}})["q"]["a"]) is float


def test_whole_scores_beyond_integers_stay_distinct() -> None:
    scores = {"a": 1e19, "b": 2e19, "c": 3e300, "d": 2.0**53}
    run = gainful.Run({"q": scores})
    assert run.to_dict() == {"q": scores}
    assert gainful.Run(run.to_dict()) == run


@for_each("text", ["1_000", "１", "٣", "0x10", "1,5"])
def test_weights_are_plain_numbers(text: str, tmp_path: Path) -> None:
    (tmp_path / "weights.txt").write_text(f"q1 {text}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="a finite number that is not negative"):
        read_weights(str(tmp_path / "weights.txt"))
