"""The randomization test and the bounds by its inversion."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference import Design, randomization_bound, randomization_test

DIFFERENCES = np.random.default_rng(1).normal(0.03, 0.1, 40)
ALTERNATIVES = ["two-sided", "greater", "less"]
# Tenths, so that many sums are equal, and none of them exactly in binary.
TENTHS = st.lists(st.integers(-10, 10), min_size=1, max_size=9)


def by_enumeration(values: list[int], alternative: str) -> float:
    """In whole numbers, where equal is equal."""
    observed = sum(values)
    sums = [
        sum(sign * value for sign, value in zip(signs, values, strict=True))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    if alternative == "two-sided":
        far = [abs(found) >= abs(observed) for found in sums]
    elif alternative == "greater":
        far = [found >= observed for found in sums]
    else:
        far = [found <= observed for found in sums]
    return sum(far) / len(far)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(TENTHS)
def test_few_queries_are_enumerated(alternative, values) -> None:
    found = randomization_test([value / 10 for value in values], alternative=alternative)
    assert found.exact
    assert found.resamples == 2 ** sum(value != 0 for value in values)
    assert found.p == by_enumeration(values, alternative)


@given(TENTHS, st.data())
def test_clusters_are_flipped_together(values, data) -> None:
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values)))
    sums = [
        sum(v for v, label in zip(values, labels, strict=True) if label == own) for own in "abc"
    ]
    found = randomization_test(
        [value / 10 for value in values], Design(len(values), clusters=labels)
    )
    assert found.p == by_enumeration(sums, "two-sided")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_it_equals_scipy_for_twelve_queries(alternative) -> None:
    from scipy import stats

    values = DIFFERENCES[:12]
    expected = stats.permutation_test(
        (values,),
        lambda v, axis: v.sum(axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative,
    )
    found = randomization_test(values, alternative=alternative)
    # SciPy doubles the smaller tail, which for flips of signs is the same.
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_many_queries_are_resampled_and_agree_with_scipy() -> None:
    from scipy import stats

    expected = stats.permutation_test(
        (DIFFERENCES,),
        lambda v, axis: v.sum(axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(3),
    )
    found = randomization_test(DIFFERENCES, resamples=100_000)
    assert (found.exact, found.resamples) == (False, 100_000)
    error = math.sqrt(found.p * (1 - found.p) * (1 / 100_000 + 1 / 20_000))
    assert abs(found.p - expected.pvalue) < 4 * error


def test_equal_sums_do_not_depend_on_the_order_of_summation() -> None:
    # 30 wins of .1 and 10 losses: the p-value of the sign test, in tenths.
    from scipy import stats

    values = np.repeat([0.1, -0.1], [30, 10])
    exact = stats.binomtest(30, 40).pvalue
    found = randomization_test(values, resamples=200_000).p
    assert abs(found - exact) < 4 * math.sqrt(exact / 200_000)


def test_a_p_value_is_never_0() -> None:
    assert randomization_test(np.full(100, 0.1), resamples=999).p == 0.001


def test_all_differences_0() -> None:
    assert randomization_test([0.0] * 50) == (1.0, 1, True)


def test_results_depend_on_the_seed_and_not_on_threads() -> None:
    first = randomization_test(DIFFERENCES, resamples=5_000, threads=1)
    assert randomization_test(DIFFERENCES, resamples=5_000, threads=3) == first
    others = {randomization_test(DIFFERENCES, resamples=5_000, seed=seed).p for seed in range(5)}
    assert len(others) > 1


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95])
@given(values=st.lists(st.integers(-10, 10), min_size=1, max_size=8))
def test_a_bound_is_where_the_test_begins_to_reject(level, values) -> None:
    bound = randomization_bound([value / 10 for value in values], level=level)
    alpha = round(1 - level, 12)
    # Means of subsets, in fractions that floats may miss, and a little beyond on either side.
    shifts = {
        sum(chosen) / len(chosen) / 10
        for size in range(1, len(values) + 1)
        for chosen in itertools.combinations(values, size)
    }
    step = 1e-7
    candidates = sorted(shift + offset for shift in shifts for offset in (-step, step))
    kept = [
        shift
        for shift in candidates
        if randomization_test([v / 10 - shift for v in values], alternative="greater").p > alpha
    ]
    if math.isinf(bound):
        assert kept == candidates
    else:
        assert min(kept) == pytest.approx(bound + step, abs=1e-9)


def test_the_upper_bound_is_the_lower_one_of_the_negatives() -> None:
    upper = randomization_bound(DIFFERENCES, side="upper")
    assert upper == -randomization_bound(-DIFFERENCES, side="lower")
    assert upper > DIFFERENCES.mean() > randomization_bound(DIFFERENCES)


@pytest.mark.parametrize("kind", ["plain", "weights", "clusters"])
def test_the_bound_of_many_queries_agrees_with_the_test(kind) -> None:
    design = {
        "plain": Design(40),
        "weights": Design(40, weights=np.arange(40) % 4 + 1),
        "clusters": Design(
            40, clusters=[index // 2 if index < 10 else index for index in range(40)]
        ),
    }[kind]
    bound = randomization_bound(DIFFERENCES, design, resamples=9_999)
    ps = [
        randomization_test(
            DIFFERENCES - bound + offset, design, alternative="greater", resamples=9_999
        ).p
        for offset in (-1e-9, 1e-9)
    ]
    # The same signs are drawn, so the two say the same to the last resample.
    assert ps[0] > 0.05 >= ps[1]


def test_a_bound_needs_enough_queries() -> None:
    assert randomization_bound([0.1] * 4) == -math.inf
    assert randomization_bound([0.1] * 5) == 0.1
    assert randomization_bound([0.0] * 60, level=0.99) == 0.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: randomization_test([0.1], resamples=0), "1 or more"),
        (lambda: randomization_test([0.1], seed=-1), "2\\^64"),
        (lambda: randomization_test([0.1], alternative="x"), "two-sided"),
        (lambda: randomization_bound([0.1], side="both"), "lower or upper"),
        (lambda: randomization_bound([0.1], level=95), "between 0 and 1"),
    ],
)
def test_illegal_arguments_are_rejected(call, words) -> None:
    with pytest.raises(ParameterError, match=words):
        call()
