"""Intervals of ranks."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.inference.letters import rank_intervals


def test_without_differences_every_rank_is_possible() -> None:
    assert rank_intervals("abc", []) == dict.fromkeys("abc", (1, 3))


@given(st.lists(st.sampled_from([(i, j) for i in range(5) for j in range(i)]), unique=True))
def test_intervals_contain_the_ranks_of_all_orders_that_the_tests_allow(
    found: list[tuple[int, int]],
) -> None:
    systems = [str(at) for at in range(5)]
    better = [(systems[winner], systems[loser]) for winner, loser in found]
    ends = rank_intervals(systems, better)
    orders = [
        order
        for order in permutations(systems)
        if all(order.index(winner) < order.index(loser) for winner, loser in better)
    ]
    for system in systems:
        ranks = {1 + order.index(system) for order in orders}
        low, high = ends[system]
        assert low <= min(ranks)
        assert max(ranks) <= high


@pytest.mark.parametrize("systems", [2, 20])
def test_a_complete_order_leaves_one_rank_each(systems: int) -> None:
    names = [f"s{at}" for at in range(systems)]
    better = [(one, two) for at, one in enumerate(names) for two in names[at + 1 :]]
    assert list(rank_intervals(names, better).values()) == [
        (at, at) for at in range(1, systems + 1)
    ]
