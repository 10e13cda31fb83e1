"""The posterior distribution of ranks."""

from __future__ import annotations

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.inference import mean_posterior, rank_posterior


def scores(shift: float) -> np.ndarray:
    draw = np.random.default_rng(2)
    return draw.uniform(0.3, 0.5, (40, 1)) + draw.normal([shift, 0.0, -0.2], 0.05, (40, 3))


def test_two_close_systems_have_the_probability_of_their_difference() -> None:
    values = scores(0.01)
    found = rank_posterior(values)
    skeptical = mean_posterior(values[:, 0] - values[:, 1], prior_queries=25.0)
    assert found.first.sum() == pytest.approx(1)
    assert found.first[0] == pytest.approx(skeptical.above(0.0), abs=0.03)
    assert (found.low.tolist(), found.high.tolist()) == ([1, 1, 3], [2, 2, 3])


def test_systems_that_hardly_differ_have_no_probabilities() -> None:
    values = scores(0.2)
    values[9:, 1] = values[9:, 0]
    assert rank_posterior(values) is None


def test_a_comparison_shows_them_with_bayes() -> None:
    values = dict(zip("abc", np.clip(scores(0.2), 0, 1).T.tolist(), strict=True))
    found = gainful.compare(*collection(values), MEASURE, bayes=True, resamples=999, bootstrap=0)
    posterior = found.rank_posterior()
    assert list(posterior) == ["a", "b", "c"]
    assert posterior["a"].first > 0.99
    (ranks,) = found.to_dict()["rank_posterior"].values()
    assert ranks["b"] == {"first": posterior["b"].first, "low": 2, "high": 2}
    table = next(table for table in found.tables() if "ranks" in table.title)
    assert table.cells().headers == ("system", "P(rank 1)", "95% set of ranks")
