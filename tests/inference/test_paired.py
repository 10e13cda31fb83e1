"""The paired t test, equivalence, and the size of an effect."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference import Design, dominance, hedges_g, hedges_g_interval, paired_t, tost
from gainful.inference.paired import OneSided
from requirements import need

DIFFERENCES = np.random.default_rng(1).normal(0.03, 0.1, 40)
ALTERNATIVES = ["two-sided", "greater", "less"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(st.lists(st.integers(-100, 100), min_size=2, max_size=60).filter(lambda v: len(set(v)) > 1))
def test_the_t_test_equals_scipy(alternative, values) -> None:
    from scipy import stats

    found = paired_t(values, alternative=alternative)
    expected = stats.ttest_1samp(values, 0.0, alternative=alternative)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert found.df == len(values) - 1
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_the_paired_t_test_is_more_powerful_than_an_unpaired_one() -> None:
    golden = json.loads((need("golden") / "paired_vs_unpaired.json").read_text())
    scores = golden["scores"]
    expected = golden["scipy_1.17.1"]["ttest_rel_B_A"]
    found = paired_t(np.subtract(scores["B"], scores["A"]))
    assert found.statistic == pytest.approx(expected["t"], rel=1e-12)
    assert found.p == pytest.approx(expected["p"], rel=1e-9)
    assert golden["scipy_1.17.1"]["tukey_hsd_p"][0][1] > 0.8


def test_the_weighted_t_test_equals_a_weighted_regression() -> None:
    need("statsmodels")
    from scipy import stats
    from statsmodels.api import WLS

    weights = np.random.default_rng(2).integers(1, 9, 40).astype(float)
    found = paired_t(DIFFERENCES, Design(40, weights=weights))
    fitted = WLS(DIFFERENCES, np.ones(40), weights=weights).fit()
    shares = weights / weights.sum()
    # The variance of a residual, if all queries have the same variance.
    factors = 1 - 2 * shares + (shares**2).sum()
    error = np.sqrt((shares**2 * fitted.resid**2 / factors).sum())
    assert found.statistic == pytest.approx(fitted.params[0] / error)
    assert 20 < found.df < 39
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.statistic), found.df))


@pytest.mark.parametrize(
    ("values", "alternative", "statistic", "p"),
    [
        ([0.0, 0.0, 0.0], "two-sided", 0.0, 1.0),
        ([0.1, 0.1, 0.1], "two-sided", math.inf, 0.0),
        ([-0.1, -0.1, -0.1], "greater", -math.inf, 1.0),
        ([0.3], "two-sided", math.nan, math.nan),
    ],
)
def test_differences_without_variance(values, alternative, statistic, p) -> None:
    found = paired_t(values, alternative=alternative)
    assert (found.statistic, found.p) == pytest.approx((statistic, p), nan_ok=True)


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.2])
def test_equivalence_without_skewness_is_two_one_sided_t_tests(margin) -> None:
    need("statsmodels")
    from statsmodels.stats.weightstats import ttost_paired

    differences = np.concatenate([DIFFERENCES, -DIFFERENCES])
    expected = ttost_paired(differences, np.zeros(80), -margin, margin)[0]
    assert tost(differences, margin) == pytest.approx(expected, rel=1e-9)


def test_equivalence_corrects_for_skewness() -> None:
    from scipy import stats

    differences = np.array([0.0] * 20 + [0.01] * 15 + [-0.1] * 5)
    b = stats.skew(differences) / 40**0.5
    t = (differences.mean() + 0.04) / stats.sem(differences)
    corrected = t + b * (t * t / 3 + 1 / 6) + b * b * t**3 / 27
    expected = stats.t.sf(corrected, 39)
    assert expected > 3 * stats.t.sf(t, 39)
    assert tost(differences, 0.04) == pytest.approx(expected, rel=1e-9)
    # Equivalence does not depend on the direction of the differences.
    assert tost(-differences, 0.04) == pytest.approx(expected, rel=1e-9)


def test_equivalence_of_a_weighted_sample_is_that_of_its_units() -> None:
    differences = np.repeat(DIFFERENCES, 2)
    clustered = Design(80, clusters=np.repeat(np.arange(40), 2))
    assert tost(differences, 0.1, clustered) == pytest.approx(tost(DIFFERENCES, 0.1))
    assert tost(DIFFERENCES, 0.1, Design(40, weights=[3.0] * 40)) == pytest.approx(
        tost(DIFFERENCES, 0.1)
    )
    strata = Design(80, strata=np.tile([0, 1], 40))
    assert tost(differences, 0.1, strata) < tost(DIFFERENCES, 0.1)


def test_equivalence_assumes_another_unit_if_few_differ() -> None:
    few = np.array([0.05] * 3 + [0.0] * 30)
    larger = OneSided.of(np.append(few, 0.05), Design(34))
    assert tost(few, 0.02) == pytest.approx(larger.p_below(0.02))
    many = np.array([0.05] * 10 + [0.0] * 30)
    assert tost(many, 0.03) == OneSided.of(many, Design(40)).p_below(0.03)
    # Clusters are units: copies of each query change nothing.
    clusters = np.repeat(np.arange(33), 2)
    assert tost(np.repeat(few, 2), 0.02, Design(66, clusters=clusters)) == pytest.approx(
        tost(few, 0.02)
    )
    # Another in each of two equal strata.
    strata = Design(66, strata=np.repeat([0, 1], 33))
    assert tost(np.tile(few, 2), 0.02, strata) < tost(few, 0.02)
    assert math.isnan(tost([0.1], 0.5))


def test_equivalence_without_variance() -> None:
    assert math.isnan(tost([0.0] * 20, 0.01))
    assert tost([0.1] * 20, 0.05) == 1.0
    assert tost([0.04] * 200, 0.05) < 0.05


def test_hedges_g_by_hand() -> None:
    mean, deviation = DIFFERENCES.mean(), DIFFERENCES.std(ddof=1)
    assert hedges_g(DIFFERENCES) == pytest.approx((1 - 3 / (4 * 39 - 1)) * mean / deviation)
    assert hedges_g(-DIFFERENCES) == -hedges_g(DIFFERENCES)
    # Weights of 1 and strata of one kind change nothing.
    assert hedges_g(DIFFERENCES, Design(40, weights=[2] * 40)) == pytest.approx(
        hedges_g(DIFFERENCES)
    )
    assert hedges_g([0.1, 0.1, 0.1]) is None
    assert hedges_g([0.1, 0.2]) is None


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("n", "effect"), [(8, 0.3), (20, -0.6), (60, 1.5), (400, 0.05)])
def test_the_interval_of_hedges_g_inverts_the_noncentral_t(
    n: int, effect: float, level: float
) -> None:
    from scipy import stats

    normal = stats.norm.ppf((np.arange(n) + 0.5) / n)
    differences = 0.1 * (normal / normal.std(ddof=1) + effect)
    low, high = hedges_g_interval(differences, level=level) or (0.0, 0.0)
    for end, share in ((low, (1 + level) / 2), (high, (1 - level) / 2)):
        assert stats.nct.cdf(n**0.5 * effect, n - 1, n**0.5 * end) == pytest.approx(share, abs=4e-3)
    mirrored = hedges_g_interval(-differences, level=level)
    assert mirrored == pytest.approx((-high, -low))


def test_the_interval_of_hedges_g_allows_for_clusters() -> None:
    differences = np.tile(DIFFERENCES, 2)
    clusters = Design(80, clusters=[*range(40), *range(40)])
    wide, narrow = (hedges_g_interval(differences, each) for each in (clusters, None))
    assert wide == pytest.approx(hedges_g_interval(DIFFERENCES), rel=0.02)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize("differences", [[0.1, 0.1, 0.1], [0.1, 0.2]])
def test_no_interval_without_an_effect_size(differences: list[float]) -> None:
    assert hedges_g_interval(differences) is None


def test_hedges_g_treats_weights_as_frequencies() -> None:
    once = hedges_g([0.1, 0.1, 0.1, 0.3, 0.0] * 50)
    weighted = hedges_g([0.1, 0.3, 0.0] * 50, Design(150, weights=[3, 1, 1] * 50))
    assert weighted == pytest.approx(once, rel=0.01)


def test_wins_ties_and_losses() -> None:
    assert dominance([0.2, -0.1, 0.0, 0.3]) == (2, 1, 1, 0.25)
    # .4 - .3 and .3 - .2 are not the .1 that they mean, one above and one below.
    assert dominance([0.4 - 0.3, 0.3 - 0.4, 0.3 - 0.2, 0.11], margin=0.1) == (1, 3, 0, 0.25)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paired_t([]), "one query or more"),
        (lambda: paired_t([[0.1]]), "one for each query"),
        (lambda: paired_t([0.1, math.nan]), "finite differences"),
        (lambda: paired_t([0.1, 0.2], alternative="bigger"), "two-sided, greater, less"),
        (lambda: paired_t([0.1, 0.2], Design(3)), "a value for each of 3 queries"),
        (lambda: tost([0.1, 0.2], 0.0), "above 0"),
        (lambda: dominance([0.1], -0.1), "0 or more"),
    ],
)
def test_illegal_arguments_are_rejected(call, words) -> None:
    with pytest.raises(ParameterError, match=words):
        call()
