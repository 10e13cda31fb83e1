"""Special behavior of the presets of machine-learning tools, one small case each.

The values were printed by the versions that the presets name, unless a comment says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

import gainful
from gainful.conventions import get
from gainful.errors import GainfulError, GradeError

DISCOUNTED = 1 / math.log2(3)


def listed(
    preset: str,
    grades: Sequence[float],
    scores: Sequence[float] | None = None,
    measure: str = "nDCG",
    **policies: object,
) -> float:
    """Return the value of one list of (grade, score) pairs."""
    names = [f"d{at:03}" for at in range(len(grades))]
    falling = range(len(grades), 0, -1) if scores is None else scores
    qrels = {"q": dict(zip(names, grades, strict=True))}
    run = {"q": {name: float(score) for name, score in zip(names, falling, strict=True)}}
    convention = get(preset).replace(**policies)
    return gainful.evaluate(qrels, run, measure, convention=convention).mean()


def test_scikit_learn_averages_over_the_orders_of_ties() -> None:
    assert listed("scikit-learn", [3, 0, 1], [1, 1, 1]) == pytest.approx(0.7825102285809599)
    assert listed("scikit-learn-ignore_ties", [3, 0, 1], [1, 1, 1]) == pytest.approx(
        0.6885288809404667
    )


def test_scikit_learn_appends_documents_not_returned() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"x": 3.0, "y": 2.0}}
    result = gainful.evaluate(qrels, run, ["nDCG", "nDCG@2"], convention="sklearn")
    assert [result.mean("nDCG"), result.mean("nDCG@2")] == [0.5, 0.0]
    # Two documents are tied, so each is at rank 2 or 3.
    qrels = {"q": {"a": 2, "b": 0, "c": 1}}
    result = gainful.evaluate(qrels, {"q": {"c": 1.0}}, "nDCG", convention="sklearn")
    assert result.mean() == pytest.approx((1 + DISCOUNTED + 0.5) / (2 + DISCOUNTED))


def test_scikit_learn_on_returned_documents_ignores_the_rest() -> None:
    qrels, run = {"q": {"a": 1, "b": 3}}, {"q": {"x": 2.0, "a": 2.0}}
    assert gainful.evaluate(qrels, run, "nDCG", convention="sklearn-returned").mean() == (
        pytest.approx((1 + DISCOUNTED) / 2)
    )
    assert gainful.evaluate(qrels, run, "nDCG", convention="sklearn").mean() < 0.7


@pytest.mark.parametrize(
    "preset", ["scikit-learn", "scikit-learn-returned", "scikit-learn-ignore_ties"]
)
def test_scikit_learn_refuses_a_single_document_and_negative_grades(preset: str) -> None:
    with pytest.raises(GainfulError, match="only one document"):
        listed(preset, [1])
    with pytest.raises(GradeError, match="-1"):
        listed(preset, [2, -1])


def test_torchmetrics_takes_negative_grades_and_single_documents() -> None:
    assert listed("torchmetrics", [2, -1, 1, 0]) == pytest.approx(0.8494797348976135, rel=1e-6)
    assert listed("torchmetrics", [1]) == 1
    # Equal as 32-bit floats, so each document is first in half of the orders.
    scores = [0.900000001, 0.9]
    assert listed("torchmetrics", [1, 0], scores) == pytest.approx((1 + DISCOUNTED) / 2)


def test_rax_has_exponential_gains_and_ties_in_given_order() -> None:
    assert listed("rax", [0, 1, 3, 2], [1, 1, 1, 0.5]) == pytest.approx(
        0.5773534774780273, rel=1e-6
    )
    # Judged documents outside the list are not in the ideal.
    qrels, run = {"q": {"a": 1, "b": 3}}, {"q": {"a": 1.0}}
    assert gainful.evaluate(qrels, run, "nDCG", convention="rax").mean() == 1


def test_tensorflow_ranking_removes_documents_with_negative_grades() -> None:
    assert listed("tensorflow-ranking", [-1, 2, -1, 0, 1]) == listed(
        "tensorflow-ranking", [2, 0, 1]
    )
    # Without a grade a document keeps its rank.
    qrels, run = {"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}
    assert gainful.evaluate(qrels, run, "nDCG", convention="tensorflow-ranking").mean() == (
        DISCOUNTED
    )


def test_tensorflow_ranking_shuffles_ties() -> None:
    values = {
        listed("tensorflow-ranking", [1, 0], [1, 1], ties=f"random({seed})") for seed in range(20)
    }
    assert values == {1.0, DISCOUNTED}


TWO_QUERIES = (
    {"q1": {"a": 2, "b": 4, "c": 0}, "q2": {"a": 0, "b": 0, "c": 0}},
    {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 3.0, "b": 2.0, "c": 1.0}},
)


@pytest.mark.parametrize(("weights", "printed"), [((1, 0.1), 1.5798), ((1, 3), 0.4345)])
@pytest.mark.parametrize("preset", ["lightgbm", "xgboost"])
def test_queries_without_relevant_documents_are_unweighted(
    weights: tuple[float, float], printed: float, preset: str
) -> None:
    given = dict(zip(("q1", "q2"), weights, strict=True))
    result = gainful.evaluate(*TWO_QUERIES, "nDCG", convention=preset, weights=given)
    assert round(result.mean(), 4) == printed
    assert result.per_query()["q2"] == 1
    right = get(preset).replace(unweighted="nothing")
    mean = gainful.evaluate(*TWO_QUERIES, "nDCG", convention=right, weights=given).mean()
    first = result.per_query()["q1"]
    assert mean == pytest.approx((first * weights[0] + weights[1]) / sum(weights))


@pytest.mark.parametrize(("weights", "printed"), [((1, 0.1), 0.8725), ((1, 3), 0.9649)])
def test_catboost_weights_all_queries(weights: tuple[float, float], printed: float) -> None:
    given = dict(zip(("q1", "q2"), weights, strict=True))
    result = gainful.evaluate(*TWO_QUERIES, "nDCG", convention="catboost", weights=given)
    assert round(result.mean(), 4) == printed


@pytest.mark.parametrize(("preset", "largest"), [("lightgbm", 30), ("xgboost", 31)])
def test_the_largest_grade_is_accepted_and_the_next_is_an_error(preset: str, largest: int) -> None:
    assert listed(preset, [0, largest]) == pytest.approx(DISCOUNTED)
    for wrong in (largest + 1, -1, 0.5):
        with pytest.raises(GradeError):
            listed(preset, [0, wrong])


def test_xgboosts_bare_ndcg_is_cut_at_32() -> None:
    grades = [0] * 39 + [1]
    assert listed("xgboost", grades) == 0
    assert round(listed("xgboost", grades, measure="nDCG@40"), 3) == 0.187
    assert listed("xgboost-linear", grades) == 0


def test_xgboost_with_linear_gains_takes_any_grade() -> None:
    assert listed("xgboost-linear", [-1, 1]) == pytest.approx(-1.0)
    # With an ideal below 0 there are no relevant documents.
    assert listed("xgboost-linear", [-3, 1]) == 1
    assert listed("xgboost-linear", [0.5, 1.5, 0]) == pytest.approx(0.7967075809905066)


@pytest.mark.parametrize(
    ("preset", "value"),
    [("lightgbm", 1), ("xgboost", 1), ("xgboost-minus", 0), ("catboost", 1), ("rax", 0)],
)
def test_values_without_relevant_documents(preset: str, value: float) -> None:
    assert listed(preset, [0, 0, 0]) == value


def test_catboost_puts_the_lower_grade_first() -> None:
    assert listed("catboost", [1, 0, 2], [1, 1, 2]) == pytest.approx(0.9502344167898358)
    # An earlier version of CatBoost averaged; this value is from its own unit test.
    averaged = listed("catboost", [1, 0, 2], [1, 1, 2], ties="expected")
    assert averaged == pytest.approx(0.9751172084, abs=1e-10)


@pytest.mark.parametrize(
    ("preset", "figure"),
    [
        ("catboost", 0.6562973047890613),
        ("catboost-exp", 0.5958903914411471),
        ("catboost-position", 0.6486486486486487),
        ("catboost-exp-position", 0.5384615385),
    ],
)
def test_catboosts_types_and_denominators(preset: str, figure: float) -> None:
    value = listed(preset, [2, 4, 0, 3, 1], measure="nDCG@3")
    assert value == pytest.approx(figure, abs=1e-10)


def test_presets_of_papers() -> None:
    grades = [2, 3, 1, 2, 1, 0, 1]
    first = listed("jarvelin-kekalainen-2002", grades, measure="DCG")
    assert first == pytest.approx(7.4178134987528725)
    assert listed("jarvelin-kekalainen-2002", grades) == pytest.approx(0.9786822689247068)
    # With base 10 there is no discount above rank 11.
    spared = "DCG(discount=jarvelin-kekalainen, base=10)"
    assert listed("jarvelin-kekalainen-2002", grades, measure=spared) == sum(grades)
    assert listed("burges-2005", grades, measure="DCG") == pytest.approx(9.928724089788258)
    assert listed("burges-2005", grades) == pytest.approx(0.8584015849009009)
