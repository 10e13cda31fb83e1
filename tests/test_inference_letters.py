"""The compact letter display: two systems share a letter if and only if they are not told apart."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gainful.inference.letters import compact_letters


@given(st.data())
def test_letters_are_shared_exactly_by_those_not_told_apart(data: st.DataObject) -> None:
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


def test_all_apart_and_all_alike() -> None:
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


def test_a_letter_that_says_nothing_more_is_left_out() -> None:
    """Of the square a-b, b-c, c-d, d-a that share, no letter is needed for the diagonal."""
    means = dict.fromkeys("abcd", 0.0)
    letters = compact_letters("abcd", means, [("a", "c"), ("b", "d")])
    assert {frozenset(each) for each in letters.values()} == {
        *(frozenset(each) for each in ("ab", "ac", "bd", "cd")),
    }
