"""Policies: their explanations, and errors for invalid values."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from gainful import evaluate
from gainful.conventions import POLICIES, Convention
from gainful.errors import ConventionError

ROOT = Path(__file__).resolve().parents[2]


def test_every_policy_and_value_is_explained() -> None:
    names = [policy.name for policy in POLICIES]
    assert len(names) == len(set(names)) == len(POLICIES) == 17
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


def filled(word: str) -> str:
    """Return a value with numbers for its placeholders."""
    for name, number in {"SEED": "7", ":D": ":4", "GRADE": "2", "N": "3", "M": "40"}.items():
        word = word.replace(name, number)
    return word


@pytest.mark.parametrize("name", [policy.name for policy in POLICIES])
def test_each_listed_word_is_accepted(name: str) -> None:
    for word in POLICIES[name].values:
        value = filled(word)
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
        ("candidates", "sampled"),
        ("candidates", "sampled(0)"),
        ("candidates", "sampled(-1)"),
        ("candidates", "sampled(100 of 100)"),
        ("candidates", "sampled(1 of 2 of 3)"),
        ("candidates", "sampled(N)"),
        ("candidates", "sampled(7"),
        ("candidates", 100),
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
        ("candidates", "sampled", "such as sampled(100)"),
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


def test_the_signature_of_a_convention_follows_the_declaration() -> None:
    parameters = inspect.signature(Convention).parameters
    assert list(parameters) == ["name", *(policy.name for policy in POLICIES), "defaults"]
    for policy in POLICIES:
        default = parameters[policy.name].default
        assert (f"{default:g}" if isinstance(default, float) else default) == policy.default
        numbers = {"GRADE", "0"} & policy.values.keys()
        assert parameters[policy.name].annotation == ("str | float" if numbers else "str")


def test_the_kernel_has_the_same_values() -> None:
    source = (ROOT / "kernel/core/src/convention/parse.rs").read_text("utf-8")
    theirs = re.findall(r'(?<!choice)\("([a-z0-9-]+)", ', source)
    # A number is a word and a number in the kernel, and judgments have two more for duplicates.
    ours = {"grade", "value", "max", "mean"}
    for policy in POLICIES:
        if policy.governs == "data":
            continue
        words = (re.split(r"[(:]", value)[0] for value in policy.values)
        ours |= {word for word in words if word.islower()} - {"any", "nan", *policy.synonyms}
    assert set(theirs) == ours


@pytest.mark.parametrize("name", [policy.name for policy in POLICIES])
def test_the_kernel_accepts_each_value(name: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("q Q0 b 1 2.0 t\nq Q0 a 2 1.0 t\n", "utf-8")
    for word in POLICIES[name].values:
        value = filled(word)
        fields: Any = {name: value}
        evaluation = evaluate({"q": {"a": 1, "b": 0}}, run, "nDCG", convention=Convention(**fields))
        assert 0 < evaluation.mean() < 1


def test_effective_values_evaluate_all_data() -> None:
    values = {policy.name: policy.effective for policy in POLICIES}
    assert values["ties"] == tuple(POLICIES["ties"].values)[:-2]
    assert values["duplicates"] == tuple(POLICIES["duplicates"].values)[1:]
    assert values["single"] == ("keep",)
    assert values["largest_grade"] == ("any",)
