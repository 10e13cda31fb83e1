"""The permutation test of equal means agrees with enumeration, Welch's test and its design."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import Design, equal_means_test

RANDOM = np.random.default_rng(11)
#: Four standard errors of a p of one half with 5,000 resamples.
ERROR = 4 * 0.5 / 5_000**0.5


def welch(values: np.ndarray, labels: np.ndarray) -> float:
    """Return the weighted sum of squares of Welch's test."""
    parts = [values[labels == label] for label in np.unique(labels)]
    weights = np.array([len(part) / np.var(part, ddof=1) for part in parts])
    means = np.array([part.mean() for part in parts])
    return float(weights @ (means - weights @ means / weights.sum()) ** 2)


@pytest.mark.parametrize("labels", ["aabbbb", "aaabbb", "aabbcc"])
def test_p_is_the_share_of_all_permutations(labels: str) -> None:
    values, codes = RANDOM.normal(size=6), np.array([ord(label) for label in labels])
    every = [welch(values[list(order)], codes) for order in permutations(range(6))]
    exact = np.mean(np.array(every) >= welch(values, codes) * (1 - 1e-9))
    tests = equal_means_test(values, labels)
    assert tests == pytest.approx([exact], abs=ERROR)


def test_many_queries_have_the_p_of_welch() -> None:
    from scipy.stats import ttest_ind

    first, second = RANDOM.normal(0.0, 1.0, 150), RANDOM.normal(0.2, 2.0, 250)
    expected = ttest_ind(first, second, equal_var=False).pvalue
    tests = equal_means_test(np.concatenate([first, second]), "a" * 150 + "b" * 250)
    assert tests == pytest.approx([expected], abs=0.03)


def test_columns_have_the_p_that_they_have_alone() -> None:
    values = RANDOM.normal(size=(30, 3))
    labels = "abc" * 10
    alone = [equal_means_test(column, labels) for column in values.T]
    assert [[p] for p in equal_means_test(values, labels) or ()] == alone


def test_a_common_shift_changes_nothing() -> None:
    values = RANDOM.integers(0, 4, 40) / 4
    labels = "aabb" * 10
    assert equal_means_test(values, labels) == equal_means_test(values + 0.5, labels)


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3])
def test_equal_values_do_not_differ(value: float) -> None:
    assert equal_means_test([value] * 12, "aaabbb" * 2) == [1.0]


def test_slices_without_variance_can_differ() -> None:
    (p,) = equal_means_test([0.5] * 8 + [0.0] * 8, "a" * 8 + "b" * 8) or ()
    assert p < 0.01


def test_copies_of_queries_in_one_cluster_are_one_query() -> None:
    values, labels = RANDOM.normal(size=12), "aaaabbbbcccc"
    clusters = np.repeat(np.arange(12), 2)
    twice = Design(24, clusters=clusters)
    doubled = equal_means_test(np.repeat(values, 2), [name for name in labels for _ in "xx"], twice)
    assert doubled == equal_means_test(values, labels)


def test_a_query_of_weight_0_does_not_count() -> None:
    values, labels = RANDOM.normal(size=10), "aaaaabbbbb"
    design = Design(11, weights=[1.0] * 10 + [0.0])
    more = equal_means_test([*values, 99.0], labels + "b", design)
    assert more == equal_means_test(values, labels)


@pytest.mark.parametrize(
    ("labels", "clusters"),
    [("aaaaaa", "123456"), ("aaaaab", "123456"), ("aaabbb", "112233"), ("aaabbb", "111222")],
)
def test_too_few_units_or_crossed_clusters_have_no_test(labels: str, clusters: str) -> None:
    assert equal_means_test(np.arange(6.0), labels, Design(6, clusters=clusters)) is None


def test_small_groups_are_left_out() -> None:
    values = RANDOM.normal(size=9)
    assert equal_means_test(values, "aaaabbbbc") == equal_means_test(values[:8], "aaaabbbb")


def test_groups_must_be_as_many_as_queries() -> None:
    with pytest.raises(ParameterError):
        equal_means_test([0.1, 0.2, 0.3, 0.4], "aabb", Design(5))
