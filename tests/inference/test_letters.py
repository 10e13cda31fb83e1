"""The compact letter display: two systems share a letter unless they differ significantly."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.inference.letters import compact_letters


@given(st.data())
def test_letters_are_shared_exactly_by_those_without_a_significant_difference(
    data: st.DataObject,
) -> None:
    systems = [f"s{at}" for at in range(data.draw(st.integers(1, 8)))]
    pairs = list(combinations(systems, 2))
    different = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    means = {system: data.draw(st.floats(0, 1)) for system in systems}
    turned = [pair[:: data.draw(st.sampled_from([1, -1]))] for pair in sorted(different)]
    letters = compact_letters(systems, means, turned)
    assert list(letters) == systems
    assert all(letters.values())
    for one, two in pairs:
        shared = set(letters[one]) & set(letters[two])
        assert bool(shared) == ((one, two) not in different)
    best = max(systems, key=lambda system: (means[system], -systems.index(system)))
    assert "a" in letters[best]


def test_all_or_no_pairs_significant() -> None:
    means = {"a": 3.0, "b": 1.0, "c": 2.0}
    every = list(combinations("abc", 2))
    assert compact_letters("abc", means, every) == {"a": "a", "b": "c", "c": "b"}
    assert compact_letters("abc", means, []) == {"a": "a", "b": "a", "c": "a"}


def test_more_systems_than_letters() -> None:
    systems = [f"s{at:03}" for at in range(120)]
    means = {system: -float(at) for at, system in enumerate(systems)}
    letters = compact_letters(systems, means, combinations(systems, 2))
    assert len(set(letters.values())) == 120
    assert (letters["s025"], letters["s026"], letters["s052"]) == ("z", "A", "a1")


def test_redundant_letters_are_left_out() -> None:
    """Of the square a-b, b-c, c-d, d-a that share, no letter is needed for the diagonal."""
    means = dict.fromkeys("abcd", 0.0)
    letters = compact_letters("abcd", means, [("a", "c"), ("b", "d")])
    assert {frozenset(each) for each in letters.values()} == {
        *(frozenset(each) for each in ("ab", "ac", "bd", "cd")),
    }


def _pairs_apart() -> list[tuple[int, int]]:
    """Return 100 pairs that share no system: insert-and-absorb makes 2^100 columns of them."""
    return [(2 * at, 2 * at + 1) for at in range(100)]


def _random_pairs() -> list[tuple[int, int]]:
    draw = random.Random(1)
    return [pair for pair in combinations(range(200), 2) if draw.random() < 0.5]


def _noisy_intervals() -> list[tuple[int, int]]:
    """Return pairs as max-T finds them, where the distance that is significant differs by pair."""
    draw = random.Random(2)
    return [
        pair for pair in combinations(range(200), 2) if pair[1] - pair[0] > draw.uniform(20, 80)
    ]


@pytest.mark.parametrize("apart", [_pairs_apart(), _random_pairs(), _noisy_intervals()])
def test_letters_of_200_systems_are_correct_and_take_polynomial_time(
    apart: list[tuple[int, int]],
) -> None:
    systems = [f"s{at:03}" for at in range(200)]
    means = {system: -float(at) for at, system in enumerate(systems)}
    different = [(systems[one], systems[two]) for one, two in apart]
    letters = compact_letters(systems, means, different)
    assert letters == compact_letters(systems, means, reversed(different))
    own = [set(re.findall(r"[a-zA-Z]\d*", letters[system])) for system in systems]
    assert all(own)
    apart_ones = set(apart)
    for one, two in combinations(range(200), 2):
        assert bool(own[one] & own[two]) == ((one, two) not in apart_ones)
    # Of pairs that are alike, each letter after the first has one of its own.
    assert len(set.union(*own)) <= 199 * 100 - len(apart) + 200


def test_letters_of_equally_wide_intervals_are_those_of_the_largest_groups() -> None:
    systems = [f"s{at}" for at in range(7)]
    means = {system: -float(at) for at, system in enumerate(systems)}
    different = [pair for pair in combinations(systems, 2) if int(pair[1][1]) - int(pair[0][1]) > 2]
    letters = compact_letters(systems, means, different)
    assert list(letters.values()) == ["a", "ab", "abc", "bcd", "cde", "de", "e"]
