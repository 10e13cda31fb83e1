"""RBO_ext equals its definition, published values, and the mean over all orders of ties."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference.rank_correlation import rbo_ext, tie_groups


def as_published(first: list[str], second: list[str], p: float) -> float:
    """Equation 32 of Webber, Moffat and Zobel, with sets; no ties."""
    short, long = sorted((first, second), key=len)
    s, l = len(short), len(long)  # noqa: E741

    def both(depth: int) -> int:
        return len(set(short[:depth]) & set(long[:depth]))

    seen = sum(both(d) / d * p**d for d in range(1, l + 1))
    guessed = sum(both(s) * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (seen + guessed) + ((both(l) - both(s)) / l + both(s) / s) * p**l


RANKINGS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)
P = st.sampled_from([0.5, 0.8, 0.9, 0.98])


@given(RANKINGS, RANKINGS, P)
def test_the_published_formula(first: list[str], second: list[str], p: float) -> None:
    found = rbo_ext(first, second, p)
    assert found == pytest.approx(as_published(first, second, p), abs=1e-12)
    assert rbo_ext(second, first, p) == pytest.approx(found, abs=1e-15)
    assert -1e-12 <= found <= 1 + 1e-12
    assert rbo_ext(first, first, p) == pytest.approx(1, abs=1e-12)


def orders(ranking: list[set[str]]) -> list[list[str]]:
    """Return every ranking without ties that one with ties may stand for."""
    return [
        [thing for group in groups for thing in group]
        for groups in product(*(permutations(sorted(group)) for group in ranking))
    ]


@given(
    st.lists(st.integers(0, 2), min_size=5, max_size=5),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    P,
)
def test_with_ties_it_is_the_mean_over_all_orders(
    first: list[int], second: list[int], p: float
) -> None:
    one = tie_groups(dict(zip("abcde", first, strict=True)))
    two = tie_groups(dict(zip("bdxy", second, strict=True)))
    each = [as_published(a, b, p) for a in orders(one) for b in orders(two)]
    assert rbo_ext(one, two, p) == pytest.approx(sum(each) / len(each), abs=1e-12)


def test_the_number_of_corsi_and_urbano() -> None:
    """The example of their implementation, printed there with seven digits."""
    x = ["red", {"blue", "green"}, "yellow", "pink"]
    y = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]
    assert rbo_ext(x, y, 0.95) == pytest.approx(0.6922853, abs=5e-8)


def test_nothing_in_common_is_zero() -> None:
    assert rbo_ext(["a", "b"], ["c"]) == 0.0


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_p_is_a_probability_between(p: float) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        rbo_ext(["a"], ["a"], p)


def test_invalid_rankings_are_rejected() -> None:
    with pytest.raises(ParameterError, match="an empty ranking"):
        rbo_ext([], ["a"])
    with pytest.raises(ParameterError, match="'a' twice"):
        rbo_ext(["a", {"b", "a"}], ["a"])
