"""Special behavior of the presets of recommender tools, one small case each."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import gainful
from gainful.backends.recommendations import evaluate_recommendations
from gainful.conventions import get
from gainful.errors import GradeError, MatchError
from gainful.evaluation.partition import score_partition
from gainful.explanation import worst_query

DISCOUNTED = 1 / math.log2(3)
# One of three items found, and an item of grade 0 at rank 1.
QRELS = {"u": {"a": 1, "b": 3, "c": 0}}
RUN = {"u": {"c": 3.0, "x": 2.0, "b": 1.0}}


def mean(preset: str, qrels: dict, run: dict, measure: str = "nDCG", **policies: object) -> float:
    convention = get(preset).replace(**policies)
    return gainful.evaluate(qrels, run, measure, convention=convention).mean()


@pytest.mark.parametrize(
    "preset",
    ["pyspark", "recommenders"],
)
def test_every_judged_item_counts_1(preset: str) -> None:
    # Of the three judged items, two are found at ranks 1 and 3.
    value = mean(preset, QRELS, RUN)
    assert value == pytest.approx((1 + 0.5) / (1.5 + DISCOUNTED), abs=5e-5)


@pytest.mark.parametrize(
    "preset", ["spark", "cornac", "implicit", "recbole", "sentence-transformers"]
)
def test_every_relevant_item_counts_1(preset: str) -> None:
    value = mean(preset, QRELS, RUN)
    assert value == pytest.approx(0.5 / (1 + DISCOUNTED), abs=5e-5)
    # Rows with grade 0, if they are passed to the tool as relevant.
    value = mean(preset, QRELS, RUN, "nDCG(gain='judged')")
    assert value == pytest.approx((1 + 0.5) / (1.5 + DISCOUNTED), abs=5e-5)


def test_lenskit_does_not_discount_the_first_two_ranks() -> None:
    # gain=rating: 3 at rank 3 of 3 + 1 at ranks 1 and 2.
    assert mean("lenskit-rating", QRELS, RUN) == pytest.approx(3 * DISCOUNTED / (3 + 1))
    assert mean("lenskit-rating", QRELS, RUN, "nDCG(discount=log2)") == pytest.approx(
        1.5 / (3 + DISCOUNTED)
    )
    # Without gain= every test item counts 1: LensKit's default, and what its name alone means.
    assert mean("lenskit", QRELS, RUN) == pytest.approx((1 + DISCOUNTED) / (2 + DISCOUNTED))


def test_lenskit_gives_nan_without_relevant_items_and_skips_missing_users() -> None:
    qrels = {"u": {"a": 0}, "v": {"a": 1}, "w": {"a": 1}}
    run = {"u": {"a": 1.0}, "v": {"a": 1.0}}
    result = gainful.evaluate(qrels, run, "nDCG", convention="lenskit-list-rating")
    values = result.per_query()
    assert math.isnan(values.pop("u"))
    assert values == {"v": 1.0}
    assert math.isnan(result.mean())
    assert mean("lenskit-rating", qrels, run) == 0.5
    assert mean("lenskit", qrels, run) == 1


#: Output of `RunAnalysis.list_summary()` for user 3 without test items, for user 4 without
#: recommendations, and for a user who has neither.
WITHOUT_USER = {"nDCG": 0.75, "R": 0.75, "RR": 0.75, "P": 0.5, "Success": 1, "DCG": 1}
WITH_USER = {name: value * 2 / 3 for name, value in WITHOUT_USER.items()}
LENSKIT = {
    "u3": WITH_USER,
    "u4": {**WITH_USER, "AP": 1 / 3},
    "u5": {**WITHOUT_USER, "AP": 0.5},
}
TEST_ITEMS = {"u1": {"1": 1, "2": 1}, "u2": {"3": 1}}
LISTS = {"u1": ["1", "5"], "u2": ["6", "3"]}


@pytest.mark.parametrize(
    ("user", "qrels", "run"),
    [
        ("u3", TEST_ITEMS, {**LISTS, "u3": ["7", "8"]}),
        ("u3", {**TEST_ITEMS, "u3": {}}, {**LISTS, "u3": ["7", "8"]}),
        ("u4", {**TEST_ITEMS, "u4": {"9": 1}}, {**LISTS, "u4": []}),
        ("u5", TEST_ITEMS, {**LISTS, "u5": []}),
    ],
)
def test_lenskit_counts_users_without_test_items(user: str, qrels: dict, run: dict) -> None:
    printed = LENSKIT[user]
    result = gainful.evaluate(qrels, run, list(printed), convention="lenskit")
    assert {name: result.mean(name) for name in printed} == pytest.approx(printed)


def test_queries_without_judgments_count_in_every_input(tmp_path: Path) -> None:
    """Files, streams, partitions, SQL, arrays and recommenders give the mean of a mapping."""
    run = {**LISTS, "u3": ["7", "8"]}
    expected = {name: WITH_USER[name] for name in ("nDCG", "R", "RR", "P")}
    path = tmp_path / "r.run"
    gainful.Run(run).write(path)
    for source in path, pa.table(gainful.Run(run)), gainful.Run(run):
        result = gainful.evaluate(TEST_ITEMS, source, list(expected), convention="lenskit")
        assert {name: result.mean(name) for name in expected} == pytest.approx(expected)
        assert result.counts()["no_relevant"]["nDCG"] == 1
    parts = [
        score_partition(qrels, run, list(expected), convention="lenskit")
        for qrels, run in ((TEST_ITEMS, LISTS), (None, {"u3": ["7", "8"]}))
    ]
    joined = gainful.Evaluation.from_rows(parts, list(expected), convention="lenskit")
    assert {name: joined.mean(name) for name in expected} == pytest.approx(expected)
    scores = np.array([[5.0, 0, 0, 4, 0], [0, 0, 4, 0, 5], [0, 4, 0, 5, 0]])
    held_out = np.array([0, 2, 3, 3]), np.array([0, 1, 2])
    result = evaluate_recommendations(held_out, scores, list(expected), convention="lenskit", top=2)
    assert {name: result.mean(name) for name in expected} == pytest.approx(expected)
    assert worst_query(TEST_ITEMS, path, convention="lenskit") == "u1"


def test_a_run_of_other_users_is_refused() -> None:
    with pytest.raises(MatchError, match="no query in common"):
        mean("lenskit", TEST_ITEMS, {"u3": ["7"]})


# Ascending grades, descending ranks: the ranking is perfect.
ASCENDING = {"u": {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4}}
PERFECT = {"u": ["e", "d", "c", "b", "a"]}


@pytest.mark.parametrize(("measure", "printed"), [("nDCG@5", 1.95), ("nDCG@3", 9.8)])
def test_sparks_ideal_is_not_sorted(measure: str, printed: float) -> None:
    assert mean("spark-graded", ASCENDING, PERFECT, measure) == pytest.approx(printed, rel=2e-3)
    assert mean("pyspark", ASCENDING, PERFECT, measure) == 1


@pytest.mark.parametrize("preset", ["spark", "pyspark", "cornac"])
def test_a_document_recommended_twice_counts_twice(preset: str) -> None:
    # Output of the tools for an item listed three times: 2.13.
    run = {"u": ["a", "a", "a"]}
    assert round(mean(preset, {"u": {"a": 1}}, run), 2) == 2.13


def test_recbole_rounds_the_mean() -> None:
    qrels = {"u": {"a": 1}, "v": {"a": 1}}
    run = {"u": {"x": 2.0, "a": 1.0}, "v": {"x": 2.0, "y": 1.0}}
    assert mean("recbole", qrels, run) == round(DISCOUNTED / 2, 4)


@pytest.mark.parametrize(
    "preset", ["implicit", "recbole", "recommenders", "recommenders-raw", "sentence-transformers"]
)
def test_without_a_cutoff_it_is_10(preset: str) -> None:
    run = {"u": [f"x{at:02}" for at in range(10)] + ["a"]}
    assert mean(preset, {"u": {"a": 1}}, run) == 0
    assert mean(preset, {"u": {"a": 1}}, run, "nDCG@11") > 0


def test_recpack_refuses_grades() -> None:
    qrels = {"u": {"a": 1, "b": 0, "c": 1}, "v": {"a": 0}}
    # Users with no relevant items are left out.
    assert mean("recpack", qrels, {"u": ["b", "a"], "v": ["a"]}) == pytest.approx(
        DISCOUNTED / (1 + DISCOUNTED)
    )
    with pytest.raises(GradeError, match="grade 3"):
        mean("recpack", QRELS, RUN)


def test_elliot_gains_start_at_1_for_grade_0() -> None:
    # Gains 3, 15 and 1 of a, b and c; a negative grade gains nothing.
    ideal = 15 + 3 * DISCOUNTED + 1 / 2
    assert mean("elliot", QRELS, RUN) == pytest.approx((1 + 15 / 2) / ideal)
    assert mean("elliot", {"u": {"a": -1, "b": 0}}, {"u": ["a", "b"]}) == DISCOUNTED
    # A fractional grade of 1.5 has the gain 2^1.5 - 1.
    one = mean("elliot", {"u": {"a": 0.5}}, {"u": ["a"]}, "DCG", name="own")
    assert one == pytest.approx(2**1.5 - 1)


def test_cornac_and_implicit_skip_users_without_relevant_items() -> None:
    qrels = {"u": {"a": 0}, "v": {"a": 1}}
    for preset in "cornac", "implicit":
        assert mean(preset, qrels, {"u": ["a"], "v": ["x", "a"]}) == DISCOUNTED


def test_recommenders_uses_grades_only_with_another_score_type() -> None:
    ideal = {"raw": 3 + DISCOUNTED, "exp": 7 + DISCOUNTED}
    gain = {"raw": 3, "exp": 7}
    for kind in ("raw", "exp"):
        value = mean(f"recommenders-{kind}", QRELS, RUN)
        assert value == pytest.approx(gain[kind] / 2 / ideal[kind])
        zeros = {"u": {"a": 0}, "v": {"a": 1}}
        assert mean(f"recommenders-{kind}", zeros, {"u": ["a"], "v": ["a"]}) == 1
    # A user without recommendations counts 0.
    assert mean("recommenders", {"u": {"a": 1}, "v": {"a": 1}}, {"u": ["a"]}) == 0.5


def test_sentence_transformers_orders_ties_by_ascending_ids() -> None:
    run = {"u": {"b": 1.0, "a": 1.0}}
    assert mean("sentence-transformers", {"u": {"a": 1}}, run) == 1
    assert mean("sentence-transformers", {"u": {"b": 1}}, run) == DISCOUNTED


def test_the_ideal_of_caserecommender_has_returned_items_only() -> None:
    # One hit of three: 1 at every cutoff, since ranks 1 and 2 have equal weight.
    qrels = {"u": {"a": 1, "b": 1, "c": 1}}
    assert mean("caserecommender", qrels, {"u": ["x", "a", "y"]}) == 1
    assert mean("caserecommender", qrels, {"u": ["x", "a", "b"]}, "nDCG@2") == 1
    # Output of the tool: the mean has six decimals.
    assert mean("caserecommender", qrels, {"u": ["x", "a", "b"]}, "nDCG@3") == 0.815465
    # Scores are ignored; a duplicate occupies no rank.
    run = {"u": [("x", 1.0), ("a", 2.0), ("x", 9.0), ("b", 3.0)]}
    rows = [("u", item, score) for item, score in run["u"]]
    assert mean("caserecommender", qrels, rows, "nDCG@3") == 0.815465
