"""The requirements of a measure are equal in the kernel and the declaration."""

from __future__ import annotations

import pytest

from gainful import Qrels, _kernel, evaluate, explain
from gainful.conventions import Convention
from gainful.errors import ConventionError, MeasureError, ParameterError
from gainful.measures import Family, Measure, families, parse_measure

QRELS = {"q": {"a": 2, "b": 1, "c": 0}}
RUN = {"q": {"a": 1.0, "b": 2.0, "d": 3.0}}
SPANS = {"q": {"a#char=0,5": 2, "b#char=0,5": 1}}
CHUNKS = {"q": {"a#char=0,9": 1.0, "b#char=3,9": 2.0, "d#char=0,1": 3.0}}


def needs(measure: Measure) -> _kernel.Needs:
    return _kernel.needs((repr(measure), *measure.spec()))


def example(declared: Family) -> Measure:
    return parse_measure(declared.example)


def judgments(declared: Family) -> Qrels:
    if declared.judgments in ("subtopics", "groups"):
        return Qrels({"q": {"1": QRELS["q"]}}, subtopics=True)
    return Qrels(SPANS if declared.judgments == "spans" else QRELS)


def run(declared: Family) -> dict[str, dict[str, float]]:
    return CHUNKS if declared.judgments == "spans" else RUN


def test_judgments_are_those_of_the_declaration() -> None:
    for declared in families():
        needed = needs(example(declared))
        if declared.judgments in ("subtopics", "groups"):
            assert needed.labels is True
        elif declared.judgments in ("strata", "alternatives"):
            assert needed.labels is None
        else:
            assert needed.labels is not True
        assert needed.documents or needed.labels is not True
        assert needed.preferences == (declared.group == "preferences")


def test_level_is_the_parameter() -> None:
    for declared in families():
        if declared.parameter("rel") is None or "rel" not in example(declared).resolve().params:
            continue
        measure = example(declared)(rel=2)
        assert needs(measure).level in (2.0, None)


def test_support_for_explain_and_bounds_is_what_they_do() -> None:
    for declared in families():
        measure = example(declared)
        needed = needs(measure)
        qrels = judgments(declared)
        try:
            explain(qrels, run(declared), "q", measure)
        except MeasureError:
            assert not needed.explained
        else:
            assert needed.explained
        try:
            evaluate(qrels, run(declared), measure, bounds=True)
        except (MeasureError, ConventionError):
            assert not needed.bounded
        else:
            assert needed.bounded


def test_order_is_refused_under_expected_ties() -> None:
    for declared in families():
        measure = example(declared)
        needed = needs(measure)
        qrels = judgments(declared)
        convention = Convention(ties="expected")
        if needed.order:
            with pytest.raises(ConventionError):
                evaluate(qrels, run(declared), measure, convention=convention)
        else:
            evaluate(qrels, run(declared), measure, convention=convention)


def test_unknown_formula_and_illegal_parameters_are_errors() -> None:
    for asked in (
        ("x", "no_such_formula", {}),
        ("x", "p", {}),
        ("x", "p", {"rel": "one"}),
        ("x", "dcg", {"gain": "linear", "discount": "cubic"}),
    ):
        with pytest.raises(ParameterError):
            _kernel.needs(asked)


def test_explain_marks_what_the_measure_counts_as_relevant() -> None:
    strata = Qrels({"q": {"1": QRELS["q"]}}, subtopics=True)
    ranks = explain(strata, RUN, "q", "xinfAP(rel=2)").ranks
    assert [rank.relevant for rank in ranks] == [False, False, True]
    gains = "MinMaxNDCG(gain={0: 0, 1: 0, 2: 3})"
    ranks = explain(QRELS, RUN, "q", parse_measure(gains)).ranks
    assert [rank.relevant for rank in ranks] == [False, False, True]
