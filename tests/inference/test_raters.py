"""Kappa and alpha equal their definitions, published examples and other packages."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference import krippendorff_alpha, weighted_kappa
from requirements import need

SCALES = ("nominal", "ordinal", "interval")
GRADES = st.integers(0, 4).map(float)
TWO = st.lists(st.tuples(GRADES, GRADES), max_size=20)
MANY = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.one_of(GRADES, st.just(nan)), min_size=raters, max_size=raters), max_size=12
    )
)

# K. Krippendorff: Computing Krippendorff's alpha-reliability (2011), sections B and C: four
# observers, twelve units, some missing. The same page says .743, .815 and .849.
FOUR = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
).T


def kappa_by_definition(pairs: list[tuple[float, float]], weights: str) -> float | None:
    """1 - sum(w o) / sum(w e), one pair of things at a time (Cohen 1968)."""

    def cost(a: float, b: float) -> float:
        return {"none": float(a != b), "linear": abs(a - b), "quadratic": (a - b) ** 2}[weights]

    n = len(pairs)
    expected = sum(cost(a, b) for (a, _), (_, b) in product(pairs, pairs))
    if not expected:
        return None
    return 1 - n * sum(cost(a, b) for a, b in pairs) / expected


def alpha_by_definition(rows: list[list[float]], scale: str) -> float | None:
    """1 - D_o / D_e, one ordered pair of grades at a time (Krippendorff 2011, section E)."""
    things = [[grade for grade in row if grade == grade] for row in rows]
    things = [thing for thing in things if len(thing) > 1]
    given = Counter(grade for thing in things for grade in thing)
    n = sum(given.values())

    def apart(c: float, k: float) -> float:
        if scale == "nominal":
            return float(c != k)
        if scale == "interval":
            return (c - k) ** 2
        between = sum(often for grade, often in given.items() if min(c, k) <= grade <= max(c, k))
        return (between - (given[c] + given[k]) / 2) ** 2 if c != k else 0.0

    observed = sum(
        sum(apart(c, k) for c, k in permutations(thing, 2)) / (len(thing) - 1) for thing in things
    )
    expected = sum(given[c] * given[k] * apart(c, k) for c in given for k in given)
    return 1 - (n - 1) * observed / expected if expected else None


@given(TWO, st.sampled_from(("none", "linear", "quadratic")))
def test_kappa_is_its_definition(pairs: list[tuple[float, float]], weights: str) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    expected = kappa_by_definition(pairs, weights)
    found = weighted_kappa(first, second, weights=weights)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))
    assert weighted_kappa(second, first, weights=weights) == (
        None if found is None else pytest.approx(found, abs=1e-12)
    )


@given(MANY, st.sampled_from(SCALES))
def test_alpha_is_its_definition(rows: list[list[float]], scale: str) -> None:
    expected = alpha_by_definition(rows, scale)
    found = krippendorff_alpha(rows, scale=scale)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(
    ("scale", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_numbers_of_krippendorff(scale: str, published: float) -> None:
    found = krippendorff_alpha(FOUR, scale=scale)
    assert found is not None
    assert round(found, 3) == published


@pytest.mark.parametrize(
    ("first", "second", "published"),
    [
        # The same paper, section A: two observers, ten units, binary data.
        ("0100000010", "1110010000", 0.095),
        # Section B: two observers, twelve units, the categories a to e.
        ("aabbdcccedda", "babbbccceddd", 0.692),
    ],
)
def test_two_observers(first: str, second: str, published: float) -> None:
    rows = [[float(ord(a)), float(ord(b))] for a, b in zip(first, second, strict=True)]
    found = krippendorff_alpha(rows, scale="nominal")
    assert found is not None
    assert round(found, 3) == published


def test_the_numbers_of_scikit_learn() -> None:
    need("scikit-learn")
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(5)
    for _ in range(50):
        first, second = rng.integers(0, 4, (2, 40))
        for ours, theirs in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
            expected = cohen_kappa_score(first, second, labels=[0, 1, 2, 3], weights=theirs)
            assert weighted_kappa(first, second, weights=ours) == pytest.approx(expected, abs=1e-12)


def test_the_numbers_of_the_package_krippendorff() -> None:
    krippendorff = need("krippendorff")
    rng = np.random.default_rng(6)
    for _ in range(50):
        rows = rng.integers(0, 5, (30, 4)).astype(float)
        rows[rng.random(rows.shape) < 0.3] = nan
        for scale in SCALES:
            expected = krippendorff.alpha(
                reliability_data=rows.T, level_of_measurement=scale, value_domain=[0, 1, 2, 3, 4]
            )
            assert krippendorff_alpha(rows, scale=scale) == pytest.approx(expected, abs=1e-12)


def test_grades_with_gaps_keep_their_distances() -> None:
    """scikit-learn takes the places of the grades in use, so that 1 and 9 are neighbours there."""
    near = weighted_kappa([0, 1, 1, 0, 2], [0, 2, 1, 0, 2])
    far = weighted_kappa([0, 1, 1, 0, 9], [0, 9, 1, 0, 9])
    assert near is not None
    assert far is not None
    assert far < near


def test_missing_grades_are_left_out() -> None:
    assert weighted_kappa([0, 1, nan, 2], [0, 2, 1, nan]) == weighted_kappa([0, 1], [0, 2])
    assert krippendorff_alpha([*FOUR.tolist(), [nan, nan, 5, nan]]) == krippendorff_alpha(FOUR)


@pytest.mark.parametrize("rows", [[], [[1, nan]], [[nan, nan]], [[1, 1], [1, 1]], [[1], [2]]])
@pytest.mark.parametrize("scale", SCALES)
def test_alpha_where_it_is_not_defined(rows: list[list[float]], scale: str) -> None:
    assert krippendorff_alpha(rows, scale=scale) is None


@pytest.mark.parametrize("pair", [([], []), ([1], [nan]), ([2, 2], [2, 2])])
def test_kappa_where_it_is_not_defined(pair: tuple[list[float], list[float]]) -> None:
    assert weighted_kappa(*pair) is None


def test_perfect_agreement_is_1() -> None:
    grades = [0, 1, 2, 3, 3]
    assert weighted_kappa(grades, grades) == 1.0
    assert krippendorff_alpha([[g, g, g] for g in grades]) == 1.0


def test_invalid_input_is_rejected() -> None:
    with pytest.raises(ParameterError, match="found 1 and 2 grades"):
        weighted_kappa([1], [1, 2])
    with pytest.raises(ParameterError, match="weights: found 'cubic'"):
        weighted_kappa([1], [1], weights="cubic")
    with pytest.raises(ParameterError, match="scale: found 'ratio'"):
        krippendorff_alpha([[1, 2]], scale="ratio")
    with pytest.raises(ParameterError, match="an array of 1 dimensions"):
        krippendorff_alpha([1, 2])
    with pytest.raises(ParameterError, match="an array of 3 dimensions"):
        krippendorff_alpha([[[1, 2]]])
    with pytest.raises(ParameterError, match="infinite"):
        krippendorff_alpha([[1, inf]])
    with pytest.raises(ParameterError, match="an array that is not numeric"):
        weighted_kappa(["good"], ["bad"])
