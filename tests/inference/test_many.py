"""Randomized Tukey HSD and max-T."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats

from combinations import in_turn
from gainful.errors import ParameterError
from gainful.inference import (
    Design,
    max_t,
    max_t_pairs,
    paired_t,
    randomization_test,
    randomized_tukey,
)
from requirements import need

RANDOM = np.random.default_rng(9)
SCORES = RANDOM.uniform(0.2, 0.8, (50, 1)) + RANDOM.normal(0, 0.1, (50, 6))
SCORES[:, 2] += 0.1
DIFFERENCES = SCORES[:, 1:] - SCORES[:, :1]


def near(found, expected, resamples) -> bool:
    """Whether two p-values, each from so many resamples, are within four standard errors."""
    expected = np.asarray(expected)
    error = np.sqrt(2 * expected * (1 - expected) / resamples)
    return bool((abs(found - expected) <= 4 * error + 2 / resamples).all())


def test_the_golden_systems() -> None:
    golden = json.loads((need("golden") / "paired_vs_unpaired.json").read_text())
    scores = np.column_stack([golden["scores"][name] for name in "ABC"])
    expected = np.array(golden["randomised_tukey_20000_resamples_p"])
    found = randomized_tukey(scores, resamples=20_000)
    assert near(found.p, expected, 20_000)
    # A and C are no different, B from both.
    assert (found.p <= 0.05).tolist() == [
        [False, True, False],
        [True, False, True],
        [False, True, False],
    ]


def test_tukey_of_three_queries_by_enumeration() -> None:
    scores = np.array([[0.1, 0.5, 0.3], [0.2, 0.6, 0.2], [0.3, 0.4, 0.7]])
    orders = list(itertools.permutations(range(3)))
    ranges = np.array(
        [
            np.ptp(sum(row[list(order)] for row, order in zip(scores, chosen, strict=True)) / 3)
            for chosen in itertools.product(orders, repeat=3)
        ]
    )
    means = scores.mean(axis=0)
    differences = abs(means[:, None] - means)
    exact = (ranges[:, None, None] >= differences - 1e-12).mean(axis=0)
    assert near(randomized_tukey(scores, resamples=50_000).p, exact, 50_000)


def test_tukey_of_two_systems_is_the_randomization_test() -> None:
    found = randomized_tukey(SCORES[:, [0, 2]], resamples=100_000).p[0, 1]
    assert near(found, randomization_test(SCORES[:, 2] - SCORES[:, 0]).p, 100_000)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=2, max_size=12))
def test_p_values_and_the_half_width_agree(level, rows) -> None:
    # Fifths, so that many ranges are exactly as large as a difference.
    scores = np.array(rows) / 5
    found = randomized_tukey(scores, level=level, resamples=199)
    means = scores.mean(axis=0)
    differences = abs(means[:, None] - means)
    alpha = round(1 - level, 12)
    assert ((found.p <= alpha) == (differences > found.half_width)).all()


def test_tukey_clusters_weights_and_strata() -> None:
    # Two of each query, in one cluster, are that query.
    twice = Design(100, clusters=list(range(50)) * 2)
    one = randomized_tukey(SCORES, resamples=2_000)
    two = randomized_tukey(np.vstack([SCORES, SCORES]), twice, resamples=2_000)
    assert two.p == pytest.approx(one.p)
    assert two.half_width == pytest.approx(one.half_width)
    # A weight of 2 is not two queries: it is wider.
    heavy = Design(50, weights=[9] + [1] * 49)
    assert randomized_tukey(SCORES, heavy, resamples=2_000).half_width > one.half_width
    halves = Design(50, strata=["a"] * 25 + ["b"] * 25)
    assert randomized_tukey(SCORES, halves, resamples=2_000).p == pytest.approx(one.p)


def test_max_t_of_one_column_is_the_randomization_test() -> None:
    column = symmetric(DIFFERENCES[:, [0]])
    found = max_t(column, resamples=100_000)
    alone = randomization_test(column[:, 0]).p
    assert alone > 0.01
    assert found.p[0] == pytest.approx(alone)


def symmetric(values) -> np.ndarray:
    """Return differences with as many of the same size on the other side of the mean."""
    return np.concatenate([values, 2 * values.mean(axis=0) - values])


def test_the_interval_of_max_t_is_the_t_interval_with_another_quantile() -> None:
    values = symmetric(DIFFERENCES)[:50]
    values = np.concatenate([values[:25], 2 * values[:25].mean(axis=0) - values[:25]])
    found = max_t(values, resamples=20_000)
    means = values.mean(axis=0)
    # A third of the largest squared deviation is added.
    deviations = (values - means) ** 2
    errors = np.sqrt((deviations.sum(axis=0) + deviations.max(axis=0) / 3) / 49 / 50)
    assert (found.low + found.high) / 2 == pytest.approx(means)
    quantiles = (found.high - found.low) / 2 / errors
    assert quantiles == pytest.approx(np.full(5, quantiles[0]))
    # Wider than for one column, narrower than by Bonferroni.
    assert stats.t.ppf(0.975, 49) < quantiles[0] < stats.t.ppf(1 - 0.025 / 5, 49)


def test_max_t_by_enumeration() -> None:
    values = DIFFERENCES[:9, :3]
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=9)))
    statistics = np.array(
        [[abs(paired_t(sign * column).statistic) for column in values.T] for sign in signs]
    )
    observed = np.array([corrected_t(column) for column in values.T])
    # Step down: from the least to the most significant column.
    expected, running = np.zeros(3), np.zeros(len(signs))
    for column in np.argsort(observed):
        running = np.maximum(running, statistics[:, column])
        expected[column] = (running >= observed[column] - 1e-9).mean()
    for column in np.argsort(-observed):
        expected[column] = max(expected[column], 2 * stats.t.sf(observed[column], 8))
    for column, after in itertools.pairwise(np.argsort(-observed)):
        expected[after] = max(expected[after], expected[column])
    assert max_t(values).p == pytest.approx(expected, rel=1e-12)


def corrected_t(column) -> float:
    """Return the absolute t of a column, corrected for skewness."""
    n, mean = len(column), column.mean()
    deviations = column - mean
    squares = (deviations**2).sum() + (deviations**2).max() / 3
    t = mean / math.sqrt(squares / (n - 1) / n)
    g = 1.5 * stats.skew(column, bias=False) / math.sqrt(n)
    moved = t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6
    return min(abs(t), max(moved * math.copysign(1, t), abs(t) / 1.4))


@pytest.mark.parametrize(
    ("kind", "level"), in_turn(["plain", "weights", "clusters", "strata"], [0.8, 0.95], 2)
)
@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=4, max_size=14))
@example([(0, -2, -2), (0, 2, -1), (0, 2, -1), (0, 2, -1)])
def test_p_values_and_intervals_agree(kind, level, rows) -> None:
    n = len(rows)
    design = {
        "plain": None,
        "weights": Design(n, weights=np.arange(n) % 3 + 1),
        "clusters": Design(n, clusters=np.arange(n) // 2),
        "strata": Design(n, strata=np.arange(n) % 2),
    }[kind]
    found = max_t(np.array(rows) / 10, design, level=level, resamples=199)
    means = (design or Design(n)).mean(np.array(rows) / 10)
    outside = (found.low > 0) | (found.high < 0)
    rejected = found.p <= round(1 - level, 12)
    # Without limits, equal differences have no interval.
    assume(not (rejected & np.isinf(found.low)).any())
    # Step down, further columns may be significant, whose intervals include 0.
    assert rejected[outside].all()
    assert rejected.any() == outside.any()
    for column in range(3):
        alone = max_t(np.array(rows)[:, [column]] / 10, design, level=level, resamples=199)
        outside = (alone.low > 0) | (alone.high < 0)
        assert (alone.p <= round(1 - level, 12)) == outside or np.isinf(alone.low).all()
    # Of weights, the estimate is not in the middle; it is inside.
    assert (found.low <= means + 1e-12).all()
    assert (means - 1e-12 <= found.high).all()


def test_queries_not_scored_by_both_are_left_out_of_their_column() -> None:
    values = DIFFERENCES.copy()
    values[:10, 1] = math.nan
    values[:, 3] = math.nan
    found = max_t(values, resamples=20_000)
    assert (np.isnan(found.p) == [False, False, False, True, False]).all()
    assert np.isnan([found.low[3], found.high[3]]).all()
    assert found.low[1] < DIFFERENCES[10:, 1].mean() < found.high[1]
    # On its own, the column is the test of the forty.
    alone = max_t(values[:, [1]], resamples=100_000)
    expected = max_t(DIFFERENCES[10:, [1]], resamples=100_000)
    assert near(alone.p, expected.p, 100_000)
    assert alone.low == pytest.approx(expected.low, rel=0.05)


def test_a_stratum_that_is_absent_is_left_out_of_the_mean_over_strata() -> None:
    design = Design(4, strata="aabb")
    found = max_t([[0.1, 0.1], [0.3, 0.3], [0.5, math.nan], [0.5, math.nan]], design, level=0.1)
    assert found.low[1] <= 0.2 <= found.high[1]
    assert (found.low[1] + found.high[1]) / 2 == pytest.approx(0.2)


def test_a_column_of_zeros() -> None:
    values = np.column_stack([DIFFERENCES[:, 1], np.zeros(50)])
    found = max_t(values, resamples=999)
    assert (found.p[1], found.low[1], found.high[1]) == (1.0, -math.inf, math.inf)
    assert found.p[0] == max_t(values[:, :1], resamples=999).p[0]
    assert max_t(np.zeros((5, 2)), resamples=99).p.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("difference", [0.0, 0.3, -1.0])
def test_equal_differences_have_an_interval_within_the_limits(difference: float) -> None:
    """With probability .95, at most 1 - .025^(1/30) of all queries have other differences."""
    found = max_t(np.full((30, 1), difference), limits=(-1, 1))
    share = 1 - 0.025 ** (1 / 30)
    assert found.low[0] == pytest.approx(difference - share * (difference + 1))
    assert found.high[0] == pytest.approx(difference + share * (1 - difference))
    two = max_t(np.full((30, 2), difference), limits=[[-1, -1], [1, 1]])
    assert two.high[0] - two.low[0] > found.high[0] - found.low[0]


def test_intervals_end_at_the_limits() -> None:
    values = np.array([1.0] * 5 + [-1.0, 1.0, 0.9])[:, None]
    free, limited = max_t(values), max_t(values, limits=(-1, 1))
    assert free.high[0] > 1.0 == limited.high[0]
    assert free.low[0] == limited.low[0]
    (table,) = max_t_pairs([np.column_stack([values, np.zeros(8)])], limits=[(-1, 1)])
    assert (table.low[0, 1], table.high[0, 1]) == pytest.approx((limited.low[0], 1.0))
    with pytest.raises(ParameterError, match="limits"):
        max_t(values, limits=(1, -1))


def test_too_few_queries_or_resamples_reject_nothing() -> None:
    assert (max_t(DIFFERENCES[:5]).low == -math.inf).all()
    assert (max_t(DIFFERENCES[:6]).low > -math.inf).all()
    assert randomized_tukey(SCORES, resamples=18).half_width == math.inf
    assert max_t(DIFFERENCES, resamples=18).high.tolist() == [math.inf] * 5


@pytest.mark.parametrize(("call", "data"), [(randomized_tukey, SCORES), (max_t, DIFFERENCES)])
def test_results_depend_on_the_seed_and_not_on_threads(call, data) -> None:
    first = call(data, resamples=999, threads=1).p.tolist()
    assert call(data, resamples=999, threads=3).p.tolist() == first
    assert call(data, resamples=999, seed=1).p.tolist() != first


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: randomized_tukey([[0.1], [0.2]]), "two systems or more"),
        (lambda: randomized_tukey([0.1, 0.2]), "two systems or more"),
        (lambda: randomized_tukey([[0.1, math.nan]]), "finite scores"),
        (lambda: max_t([0.1, 0.2]), "one column per pair"),
        (lambda: max_t([[0.1, math.inf]]), "or NaN"),
        (lambda: max_t([[0.1]], level=0.0), "between 0 and 1"),
    ],
)
def test_illegal_arguments_are_rejected(call, words) -> None:
    with pytest.raises(ParameterError, match=words):
        call()


def test_two_queries_have_an_infinite_half_width() -> None:
    # Of the 4 choices of signs two are as far out, whatever the scores: p is never below .5.
    found = randomized_tukey([[0.1, 0.5], [0.2, 0.8]], resamples=999)
    assert found.p[0, 1] == pytest.approx(0.5, abs=0.06)
    assert math.isinf(found.half_width)
    assert randomized_tukey([[0.1, 0.1], [0.2, 0.2]], resamples=999).half_width == 0.0
