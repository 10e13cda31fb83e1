"""Metrics for LightGBM, evaluated after each iteration."""

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

    Results = list[tuple[str, float, bool]]

__all__ = ["make_eval_metric", "make_feval"]


def make_feval(
    measures: Measures = None, *, convention: Convention | str = "lightgbm"
) -> Callable[[Any, Any], Results]:
    """Make a function for ``feval=`` of `lightgbm.train` and `lightgbm.cv`.

    Set ``metric="None"`` in the parameters to stop early on these measures alone.

    Parameters
    ----------
    measures : Measure, str, or several of them, optional
        The measures. Default: nDCG@10, or those of the convention.
    convention : Convention or str
        Under the default, nDCG and AP are LightGBM's ndcg and map. With weights, map counts the 1
        of a query with no relevant documents with its weight, and AP like ndcg without it.

    Returns
    -------
    callable
        ``feval(scores, data)`` returns the name and the mean of each measure, and True, for each
        higher is better.

    Raises
    ------
    MeasureError, ConventionError
        For invalid measures or conventions.

    Examples
    --------
    >>> import lightgbm, numpy as np
    >>> features = np.array([[1.0], [3.0], [2.0], [2.0], [4.0]])
    >>> data = lightgbm.Dataset(features, [0, 2, 1, 0, 1], group=[3, 2], params={"verbose": -1})
    >>> data = data.construct()
    >>> make_feval(["nDCG@3", "P@1"], convention="gainful-1")(features[:, 0], data)
    [('nDCG@3', 1.0, True), ('P@1', 1.0, True)]
    """
    evaluate = make_eval_metric(measures, convention=convention)

    def feval(scores: Any, data: Any) -> Results:
        return evaluate(data.get_label(), scores, data.get_weight(), data.get_group())

    return feval


def make_eval_metric(
    measures: Measures = None, *, convention: Convention | str = "lightgbm"
) -> Callable[[Any, Any, Any, Any], Results]:
    """Make a function for ``eval_metric=`` of `lightgbm.LGBMRanker.fit`.

    Parameters
    ----------
    measures, convention
        As for `make_feval`.

    Returns
    -------
    callable
        ``eval_metric(labels, scores, weight, group)``, which returns the same as `make_feval`'s.

    Examples
    --------
    >>> make_eval_metric("nDCG@2")([0, 2, 1], [0.1, 0.9, 0.3], None, [3])
    [('nDCG@2', 1.0, True)]
    """
    policies = get(convention)
    chosen = choose_measures(measures, policies)

    def eval_metric(labels: Any, scores: Any, weight: Any, group: Any) -> Results:
        if group is None:
            raise ParameterError("the data has no groups", where="group")
        sizes = numpy.asarray(group)
        weights = None
        if weight is not None:
            # As in LightGBM, a query has the mean weight of its rows.
            starts = numpy.concatenate([[0], numpy.cumsum(sizes)[:-1]])
            weights = numpy.add.reduceat(numpy.asarray(weight, dtype=float), starts) / sizes
        result = evaluate_lists(labels, scores, sizes, chosen, convention=policies, weights=weights)
        return [(name, mean, True) for name, mean in result.means().items()]

    return eval_metric
