"""Worked examples from textbooks, in the corrected figures, and the formulas in words."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import ParameterError
from gainful.formulas import formula

# name, grades, parameters, DCG, IDCG, nDCG; worked out by hand from the definitions.
EXAMPLES: list[tuple[list[float], dict[str, Any], float, float, float]] = [
    ([3, 1, 2, 0, 1], {}, 5.017782560805999, 5.192536065216308, 0.9663452497555202),
    (
        [2, 3, 1, 2, 1, 0, 1],
        {"discount": "jarvelin-kekalainen"},
        7.4178134987528725,
        7.57938887245085,
        0.9786822689247068,
    ),
    (
        [3, 2, 2, 1, 2, 1, 0, 0, 1],
        {"gain": "exponential"},
        12.641261423263396,
        12.761212262610451,
        0.9906003570132201,
    ),
    ([3, 0, 2], {}, 4.0, 4.2618595071429155, 0.9385574520455129),
    ([0, 0, 0], {}, 0.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("grades", "parameters", "dcg", "idcg", "ndcg"), EXAMPLES)
def test_examples(
    grades: list[float], parameters: dict[str, Any], dcg: float, idcg: float, ndcg: float
) -> None:
    assert gainful.dcg(grades, **parameters) == pytest.approx(dcg, abs=1e-14)
    assert gainful.idcg(grades, **parameters) == pytest.approx(idcg, abs=1e-14)
    assert gainful.ndcg(grades, **parameters) == pytest.approx(ndcg, abs=1e-14)


def test_all_worked_examples_hold(golden: Path) -> None:
    examples = json.loads((golden / "worked_examples.json").read_text("utf-8"))
    held = 0
    for example in examples:
        if "grades_in_rank_order" not in example:
            continue
        grades = example["grades_in_rank_order"]
        parameters = {"gain": example["gain"], "discount": example["discount"]}
        ideal = example.get("ideal_grades", grades)
        assert gainful.dcg(grades, **parameters) == pytest.approx(example["dcg"], abs=1e-12)
        assert gainful.idcg(ideal, **parameters) == pytest.approx(example["idcg"], abs=1e-12)
        value = gainful.ndcg(grades, ideal=ideal, **parameters)
        assert value == pytest.approx(example["ndcg"], abs=1e-12), example["name"]
        assert gainful.ndcg(grades, **parameters) == value
        printed = example.get("printed_in_the_source", {})
        if "cg" in printed:
            assert gainful.cg(grades) == printed["cg"]
        held += 1
    assert held >= 9


def test_the_arithmetic_is_division_from_left_to_right() -> None:
    grades = [1, 3, 2, 1, 3, 2, 2, 1, 3, 1, 1]
    expected = 0.0
    for rank, grade in enumerate(grades, start=1):
        expected += grade / log2(rank + 1)
    assert gainful.dcg(grades) == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, 3 + 2 / log2(3) + 1 / log2(5)),
        ({"k": 2}, 3 + 2 / log2(3)),
        ({"k": 99}, 3 + 2 / log2(3) + 1 / log2(5)),
        ({"gain": "exponential"}, 7 + 3 / log2(3) + 1 / log2(5)),
        ({"gain": {3: 10, 1: 0.5}}, 10 + 2 / log2(3) + 0.5 / log2(5)),
        ({"discount": "reciprocal"}, 3 + 2 / 2 + 1 / 4),
        ({"discount": "none"}, 6.0),
        ({"discount": "jarvelin-kekalainen"}, 3 + 2 + 1 / log2(4)),
        ({"discount": "jarvelin-kekalainen", "base": 3}, 3 + 2 + 1 / (log2(4) / log2(3))),
        ({"discount": (1, 0.25)}, 3.5),
    ],
    ids=str,
)
def test_gains_and_discounts(parameters: dict[str, Any], expected: float) -> None:
    assert gainful.dcg([3, 2, 0, 1], **parameters) == pytest.approx(expected, abs=1e-14)


def test_k_cuts_ranking_and_ideal() -> None:
    assert gainful.ndcg([0, 1, 2], k=2) == pytest.approx((1 / log2(3)) / (2 + 1 / log2(3)))
    assert gainful.idcg([0, 1, 2], k=2) == 2 + 1 / log2(3)
    assert gainful.cg([3, 0, 2, 4], k=3) == 5


def test_ideal() -> None:
    judged = [1, 3, 2]
    assert gainful.ndcg([3], ideal=judged) == 3 / gainful.idcg(judged)
    assert gainful.ndcg([1, 3], ideal=[3, 1], ideal_order="given") < 1
    assert gainful.ndcg([1, 3], ideal=[1, 3], ideal_order="given") == 1
    assert gainful.ndcg([], ideal=judged) == 0
    # A document without gain adds nothing to the ideal.
    assert gainful.ndcg([2, 0], ideal=[2, 0, 0]) == gainful.ndcg([2, 0])
    with pytest.raises(ParameterError, match=r"DCG of the list, 4\.26.*judged documents"):
        gainful.ndcg([3, 2], ideal=[1])
    with pytest.raises(ParameterError, match="ideal_order='sorted' sorts the ideal"):
        gainful.ndcg([3, 2], ideal=[2, 3], ideal_order="given")


def test_a_gain_table_decides_what_is_ideal() -> None:
    # Grade 1 gains more than grade 2, and grade 0 a loss that an ideal ranking leaves out.
    table = {0: -1, 1: 5, 2: 1}
    assert gainful.idcg([2, 0, 1], gain=table) == 5 + 1 / log2(3)
    assert gainful.ndcg([1, 2], gain=table) == 1
    assert gainful.ndcg([0, 1, 2], gain=table, k=1) < 0


def test_negative_grades() -> None:
    assert gainful.dcg([2, -1, 1]) == 2.5
    assert gainful.dcg([2, -1, 1], negative="signed") == 2 - 1 / log2(3) + 0.5
    assert gainful.ndcg([2, -1, 1, 0], k=3, negative="signed") == pytest.approx(0.7104219502217043)
    assert gainful.dcg([-1], gain="exponential", negative="signed") == -0.5


def test_nothing_relevant() -> None:
    assert gainful.ndcg([0, 0]) == 0.0
    assert gainful.ndcg([0, -3], no_relevant=1.0) == 1.0
    unknown = gainful.ndcg([0, 0], no_relevant=float("nan"))
    assert unknown != unknown
    assert gainful.dcg([0, 0]) == gainful.idcg([0, 0]) == gainful.cg([0, 0]) == 0


def test_an_equal_default_gives_the_same_value() -> None:
    """Defaults are recognized by identity; equality must not matter."""
    grades = [3, 2, 3, 0, 1]
    lower = str.lower  # makes new objects
    value = gainful.ndcg(
        grades,
        gain=lower("LINEAR"),
        discount=lower("LOG2"),
        base=2,
        ties=lower("EXPECTED"),
        no_relevant=0,
        negative=lower("ZERO"),
        ideal_order=lower("SORTED"),
    )
    assert value == gainful.ndcg(grades) == 0.9723642841729143


@pytest.mark.parametrize("length", [1, 31, 32, 33, 500])
def test_short_and_long_lists_take_the_same_arithmetic(length: int) -> None:
    grades = [(7 * place) % 4 for place in range(length)]
    for function in (gainful.cg, gainful.dcg, gainful.idcg, gainful.ndcg):
        for k in (None, 1, 10, 400):
            assert function(grades, k=k) == function([grades, [1]], k=k)[0]


def test_formula_text() -> None:
    assert formula() == "DCG = Σ grade / log2(rank + 1)"
    assert formula(k=10, discount="none") == "DCG@10 = Σ grade"
    assert formula(gain="exponential", discount="reciprocal") == "DCG = Σ (2^grade - 1) / rank"
    spared = formula(discount="jarvelin-kekalainen", base=3)
    assert spared == "DCG = Σ grade / max(1, log(rank) / log(3))"
    with pytest.raises(ParameterError):
        formula(gain="cubic")
