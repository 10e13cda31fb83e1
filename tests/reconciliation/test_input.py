"""reconcile(): notations of the number, and rejected input."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
import gainful.report
from gainful.errors import (
    FormatError,
    GainfulError,
    MatchError,
    MeasureError,
    ParameterError,
)
from reconcile_data import WHOLE

TYPE_CHECKING = False


@pytest.mark.parametrize("text", ["0.6118", ".6118", "61.18", "61.18%", "61.18 %", " 0.6118 "])
def test_notations_of_the_number(text: str, small_files: Path) -> None:
    found = gainful.reconcile("qrels.txt", "bm25.run", text, "AP")
    assert found.matches[0].preset == "gainful-1"
    assert found.reported.per_cent == ("61." in text)
    assert found.reported.digits == 4


def test_a_float_and_digits(small_files: Path) -> None:
    plain = gainful.reconcile("qrels.txt", "bm25.run", 0.6118, "AP")
    assert plain.reported.digits == 4
    few = gainful.reconcile("qrels.txt", "bm25.run", 0.6118, "AP", digits=2)
    assert few.found >= plain.found
    assert few.reported.low <= 0.60681 <= few.reported.high


def test_a_sum_of_gains_is_not_a_percentage() -> None:
    qrels, run = {"q1": {"d1": 30, "d2": 20}}, {"q1": {"d1": 2.0, "d2": 1.0}}
    found = gainful.reconcile(qrels, run, "42.6186", "DCG@2")
    assert not found.reported.per_cent
    assert found.matches[0].preset is not None


@pytest.mark.parametrize(
    ("reported", "digits"),
    [
        *(
            ("abc", None),
            ("", None),
            ("nan", None),
            ("inf", None),
            ("1e999", None),
            ("1_0.5", None),
        ),
        *((float("nan"), None), (float("-inf"), None), (None, None), (True, None)),
        *(("0.5", 0), ("0.5", -1), ("0.5", 13), ("0.5", 2.0), ("1", None), ("0", None)),
        ("4312.5", None),
    ],
)
def test_text_that_is_not_a_number_is_an_error(reported: object, digits: object) -> None:
    with pytest.raises(ParameterError):
        gainful.reconcile({"q1": {"d": 1}}, {"q1": ["d"]}, reported, "nDCG", digits=digits)  # type: ignore[arg-type]


def test_a_decimal_comma_has_a_hint() -> None:
    with pytest.raises(ParameterError, match="use a decimal point"):
        gainful.reconcile(*WHOLE, "0,4312")


@pytest.mark.parametrize("run", [{}, {"q9": {"d1": 1.0}}])
def test_no_query_in_common_is_an_error(run: dict[str, dict[str, float]]) -> None:
    with pytest.raises((MatchError, FormatError)):
        gainful.reconcile({"q1": {"d1": 1}}, run, "0.5", "nDCG@5")


def test_measures_that_cannot_be_searched_are_errors() -> None:
    qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}
    with pytest.raises(MeasureError, match="preferences"):
        gainful.reconcile(qrels, run, "0.5", "Prefs")
    with pytest.raises(MeasureError):
        gainful.reconcile(qrels, run, "0.5", "ndgc@10")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("q1 0.5\nq1 0.6\n", "query 'q1' twice"),
        ("q1\nq2 0.5\n", "a query id and a number"),
        ("q1 0.5\nq2 x y z\n", "line 2"),
        ("q9 0.5\n", "without judgments"),
        ("", "no query"),
    ],
)
def test_bad_values_of_queries(lines: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "queries.txt"
    file.write_text(lines)
    with pytest.raises(GainfulError, match=message):
        gainful.reconcile({"q1": {"d": 1}, "q2": {"d": 1}}, {"q1": ["d"]}, "0.5", per_query=file)
