"""Metrics in the training of LightGBM and XGBoost, with the numbers of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.integrations import lightgbm, xgboost
from requirements import need

pytestmark = pytest.mark.peer

RANDOM = np.random.default_rng(1)
SIZES = RANDOM.integers(1, 30, 60)
FEATURES = RANDOM.normal(size=(SIZES.sum(), 5))
LABELS = np.clip((FEATURES[:, 0] + RANDOM.normal(size=len(FEATURES))).round(), 0, 4)
# A query with no relevant documents.
LABELS[: SIZES[0]] = 0
STARTS = np.cumsum(SIZES) - SIZES
QUERIES = np.repeat(np.arange(len(SIZES)), SIZES)


def weight_of_nothing(weights: Any) -> float:
    """Return what the maps of both add: they weight the 1 of a query with no relevant documents."""
    if weights is None:
        return 0.0
    nothing = np.add.reduceat(LABELS, STARTS) == 0
    return float((weights - 1)[nothing].sum() / weights.sum())


@pytest.mark.parametrize("weighted", [False, True])
def test_lightgbm(weighted: bool) -> None:
    tool = need("lightgbm")
    weights = RANDOM.random(len(LABELS)) + 0.1 if weighted else None
    data = tool.Dataset(FEATURES, LABELS, group=SIZES, weight=weights)
    seen: dict[str, Any] = {}
    tool.train(
        {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [5], "verbose": -1},
        data,
        num_boost_round=5,
        valid_sets=[data],
        valid_names=["all"],
        feval=lightgbm.make_feval(["nDCG@5", "AP@5"]),
        callbacks=[tool.record_evaluation(seen)],
    )
    # LightGBM adds weights as 32-bit floats.
    rtol = 1e-7 if weighted else 1e-12
    np.testing.assert_allclose(seen["all"]["nDCG@5"], seen["all"]["ndcg@5"], rtol=rtol)
    if weighted:
        weights = np.add.reduceat(weights, STARTS) / SIZES
    found = np.array(seen["all"]["AP@5"]) + weight_of_nothing(weights)
    np.testing.assert_allclose(found, seen["all"]["map@5"], rtol=rtol)


@pytest.mark.filterwarnings("ignore")
def test_the_ranker_of_lightgbm_stops_early() -> None:
    tool = need("lightgbm")
    model = tool.LGBMRanker(n_estimators=30, metric="None", verbose=-1)
    model.fit(
        FEATURES,
        LABELS,
        group=SIZES,
        eval_set=[(FEATURES[:, ::-1], LABELS)],
        eval_group=[SIZES],
        eval_metric=lightgbm.make_eval_metric(["RR", "nDCG@5"], convention="gainful-1"),
        callbacks=[tool.early_stopping(2, first_metric_only=True, verbose=False)],
    )
    assert set(model.evals_result_["valid_0"]) == {"RR", "nDCG@5"}
    assert model.best_iteration_ < 30


@pytest.mark.parametrize("weighted", [False, True])
def test_xgboost(weighted: bool) -> None:
    tool = need("xgboost")
    weights = RANDOM.random(len(SIZES)) + 0.1 if weighted else None
    data = tool.DMatrix(FEATURES, LABELS, qid=QUERIES, weight=weights)
    seen: dict[str, Any] = {}
    tool.train(
        {
            "objective": "rank:ndcg",
            "eval_metric": "ndcg@5-",
            "verbosity": 0,
        },
        data,
        num_boost_round=5,
        evals=[(data, "all")],
        custom_metric=xgboost.make_metric("nDCG@5", convention="xgboost-3.2.0-minus"),
        evals_result=seen,
        verbose_eval=False,
        callbacks=[tool.callback.EarlyStopping(rounds=5, metric_name="nDCG@5", maximize=True)],
    )
    np.testing.assert_allclose(seen["all"]["nDCG@5"], seen["all"]["ndcg@5-"], rtol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_default_of_xgboost(weighted: bool) -> None:
    tool = need("xgboost")
    weights = RANDOM.random(len(SIZES)) + 1 if weighted else None
    data = tool.DMatrix(FEATURES, LABELS > 0, qid=QUERIES, weight=weights)
    seen: dict[str, Any] = {}
    tool.train(
        {"objective": "rank:ndcg", "eval_metric": ["ndcg@5", "map@5"], "verbosity": 0},
        data,
        num_boost_round=3,
        evals=[(data, "all")],
        custom_metric=xgboost.make_metric(["nDCG@5", "AP@5"]),
        evals_result=seen,
        verbose_eval=False,
    )
    np.testing.assert_allclose(seen["all"]["nDCG@5"], seen["all"]["ndcg@5"], rtol=1e-6)
    found = np.array(seen["all"]["AP@5"]) + weight_of_nothing(weights)
    np.testing.assert_allclose(found, seen["all"]["map@5"], rtol=1e-6)


def test_data_without_groups_is_refused() -> None:
    tool = need("xgboost")
    metric = xgboost.make_metric("nDCG@5")
    with pytest.raises(ParameterError, match="the data has no groups"):
        metric(LABELS, tool.DMatrix(FEATURES, LABELS))
