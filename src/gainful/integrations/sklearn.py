"""A scorer for scikit-learn's cross-validation and grid search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from gainful.errors import ParameterError
from gainful.integrations.lists import evaluate_lists, split_lists
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = ["make_scorer"]


def make_scorer(
    measure: Measure | str | None = None, *, convention: Convention | str = "gainful-1"
) -> Any:
    """Make a scorer, for ``scoring=`` of scikit-learn.

    Parameters
    ----------
    measure : Measure or str, optional
        One measure. Default: nDCG@10, or that of the convention.
    convention : Convention or str
        The convention, as for `gainful.integrations.lists.evaluate_lists`.

    Returns
    -------
    callable
        A scorer as of `sklearn.metrics.make_scorer`. A row of a matrix of labels is a list, which
        the row of `decision_function`, `predict_proba` or `predict` ranks. With one label per
        sample, the samples of a query are a list: the scorer requests the metadata ``qid``, the
        query of each sample, which scikit-learn passes on with metadata routing.

    Raises
    ------
    MissingPackageError
        If scikit-learn is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> labels = np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    >>> model = Ridge().fit(np.eye(3), labels)
    >>> float(make_scorer("nDCG@3")(model, np.eye(3), labels))
    1.0
    """
    metrics = load_package("sklearn.metrics", where="make_scorer", package="scikit-learn")
    scorer = metrics.make_scorer(
        _Score(measure, convention),
        response_method=("decision_function", "predict_proba", "predict"),
    )
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        return scorer.set_score_request(qid=True)


@dataclass(frozen=True)
class _Score:
    """A function of labels and scores that other processes can load."""

    measure: Measure | str | None
    convention: Convention | str

    @property
    def __name__(self) -> str:
        return str(self.measure or "ranking")

    def __call__(self, y_true: Any, y_score: Any, *, qid: Any = None) -> float:
        if numpy.ndim(y_true) == 1 and qid is None:
            raise ParameterError(
                "one label per sample, and no queries",
                where="qid",
                hint="enable metadata routing and pass params={'qid': ...}",
            )
        lists = split_lists(y_true, y_score, qid)
        result = evaluate_lists(*lists, self.measure, convention=self.convention)
        return result.mean(result.measures[0])
