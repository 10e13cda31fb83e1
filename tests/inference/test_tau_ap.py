"""tau-AP and its versions for ties equal the R package ircor 1.0 of their authors."""

from __future__ import annotations

from itertools import permutations
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference.rank_correlation import tau_ap, tau_ap_b

# The data of ircor's own tests, which give four digits.
X1 = [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992]
Y1 = [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988]
X1_TIES = [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1]
Y1_TIES = [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1]
X2 = [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38]
Y2 = [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644]
X2_TIES = [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4]
Y2_TIES = [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6]
X3 = [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445]
Y3 = [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25]
X3_TIES = [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4]
Y3_TIES = [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2]

ORDERS = st.integers(2, 6).flatmap(
    lambda n: st.tuples(
        st.permutations(range(n)), st.lists(st.integers(0, 3), min_size=n, max_size=n)
    )
)


def as_published(truth: list[float], estimate: list[float]) -> float:
    """The definition of Yilmaz, Aslam and Robertson, word for word; no ties."""
    n = len(truth)
    walk = sorted(range(n), key=lambda thing: -estimate[thing])
    shares = [sum(truth[walk[j]] > truth[walk[i]] for j in range(i)) / i for i in range(1, n)]
    return 2 / (n - 1) * sum(shares) - 1


@pytest.mark.parametrize(
    ("truth", "estimate", "tau"),
    [
        (X1, Y1, 0.8519),
        (X2, Y2, 0.2504),
        (X3, Y3, -0.6971),
        (X1, Y1_TIES, 0.7454),
        (X2, Y2_TIES, 0.2692),
        (X3, Y3_TIES, -0.5558),
    ],
)
def test_the_numbers_of_ircor(truth: list[float], estimate: list[float], tau: float) -> None:
    assert tau_ap(truth, estimate) == pytest.approx(tau, abs=5e-5)


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        (X1, Y1, 0.8333),
        (X2, Y2, 0.2880),
        (X3, Y3, -0.6680),
        (X1_TIES, Y1_TIES, 0.7321),
        (X2_TIES, Y2_TIES, 0.2970),
        (X3_TIES, Y3_TIES, -0.7047),
    ],
)
def test_the_numbers_of_ircor_in_both_directions(
    first: list[float], second: list[float], tau: float
) -> None:
    assert tau_ap_b(first, second) == pytest.approx(tau, abs=5e-5)
    assert tau_ap_b(second, first) == tau_ap_b(first, second)


def test_the_example_of_ircors_manual_to_seven_digits() -> None:
    x = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
    y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
    rounded = [0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8]
    x_rounded = [0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5]
    assert tau_ap(x, y) == pytest.approx(0.3928571, abs=5e-8)
    assert tau_ap(x, rounded) == pytest.approx(0.39903, abs=5e-6)
    assert tau_ap_b(x, rounded) == pytest.approx(0.3317019, abs=5e-8)
    assert tau_ap_b(x_rounded, rounded) == pytest.approx(0.339418, abs=5e-7)


@given(ORDERS)
def test_with_ties_it_is_the_mean_over_all_orders_of_the_tied(
    values: tuple[list[float], list[float]],
) -> None:
    truth, estimate = values
    n = len(truth)
    orders = {
        tuple(sorted(range(n), key=lambda thing: (-estimate[thing], order[thing])))
        for order in permutations(range(n))
    }
    each = [as_published(truth, [-order.index(thing) for thing in range(n)]) for order in orders]
    assert tau_ap(truth, estimate) == pytest.approx(sum(each) / len(each), abs=1e-12)


@given(st.permutations(range(6)))
def test_without_ties_it_is_the_mean_of_both_directions(order: list[float]) -> None:
    plain = [float(value) for value in range(6)]
    expected = (as_published(plain, order) + as_published(order, plain)) / 2
    assert tau_ap_b(plain, order) == pytest.approx(expected, abs=1e-12)


def test_of_random_orders_the_mean_is_zero() -> None:
    truth = [4.0, 3.0, 2.0, 1.0]
    taus = [tau_ap(truth, order) or 0.0 for order in permutations(truth)]
    assert sum(taus) == pytest.approx(0, abs=1e-12)
    assert (max(taus), min(taus)) == (1.0, -1.0)


def test_the_same_order_with_ties_agrees_in_full() -> None:
    assert tau_ap_b([3, 3, 2, 1, 1], [9, 9, 5, 0, 0]) == 1.0
    assert tau_ap_b([3, 2, 1], [1, 2, 3]) == -1.0


@pytest.mark.parametrize(("first", "second"), [([], []), ([1], [2]), ([1, nan], [1, 2])])
def test_where_it_is_not_defined(first: list[float], second: list[float]) -> None:
    assert tau_ap(first, second) is None
    assert tau_ap_b(first, second) is None


def test_an_order_with_only_ties_has_no_correlation() -> None:
    assert tau_ap_b([1, 1, 1], [1, 2, 3]) is None


def test_a_truth_with_ties_is_rejected() -> None:
    with pytest.raises(ParameterError, match="ties in the truth.*tau_ap_b"):
        tau_ap([1, 1], [1, 2])
    with pytest.raises(ParameterError, match="found 1 and 2 values"):
        tau_ap_b([1], [1, 2])
