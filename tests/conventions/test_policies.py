"""Policies: their explanations, and errors for invalid values."""

from __future__ import annotations

from typing import Any

import pytest

from gainful.conventions import POLICIES, Convention
from gainful.errors import ConventionError


def test_every_policy_and_value_is_explained() -> None:
    names = [policy.name for policy in POLICIES]
    assert len(names) == len(set(names)) == len(POLICIES) == 16
    for policy in POLICIES:
        assert policy.name in POLICIES
        assert POLICIES[policy.name] is policy
        assert policy.decides
        assert not policy.decides.endswith(".")
        assert len(policy.values) > 1
        for meaning in policy.values.values():
            assert meaning
            assert meaning[0].islower() or meaning[0].isdigit()
            assert not meaning.endswith(".")
        assert policy.name in repr(policy)
    assert "name" not in POLICIES


@pytest.mark.parametrize("name", [policy.name for policy in POLICIES])
def test_each_listed_word_is_accepted(name: str) -> None:
    for word in POLICIES[name].values:
        value = word.replace("SEED", "7").replace(":D", ":4").replace("GRADE", "2")
        fields: Any = {name: value}
        kept = getattr(Convention(**fields), name)
        assert kept == value or float(kept) == float(value) or value == "nan"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("order", "scores"),
        ("order", None),
        ("ties", "docid"),
        ("ties", "random"),
        ("ties", "random()"),
        ("ties", "random(-1)"),
        ("ties", "random(1.5)"),
        ("ties", "random(18446744073709551616)"),
        ("ties", "random(" + "9" * 5000 + ")"),
        ("ties", "random(7"),
        ("ties", "random(SEED)"),
        ("ties", "random(７)"),
        ("ties", 7),
        ("precision", 32),
        ("precision", "Float32"),
        ("unjudged", "GRADE"),
        ("unjudged", "inf"),
        ("unjudged", float("nan")),
        ("unjudged", 2.0**54),
        ("unjudged", True),
        ("unjudged", None),
        ("unjudged", "one"),
        ("negative", "error "),
        ("fractions", "round"),
        ("duplicates", ""),
        ("same_id", False),
        ("no_relevant", 0.5),
        ("no_relevant", 2),
        ("no_relevant", "-1"),
        ("no_relevant", True),
        ("no_relevant", "Skip"),
        ("no_relevant", [0]),
        ("no_relevant", 10**400),
        ("missing", "zero"),
        ("extra", 0),
        ("rounding", "mean"),
        ("rounding", "mean:"),
        ("rounding", "mean:-1"),
        ("rounding", "mean:16"),
        ("rounding", "mean:4.0"),
        ("rounding", "none:4"),
        ("rounding", "mean:D"),
        ("rounding", 4),
    ],
)
def test_other_values_are_errors(name: str, value: Any) -> None:
    fields: Any = {name: value}
    with pytest.raises(ConventionError) as caught:
        Convention(**fields)
    message = str(caught.value)
    assert message.startswith(f"policy '{name}': found {value!r}, expected ")
    assert caught.value.expected == ", ".join(POLICIES[name].values)
    with pytest.raises(ValueError, match="found"):
        Convention().replace(**fields)


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("ties", "doc-id", "did you mean 'doc-id-asc'?"),
        ("ties", "expectd", "did you mean 'expected'?"),
        ("negative", "ZERO", "did you mean 'zero'?"),
        ("ties", "random", "such as random(7)"),
        ("rounding", "query", "such as query:4"),
        ("missing", "whatever", None),
    ],
)
def test_hints_suggest_legal_values(name: str, value: str, hint: str | None) -> None:
    fields: Any = {name: value}
    with pytest.raises(ConventionError) as caught:
        Convention(**fields)
    if hint is None:
        assert caught.value.hint is None
    else:
        assert hint in (caught.value.hint or "")
