"""What cannot be computed is refused, with the place and what to do about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gainful
from gainful.errors import (
    ArgumentError,
    ConventionError,
    GainfulError,
    GradeError,
    ParameterError,
)

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("name", "second", "hint"),
    [
        ("ndcg", [3, 2], "scores= if these numbers order the grades, ideal= if"),
        ("ndcg", np.array([3, 2]), "ideal= if"),
        ("ndcg", 10, "ndcg(grades, k=10)"),
        ("dcg", [3, 2], "scores= if"),
        ("dcg", "exponential", "dcg(grades, gain='exponential')"),
        ("cg", 3, "cg(grades, k=3)"),
        ("idcg", [3, 2], "one list of grades"),
    ],
)
def test_a_second_positional_argument(name: str, second: object, hint: str) -> None:
    with pytest.raises(TypeError) as caught:
        getattr(gainful, name)([3, 2], second)
    assert isinstance(caught.value, ArgumentError)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("grades", "kind", "message"),
    [
        ([1, NAN], GradeError, "grade NaN at position 1 of the grades (counted from 0)"),
        ([1, INF], GradeError, "grade inf at position 1"),
        ([-INF], GradeError, "grade -inf at position 0"),
        ([2.0**60], GradeError, "within ±2^53"),
        ([2**53 + 1], ArgumentError, "integers are exact up to 2^53"),
        (np.array([[1, 2], [3, NAN]]), GradeError, "grade NaN at row 1, position 1"),
        (["3"], ArgumentError, "'3' (str) at position 0 of the grades"),
        ([1, None], ArgumentError, "None (NoneType) at position 1"),
        ([1, [2]], ArgumentError, "numbers or lists, not both"),
        ([[1], 2], ArgumentError, "2 (int) at row 1"),
        ([[[1]]], ArgumentError, "[1] (list) at row 0, position 0"),
        ([1, 2j], ArgumentError, "2j (complex) at position 1"),
        ("321", ArgumentError, "'321' (str)"),
        (b"321", ArgumentError, "(bytes)"),
        (3, ArgumentError, "3 (int) as grades"),
        (None, ArgumentError, "None"),
        ({"d1": 3}, ArgumentError, "gainful.evaluate"),
        ({3, 2}, ArgumentError, "list()"),
        (iter([3, 2]), ArgumentError, "list()"),
        (np.zeros((1, 2, 3)), ParameterError, "shape (1, 2, 3)"),
        (np.float64(3), ParameterError, "shape ()"),
        (np.array(["3"]), ArgumentError, "type <U1"),
        (np.array([2j]), ArgumentError, "complex128"),
        (np.array(["2020"], dtype="M8[Y]"), ArgumentError, "datetime64"),
        (np.array([1, None]), ArgumentError, "None (NoneType) at position 1"),
        (np.ma.masked_array([1, 2], mask=[0, 1]), ArgumentError, "masked"),
        (memoryview(np.zeros((1, 2, 3))), ParameterError, "3 dimensions"),
        (memoryview(np.array([1.0]).astype(">f8")), ArgumentError, "'>d'"),
    ],
)
def test_grades(grades: Any, kind: type[GainfulError], message: str) -> None:
    for function in (gainful.cg, gainful.dcg, gainful.idcg, gainful.ndcg):
        with pytest.raises(kind) as caught:
            function(grades)
        assert message in str(caught.value)


def test_an_object_without_an_array_to_give() -> None:
    class OnAnotherDevice:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise TypeError("can't convert device tensor")

    with pytest.raises(ArgumentError, match=r"can't convert device tensor.*\.cpu\(\)"):
        gainful.ndcg(OnAnotherDevice())


@pytest.mark.parametrize(
    ("grades", "scores", "message"),
    [
        ([1, 2], [1], "1 scores for 2 grades in the list"),
        ([[1, 2], [1, 2]], [[1, 2], [1]], "1 scores for 2 grades in row 1"),
        ([1, 2], [[1, 2]], "one list of grades and 1 row of scores"),
        ([[1, 2], [1, 2]], [1, 2], "2 rows of grades and one list of scores"),
        (np.ones((2, 2)), np.ones((3, 2)), "2 rows of grades and 3 rows of scores"),
        ([1, 2], [1, NAN], "score NaN at position 1 of the scores"),
        ([[1, 2], [1, 2]], [[1, 2], [-INF, 2]], "score -inf at row 1, position 0"),
        ([1, 2], np.array([2**60, 2**60 + 1]), "below 2^53"),
    ],
    ids=str,
)
def test_scores(grades: Any, scores: Any, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        gainful.ndcg(grades, scores=scores)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("k", "kind"),
    [
        (0, ParameterError),
        (-3, ParameterError),
        (10**30, ParameterError),
        (2.0, ArgumentError),
        (True, ArgumentError),
        ("10", ArgumentError),
        (np.float32(1), ArgumentError),
        (np.bool_(True), ArgumentError),
    ],
    ids=repr,
)
def test_cutoffs(k: Any, kind: type[GainfulError]) -> None:
    for function in (gainful.cg, gainful.dcg, gainful.idcg, gainful.ndcg):
        with pytest.raises(kind, match=r"^k: found .* expected"):
            function([3, 2], k=k)


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"gain": "cubic"}, ParameterError, "gain: found 'cubic'"),
        ({"gain": {1: NAN}}, ParameterError, "finite gains"),
        ({"gain": 3}, ParameterError, "gain: found 3"),
        ({"discount": "log10"}, ParameterError, "discount: found 'log10'"),
        ({"discount": [1, -1]}, ParameterError, "multipliers of 0 or more"),
        ({"discount": [0.5, 1]}, ParameterError, "must not increase"),
        ({"base": 10}, ParameterError, "only with discount='jarvelin-kekalainen'"),
        ({"base": 1, "discount": "jarvelin-kekalainen"}, ParameterError, "above 1"),
        ({"ideal": "judged"}, ArgumentError, "ideal: found 'judged'"),
        ({"ideal": [[3], [2]]}, ParameterError, "one list of grades and 2 rows of ideal"),
        ({"ideal": [3, NAN]}, GradeError, "position 1 of the ideal"),
        ({"ideal_order": "given"}, ArgumentError, "without an ideal"),
        ({"ideal_order": "best", "ideal": [9]}, ParameterError, "'sorted' or 'given'"),
        ({"no_relevant": "skip"}, ConventionError, "numpy.nanmean"),
        ({"no_relevant": 0.5}, ConventionError, "0, 1, nan, error"),
        ({"no_relevant": False}, ConventionError, "found False"),
        ({"negative": "unjudged"}, ConventionError, "gain nothing here"),
        ({"negative": "clip"}, ConventionError, "zero, signed, error"),
        ({"threads": 0}, ParameterError, "threads"),
        ({"groups": [1, 0, 1]}, ParameterError, "size of group 1"),
        ({"groups": [1.0, 1]}, ParameterError, "1.0 as the size of group 0"),
        ({"groups": [True, 1]}, ParameterError, "True as the size"),
        ({"groups": [1]}, ParameterError, "1 groups with 1 numbers, and 2 numbers"),
        ({"groups": [7, 8]}, ParameterError, "not the query of each grade"),
        ({"groups": 2}, ArgumentError, "groups: found 2"),
        ({"groups": [1, 1], "ideal": [5]}, ParameterError, "expected one per group"),
        ({"groups": [1, 1], "scores": [1]}, ParameterError, "1 numbers"),
    ],
    ids=str,
)
def test_parameters(parameters: dict[str, Any], kind: type[GainfulError], message: str) -> None:
    with pytest.raises(kind) as caught:
        gainful.ndcg([1, 2], **parameters)
    assert message in str(caught.value)


def test_groups_and_rows() -> None:
    with pytest.raises(ParameterError, match="found groups= with one row per query"):
        gainful.ndcg([[1, 2]], groups=[2])
    with pytest.raises(GradeError, match="group 1, position 0"):
        gainful.ndcg([1, 2, NAN], groups=[2, 1])


def test_policies_that_are_errors() -> None:
    with pytest.raises(GradeError, match="grade -1 at row 1, position 0"):
        gainful.dcg([[1, 2], [-1, 2]], negative="error")
    with pytest.raises(GradeError, match="no relevant document in row 1"):
        gainful.ndcg([[1, 2], [0, 0]], no_relevant="error")
    with pytest.raises(GradeError, match=r"2\^grade - 1 needs grades below 1024"):
        gainful.ndcg([2000, 1], gain="exponential")


def test_the_first_error_in_order_is_raised_whatever_the_threads() -> None:
    grades = np.ones((2000, 100))
    grades[[417, 418, 1900], 7] = NAN
    for threads in (1, 2, 4):
        with pytest.raises(GradeError, match="row 417, position 7"):
            gainful.ndcg(grades, threads=threads)


def test_an_empty_list_is_a_ranking_that_found_nothing() -> None:
    assert gainful.cg([]) == gainful.dcg([]) == gainful.idcg([]) == gainful.ndcg([]) == 0.0
    assert gainful.ndcg([], no_relevant=1.0) == 1.0
    assert gainful.ndcg([[1], []]) == [1.0, 0.0]
    assert gainful.ndcg(np.zeros((2, 0))).tolist() == [0.0, 0.0]
