"""The textual difference between two conventions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convention_strategies import conventions
from gainful.conventions import POLICIES, Convention, diff, get, presets
from gainful.errors import ConventionError
from gainful.measures import families
from gainful.measures.definitions import cumulated_gain
from gainful.measures.gain_text import VALUES, meaning

NAMES = st.sampled_from([preset.name for preset in presets()])


@given(conventions())
def test_a_convention_does_not_differ_from_itself(convention: Convention) -> None:
    found = diff(convention, convention)
    assert not found
    assert list(found) == []
    assert str(found).endswith("have the same policies")
    # Neither the name nor an explicit default parameter is a difference.
    assert not diff(convention, convention.replace(name="another"))


@given(conventions(), conventions())
def test_the_difference_in_both_directions(one: Convention, two: Convention) -> None:
    there, back = diff(one, two), diff(two, one)
    assert [(each.label, each.theirs, each.ours) for each in back] == [
        (each.label, each.ours, each.theirs) for each in there
    ]
    assert len(there) == len(list(there)) == len(there.entries)
    differing = [
        policy.name
        for policy in POLICIES
        if one.to_dict()[policy.name] != two.to_dict()[policy.name]
    ]
    assert [each.name for each in there if each.family is None] == differing
    json.dumps(there.to_dict(), allow_nan=False)


@given(NAMES, NAMES)
def test_differences_between_all_presets_are_well_formed(one: str, two: str) -> None:
    found = diff(get(one), two)
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 100
    for each in found:
        assert any(line.startswith(f"{each.label}: ") for line in lines)
        if each.family is None:
            assert each.our_meaning
            assert each.their_meaning


def test_an_entry() -> None:
    (change,) = diff(Convention(), Convention(ties="random(7)"))
    assert (change.family, change.name, change.ours, change.theirs) == (
        None,
        "ties",
        "doc-id-desc",
        "random(7)",
    )
    assert change.their_meaning == POLICIES["ties"].values["random(SEED)"]
    assert str(change) == "ties: doc-id-desc → random(7)"
    with pytest.raises(AttributeError):
        change.name = "order"  # type: ignore[misc]


def test_parameters_of_measures_are_compared_one_by_one() -> None:
    defaults: dict[str, dict[str, Any]] = {
        "nDCG": {"gain": "exponential", "discount": "jarvelin-kekalainen", "cutoff": 32},
        "RBP": {"p": 0.95},
        "AP": {"norm": "relevant"},
    }
    found = diff(Convention(), Convention(defaults=defaults))
    assert [(each.family, each.name, each.ours, each.theirs) for each in found] == [
        ("nDCG", "gain", "linear", "exponential"),
        ("nDCG", "discount", "log2", "jarvelin-kekalainen"),
        ("nDCG", "base", None, 2),
        ("nDCG", "cutoff", None, 32),
        ("RBP", "p", 0.8, 0.95),
    ]
    assert found[0].their_meaning == "the gain is 2^grade - 1"
    assert "–" in str(found)


def test_inherited_defaults_are_declared_once() -> None:
    both = {"nDCG": {"gain": "exponential"}, "DCG": {"gain": "exponential"}}
    apart = {"nDCG": {"gain": "exponential"}, "DCG": {"gain": "linear", "discount": "ln"}}
    labels = [each.label for each in diff(Convention(), Convention(defaults=both))]
    assert labels == ["nDCG gain"]
    labels = [each.label for each in diff(Convention(defaults=both), Convention(defaults=apart))]
    assert labels == ["DCG gain", "DCG discount"]


def test_every_value_has_a_description() -> None:
    for parameter in (cumulated_gain.GAIN, cumulated_gain.DISCOUNT, cumulated_gain.IDEAL):
        assert tuple(VALUES[parameter.name]) == parameter.words
        assert all(meaning(parameter.name, value) for value in (*parameter.words, (1, 2)))
    (family,) = (each for each in families() if each.name == "nDCG")
    assert family.parameters
    for policy in POLICIES:
        for value, text in policy.values.items():
            assert policy.meaning(value) == text
    for name, filled, form in (
        ("rounding", "term-down:2", "term-down:D"),
        ("rounding", "term:2", "term:D"),
        ("ties", "random(0)", "random(SEED)"),
        ("unjudged", 1.5, "GRADE"),
        ("largest_grade", 30.0, "GRADE"),
        ("no_relevant", 1.0, "1"),
        ("no_relevant", float("nan"), "nan"),
    ):
        assert POLICIES[name].meaning(filled) == POLICIES[name].values[form]


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(ConventionError, match="did you mean trec_eval"):
        diff(Convention(), "trec_evil")
