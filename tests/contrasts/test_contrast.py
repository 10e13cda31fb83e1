"""contrast() attributes the whole difference between two conventions to its steps, exactly."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gainful
from contrast_data import QRELS, RUN, assert_printed_sums
from gainful import Contrast, Convention, contrast, evaluate
from gainful.contrasts.call import LAST, changes, convert_partly
from gainful.conventions import get, presets
from gainful.errors import (
    ArgumentError,
    GainfulError,
    GradeError,
    MatchError,
    ParameterError,
    TieError,
)
from gainful.measures import parse_measure

#: The policies of the presets, with names that allow every measure.
POLICIES = st.sampled_from(
    [get(preset.name).replace(name=f"own-{preset.name}") for preset in presets()]
)
MEASURES = st.sampled_from(
    ["nDCG@3", "nDCG", "nDCG(gain='exponential')@5", "DCG@2", "AP", "RR@2", "NumRel", "RBP"]
)
GRADES = st.sampled_from([0, 0, 1, 2, 3, 7])
DOCUMENTS = st.sampled_from([f"d{number}" for number in range(9)])
QUERIES = st.sampled_from(["q1", "q2", "q3", "q4", "ü"])
JUDGED = st.dictionaries(
    QUERIES, st.dictionaries(DOCUMENTS, GRADES, min_size=1, max_size=9), min_size=1
)
RANKED = st.dictionaries(
    QUERIES,
    st.dictionaries(DOCUMENTS, st.sampled_from([0.5, 1.0, 1.00000001, 2.0]), min_size=1),
    min_size=1,
)


def exactly(value: float | None) -> Fraction | None:
    return None if value is None or value - value != 0 else Fraction(value)


def same(one: float | None, two: float | None) -> bool:
    return one == two or (one != one and two != two)


def assert_it_adds_up(result: Contrast) -> None:
    for account in result.accounts.values():
        chains = [account.means, *(query.values for query in account.queries)]
        for chain in chains:
            assert len(chain) == len(result.steps) + 1
            values = [exactly(value) for value in chain]
            # If both ends are numbers, all values between them are.
            assert (None in values) == (None in (values[0], values[-1]))
            if None not in values:
                steps = [
                    Fraction(after) - Fraction(before)  # type: ignore[arg-type]
                    for before, after in pairwise(values)
                ]
                assert sum(steps) == values[-1] - values[0]  # type: ignore[operator]


@given(JUDGED, RANKED, RANKED, POLICIES, POLICIES, MEASURES, st.booleans())
def test_the_steps_add_up(
    qrels: Any, one: Any, two: Any, a: Convention, b: Convention, measure: str, weighted: bool
) -> None:
    weights = {query: 0.5 + len(query) / 3 for query in qrels} if weighted else None
    runs = {"one": one, "two": two}
    try:
        ends = [
            evaluate(qrels, runs=runs, measures=measure, convention=each, weights=weights)
            for each in (a, b)
        ]
        for end in ends:
            for system in end.systems:
                end.mean(system=system)
    except GainfulError:
        assume(False)
    result = contrast(qrels, None, a, b, measure, runs=runs, weights=weights)
    assert_it_adds_up(result)
    assert_printed_sums(result)
    assert max(map(len, str(result).splitlines())) <= 100
    for account in result.accounts.values():
        for at, end in ((0, ends[0]), (-1, ends[1])):
            assert same(account.means[at], end.summary(system=account.system).value)
            values = {
                query.query_id: query.values[at]
                for query in account.queries
                if query.values[at] is not None
            }
            expected = end.per_query(system=account.system)
            assert values.keys() == expected.keys()
            assert all(same(values[query], expected[query]) for query in values)
    changed = [change for step in result.steps for change in step.changes]
    assert changed == changes(a, b, parse_measure(measure))
    assert (a == b) <= (not result.steps)


def conventions() -> st.SearchStrategy[Convention]:
    """Return conventions that rarely reject data, so that every step has values."""
    return st.builds(
        Convention,
        name=st.just("some"),
        ties=st.sampled_from(["doc-id-desc", "doc-id-asc", "expected", "optimistic", "given"]),
        precision=st.sampled_from(["float64", "float32"]),
        unjudged=st.sampled_from(["zero", "condense"]),
        unretrieved=st.sampled_from(["absent", "last"]),
        no_relevant=st.sampled_from([0, 1, "skip", "nan", "agree"]),
        missing=st.sampled_from(["empty", "skip"]),
        rounding=st.sampled_from(["none", "mean:2", "query:3", "term:2"]),
        defaults=st.fixed_dictionaries(
            {},
            optional={
                "nDCG": st.fixed_dictionaries(
                    {},
                    optional={
                        "gain": st.sampled_from(["exponential", "binary", {1: 5}]),
                        "discount": st.sampled_from(["jarvelin-kekalainen", (1, 0.5)]),
                        "ideal": st.sampled_from(["list", "list-cut", "ones"]),
                        "cutoff": st.sampled_from([2, 5]),
                    },
                )
            },
        ),
    )


@given(JUDGED, RANKED, conventions(), conventions())
def test_every_step_equals_evaluate(qrels: Any, run: Any, a: Any, b: Any) -> None:
    measure = parse_measure("nDCG")
    try:
        for each in (a, b):
            evaluate(qrels, run, measure, convention=each)
    except GainfulError:
        assume(False)
    result = contrast(qrels, run, a, b, measure)
    assert_it_adds_up(result)
    assert_printed_sums(result)
    made: list[Any] = []
    account = result.account()
    for at, step in enumerate(result.steps, start=1):
        made += step.changes
        convention, taken = convert_partly(a, measure, made)
        found = evaluate(qrels, run, taken, convention=convention)
        assert same(account.means[at], found.mean())
        assert account.counted(at) == found.summary().n
    names = [change.name for step in result.steps for change in step.changes]
    assert [name for name in names if name in LAST] == names[
        len(names) - len(set(names) & {*LAST}) :
    ]


def test_queries_that_drop_out_or_are_added_are_reported() -> None:
    result = contrast(QRELS, RUN, "gainful", Convention(missing="skip", no_relevant="skip"))
    account = result.account()
    assert [step.label for step in result.steps] == [
        "no_relevant: 0 → skip",
        "missing: empty → skip",
    ]
    assert [account.counted(state) for state in (0, 1, 2)] == [4, 3, 2]
    values = {query.query_id: query.values for query in account.queries}
    assert values["q3"] == (0.0, None, None)
    assert values["q4"] == (0.0, 0.0, None)
    whole = evaluate(QRELS, RUN, "nDCG@10").per_query()
    assert account.means[0] == sum(whole.values()) / 4
    assert account.means[-1] == (whole["q1"] + whole["q2"]) / 2
    text = str(result)
    assert "no_relevant leaves it out" in text
    assert "missing leaves it out" in text
    assert "2 left out" in text
    back = str(contrast(QRELS, RUN, result.b, "gainful"))
    assert "missing adds it" in back
    assert "2 added" in back


def test_a_note_names_steps_without_effect() -> None:
    result = contrast(QRELS, RUN, "gainful", "trec_eval")
    assert [step.matters for step in result.steps] == [False, False, False, True]
    assert "No effect on these data: precision (float64 → float32); negative" in str(result)


def test_changes_are_combined_if_the_intermediate_convention_rejects_the_data() -> None:
    # Under ties=expected the order of ties is open, so the ideal list-cut is undefined.
    a = Convention(defaults={"nDCG": {"ideal": "list-cut"}})
    b = Convention(ties="expected")
    result = contrast(QRELS, RUN, a, b)
    (step,) = result.steps
    assert step.names == "ties and ideal"
    assert "list-cut" in str(step.reason)
    assert "Ties and ideal change in one step, because the intermediate convention" in str(result)
    assert_it_adds_up(result)
    assert_printed_sums(result)


def test_parameters_that_belong_together_change_together() -> None:
    b = Convention(defaults={"nDCG": {"discount": "jarvelin-kekalainen", "base": 3}})
    result = contrast(QRELS, RUN, "gainful", b)
    assert [step.names for step in result.steps] == ["discount and base"]
    assert result.steps[0].reason is None
    back = contrast(QRELS, RUN, b, "gainful")
    assert [step.names for step in back.steps] == ["discount and base"]


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        ("IAP", ["precision", "rounding", "missing"]),
        ("IPrec@0.1", ["precision", "rounding", "missing"]),
        ("Prefs", ["precision", "missing"]),
        ("GMAP", ["precision", "missing"]),
    ],
)
def test_parameters_of_other_measures(measure: str, names: list[str]) -> None:
    if measure == "Prefs":
        qrels: Any = gainful.Qrels({"q1": {"1": {"a": 2, "b": 1}}}, subtopics=True)
    else:
        qrels = {"q1": QRELS["q1"]}
    result = contrast(qrels, {"q1": RUN["q1"]}, "trec_eval", "trec_eval-10", measure)
    assert [step.names for step in result.steps] == names
    assert_it_adds_up(result)
    assert_printed_sums(result)


def test_subtopics() -> None:
    qrels = [("q1", "1", "a", 1), ("q1", "2", "b", 1), ("q2", "1", "a", 1), ("q2", "2", "c", 1)]
    run = {"q1": {"a": 1.0, "b": 1.0}}
    skipping = get("ir_measures").replace(missing="skip")
    result = contrast(qrels, run, skipping, "gainful", "alpha_nDCG@5")
    assert [step.names for step in result.steps if step.matters] == ["missing"]


def test_parameters_that_the_measure_sets_are_not_steps() -> None:
    b = Convention(defaults={"nDCG": {"gain": "exponential"}})
    result = contrast(QRELS, RUN, "gainful", b, "nDCG(gain='linear')@5")
    assert result.steps == ()
    assert [each.name for each in result.overridden] == ["gain"]
    assert "nDCG(gain='linear')@5 overrides gain (linear → exponential)." in str(result)
    assert "Both conventions have the same policies for this measure." in str(result)
    # Parameters of other measures are not steps either.
    other = Convention(defaults={"RBP": {"p": 0.5}})
    assert contrast(QRELS, RUN, "gainful", other).steps == ()


def test_a_cutoff_of_the_convention_is_a_step() -> None:
    b = Convention(defaults={"nDCG": {"cutoff": 1}})
    result = contrast(QRELS, RUN, "gainful", b, "nDCG")
    assert [step.label for step in result.steps] == ["cutoff: – → 1"]
    assert contrast(QRELS, RUN, "gainful", b, "nDCG@3").steps == ()


@pytest.mark.parametrize(
    ("a", "b", "kind", "words"),
    [
        ("gainful", Convention(name="strict", ties="error"), TieError, "under strict, query 'q1'"),
        (
            Convention(name="whole", missing="error"),
            "gainful",
            MatchError,
            "under whole: the run",
        ),
        (
            "gainful",
            Convention(negative="error"),
            GradeError,
            "under gainful-1 with negative=error",
        ),
    ],
)
def test_conventions_that_reject_the_data_are_errors(a: Any, b: Any, kind: Any, words: str) -> None:
    qrels = {**QRELS, "q1": {**QRELS["q1"], "n": -1}}
    with pytest.raises(kind, match=words):
        contrast(qrels, RUN, a, b)


def test_invalid_calls_are_rejected() -> None:
    with pytest.raises(ArgumentError, match="contrast: two conventions are required: a= and b="):
        contrast(QRELS, RUN, "gainful")
    with pytest.raises(ArgumentError, match="contrast: two conventions are required"):
        contrast(QRELS, RUN)
    with pytest.raises(ArgumentError, match="both run and runs"):
        contrast(QRELS, RUN, "gainful", "trec_eval", runs={"run": RUN})
    with pytest.raises(ArgumentError, match="neither run nor runs"):
        contrast(QRELS, None, "gainful", "trec_eval")
    with pytest.raises(ParameterError, match="no weight"):
        contrast(QRELS, RUN, "gainful", "trec_eval", weights={"q1": 1.0})
    result = contrast(QRELS, None, "gainful", "trec_eval", runs={"x": RUN, "y": RUN})
    with pytest.raises(ParameterError, match="system: found no system, expected one of x, y"):
        result.account()
    with pytest.raises(ParameterError, match="found 'z'"):
        result.account("z")
    with pytest.raises(AttributeError):
        result.weighted = True  # type: ignore[misc]


def test_iterators_are_read_once(tmp_path: Path) -> None:
    rows = (
        (query, document, score) for query, each in RUN.items() for document, score in each.items()
    )
    result = contrast(
        iter([(q, d, g) for q, each in QRELS.items() for d, g in each.items()]),
        rows,
        "gainful",
        Convention(missing="skip", ties="expected"),
    )
    assert result.account().means == contrast(QRELS, RUN, result.a, result.b).account().means


def test_duplicates_are_handled_by_each_convention() -> None:
    run = [("q1", "a", 3.0), ("q1", "a", 2.0), ("q1", "b", 1.0)]
    result = contrast(
        {"q1": QRELS["q1"]}, run, Convention(duplicates="first"), Convention(duplicates="count")
    )
    assert [step.names for step in result.steps] == ["duplicates"]
    assert result.account().ends[0] < result.account().ends[1]
    with pytest.raises(GainfulError, match="under gainful-1, query 'q1', document 'a'"):
        contrast({"q1": QRELS["q1"]}, run, Convention(duplicates="first"), "gainful")


def ranks(result: Contrast) -> list[tuple[str, int | None, int | None]]:
    """Return each system with its ranks under A and B."""
    return [(each.system, each.rank_a, each.rank_b) for each in result.accounts.values()]


def test_several_systems_are_ranked_under_both_conventions() -> None:
    runs = {
        "ids": {"q1": {"b": 1.0, "a": 1.0}, "q2": {"e": 1.0}},
        "order": {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q2": {"e": 1.0}},
        "third": {"q2": {"y": 3.0, "e": 1.0}},
    }
    a, b = Convention(ties="doc-id-desc", missing="empty"), Convention(missing="skip")
    result = contrast(QRELS, None, a, b, "RR", runs=runs)
    assert ranks(result) == [("ids", 1, 1), ("order", 2, 2), ("third", 3, 3)]
    assert result.tau == 1.0 or result.swaps
    for first, second in result.swaps:
        assert result.account(first).a > result.account(second).a
        assert result.account(first).b < result.account(second).b
    again = contrast(QRELS, None, a, b.replace(ties="expected"), "P@1", runs=runs)
    text = str(again)
    assert "Kendall's tau-b between the rankings of systems:" in text
    assert "rank under A" in text


def test_swapped_systems_are_named() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    runs = {"half": {"q1": {"a": 1.0}}, "all": {"q1": {"a": 1.0}, "q2": {"x": 2.0, "b": 1.0}}}
    result = contrast(qrels, None, "gainful", Convention(missing="skip"), "RR", runs=runs)
    assert (result.tau, ranks(result)) == (-1.0, [("half", 2, 1), ("all", 1, 2)])
    assert result.swaps == (("all", "half"),)
    swapped = "Swapped: 1 of 1 pair (better under A, better under B): all and half."
    assert swapped in " ".join(str(result).split())
    # Systems with equal means share a rank and never swap.
    alike = contrast(
        qrels, None, "gainful", "trec_eval", "P@1", runs={"x": RUN_OF_A, "y": RUN_OF_A}
    )
    assert (alike.tau, alike.swaps, ranks(alike)) == (None, (), [("x", 1, 1), ("y", 1, 1)])
    assert "rankings of systems: undefined. No pair of systems swaps." in str(alike)


RUN_OF_A = {"q1": {"a": 1.0}}


def test_changes_are_combined_if_an_intermediate_value_is_not_a_number() -> None:
    # A ranking without relevant documents has no ideal list, for which A gives NaN.
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    a = Convention(no_relevant="nan")
    b = Convention(defaults={"nDCG": {"ideal": "list"}})
    result = contrast(qrels, {"q1": {"a": 1.0}, "q2": {"x": 1.0}}, a, b)
    assert [step.names for step in result.steps] == ["ideal and no_relevant"]
    assert "is not a number" in str(result.steps[0].reason)
    assert_it_adds_up(result)


def test_changes_are_combined_if_an_intermediate_step_leaves_out_a_query() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    a = Convention(no_relevant="skip")
    b = Convention(no_relevant="agree", defaults={"nDCG": {"ideal": "list"}})
    result = contrast(qrels, {"q1": {"a": 1.0}}, a, b)
    (step,) = result.steps
    assert (step.names, step.reason) == ("ideal and no_relevant", "query 'q2' is left out")
    assert_it_adds_up(result)


def test_nan_is_printed_and_null_in_json() -> None:
    result = contrast(QRELS, RUN, "gainful", Convention(no_relevant="nan"))
    account = result.account()
    assert account.ends[0] == account.ends[0]
    assert math.isnan(account.ends[1])
    assert "nan" in str(result)
    text = json.dumps(result.to_dict(per_query=True))
    assert "NaN" not in text


def test_real_judgments(shared_data: Path) -> None:
    folder = shared_data / "dl19-passage"
    paths = folder / "qrels.dl19-passage.txt", folder / "bm25-default.run.gz"
    b = Convention(name="other", ties="expected", defaults={"nDCG": {"gain": "exponential"}})
    result = contrast(*paths, "trec_eval", b)
    assert_it_adds_up(result)
    assert_printed_sums(result)
    assert result.account().ends == tuple(
        evaluate(*paths, "nDCG@10", convention=each).mean() for each in (result.a, result.b)
    )


def test_a_system_with_an_undefined_mean_has_no_rank() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    runs = {"two": {"q1": {"x": 1.0}, "q2": {"b": 1.0}}, "one": {"q1": {"a": 1.0}}}
    result = contrast(
        qrels, None, "trec_eval", Convention(no_relevant="nan", missing="skip"), runs=runs
    )
    assert ranks(result) == [("two", 2, None), ("one", 1, 1)]
    assert result.tau is None
    text = str(result)
    note = "undefined (a mean is not a number). No pair of systems swaps."
    assert note in " ".join(text.split())
    assert re.search(r"^two +\.0000 +nan +– +2 +–$", text, re.MULTILINE)
    assert result.to_dict()["systems"]["two"]["rank_b"] is None  # type: ignore[index]


def test_the_effect_of_many_combined_changes_is_reported() -> None:
    qrels = {"q1": {"a": 2}}
    runs = {"one": {"q1": {"x": 1.0}}, "two": {"q1": {"y": 1.0}}}
    result = contrast(qrels, None, "caserecommender", "scikit-learn", "nDCG@3", runs=runs)
    assert len(result.steps[1].changes) == 9
    text = str(result)
    assert text.count("ties and 8 more +.6309") == 2
    assert max(map(len, text.splitlines())) <= 100
    assert_printed_sums(result)
