"""Labels and scores of lists are evaluated as the arrays' second implementation measures them."""

from __future__ import annotations

import numpy as np
import pytest

import gainful
from gainful.backends import arrays
from gainful.conventions import get
from gainful.errors import ConventionError, GradeError, ParameterError
from gainful.integrations.lists import evaluate_lists, split_lists

RANDOM = np.random.default_rng(5)
LABELS = RANDOM.integers(0, 4, (30, 12)) * (RANDOM.random((30, 1)) < 0.8)
SCORES = RANDOM.normal(size=(30, 12)).round(1)
SIZES = [12] * 30


@pytest.mark.parametrize(
    "convention", ["gainful-1", "lightgbm", "xgboost", "xgboost-3.2.0-minus", "scikit-learn"]
)
def test_the_values_are_those_of_arrays(convention: str) -> None:
    result = evaluate_lists(LABELS.ravel(), SCORES.ravel(), SIZES, "nDCG@5", convention=convention)
    policies = gainful.conventions.get(convention)
    if convention == "gainful-1":
        policies = policies.replace(ties="expected")
    expected = arrays.measure_lists("nDCG@5", LABELS, scores=SCORES, convention=policies)
    values = result.per_query()
    found = [values.get(at, np.nan) for at in range(30)]
    np.testing.assert_allclose(found, expected["nDCG@5"], rtol=1e-12)


def test_lists_of_other_lengths_and_interleaved_items() -> None:
    queries = RANDOM.integers(0, 5, 60)
    labels, scores = RANDOM.integers(0, 3, 60), RANDOM.normal(size=60)
    result = evaluate_lists(*split_lists(labels, scores, queries), ["nDCG@3", "AP"])
    order = list(dict.fromkeys(queries.tolist()))
    for measure in ("nDCG@3", "AP"):
        for at, query in enumerate(order):
            own = queries == query
            (value,) = arrays.measure_lists(
                measure, labels[own][None], scores=scores[own][None]
            ).values()
            assert result.per_query(measure)[at] == pytest.approx(value[0], rel=1e-12)


def test_text_names_queries() -> None:
    labels, scores, sizes = split_lists([1, 2, 3], [0.1, 0.2, 0.3], ["b", "ä", "b"])
    assert labels.tolist() == [1, 3, 2]
    assert scores.tolist() == [0.1, 0.3, 0.2]
    assert sizes.tolist() == [2, 1]


@pytest.mark.parametrize("padding", [-100, np.nan])
def test_padding_is_left_out(padding: float) -> None:
    labels = np.array([[0, 2, padding], [1, padding, padding]])
    scores = np.array([[0.5, 0.6, 9.0], [0.7, 9.0, 9.0]])
    result = evaluate_lists(*split_lists(labels, scores), "P@1")
    assert result.per_query() == {0: 1.0, 1: 1.0}


def test_weights_are_of_lists() -> None:
    result = evaluate_lists([1, 0, 0, 1], [1, 0, 1, 0], [2, 2], "P@1", weights=[3, 1])
    assert result.mean() == 0.75


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([1, 0], [0.5], [0, 0]), r"labels of shape \(2,\), scores of shape \(1,\)"),
        (([1, 0], [0.5, 0.1]), "one label per item, and no queries"),
        (([1, 0], [0.5, 0.1], [0]), "1 queries of 2 items"),
        (([[1, 0]], [[0.5, 0.1]], [0]), "each row is a list already"),
        (([[[1]]], [[[0.5]]]), "shape"),
    ],
)
def test_shapes_that_do_not_match(given: tuple[object, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        split_lists(*given)


def test_bad_values() -> None:
    with pytest.raises(ParameterError, match="a score is NaN"):
        evaluate_lists([1, 0], [0.5, np.nan], [2])
    with pytest.raises(ParameterError, match="2 scores and 2 labels of 3 items"):
        evaluate_lists([1, 0], [0.5, 0.1], [3])
    with pytest.raises(ParameterError, match="found <U1"):
        evaluate_lists(["a", "b"], [0.5, 0.1], [2])
    with pytest.raises(GradeError, match="lightgbm"):
        evaluate_lists([0.5, 0], [0.5, 0.1], [2], "nDCG@10", convention="lightgbm")


def test_a_convention_that_breaks_ties_by_id_is_refused() -> None:
    with pytest.raises(ConventionError, match=r"needs ids.*replace\(ties='expected'\)"):
        evaluate_lists([1, 0], [0.5, 0.1], [2], "nDCG@10", convention="trec_eval")
    settled = get("trec_eval").replace(ties="expected")
    assert evaluate_lists([1, 0], [0.5, 0.5], [2], "P@1", convention=settled).mean() == 0.5
