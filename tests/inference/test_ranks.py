"""Wilcoxon's test and the sign test."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.inference import randomization_test, sign_test, wilcoxon_test
from requirements import need

ALTERNATIVES = ["two-sided", "greater", "less"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [3, 12, 50, 51, 200])
def test_wilcoxon_equals_scipy(n, alternative) -> None:
    from scipy import stats

    values = np.random.default_rng(n).normal(0.02, 0.1, n)
    found = wilcoxon_test(values, alternative=alternative)
    expected = stats.wilcoxon(values, alternative=alternative)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)
    assert found.exact == (n <= 50)


def test_the_golden_pair() -> None:
    golden = json.loads((need("golden") / "paired_vs_unpaired.json").read_text())
    values = np.subtract(golden["scores"]["B"], golden["scores"]["A"])
    # It has ties, and 50 differences: by the normal approximation.
    assert wilcoxon_test(values).p == pytest.approx(
        golden["scipy_1.17.1"]["wilcoxon_B_A_p"], rel=1e-3
    )


def test_tied_ranks_of_few_queries_are_enumerated() -> None:
    values = [0.1, 0.1, -0.1, 0.2, 0.3, 0.3, 0.0]
    found = wilcoxon_test(values)
    assert found.exact
    # The ranks by hand: 2, 2, 2, 4, 5.5, 5.5.
    assert found.statistic == 19.0
    assert found.p == randomization_test([2, 2, -2, 4, 5.5, 5.5]).p


def test_differences_that_differ_by_rounding_errors_are_tied() -> None:
    assert 0.3 - 0.2 != 0.4 - 0.3
    clean, rounded = [0.1, -0.1, 0.2, 0.5], [0.3 - 0.2, -(0.4 - 0.3), 0.2, 0.5]
    assert wilcoxon_test(rounded) == wilcoxon_test(clean)


def test_only_ties() -> None:
    assert wilcoxon_test([0.0, 0.0]) == (0.0, 1.0, True)
    assert sign_test([0.0, 0.0]) == 1.0


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_sign_test_is_the_binomial_test(wins, losses) -> None:
    from scipy import stats

    values = [0.1] * wins + [-0.2] * losses + [0.0] * 3
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(values) == pytest.approx(expected, rel=1e-9)


def test_the_sign_test_of_a_margin_and_of_many_queries() -> None:
    assert sign_test([0.2] * 5 + [0.05] * 9, margin=0.1) == 0.0625
    found = sign_test(np.tile([0.1, 0.1, -0.1], 20_000))
    assert 0.0 <= found < 1e-300
    assert math.isclose(sign_test([0.1] * 3), 0.25)
