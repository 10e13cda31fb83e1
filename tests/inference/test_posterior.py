"""The posterior distribution of a mean difference."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import Design, mean_posterior, paired_t


def draw(n: int = 30, mean: float = 0.1) -> np.ndarray:
    return np.random.default_rng(n).normal(mean, 0.3, n)


@pytest.mark.parametrize("n", [10, 30, 200])
def test_the_reference_prior_gives_the_one_sided_p_value(n: int) -> None:
    differences = draw(n)
    found = mean_posterior(differences)
    p = paired_t(differences, alternative="greater").p
    assert found.above(0.0) == pytest.approx(1 - p, rel=1e-12)


@pytest.mark.parametrize("prior_queries", [1.0, 25.0])
def test_the_skeptical_posterior_is_that_of_numerical_integration(prior_queries: float) -> None:
    from scipy import integrate

    differences = draw()
    n, mean = len(differences), differences.mean()
    square = ((differences - mean) ** 2).sum()

    def joint(m: float, log_v: float) -> float:
        v = np.exp(log_v)
        likelihood = v ** (-n / 2) * np.exp(-(square + n * (mean - m) ** 2) / (2 * v))
        # p(log v) is constant where p(v) ~ 1 / v.
        # The density of Normal(0, v / prior_queries) but for a constant.
        prior = np.exp(-prior_queries * m**2 / (2 * v)) / np.sqrt(v)
        return likelihood * prior * 1e-20

    ends = np.log(square / n) - 2.5, np.log(square / n) + 2.5
    above = integrate.dblquad(joint, *ends, 0.02, 1.0, epsabs=0, epsrel=1e-6)[0]
    below = integrate.dblquad(joint, *ends, -1.0, 0.02, epsabs=0, epsrel=1e-6)[0]
    found = mean_posterior(differences, prior_queries=prior_queries)
    assert found.above(0.02) == pytest.approx(above / (above + below), abs=1e-5)


def test_a_heavier_prior_draws_the_mean_to_zero() -> None:
    locations = [mean_posterior(draw(), prior_queries=k).location for k in (0, 1, 25, 1000)]
    assert locations == sorted(locations, reverse=True)
    assert locations[-1] < 0.05 * locations[0]


def test_probabilities_sum_to_one_and_mirror() -> None:
    found = mean_posterior(draw())
    mirrored = mean_posterior(-draw())
    for margin in (0.0, 0.05):
        better, within, worse = found.probabilities(margin)
        assert better + within + worse == pytest.approx(1.0, abs=1e-12)
        assert mirrored.probabilities(margin) == pytest.approx((worse, within, better), abs=1e-12)
        assert (within > 0) == (margin > 0)


def test_weights_and_clusters_count_as_in_the_t_test() -> None:
    differences = draw(60)
    clusters = np.repeat(np.arange(20), 3)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 60)
    for design in (Design(60, weights=weights), Design(60, clusters=clusters.tolist())):
        p = paired_t(differences, design, alternative="greater").p
        assert mean_posterior(differences, design=design).above(0.0) == pytest.approx(
            1 - p, rel=1e-9
        )
    repeated = np.repeat(draw(20), 3)
    inside = mean_posterior(repeated, Design(60, clusters=clusters.tolist()), prior_queries=25)
    once = mean_posterior(draw(20), prior_queries=25)
    assert inside.above(0.0) == pytest.approx(once.above(0.0), rel=1e-9)


def test_few_differences_have_no_posterior() -> None:
    differences = np.zeros(100)
    differences[:9] = np.linspace(0.1, 0.3, 9)
    assert mean_posterior(differences) is None
    differences[9] = 0.2
    assert mean_posterior(differences) is not None
    assert mean_posterior(np.full(20, 0.1)) is None
    clusters = np.repeat(np.arange(5), 4).tolist()
    assert mean_posterior(draw(20), Design(20, clusters=clusters)) is None


def test_a_negative_prior_is_refused() -> None:
    with pytest.raises(ParameterError, match="0 or more"):
        mean_posterior(draw(), prior_queries=-1)
