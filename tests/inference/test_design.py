"""Means, contributions and standard errors under weights, clusters and strata."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import Design
from gainful.inference.design import variance_factors
from requirements import need

VALUES = np.random.default_rng(5).normal(0.02, 0.1, (60, 3))
WEIGHTS = np.random.default_rng(6).integers(1, 9, 60).astype(float)
CLUSTERS = [f"user {index % 17}" for index in range(60)]
STRATA = ["a"] * 10 + ["b"] * 50

DESIGNS = {
    "plain": Design(60),
    "weights": Design(60, weights=WEIGHTS),
    "clusters": Design(60, clusters=CLUSTERS),
    "strata": Design(60, strata=STRATA),
    "all": Design(
        60,
        weights=WEIGHTS,
        clusters=[(s, c) for s, c in zip(STRATA, CLUSTERS, strict=True)],
        strata=STRATA,
    ),
}


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS.keys())
def test_contributions_sum_to_the_mean(design: Design) -> None:
    contributions = design.contributions(VALUES)
    assert contributions.shape == (design.units, 3)
    assert contributions.sum(axis=0) == pytest.approx(design.mean(VALUES), rel=1e-12)
    assert design.unit_shares().sum() == pytest.approx(1.0)
    # One column as a list is the number itself.
    assert design.mean(list(VALUES[:, 1])) == pytest.approx(design.mean(VALUES)[1])
    assert design.standard_error(VALUES[:, 1]) == pytest.approx(design.standard_error(VALUES)[1])


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS.keys())
def test_a_contiguous_column_has_the_same_estimates_as_alone(design: Design) -> None:
    columns = np.asfortranarray(VALUES)
    for estimate in (design.mean, design.standard_error, design.deviation):
        assert estimate(columns).tolist() == [estimate(column) for column in columns.T]


def test_plain_queries() -> None:
    design = DESIGNS["plain"]
    assert (design.units, design.df, design.plain) == (60, 59, True)
    assert design.mean(VALUES) == pytest.approx(VALUES.mean(axis=0))
    expected = VALUES.std(axis=0, ddof=1) / np.sqrt(60)
    assert design.standard_error(VALUES) == pytest.approx(expected)


def test_the_weighted_mean_and_its_standard_error() -> None:
    design = DESIGNS["weights"]
    mean = np.average(VALUES[:, 0], weights=WEIGHTS)
    assert design.mean(VALUES[:, 0]) == pytest.approx(mean)
    shares = WEIGHTS / WEIGHTS.sum()
    factors = 1 - 2 * shares + (shares**2).sum()
    expected = np.sqrt((shares**2 * (VALUES[:, 0] - mean) ** 2 / factors).sum())
    assert design.standard_error(VALUES[:, 0]) == pytest.approx(expected)
    # Only their ratios matter.
    same = Design(60, weights=WEIGHTS * 7)
    assert same.standard_error(VALUES[:, 0]) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["clusters", "weighted clusters"])
def test_the_cluster_standard_error_equals_statsmodels_before_its_correction(name: str) -> None:
    need("statsmodels")
    from statsmodels.api import WLS

    weights = WEIGHTS if name == "weighted clusters" else np.ones(60)
    design = Design(60, weights=weights, clusters=CLUSTERS)
    groups = np.unique(CLUSTERS, return_inverse=True)[1]
    # The mean is a regression on a constant.
    fitted = WLS(VALUES[:, 0], np.ones(60), weights=weights).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    assert design.units == 17
    assert design.mean(VALUES[:, 0]) == pytest.approx(fitted.params[0])
    shares = design.unit_shares()
    factors = 1 - 2 * shares + (shares**2).sum()
    contributions = design.contributions(VALUES[:, 0] - design.mean(VALUES[:, 0]))[:, 0]
    assert (contributions**2).sum() == pytest.approx(fitted.bse[0] ** 2)
    expected = np.sqrt((contributions**2 / factors).sum())
    assert design.standard_error(VALUES[:, 0]) == pytest.approx(expected)


@pytest.mark.parametrize("shape", ["random", "zipf", "one heavy unit", "equal"])
def test_the_variance_of_unequal_units_is_unbiased_with_satterthwaites_degrees_of_freedom(
    shape: str,
) -> None:
    weights = {
        "random": WEIGHTS[:12],
        "zipf": 1 / np.arange(1, 31),
        "one heavy unit": np.array([10.0, *np.ones(10)]),
        "equal": np.ones(9),
    }[shape]
    u = weights / weights.sum()
    n, q = len(u), float(u @ u)
    # The residuals of values with variance 1 have these covariances.
    residuals = np.eye(n) - np.outer(np.ones(n), u)
    covariances = residuals @ residuals.T
    form = np.diag(u * u * variance_factors(u))
    assert np.trace(form @ covariances) == pytest.approx(q)
    product = form @ covariances
    satterthwaite = np.trace(product) ** 2 / np.trace(product @ product)
    design = Design(n, weights=weights)
    values = np.arange(n)
    conservative = design.degrees_of_freedom(values, conservative=True)
    assert conservative == pytest.approx(satterthwaite)
    found = design.degrees_of_freedom(values)
    assert found == pytest.approx(np.sqrt(satterthwaite * (1 / q - 1)))
    assert conservative <= found * (1 + 1e-12)
    assert found <= n - 1
    assert design.effective == pytest.approx(1 / q)
    assert design.unequal == (shape != "equal")


def test_degrees_of_freedom_of_equal_units_are_whole_numbers() -> None:
    for design in (Design(7), Design(7, weights=[0.3] * 7), Design(6, clusters="aabbcc")):
        df = design.degrees_of_freedom(np.arange(design.queries))
        assert df == design.units - 1
        assert isinstance(df, int)
        assert not design.unequal


def test_one_heavy_cluster_leaves_one_degree_of_freedom() -> None:
    design = Design(90, clusters=[*range(30), *[30] * 60])
    assert design.df == 30
    assert 1.0 <= design.degrees_of_freedom(np.arange(90)) < 1.2
    assert design.effective == pytest.approx(1 / (30 / 90**2 + (60 / 90) ** 2))


def test_strata_are_averaged_and_never_pooled() -> None:
    design = DESIGNS["strata"]
    own = [VALUES[:10, 0], VALUES[10:, 0]]
    assert design.mean(VALUES[:, 0]) == pytest.approx((own[0].mean() + own[1].mean()) / 2)
    variance = sum(values.var(ddof=1) / len(values) for values in own) / 4
    assert design.standard_error(VALUES[:, 0]) == pytest.approx(np.sqrt(variance))
    assert (design.strata, design.df) == (2, 58)


def test_a_query_of_weight_0_is_ignored() -> None:
    values = [0.3, 0.9, 0.1, 0.4]
    with_it, without = Design(4, weights=[1, 0, 2, 1]), Design(3, weights=[1, 2, 1])
    kept = [0.3, 0.1, 0.4]
    assert with_it.units == 3
    assert with_it.df == without.df
    assert with_it.mean(values) == without.mean(kept)
    assert with_it.standard_error(values) == pytest.approx(without.standard_error(kept))
    assert with_it.contributions(values).tolist() == without.contributions(kept).tolist()


def test_clusters_of_one_query_are_no_clusters() -> None:
    clustered = Design(60, clusters=range(60))
    assert clustered.contributions(VALUES).tolist() == Design(60).contributions(VALUES).tolist()
    assert clustered.standard_error(VALUES) == pytest.approx(Design(60).standard_error(VALUES))


def test_equal_values_have_no_standard_error_at_all() -> None:
    assert Design(3).standard_error([0.1, 0.1, 0.1]) == 0.0
    assert np.isnan(Design(1).standard_error([0.1]))
    assert np.isnan(Design(3, strata="aab").standard_error([0.1, 0.2, 0.3]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 0}, "1 query or more"),
        ({"n": 2, "weights": [1.0]}, "weights of shape"),
        ({"n": 2, "weights": [1.0, -1.0]}, "weights of 0 or more"),
        ({"n": 2, "weights": [1.0, float("nan")]}, "weights of 0 or more"),
        ({"n": 2, "weights": [0.0, 0.0]}, "a weight above 0"),
        ({"n": 2, "weights": [1.0, 0.0], "strata": "ab"}, "weights of 0 in a stratum"),
        ({"n": 2, "clusters": "abc"}, "clusters of shape"),
        ({"n": 2, "clusters": "aa", "strata": "ab"}, "two strata"),
    ],
)
def test_invalid_designs_are_rejected(arguments: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Design(**arguments)


def test_values_of_another_length_are_rejected() -> None:
    with pytest.raises(ParameterError, match="a value for each of 60 queries"):
        Design(60).mean([0.5])


def test_absent_queries_leave_their_share_to_those_of_their_stratum() -> None:
    design = Design(5, weights=[1.0, 3.0, 2.0, 2.0, 4.0], strata=[0, 0, 1, 1, 1])

    def shares(*absent: int) -> list[float]:
        return design.shares_without(np.isin(np.arange(5), absent)).tolist()

    assert shares() == pytest.approx([1 / 8, 3 / 8, 1 / 8, 1 / 8, 1 / 4])
    assert shares(0, 4) == pytest.approx([0, 1 / 2, 1 / 4, 1 / 4, 0])
    # A stratum without queries has no share.
    assert shares(0, 1) == pytest.approx([0, 0, 1 / 4, 1 / 4, 1 / 2])
    assert shares(0, 1, 2, 3, 4) == [0] * 5
