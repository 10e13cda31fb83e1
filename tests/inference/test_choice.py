"""chosen_best(): the best of several systems, chosen and evaluated on different queries."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import Design, chosen_best


def noise(seed: int, n: int, m: int) -> np.ndarray:
    return np.random.RandomState(seed).normal(size=(n, m))


def test_leaving_one_out_by_hand() -> None:
    values = np.array([[0.9, 0.1], [0.2, 0.4], [0.3, 0.6], [0.5, 0.5]])
    found = chosen_best(values, folds=4)
    expected = []
    for left in range(4):
        means = np.delete(values, left, axis=0).mean(axis=0)
        expected.append(values[left, int(means[1] > means[0])])
    assert found.best == 0
    assert found.measured == pytest.approx(0.475)
    assert found.expected == pytest.approx(np.mean(expected))
    assert (found.folds, found.repeats) == (4, 1), "there is one way to leave each out"
    assert found.interval is None, "resamples of four queries are nearly all alike"


def test_a_clear_winner_has_no_selection_bias() -> None:
    values = np.array([[0.1, 0.5, 0.2]] * 3 + [[0.2, 0.6, 0.1]] * 3) + noise(1, 6, 1) * 0.01
    found = chosen_best(values)
    assert found.chosen == (0.0, 1.0, 0.0)
    assert found.expected == pytest.approx(found.measured, abs=1e-12)
    assert found.interval is not None
    assert found.interval.low < found.expected < found.interval.high


def test_the_first_of_equal_ones_is_chosen() -> None:
    column = noise(2, 30, 1)
    found = chosen_best(np.hstack([column, column, column]))
    assert found.best == 0
    assert found.chosen == (1.0, 0.0, 0.0), "whatever the sums of the others round to"


def test_selection_bias_is_removed_and_the_interval_has_its_coverage() -> None:
    """Twenty equal systems, two hundred times: their means are all one half."""
    found = [chosen_best(0.5 + 0.2 * noise(seed, 60, 20), resamples=400) for seed in range(200)]
    flattery = np.mean([each.measured for each in found]) - 0.5
    honest = np.mean([each.expected for each in found]) - 0.5
    # The largest of twenty normal means lies 1.87 standard errors out: .048 here.
    assert 0.045 < flattery < 0.051
    assert abs(honest) < 0.004, "its standard error over these is .002"
    assert np.mean([each.interval.low < 0.5 < each.interval.high for each in found]) >= 0.95


def test_the_interval_has_its_coverage_if_some_are_better() -> None:
    held = 0
    for seed in range(200):
        true = 0.5 + 0.05 * noise(1000 + seed, 1, 10)[0]
        shared = 0.2 * noise(2000 + seed, 50, 1)
        values = true + shared + 0.15 * noise(seed, 50, 10)
        found = chosen_best(values, resamples=400)
        held += found.interval.low < true[found.best] < found.interval.high
    assert held >= 195


def test_another_measure_can_be_reported() -> None:
    by, scored = noise(3, 12, 4), noise(4, 12, 4)
    found = chosen_best(by, scored=scored)
    assert found.best == by.mean(axis=0).argmax()
    assert found.measured == pytest.approx(scored[:, found.best].mean())
    gained = chosen_best(by, scored=by - by[:, [0]])
    plain = chosen_best(by)
    assert gained.expected == pytest.approx(plain.expected - by[:, 0].mean())


def test_weights_count_queries() -> None:
    values = noise(5, 8, 3)
    weights = [3, 1, 2, 1, 1, 2, 1, 0]
    repeated = np.repeat(values, weights, axis=0)
    labels = np.repeat(np.arange(8), weights)
    weighted = chosen_best(values, Design(8, weights=weights), folds=7)
    clustered = chosen_best(repeated, Design(11, clusters=labels.tolist()), folds=7)
    assert weighted.best == clustered.best
    assert weighted.measured == pytest.approx(clustered.measured)
    assert weighted.expected == pytest.approx(clustered.expected)
    assert weighted.interval == pytest.approx(clustered.interval)


def test_clusters_are_never_divided() -> None:
    """Two users who want opposite things: what is chosen for one is worth nothing for the other."""
    values = np.array([[1.0, 0.0]] * 5 + [[0.0, 0.9]] * 5)
    found = chosen_best(values, Design(10, clusters=["ann"] * 5 + ["bob"] * 5), folds=5)
    assert found.measured == pytest.approx(0.5)
    assert found.expected == 0.0


def test_one_query_has_no_estimate() -> None:
    found = chosen_best([[0.2, 0.4]])
    assert (found.best, found.measured, found.expected, found.interval) == (1, 0.4, None, None)


def test_results_depend_on_the_seed() -> None:
    values = noise(6, 20, 5)
    one, again, other = (chosen_best(values, seed=seed) for seed in (1, 1, (1 << 64) - 1))
    assert (one.expected, one.interval) == (again.expected, again.interval)
    assert one.interval != other.interval


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"folds": 1}, "folds"),
        ({"folds": 2.5}, "folds"),
        ({"repeats": 0}, "repeats"),
        ({"resamples": 99}, "resamples"),
        ({"level": 1.0}, "level"),
        ({"seed": -1}, "seed"),
        ({"seed": 1 << 64}, "seed"),
        ({"scored": [[1.0]]}, "scored|values"),
        ({"design": Design(4, strata=[1, 1, 2, 2])}, "design"),
    ],
)
def test_values_out_of_range_are_rejected(change: dict[str, object], where: str) -> None:
    with pytest.raises(ParameterError, match=where):
        chosen_best(noise(0, 4, 2), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [[[]], [1.0, 2.0], [[float("nan")]]])
def test_invalid_values_are_rejected(values: object) -> None:
    with pytest.raises(ParameterError, match="values"):
        chosen_best(values)  # type: ignore[arg-type]


def test_the_interval_contains_the_estimate() -> None:
    for seed, n in product(range(10), (5, 9)):
        found = chosen_best(noise(seed, n, 3), resamples=100)
        assert found.interval.low <= found.expected <= found.interval.high


def test_one_division_is_enough() -> None:
    assert chosen_best(np.eye(8, 2), repeats=1, resamples=100)
