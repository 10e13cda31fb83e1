"""A metric for XGBoost, evaluated after each iteration."""

from __future__ import annotations

import numpy

from gainful.conventions import get
from gainful.errors import ParameterError
from gainful.integrations.lists import evaluate_lists
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gainful.conventions import Convention
    from gainful.integrations.lists import Measures

__all__ = ["make_metric"]


def make_metric(
    measures: Measures = None, *, convention: Convention | str = "xgboost"
) -> Callable[[Any, Any], list[tuple[str, float]]]:
    """Make a function for ``custom_metric=`` of `xgboost.train` and `xgboost.cv`.

    Early stopping needs `xgboost.callback.EarlyStopping` with ``maximize=True``. `XGBRanker` does
    not accept functions as metrics.

    Parameters
    ----------
    measures : Measure, str, or several of them, optional
        The measures. Default: nDCG@10, or those of the convention.
    convention : Convention or str
        Under the default, nDCG and AP are XGBoost's ndcg and map. With weights, map counts the 1
        of a query with no relevant documents with its weight, and AP like ndcg without it.

    Returns
    -------
    callable
        ``metric(scores, data)`` returns the name and the mean of each measure.

    Raises
    ------
    MeasureError, ConventionError
        For invalid measures or conventions.

    Examples
    --------
    >>> import numpy as np, xgboost
    >>> features = np.array([[1.0], [3.0], [2.0], [2.0], [4.0]])
    >>> data = xgboost.DMatrix(features, label=[0, 2, 1, 0, 1], qid=[0, 0, 0, 1, 1])
    >>> make_metric(["nDCG@3", "P@1"], convention="gainful-1")(features[:, 0], data)
    [('nDCG@3', 1.0), ('P@1', 1.0)]
    """
    policies = get(convention)
    chosen = choose_measures(measures, policies)

    def metric(scores: Any, data: Any) -> list[tuple[str, float]]:
        ends = data.get_uint_info("group_ptr")
        if not len(ends):
            raise ParameterError("the data has no groups", where="qid")
        weights = data.get_weight()
        result = evaluate_lists(
            data.get_label(),
            scores,
            numpy.diff(ends.astype(numpy.int64)),
            chosen,
            convention=policies,
            weights=weights if len(weights) else None,
        )
        return list(result.means().items())

    return metric
