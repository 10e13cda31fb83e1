"""Combined means are those of ppi-python, which `make test-tools` installs."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.inference import predicted_mean
from requirements import need

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_ppi_python(seed: int, noise: float) -> None:
    need("ppi-python")
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    random = np.random.default_rng(seed)
    n, queries = 400, 1_600
    model = random.random(queries)
    people = 0.1 + 0.7 * model + random.normal(0, noise, queries)
    found = predicted_mean(np.where(np.arange(queries) < n, people, np.nan), model)
    # Its other sample excludes the human-judged queries, and λ is relative to that sample.
    samples = people[:n, None], model[:n, None], model[n:, None]
    rate = found.rate * (1 - n / queries)
    assert found.mean == pytest.approx(ppi_mean_pointestimate(*samples, lam=rate)[0], abs=1e-4)
    low, high = (end[0] for end in ppi_mean_ci(*samples, alpha=0.05, lam=rate))
    own = found.interval(0.95)
    assert own is not None
    # Its interval is that of the normal distribution.
    assert own[1] - own[0] == pytest.approx(high - low, rel=0.02)
    # With its own λ, which is not shrunk.
    tuned = ppi_mean_ci(*samples, alpha=0.05)
    assert own == pytest.approx([end[0] for end in tuned], abs=0.05 * (high - low))
    assert found.people_mean == pytest.approx(ppi_mean_pointestimate(*samples, lam=0.0)[0])
