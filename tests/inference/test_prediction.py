"""Prediction intervals of a linear regression equal those of statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference.regression import prediction_interval
from requirements import need

RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize("n", [3, 4, 30])
@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("new", [-3.0, 0.25, 2.0])
def test_it_equals_statsmodels(n: int, level: float, new: float) -> None:
    need("statsmodels")
    import statsmodels.api as sm

    x = RANDOM.normal(2.0, 1.5, n)
    y = 0.7 * x + RANDOM.normal(0.0, 0.3, n)
    fitted = sm.OLS(y, sm.add_constant(x)).fit().get_prediction([[1.0, new]])
    low, high = fitted.conf_int(obs=True, alpha=1 - level)[0]
    found = prediction_interval(x.tolist(), y.tolist(), new, level=level)
    assert found == pytest.approx((fitted.predicted_mean[0], low, high), rel=1e-9)


def test_two_items_or_equal_x_have_no_interval() -> None:
    assert prediction_interval([1.0, 2.0], [1.0, 3.0], 1.5) is None
    assert prediction_interval([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], 1.5) is None
    assert prediction_interval([], [], 1.5) is None


@pytest.mark.parametrize("level", [0.0, 1.0, float("nan")])
def test_bad_arguments_are_refused(level: float) -> None:
    with pytest.raises(ParameterError, match="level"):
        prediction_interval([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], 2.0, level=level)
    with pytest.raises(ParameterError, match="3 and 2 values"):
        prediction_interval([1.0, 2.0, 3.0], [1.0, 2.0], 2.0)
