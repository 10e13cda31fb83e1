"""Measure objects: construction, equality, pickling and errors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful import measures
from gainful.errors import ArgumentError, MeasureError
from gainful.measures import (
    AP,
    ERR,
    RBP,
    F,
    Measure,
    NumRet,
    P,
    R,
    Rprec,
    Success,
    nDCG,
    parse_measure,
)

NAMES = {name: getattr(measures, name) for name in measures.__all__}
NUMBERS = st.one_of(
    st.integers(-1000, 1000), st.floats(-1e6, 1e6, allow_nan=False, allow_infinity=False)
)
POSITIVE = st.one_of(st.integers(1, 100), st.floats(0.001, 1e6))
LEVELS = st.one_of(st.integers(0, 10), st.floats(0, 100))
GAINS = st.one_of(
    st.sampled_from(["linear", "exponential"]),
    st.dictionaries(NUMBERS, NUMBERS, min_size=1, max_size=6),
)
DISCOUNTS = st.one_of(
    st.sampled_from(
        [{"discount": word} for word in ("log2", "jarvelin-kekalainen", "reciprocal", "none")]
    ),
    st.lists(POSITIVE, min_size=1, max_size=5).map(lambda found: {"discount": found}),
    st.floats(1.0001, 100).map(lambda base: {"discount": "jarvelin-kekalainen", "base": base}),
)
IDEALS = st.one_of(
    st.sampled_from(
        [
            {"ideal": word}
            for word in (
                "judged",
                "judged-uncut",
                "judged-to-depth",
                "list",
                "list-cut",
                "given-order",
            )
        ]
    ),
    st.lists(NUMBERS, min_size=1, max_size=5).map(lambda found: {"ideal": found}),
    POSITIVE.map(lambda grade: {"ideal": "max-grade", "max_grade": grade}),
)
SHARES = st.floats(0, 1)
PARAMETERS: dict[str, Any] = {
    "rel": LEVELS,
    "judged_only": st.booleans(),
    "capped": st.booleans(),
    "norm": st.sampled_from(["relevant", "capped", "capped-to-depth", "list-cut"]),
    "listed": st.booleans(),
    "to_depth": st.booleans(),
    # NRBP's is a probability, F's any number.
    "beta": st.floats(0, 0.999),
    "alpha": st.floats(0, 1),
    "p": st.floats(0.001, 0.999),
    "max_grade": st.one_of(st.integers(1, 1000), st.floats(0.01, 1000)),
    "gain": GAINS,
    "quantity": st.sampled_from(["EU", "ETU", "EC", "ETC", "ED"]),
    "min_rel": st.integers(-3, 0),
    "max_rel": st.integers(1, 9),
    "clip": st.booleans(),
    "depth": st.integers(1, 1_000_000),
    "model": st.sampled_from(["P", "RR", "AP"]),
    "stops": st.sampled_from(["goal-rate", "goal", "rate"]),
    "normalize": st.booleans(),
    **dict.fromkeys(("T", "b1", "b2", "halflife", "L"), st.floats(0.01, 100)),
    **dict.fromkeys(("hb", "hc", "gain_med", "R1", "A", "R2"), st.floats(-100, 100)),
    "count": st.sampled_from(["simp", "pair", "avgjg"]),
    "pairs": st.sampled_from(["all", "ret", "imp"]),
    "of": st.sampled_from(["poss", "ful", "ful_ret"]),
    "ties": st.sampled_from(["convention", "doc-id-asc"]),
    "weight": st.floats(0, 100),
    "tail": st.sampled_from(["always", "unjudged"]),
    "recall": SHARES,
    "recalls": st.lists(SHARES, min_size=1, max_size=5),
    "rounding": st.sampled_from(["up", "nearest"]),
    "multiple": st.floats(0, 100),
    "collection": st.integers(0, 2**53),
    **dict.fromkeys("abcd", NUMBERS),
}
# What excludes what, where one of a pair is set.
EXCLUDES = {
    "weight": {"beta"},
    "p": {"model"},
    "min_rel": {"rel"},
    "max_rel": {"rel"},
    "clip": {"rel"},
}


@st.composite
def any_measure(draw: st.DrawFn) -> Measure:
    family = draw(st.sampled_from(measures.families()))
    given: dict[str, object] = {}
    for parameter in family.parameters:
        name = parameter.name
        if name == "discount" and draw(st.booleans()):
            given.update(draw(DISCOUNTS))
        elif name == "ideal" and draw(st.booleans()):
            given.update(draw(IDEALS))
        elif name in ("discount", "ideal", "base") or (name == "max_grade" and "ideal" in given):
            continue
        elif name == "max_grade" and (family.parameter("ideal") is not None or "rel" in given):
            continue
        elif EXCLUDES.get(name, set()) & given.keys():
            continue
        elif name == family.at or (name in PARAMETERS and draw(st.booleans())):
            given[name] = draw(PARAMETERS[name])
    cutoff = draw(st.none() | st.integers(1, 2**53)) if family.takes_cutoff else None
    return Measure(family.name, given, cutoff)


@given(any_measure())
def test_what_it_prints_reads_back_here_and_in_python(measure: Measure) -> None:
    text = repr(measure)
    assert str(measure) == text
    for again in (parse_measure(text), eval(text, NAMES)):
        assert again == measure
        assert hash(again) == hash(measure)
        assert repr(again) == text


@given(any_measure())
def test_it_pickles_and_copies(measure: Measure) -> None:
    for again in (
        pickle.loads(pickle.dumps(measure)),
        copy.copy(measure),
        copy.deepcopy(measure),
    ):
        assert again == measure
        assert hash(again) == hash(measure)


@given(any_measure())
def test_resolving_sets_everything_and_changes_no_number(measure: Measure) -> None:
    resolved = measure.resolve()
    assert resolved.resolve() == resolved
    assert resolved.spec() == measure.spec()
    assert measure.params.items() <= resolved.params.items()
    assert parse_measure(repr(resolved)) == resolved


@given(any_measure(), any_measure())
def test_measures_are_equal_if_their_reprs_are(one: Measure, other: Measure) -> None:
    assert (one == other) == (repr(one) == repr(other))


def test_parameters_are_written_in_declared_order_however_given() -> None:
    assert repr(nDCG(judged_only=True, gain="exponential") @ 3) == (
        "nDCG(gain='exponential', judged_only=True)@3"
    )
    assert nDCG(discount="log2")(gain="linear") == nDCG(gain="linear")(discount="log2")


def test_only_given_parameters_are_printed() -> None:
    assert repr(nDCG) == "nDCG"
    assert repr(nDCG(gain="linear") @ 10) == "nDCG(gain='linear')@10"
    assert nDCG(gain="linear") != nDCG


def test_numbers_have_one_form() -> None:
    assert repr(AP(rel=2.0)) == "AP(rel=2)"
    assert repr(F(beta=0.5)) == "F(beta=0.5)"
    assert repr(F(beta=-0.0)) == "F(beta=0)"


def test_numpy_scalars_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert repr(AP(rel=numpy.int64(2)) @ numpy.int32(10)) == "AP(rel=2)@10"
    assert repr(RBP(p=numpy.float64(0.5))) == "RBP(p=0.5)"
    assert repr(R(capped=numpy.True_)) == "R(capped=True)"


def test_tables_are_kept_sorted_and_cannot_be_changed_from_outside() -> None:
    gains = {2: 10, 0: 0, 1: 1}
    measure = nDCG(gain=gains)
    gains[2] = 99
    assert repr(measure) == "nDCG(gain={0: 0, 1: 1, 2: 10})"
    assert measure == nDCG(gain={0: 0, 1: 1, 2: 10})
    measure.params["gain"] = "exponential"
    assert measure.params == {"gain": ((0, 0), (1, 1), (2, 10))}


def test_none_unsets() -> None:
    assert AP(rel=2)(rel=None) == AP
    assert (AP @ 10)(cutoff=None) == AP


def test_a_cutoff_can_be_replaced_and_written_as_a_parameter() -> None:
    assert nDCG @ 5 @ 10 == nDCG @ 10
    assert nDCG(cutoff=10) == nDCG @ 10


def test_ir_measures_parameters() -> None:
    assert nDCG(dcg="exp-log2") @ 5 == nDCG(gain="exponential", discount="log2") @ 5
    assert nDCG(dcg="log2") == nDCG(gain="linear", discount="log2")
    assert nDCG(gains={0: 0, 1: 2}) == nDCG(gain={0: 0, 1: 2})
    assert NumRet(rel=2) == measures.NumRelRet(rel=2)


@pytest.mark.parametrize("cutoff", [0, -1, True, False, 1.0, 2.5, "10", float("nan"), 2**53 + 1])
def test_cutoffs_are_positive_whole_numbers(cutoff: Any) -> None:
    with pytest.raises(MeasureError, match=r"found cutoff .*, expected (a whole number|at most)"):
        nDCG @ cutoff


@pytest.mark.parametrize("measure", [Rprec, measures.bpref, NumRet, measures.NumQ])
def test_some_families_take_no_cutoff(measure: Measure) -> None:
    with pytest.raises(MeasureError, match="without a cutoff"):
        measure @ 10


@pytest.mark.parametrize(
    ("family", "given"),
    [
        (nDCG, {"gain": "exp"}),
        (nDCG, {"gain": {}}),
        (nDCG, {"gain": {1: float("inf")}}),
        (nDCG, {"gain": {float("nan"): 1}}),
        (nDCG, {"gain": {1: "2"}}),
        (nDCG, {"gain": [(1, 2), (1, 3)]}),
        (nDCG, {"gain": 3}),
        (nDCG, {"discount": ()}),
        (nDCG, {"discount": (1, float("nan"))}),
        (nDCG, {"discount": (1, -0.5)}),
        (nDCG, {"discount": {1: 2}}),
        (nDCG, {"discount": "log"}),
        (nDCG, {"discount": "jarvelin-kekalainen", "base": 1}),
        (nDCG, {"discount": "jarvelin-kekalainen", "base": 0.5}),
        (nDCG, {"discount": "jarvelin-kekalainen", "base": float("inf")}),
        (nDCG, {"base": 2}),
        (nDCG, {"discount": "log2", "base": 2}),
        (nDCG, {"ideal": "perfect"}),
        (nDCG, {"ideal": "max-grade"}),
        (nDCG, {"max_grade": 3}),
        (nDCG, {"ideal": ()}),
        (nDCG, {"judged_only": 1}),
        (nDCG, {"judged_only": "True"}),
        (nDCG, {"dcg": "log10"}),
        (nDCG, {"dcg": "log2", "gain": "linear", "rel": 1}),
        (AP, {"rel": -1}),
        (AP, {"rel": True}),
        (AP, {"rel": "2"}),
        (AP, {"rel": float("inf")}),
        (AP, {"rel": 2**60}),
        (AP, {"norm": "k"}),
        (AP, {"rel": [2]}),
        (R, {"capped": 0}),
        (RBP, {"p": 0}),
        (RBP, {"p": 1}),
        (RBP, {"rel": 1, "max_grade": 3}),
        (ERR, {"max_grade": 0}),
        (ERR, {"max_grade": 1001}),
        (F, {"beta": -1}),
        (F, {"beta": 1e200}),
    ],
)
def test_illegal_parameters_are_refused(family: Measure, given: dict[str, object]) -> None:
    with pytest.raises(MeasureError) as caught:
        family(**given)
    assert str(caught.value).startswith(family.family)
    assert caught.value.expected


@pytest.mark.parametrize("family", [None, 10, [], b"nDCG"])
def test_the_family_is_a_name(family: Any) -> None:
    with pytest.raises(MeasureError, match="expected the name of a measure"):
        Measure(family)


def test_an_unknown_parameter_names_the_known_ones() -> None:
    with pytest.raises(
        MeasureError, match="found the parameter 'gian', expected one of gain, "
    ) as e:
        nDCG(gian="linear")
    assert e.value.hint == "did you mean gain?"
    with pytest.raises(MeasureError, match="found the parameter 'k'.*written P@10"):
        P(k=10)
    with pytest.raises(MeasureError, match="expected no parameters"):
        measures.NumQ(rel=1)
    with pytest.raises(MeasureError, match="found the parameter 'gian'"):
        nDCG(gian=None)


def test_a_parameter_needs_its_name() -> None:
    with pytest.raises(ArgumentError, match="without the name of a parameter"):
        AP(2)
    with pytest.raises(TypeError):
        AP(2)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(MeasureError, match="did you mean nDCG"):
        Measure("nDCGG")
    with pytest.raises(ValueError, match="unknown measure"):
        Measure("ndcg")
    with pytest.raises(AttributeError):
        measures.NDCG  # type: ignore[attr-defined]  # noqa: B018


def test_it_cannot_be_changed() -> None:
    measure = nDCG @ 10
    with pytest.raises(AttributeError, match="cannot be changed"):
        measure.cutoff = 5
    with pytest.raises(AttributeError, match="cannot be changed"):
        del measure.family
    with pytest.raises(AttributeError):
        measure.other = 1


def test_it_is_not_equal_to_its_text() -> None:
    assert nDCG @ 10 != "nDCG@10"
    assert {nDCG @ 10: 1}[parse_measure("NDCG@10")] == 1
    assert Success @ 1 != Success @ 2
