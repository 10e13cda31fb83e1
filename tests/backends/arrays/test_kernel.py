"""The functions on arrays give the kernel's values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gainful
from array_libraries import TIES, Lists, defined, hold
from combinations import share
from gainful.backends import arrays
from gainful.conventions import get
from requirements import need

DISCOUNTS: tuple[Any, ...] = (
    "log2",
    "ln",
    "jarvelin-kekalainen",
    "reciprocal",
    "none",
    (1, 0.5, 0.25),
)


def test_numpy_measures() -> None:
    assert hold(np.asarray, np.asarray, 1e-12, parts=3) > 20_000


def test_array_api_strict_measures() -> None:
    strict = need("array_api_strict")
    assert hold(strict.asarray, np.from_dlpack, 1e-12, shares=2) > 5_000


def test_32_bits() -> None:
    assert hold(np.asarray, np.asarray, 3e-6, np.float32, shares=2) > 5_000


ORDERS = (*TIES, "random(7)")
GAINS: tuple[Any, ...] = ("linear", "exponential", {0: 1, 1: 0, 3: 7})


@pytest.mark.parametrize("ties", ORDERS)
@pytest.mark.parametrize("discount", DISCOUNTS, ids=str)
def test_sums_of_gains_to_the_last_bit(ties: str, discount: Any) -> None:
    if ties == "average-rank" and isinstance(discount, tuple):
        pytest.skip("a table has no entry between two ranks")
    random = np.random.default_rng(3)
    grades = random.integers(0, 4, (100, 13))
    scores = random.integers(0, 6, (100, 13)) / 7
    for k in (None, 1, 3, 13, 20):
        for gain in share(GAINS, ORDERS.index(ties) + DISCOUNTS.index(discount), len(GAINS)):
            options: dict[str, Any] = {
                "scores": scores,
                "k": k,
                "gain": gain,
                "discount": discount,
                "ties": ties,
            }
            found = arrays.ndcg(grades, **options)
            assert found.tolist() == gainful.ndcg(grades, **options).tolist()
            found = arrays.dcg(grades, **options)
            assert found.tolist() == gainful.dcg(grades, **options).tolist()


@pytest.mark.parametrize("ties", TIES)
def test_measures_of_gains_to_the_last_bit(ties: str) -> None:
    lists = Lists(11)
    convention = get("gainful-1").replace(ties=ties)
    measures = [measure for measure in defined(ties) if "CG" in measure]
    expected = lists.expected(convention, measures)
    for measure, values in lists.found(convention, measures, np.asarray).items():
        assert values.tolist() == expected[measure].tolist(), measure


LIST = st.lists(
    st.tuples(st.floats(-3, 30) | st.integers(0, 4), st.integers(-2, 2)), min_size=1, max_size=12
)


@pytest.mark.filterwarnings("ignore:groups= is read as")
@given(st.lists(LIST, min_size=1, max_size=6), st.none() | st.integers(1, 14))
def test_any_lists(rows: list[list[tuple[float, int]]], k: int | None) -> None:
    width = max(map(len, rows))
    grades, scores = np.full((len(rows), width), np.nan), np.full((len(rows), width), np.inf)
    for row, pairs in enumerate(rows):
        grades[row, : len(pairs)], scores[row, : len(pairs)] = zip(*pairs, strict=True)
    where = np.isfinite(grades)
    sizes = [len(pairs) for pairs in rows]
    flat = {"scores": scores[where], "groups": sizes, "k": k}
    for function in ("cg", "dcg", "ndcg"):
        expected = getattr(gainful, function)(grades[where], **flat)
        found = getattr(arrays, function)(grades, scores=scores, where=where, k=k)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(
        arrays.idcg(grades, where=where, k=k),
        gainful.idcg(grades[where], groups=sizes, k=k),
        rtol=1e-11,
    )


def test_more_axes() -> None:
    lists = Lists(2, count=24)
    flat = arrays.ndcg(lists.grades, scores=lists.scores, where=lists.where, k=4)
    deep = arrays.ndcg(
        lists.grades.reshape(2, 3, 4, -1),
        scores=lists.scores.reshape(2, 3, 4, -1),
        where=lists.where.reshape(2, 3, 4, -1),
        k=4,
    )
    assert deep.shape == (2, 3, 4)
    assert deep.ravel().tolist() == flat.tolist()
    one = arrays.ndcg(lists.grades[0], scores=lists.scores[0], where=lists.where[0], k=4)
    assert one.shape == ()
    assert float(one) == flat[0]


def test_ideal_of_all_judged_items() -> None:
    grades, ideal = np.array([[3, 0], [0, 1]]), np.array([[3, 3, 2, 1], [9, 1, 0, 9]])
    where = np.array([[True] * 4, [False, True, True, False]])
    found = arrays.ndcg(grades, ideal=ideal, ideal_where=where)
    assert found[0] == gainful.ndcg([3, 0], ideal=[3, 3, 2, 1])
    assert found[1] == gainful.ndcg([0, 1], ideal=[1, 0])
    given_order = arrays.ndcg(grades[:1], ideal=np.array([[3, 1, 2]]), ideal_order="given")
    assert given_order[0] == gainful.ndcg([3, 0], ideal=[3, 1, 2], ideal_order="given")


def test_whole_scores_keep_their_order() -> None:
    # As 64-bit floats the first two would be equal.
    scores = np.array([[2**60 + 1, 2**60, 5]])
    assert arrays.ndcg(np.array([[1, 0, 0]]), scores=scores) == 1
    assert arrays.ndcg(np.array([[0, 1, 0]]), scores=scores) == pytest.approx(1 / np.log2(3))
    unsigned = np.array([[3, 200, 0]], dtype=np.uint8)
    assert arrays.ndcg(np.array([[0, 1, 0]]), scores=unsigned) == 1


def test_minus_zero_ties_with_zero() -> None:
    grades = np.array([[0, 1]])
    found = arrays.ndcg(grades, scores=np.array([[0.0, -0.0]]))
    assert found == gainful.ndcg([0, 1], scores=[1, 1])


def test_without_judged_items_those_of_the_list_are_all() -> None:
    lists = Lists(6)
    qrels = {
        query: {item: grade for item, grade in own.items() if item in lists.run.get(query, {})}
        for query, own in lists.qrels.items()
    }
    # A query that nothing was judged for is no query.
    rows = [number for number, own in enumerate(qrels.values()) if own]
    qrels = {query: own for query, own in qrels.items() if own}
    convention = get("gainful-1").replace(ties="expected")
    measures = defined("expected")
    result = gainful.evaluate(qrels, lists.run, measures, convention=convention)
    found = arrays.measure_lists(
        measures, lists.grades, scores=lists.scores, where=lists.where, convention=convention
    )
    for measure in result.measures:
        expected = list(result.per_query(measure).values())
        np.testing.assert_allclose(found[repr(measure)][rows], expected, atol=1e-12)


@pytest.mark.parametrize("kinds", [3, 40, 10**6])
@pytest.mark.parametrize("k", [1, 10, 49])
def test_only_the_best_of_long_lists_are_put_in_order(kinds: int, k: int) -> None:
    random = np.random.default_rng(kinds + k)
    grades = random.integers(0, 4, (40, 200)) * (random.random((40, 200)) < 0.2)
    scores = random.integers(0, kinds, (40, 200)) / 7
    lengths = random.integers(1, 201, 40)
    where = np.arange(200) < lengths[:, None]
    convention = get("gainful-1").replace(ties="expected")
    measures = [f"{name}@{k}" for name in ("nDCG", "DCG", "AP", "P", "R", "RR", "Success", "RBP")]
    qrels, run = (
        {
            f"q{row:02}": {f"d{item:03}": number.item() for item, number in enumerate(own[:length])}
            for row, (own, length) in enumerate(zip(table, lengths, strict=True))
        }
        for table in (grades, scores)
    )
    result = gainful.evaluate(qrels, run, measures, convention=convention)
    found = arrays.measure_lists(
        measures, grades, scores=scores, where=where, convention=convention
    )
    for measure in measures:
        expected = list(result.per_query(measure).values())
        np.testing.assert_allclose(found[measure], expected, rtol=0, atol=1e-12)
    sizes = [int(length) for length in lengths]
    expected = gainful.ndcg(grades[where], scores=scores[where], groups=sizes, k=k)
    assert arrays.ndcg(grades, scores=scores, where=where, k=k).tolist() == expected.tolist()
