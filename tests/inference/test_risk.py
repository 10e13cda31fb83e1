"""Risk vs. one baseline and among many systems equals the formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gainful.inference.risk import geo_risk, risk_adjusted, t_risk, u_risk, z_risk


def test_losses_count_more() -> None:
    assert risk_adjusted([0.5, 0.0, -0.25], 3.0).tolist() == [0.5, 0.0, -1.0]
    assert u_risk([0.5, 0.0, -0.25], 3.0) == pytest.approx(-0.5 / 3)


def test_t_risk_without_variance_is_none() -> None:
    assert t_risk([0.25, 0.25, 0.25]) is None
    assert t_risk([0.25]) is None
    # A single loss spreads them.
    assert t_risk([0.25, 0.25, -0.25]) is not None
    # Two queries are enough: mean .25 by a standard error of .25.
    assert t_risk([0.5, 0.0], 0.0) == pytest.approx(1.0)


def test_z_risk_and_geo_risk_as_written() -> None:
    scores = [[0.9, 0.1, 0.5], [0.3, 0.3, 0.0], [0.0, 0.6, 0.2], [0.8, 0.7, 0.9]]
    total = sum(map(sum, scores))
    for aversion in (0.0, 1.0, 5.0):
        for system in range(3):
            column = sum(row[system] for row in scores)
            z = 0.0
            for row in scores:
                expected = sum(row) * column / total
                term = (row[system] - expected) / math.sqrt(expected)
                z += term if term > 0 else (1 + aversion) * term
            assert z_risk(scores, aversion)[system] == pytest.approx(z)
            phi = 0.5 * (1 + math.erf(z / 4 / math.sqrt(2)))
            geo = math.sqrt(column / 4 * phi)
            assert geo_risk(scores, aversion)[system] == pytest.approx(geo)


def test_queries_on_which_all_systems_score_0_add_nothing() -> None:
    with_none = np.array([[0.5, 0.2], [0.0, 0.0], [0.1, 0.6]])
    assert z_risk(with_none).tolist() == pytest.approx(z_risk(with_none[[0, 2]]).tolist())
    assert z_risk([[0.0, 0.0]]).tolist() == [0.0, 0.0]
