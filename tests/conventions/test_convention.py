"""Convention objects: construction, equality, printing, pickling and errors."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
from typing import Any

import pytest
from hypothesis import given

from convention_strategies import conventions
from gainful.conventions import POLICIES, Convention, get, presets
from gainful.errors import ConventionError, MeasureError
from gainful.measures.notation import parse_measures


@given(conventions())
def test_repr_and_pickle_restore_it(convention: Convention) -> None:
    fields: Any = convention.to_dict()
    for again in (
        eval(repr(convention), {"Convention": Convention}),
        Convention(**fields),
        Convention(**json.loads(json.dumps(fields, allow_nan=False))),
        convention.replace(),
        get(convention),
        pickle.loads(pickle.dumps(convention)),
        copy.copy(convention),
        copy.deepcopy(convention),
    ):
        assert again == convention
        assert hash(again) == hash(convention)
        assert str(again) == str(convention)
        assert again.spec() == convention.spec() or convention.no_relevant != 0.0


@given(conventions(), conventions())
def test_conventions_are_equal_if_their_reprs_are(one: Convention, other: Convention) -> None:
    assert (one == other) == (repr(one) == repr(other))


@given(conventions())
def test_the_kernel_gets_plain_values(convention: Convention) -> None:
    spec = convention.spec()
    assert set(spec) == {
        "order",
        "ties",
        "seed",
        "precision",
        "unjudged",
        "unjudged_grade",
        "unretrieved",
        "negative",
        "fractions",
        "largest_grade",
        "duplicates",
        "same_id",
        "single",
        "no_relevant",
        "no_relevant_value",
        "missing",
        "extra",
        "unweighted",
        "rounding",
        "digits",
    }
    assert (spec["ties"] == "random") == convention.ties.startswith("random")
    numbers = {"seed": int, "digits": int, "unjudged_grade": float, "no_relevant_value": float}
    largest = spec.pop("largest_grade")
    assert largest is None or type(largest) is float
    for name, value in spec.items():
        assert type(value) is numbers.get(name, str)
    assert spec["unjudged"] in ("zero", "condense", "grade")
    assert spec["no_relevant"] in ("value", "agree", "skip", "error")
    assert spec["rounding"] in ("none", "term", "term-down", "query", "mean")


@given(conventions())
def test_the_text_contains_every_policy(convention: Convention) -> None:
    line = str(convention)
    assert "\n" not in line
    assert line.startswith(f"{convention.name} with " if convention.changes else convention.name)
    always = ("gain", "discount", "ideal", "ties", "unjudged", "negative", "duplicates")
    unusual = [p.name for p in POLICIES if getattr(convention, p.name) != getattr(get(), p.name)]
    for name in (*always, "no_relevant", "missing", *unusual):
        assert f" {name} " in line


def test_the_default() -> None:
    convention = Convention()
    assert convention == get() == get("gainful-1")
    assert repr(convention) == "Convention()"
    assert convention.label == "gainful-1"
    assert str(convention) == (
        "gainful-1: gain linear, discount log2, ideal judged, ties doc-id-desc, unjudged zero, "
        "negative zero, duplicates error, no_relevant 0, missing empty"
    )
    for policy in POLICIES:
        value = getattr(convention, policy.name)
        assert (str(int(value)) if isinstance(value, float) else value) == policy.default


def test_the_label_lists_the_changed_policies() -> None:
    convention = Convention(no_relevant="skip", ties="random(7)", unjudged=0.5)
    assert convention.label == "gainful-1 with ties=random(7), unjudged=0.5, no_relevant=skip"
    assert repr(convention) == ("Convention(ties='random(7)', unjudged=0.5, no_relevant='skip')")
    exponential = Convention(defaults={"nDCG": {"gain": "exponential"}})
    assert str(exponential).startswith(
        "gainful-1 with nDCG(gain='exponential'): gain exponential, discount log2, ideal judged,"
    )
    # Using the name of a tool does not make it that tool's preset.
    pretended = Convention(name="trec_eval-9.0.8")
    assert pretended.label == (
        "trec_eval-9.0.8 with precision=float64, negative=zero, fractions=keep, missing=empty, "
        "no defaults"
    )
    without = get("trec_eval-10.0-rc3").replace(defaults=None)
    assert without.label == "trec_eval-10.0-rc3 with no defaults"
    assert Convention(name="ours", missing="skip").label == "ours"
    assert Convention(no_relevant=math.nan).changes == {"no_relevant": "nan"}


def test_values_are_normalized() -> None:
    assert Convention(no_relevant="0") == Convention(no_relevant=0) == Convention()
    assert Convention(no_relevant="nan") == Convention(no_relevant=math.nan)
    assert Convention(unjudged="2") == Convention(unjudged=2) == Convention(unjudged=2.0)
    assert Convention(unjudged=0) != Convention()
    assert Convention(ties="random(007)").ties == "random(7)"
    assert math.copysign(1, Convention(no_relevant=-0.0).spec()["no_relevant_value"]) == 1  # type: ignore[arg-type]


def test_defaults_are_checked_sorted_and_read_only() -> None:
    given: dict[str, dict[str, Any]] = {
        "nDCG": {"gain": {2: 3, 1: 1}},
        "AP": {"norm": "capped"},
        "P": {},
    }
    convention = Convention(defaults=given)
    given["AP"]["norm"] = "relevant"
    assert {name: dict(values) for name, values in convention.defaults.items()} == {
        "AP": {"norm": "capped"},
        "nDCG": {"gain": ((1, 1), (2, 3))},
    }
    with pytest.raises(TypeError):
        convention.defaults["AP"] = {}  # type: ignore[index]
    with pytest.raises(TypeError):
        convention.defaults["AP"]["norm"] = "relevant"  # type: ignore[index]
    with pytest.raises(MeasureError, match="found gain='exp'"):
        Convention(defaults={"nDCG": {"gain": "exp"}})
    with pytest.raises(MeasureError, match="unknown measure 'ndgc'"):
        Convention(defaults={"ndgc": {"gain": "linear"}})
    for wrong in ({"nDCG": "exponential"}, "nDCG", [1]):
        with pytest.raises(ConventionError, match="expected parameters"):
            Convention(defaults=wrong)  # type: ignore[arg-type]


def test_an_unread_measure_of_another_tool_names_its_conventions() -> None:
    unread = set()
    for preset in presets():
        for name in filter(preset.names.get, preset.names):
            try:
                parse_measures(name, get())
            except MeasureError as error:
                assert re.search(
                    rf"unknown measure {name!r}. .*convention=.* computes it$", str(error)
                )
                unread.add(name)
    assert {"context_precision", "ndcg_score"} < unread


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", None, 3])
def test_the_name_is_text_on_one_line(name: Any) -> None:
    with pytest.raises(ConventionError, match="expected text on one line"):
        Convention(name=name)


def test_an_unknown_policy_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(ConventionError, match="found the policy 'tie', expected name, order") as e:
        Convention().replace(tie="expected")
    assert e.value.hint == "did you mean ties?"


def test_it_cannot_be_changed() -> None:
    convention = Convention()
    with pytest.raises(AttributeError, match="replace"):
        convention.ties = "expected"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del convention.ties
    assert convention != "gainful-1"
    assert len({convention, Convention(), Convention(ties="given")}) == 2
