"""Errors of the functions on arrays, and values that are NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gainful.backends import arrays
from gainful.conventions import get
from gainful.errors import (
    ArgumentError,
    ConventionError,
    GradeError,
    MeasureError,
    ParameterError,
    TieError,
)

GRADES = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
FUNCTIONS = (
    arrays.cg,
    arrays.dcg,
    arrays.ndcg,
    arrays.precision,
    arrays.recall,
    arrays.average_precision,
    arrays.reciprocal_rank,
    arrays.success,
    arrays.err,
    arrays.rbp,
)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2.0**54])
def test_a_nan_grade_makes_its_list_nan(function: Any, value: float) -> None:
    grades = GRADES.copy()
    grades[0, 2] = value
    found = function(grades)
    assert np.isnan(found[0])
    assert found[1] == function(GRADES)[1]
    # Where there is no item, nothing is wrong.
    where = np.isfinite(grades) & (abs(grades) < 9)
    assert function(grades, where=where)[0] == function(GRADES, where=where)[0]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_nan_score_makes_its_list_nan(function: Any, value: float) -> None:
    scores = np.array([[1.0, value, 0.0], [3.0, 2.0, 1.0]])
    found = function(GRADES, scores=scores)
    assert np.isnan(found[0])
    assert found[1] == function(GRADES)[1]


def test_an_ideal_below_the_list_makes_it_nan() -> None:
    found = arrays.ndcg(GRADES, ideal=np.array([[1.0], [3.0]]))
    assert np.isnan(found[0])
    assert not np.isnan(found[1])


def test_grades_above_the_scale_make_a_list_nan() -> None:
    assert np.isnan(arrays.err(GRADES, max_grade=2)).tolist() == [False, True]
    assert np.isnan(arrays.rbp(GRADES, max_grade=2)).tolist() == [False, True]


def test_sparse_arrays_are_no_lists() -> None:
    scipy_sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ArgumentError, match=r"grades: a sparse array of scipy.*toarray\(\)"):
        arrays.ndcg(scipy_sparse.csr_array(GRADES))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"grades": [1, 2]}, ArgumentError, "grades: found list, expected an array"),
        ({"grades": None}, ArgumentError, "grades: found None, expected an array"),
        ({"scores": [1, 2]}, ArgumentError, "scores: found list"),
        ({"scores": np.zeros((2, 2))}, ParameterError, r"scores: found shape \(2, 2\)"),
        ({"where": np.zeros((2, 3))}, ParameterError, "where: found float64"),
        ({"k": 0}, ParameterError, "k: found 0"),
        ({"k": 2.5}, ArgumentError, "k: found 2.5"),
        ({"ties": "given"}, ArgumentError, "needs scores="),
        ({"ties": "doc-id-desc", "scores": GRADES}, ConventionError, "no document ids"),
        ({"grades": np.zeros((2, 0))}, ParameterError, r"shape \(2, 0\)"),
        ({"grades": np.float64(1)}, ParameterError, r"shape \(\)"),
        ({"gain": "log"}, ParameterError, "gain: found 'log'"),
        ({"discount": (1, -1)}, ParameterError, "discount"),
        ({"negative": "unjudged"}, ConventionError, "negative"),
        ({"no_relevant": "skip"}, ConventionError, "use nan with numpy.nanmean"),
        ({"ideal_order": "given"}, ArgumentError, "need ideal="),
        ({"ideal": np.zeros((3, 3))}, ParameterError, r"ideal: found shape \(3, 3\)"),
        ({"dtype": np.int64}, ParameterError, "dtype"),
        ({"dtype": np.float16}, ParameterError, "32 bits or more"),
        ({"dtype": "float32"}, ParameterError, "dtype: found float32"),
        ({"dtype": float}, ParameterError, "dtype: found <class 'float'>"),
        ({"grades": GRADES * 1j}, ArgumentError, "grades: found an array of type complex128"),
        ({"grades": GRADES.astype(str)}, ArgumentError, "grades: found an array of type <U"),
        ({"grades": GRADES.astype(object)}, ArgumentError, "grades: found an array of type object"),
        ({"scores": GRADES * 1j}, ArgumentError, "scores: found an array of type complex128"),
        ({"scores": GRADES.astype("M8[s]")}, ArgumentError, "scores: found an array of type date"),
        ({"grades": np.ma.masked_less(GRADES, 1)}, ArgumentError, "where=~array.mask"),
        ({"scores": np.ma.masked_less(GRADES, 1)}, ArgumentError, "scores: a masked array"),
        ({"ideal": [[1], [2]]}, ArgumentError, "ideal: found list"),
        ({"ideal": np.zeros((2, 0))}, ParameterError, r"ideal: found an array of shape \(2, 0\)"),
        ({"ideal": GRADES, "ideal_where": GRADES}, ParameterError, "ideal_where: found float64"),
        ({"ideal": GRADES, "ideal_where": GRADES[:1] > 0}, ParameterError, "that of ideal, "),
        (
            {"ties": "average-rank", "scores": GRADES, "discount": (1, 0.5)},
            ConventionError,
            "table of discounts",
        ),
    ],
    ids=str,
)
def test_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        arrays.ndcg(**{"grades": GRADES, **arguments})


@pytest.mark.filterwarnings("ignore:overflow")
def test_gains_beyond_all_numbers_make_a_list_nan() -> None:
    grades = np.array([[1.0, 2000.0], [1.0, 3.0]])
    for where in (None, np.ones((2, 2), dtype=bool)):
        for function in (arrays.ndcg, arrays.idcg):
            found = function(grades, k=1, where=where, gain="exponential")
            assert np.isnan(found).tolist() == [True, False]
        # The first rank is as it is.
        assert arrays.dcg(grades, k=1, where=where, gain="exponential").tolist() == [1, 1]
        by_measure = arrays.measure_lists(
            ["nDCG(gain='exponential')@1", "DCG(gain='exponential')@1"], grades, where=where
        )
        assert [np.isnan(found).tolist() for found in by_measure.values()] == [
            [True, False],
            [False, False],
        ]


def test_a_matrix_is_no_array() -> None:
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix(GRADES)
    with pytest.raises(ArgumentError, match=r"a numpy\.matrix is not supported"):
        arrays.ndcg(matrix)


def test_judged_items() -> None:
    for judged, error, message in (
        ([[1], [2]], ArgumentError, "judged: found list"),
        (GRADES[:1], ParameterError, r"judged: found shape \(1, 3\)"),
    ):
        with pytest.raises(error, match=message):
            arrays.recall(GRADES, judged=judged)
        with pytest.raises(error, match=message):
            arrays.measure_lists("R", GRADES, judged=judged)
    for call in (arrays.recall, lambda *args, **more: arrays.measure_lists("R", *args, **more)):
        with pytest.raises(ParameterError, match="judged_where: needs judged="):
            call(GRADES, judged_where=GRADES > 0)


def test_policies_that_look_at_the_data() -> None:
    with pytest.raises(TieError, match="equal scores"):
        arrays.ndcg(GRADES, scores=np.array([[1, 2, 3], [1, 1, 0]]), ties="error")
    assert arrays.ndcg(GRADES, scores=-GRADES, ties="error").shape == (2,)
    with pytest.raises(GradeError, match="a grade is negative"):
        arrays.dcg(-GRADES, negative="error")
    with pytest.raises(GradeError, match="no item of an ideal list has a gain"):
        arrays.ndcg(0 * GRADES, no_relevant="error")
    with pytest.raises(GradeError, match="no relevant items"):
        arrays.recall(0 * GRADES, no_relevant="error")
    # Where there is no item, none is in error.
    where = np.array([[True, True, False], [True, False, True]])
    assert arrays.ndcg(
        GRADES, scores=np.array([[1, 2, 2], [1, 1, 0]]), ties="error", where=where
    ).all()


def test_measures() -> None:
    with pytest.raises(MeasureError, match="needs more than grades"):
        arrays.measure_lists("bpref", GRADES)
    for convention in ("trec_eval", "gainful-1", get("gainful-1")):
        with pytest.raises(ConventionError, match="items of arrays do not have"):
            arrays.measure_lists("nDCG", GRADES, scores=GRADES, convention=convention)
    by_default = arrays.measure_lists("nDCG", np.array([[1, 0]]), scores=np.array([[0.5, 0.5]]))[
        "nDCG"
    ]
    assert by_default.round(4) == [0.8155]
    # In rank order there are no ties to break.
    assert arrays.measure_lists("nDCG", GRADES, convention="trec_eval")["nDCG"].shape == (2,)
    with pytest.raises(ConventionError, match="rounding"):
        arrays.measure_lists(
            "nDCG", GRADES, convention=get("gainful-1").replace(rounding="query:4")
        )
    with pytest.raises(ParameterError, match="arguments: found bonus"):
        arrays.precision(GRADES, bonus=1)


def test_fractions_and_large_grades() -> None:
    grades = np.array([[0.7, 2.0]])
    policies = get("gainful-1")
    truncated = policies.replace(fractions="truncate")
    assert arrays.measure_lists("CG", grades, convention=truncated)["CG"] == 2
    with pytest.raises(GradeError, match="a grade has a fraction"):
        arrays.measure_lists("CG", grades, convention=policies.replace(fractions="error"))
    with pytest.raises(GradeError, match="a grade is above 1"):
        arrays.measure_lists("CG", grades, convention=policies.replace(largest_grade=1))


def test_what_is_no_item_is_not_read() -> None:
    grades, where = np.array([[1.0, 99.5]]), np.array([[True, False]])
    policies = get("gainful-1").replace(fractions="error", largest_grade=4)
    for judged, mask in ((None, None), (grades, where)):
        found = arrays.measure_lists(
            "CG", grades, where=where, judged=judged, judged_where=mask, convention=policies
        )
        assert found["CG"] == 1
    with pytest.raises(GradeError, match="a grade is above 4"):
        arrays.measure_lists("CG", np.floor(grades), convention=policies)
    with pytest.raises(ParameterError, match="where: found float64"):
        arrays.measure_lists("CG", grades, where=grades, convention=policies)


@pytest.mark.parametrize("measure", ["P(rel=0)", "nDCG(gain={0: 1, 1: 2})"])
def test_unjudged_items_have_no_place_among_ties(measure: str) -> None:
    policies = get("gainful-1").replace(negative="unjudged")
    for ties in ("optimistic", "pessimistic"):
        with pytest.raises(ConventionError, match="negative=unjudged"):
            arrays.measure_lists(
                measure, GRADES, scores=GRADES, convention=policies.replace(ties=ties)
            )
    arrays.measure_lists(measure, GRADES, convention=policies.replace(ties="given"))


def test_a_library_without_the_array_api(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tensor:
        dtype = "float32"
        shape = (2,)

    monkeypatch.setitem(__import__("sys").modules, "array_api_compat", None)
    with pytest.raises(ArgumentError, match=r"pip install 'gainful\[arrays\]'"):
        arrays.ndcg(Tensor())
