"""One-sided tests and bounds for skewed differences."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.inference import Design, tost
from gainful.inference.paired import OneSided

RANDOM = np.random.default_rng(7)
LOSSES = -RANDOM.exponential(0.1, 60)
DESIGNS = {
    "plain": Design(60),
    "weights": Design(60, weights=1 / np.arange(1, 61)),
    "clusters": Design(60, clusters=np.arange(60) // 3),
    "unequal clusters": Design(60, clusters=np.minimum(np.arange(60), 25)),
    "strata": Design(60, strata=np.arange(60) % 2),
}


@pytest.mark.parametrize("alpha", [0.05, 0.001])
@pytest.mark.parametrize("name", DESIGNS)
def test_bounds_invert_the_tests(name, alpha) -> None:
    for sample in (LOSSES, -LOSSES, RANDOM.normal(0, 0.1, 60)):
        test = OneSided.of(sample, DESIGNS[name])
        low, high = test.lower(alpha), test.upper(alpha)
        assert test.p_above(low) == pytest.approx(alpha, rel=1e-6)
        assert test.p_below(high) == pytest.approx(alpha, rel=1e-6)
        assert test.p_above(low - 0.01) < alpha < test.p_above(low + 0.01)
        # The other direction is the same test of the negative differences.
        other = OneSided.of(-sample, DESIGNS[name])
        assert other.lower(alpha) == pytest.approx(-high, rel=1e-9)


def test_equivalence_is_decided_by_the_same_bounds() -> None:
    for design in DESIGNS.values():
        test = OneSided.of(LOSSES, design)
        margin = max(-test.lower(0.05), test.upper(0.05))
        assert tost(LOSSES, margin, design) == pytest.approx(0.05, rel=1e-6)


def test_a_correction_never_narrows_a_bound() -> None:
    for sample in (LOSSES, -LOSSES):
        test = OneSided.of(sample, DESIGNS["plain"])
        plain = test._replace(skewness=0.0)
        assert test.lower(0.05) <= plain.lower(0.05)
        assert test.upper(0.05) >= plain.upper(0.05)
        assert (test.lower(0.05) < plain.lower(0.05)) == (sample is LOSSES)


def test_equal_differences_have_the_bound_of_their_value() -> None:
    test = OneSided.of(np.full(20, 0.25), Design(20))
    assert (test.lower(0.05), test.upper(0.05)) == (0.25, 0.25)
    assert (test.p_above(0.0), test.p_above(0.25), test.p_above(0.5)) == (0.0, 1.0, 1.0)


def test_conservative_degrees_of_freedom() -> None:
    design = DESIGNS["weights"]
    found = OneSided.of(LOSSES, design)
    assert found.df == design.degrees_of_freedom(LOSSES)
    assert found.conservative == design.degrees_of_freedom(LOSSES, conservative=True)
    assert found.conservative < found.df
