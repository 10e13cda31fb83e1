"""The model of Dawid and Skene is that of crowd-kit, which `make test-tools` installs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gainful.inference import dawid_skene
from requirements import need

pytestmark = pytest.mark.peer


@pytest.mark.filterwarnings("ignore::DeprecationWarning:crowdkit")
@pytest.mark.parametrize("seed", range(5))
def test_crowd_kit(seed: int) -> None:
    """The estimates maximize the likelihood: crowd-kit's steps keep them, and find none higher."""
    need("crowd-kit")
    import pandas
    from crowdkit.aggregation import DawidSkene

    random = np.random.default_rng(seed)
    items, classes, accuracy = 60, 3, (0.9, 0.75, 0.6, 0.4)
    true = random.integers(0, classes, items)
    given = np.full((items, len(accuracy)), np.nan)
    for rater, share in enumerate(accuracy):
        right = random.random(items) < share
        labels = np.where(right, true, random.integers(0, classes, items))
        given[:, rater] = np.where(random.random(items) < 0.85, labels, np.nan)
    rows = [(item, rater, int(given[item, rater])) for item, rater in np.argwhere(given == given)]
    frame = pandas.DataFrame(rows, columns=["task", "worker", "label"])
    found = dawid_skene(given, smoothing=0.0)
    labeled = ~np.isnan(given).all(axis=1)

    other = DawidSkene(n_iter=2_000, tol=1e-12).fit(frame)
    tasks = pandas.Index(range(items), name="task")
    posterior = pandas.DataFrame(found.posterior, tasks, range(classes)).loc[labeled]
    prior = posterior.mean()
    assert found.prior == pytest.approx(prior.to_numpy(), abs=1e-4)
    errors = other._m_step(frame, posterior)
    again = other._e_step(frame, prior, errors).sort_index()[list(range(classes))]
    assert found.posterior[labeled] == pytest.approx(again.to_numpy(), abs=1e-3)
    ours = log_likelihood(frame, prior, errors)
    assert ours > log_likelihood(frame, other.priors_, other.errors_) - 1e-3


def log_likelihood(frame: Any, prior: Any, errors: Any) -> float:
    """Return the logarithm of the probability of all labels."""
    joined = np.log(errors).reindex(list(zip(frame["worker"], frame["label"], strict=True)))
    by_item = joined.groupby(frame["task"].to_numpy()).sum() + np.log(prior)
    return float(np.logaddexp.reduce(by_item.to_numpy(), axis=1).sum())
