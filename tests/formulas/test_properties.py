"""Properties for all grades and scores."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gainful

GRADES = st.lists(st.integers(0, 5) | st.floats(0, 1000), min_size=1, max_size=60)
CUTOFFS = st.none() | st.integers(1, 70)
SHAPES = st.fixed_dictionaries(
    {
        "gain": st.sampled_from(["linear", "exponential", {1: 3, 2: 1}]),
        "discount": st.sampled_from(
            ["log2", "reciprocal", "none", "jarvelin-kekalainen", (1, 0.5, 0.25)]
        ),
    }
)
TIES = st.sampled_from(["expected", "given", "reverse", "optimistic", "pessimistic", "random(1)"])


@st.composite
def ranked(draw: Any) -> tuple[list[float], list[float]]:
    """Return grades, and scores that often tie."""
    grades = draw(GRADES)
    score = st.integers(0, 3) | st.floats(-10, 10)
    return grades, draw(st.lists(score, min_size=len(grades), max_size=len(grades)))


@given(ranked(), CUTOFFS, SHAPES, TIES)
def test_ndcg_lies_between_0_and_1(
    case: tuple[list[float], list[float]], k: int | None, shape: dict[str, Any], ties: str
) -> None:
    grades, scores = case
    assert 0 <= gainful.ndcg(grades, k=k, **shape) <= 1
    assert 0 <= gainful.ndcg(grades, scores=scores, k=k, ties=ties, **shape) <= 1


@given(GRADES, CUTOFFS, SHAPES)
def test_the_sorted_list_is_ideal(
    grades: list[float], k: int | None, shape: dict[str, Any]
) -> None:
    idcg = gainful.idcg(grades, k=k, **shape)
    assert gainful.dcg(grades, k=k, **shape) <= idcg * (1 + 1e-12)
    if shape["gain"] in ("linear", "exponential"):
        best = sorted(grades, reverse=True)
        assert gainful.dcg(best, k=k, **shape) == idcg
        assert gainful.ndcg(best, k=k, **shape) == (1 if idcg > 0 else 0)


@given(ranked(), CUTOFFS, SHAPES, st.randoms())
def test_the_order_of_the_input_is_nothing_where_ties_are_no_matter_of_it(
    case: tuple[list[float], list[float]],
    k: int | None,
    shape: dict[str, Any],
    shuffler: random.Random,
) -> None:
    grades, scores = case
    places = list(range(len(grades)))
    shuffler.shuffle(places)
    shuffled = [grades[place] for place in places], [scores[place] for place in places]
    for ties in ("expected", "optimistic", "pessimistic"):
        before = gainful.dcg(grades, scores=scores, k=k, ties=ties, **shape)
        after = gainful.dcg(shuffled[0], scores=shuffled[1], k=k, ties=ties, **shape)
        assert abs(before - after) <= 1e-9 * max(1, abs(before))


@given(ranked(), CUTOFFS, SHAPES)
def test_expected_lies_between_the_worst_and_the_best(
    case: tuple[list[float], list[float]], k: int | None, shape: dict[str, Any]
) -> None:
    grades, scores = case
    worst, mean, best = (
        gainful.dcg(grades, scores=scores, k=k, ties=ties, **shape)
        for ties in ("pessimistic", "expected", "optimistic")
    )
    slack = 1e-12 * max(1, best)
    assert worst - slack <= mean <= best + slack


@given(ranked(), CUTOFFS, TIES)
def test_scores_determine_the_order_of_grades(
    case: tuple[list[float], list[float]], k: int | None, ties: str
) -> None:
    grades, scores = case
    places = range(len(grades))
    if ties == "reverse":
        order = sorted(places, key=lambda place: (-scores[place], -place))
    elif ties == "optimistic":
        order = sorted(places, key=lambda place: (-scores[place], -grades[place]))
    elif ties == "pessimistic":
        order = sorted(places, key=lambda place: (-scores[place], grades[place]))
    else:
        ties = "given"
        order = sorted(places, key=lambda place: -scores[place])
    expected = gainful.ndcg([grades[place] for place in order], k=k)
    assert gainful.ndcg(grades, scores=scores, k=k, ties=ties) == expected


@pytest.mark.filterwarnings("ignore:groups=")
@given(st.lists(ranked(), min_size=1, max_size=6), CUTOFFS, SHAPES, TIES)
def test_rows_and_groups_are_the_lists_one_by_one(
    cases: list[tuple[list[float], list[float]]],
    k: int | None,
    shape: dict[str, Any],
    ties: str,
) -> None:
    if ties.startswith("random"):
        ties = "given"  # the row has a part in what is drawn
    each = [gainful.ndcg(g, scores=s, k=k, ties=ties, **shape) for g, s in cases]
    grades, scores = [g for g, _ in cases], [s for _, s in cases]
    assert gainful.ndcg(grades, scores=scores, k=k, ties=ties, **shape) == each
    flat = gainful.ndcg(
        np.concatenate([np.array(g, dtype=float) for g in grades]),
        scores=np.concatenate([np.array(s, dtype=float) for s in scores]),
        groups=[len(g) for g in grades],
        k=k,
        ties=ties,
        **shape,
    )
    assert flat.tolist() == each


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), ranked(), CUTOFFS)
def test_an_ideal_that_holds_the_list_and_more(
    more: list[int], case: tuple[list[float], list[float]], k: int | None
) -> None:
    grades, _ = case
    value = gainful.ndcg(grades, ideal=[*more, *grades], k=k)
    assert 0 <= value <= gainful.ndcg(grades, k=k) + 1e-12
