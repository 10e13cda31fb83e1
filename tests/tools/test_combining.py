"""The model of Dawid and Skene has the estimates of crowd-kit, which `make test-tools` installs."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.inference import dawid_skene
from requirements import need

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("seed", range(5))
def test_crowd_kit(seed: int) -> None:
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
    other = DawidSkene(n_iter=2_000, tol=1e-12).fit(frame)
    found = dawid_skene(given, starts=1, smoothing=0.0)
    labeled = ~np.isnan(given).all(axis=1)
    expected = other.probas_.sort_index()[list(range(classes))].to_numpy()
    assert found.posterior[labeled] == pytest.approx(expected, abs=1e-3)
    assert found.prior == pytest.approx(other.priors_.sort_index().to_numpy(), abs=1e-4)
