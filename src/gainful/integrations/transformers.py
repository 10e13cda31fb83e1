"""Metrics for the Trainer of Hugging Face Transformers."""

from __future__ import annotations

import numpy

from gainful.conventions import get
from gainful.errors import ParameterError
from gainful.integrations.lists import evaluate_lists, flatten_means, split_lists
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gainful.conventions import Convention
    from gainful.integrations.lists import Measures

__all__ = ["make_compute_metrics"]


def make_compute_metrics(
    queries: Any = None,
    measures: Measures = None,
    *,
    convention: Convention | str = "gainful-1",
    names: str = "trec",
    intervals: bool = True,
) -> Callable[[Any], dict[str, float]]:
    """Make a function for ``compute_metrics=`` of `transformers.Trainer`.

    Parameters
    ----------
    queries : sequence, shape (n,), optional
        The query of each row of the evaluation data, in its order, such as
        ``dataset["query_id"]``. The labels are then grades, and the model returns one score per
        row, or the logits of two classes, whose difference is the score. Without it, each row is
        a list: labels and scores have the shape (n, items), and a label of -100 marks padding.
    measures : Measure, str, or several of them, optional
        The measures. Default: nDCG@10, or those of the convention.
    convention : Convention or str
        The convention, as for `gainful.integrations.lists.evaluate_lists`.
    names : {"trec", "gainful"}
        How measures are named; see `Evaluation.means`. The Trainer adds ``eval_``, so
        ``metric_for_best_model="ndcg_cut_10"`` selects a checkpoint.
    intervals : bool
        Whether to add the ends of the 95% intervals, as ``NAME_low`` and ``NAME_high``.

    Returns
    -------
    callable
        ``compute_metrics(prediction)`` returns numbers by name.

    Raises
    ------
    MeasureError, ConventionError
        For invalid measures or conventions.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> compute = make_compute_metrics(["a", "a", "b"], "nDCG@10", intervals=False)
    >>> logits = [[0.2, 0.1], [0.1, 0.4], [0.0, 0.5]]
    >>> compute(SimpleNamespace(predictions=logits, label_ids=[1, 0, 1]))
    {'ndcg_cut_10': 0.8154648767857288}
    """
    policies = get(convention)
    chosen = choose_measures(measures, policies)

    def compute_metrics(prediction: Any) -> dict[str, float]:
        # Models return more than the scores, such as hidden states, in a tuple.
        predictions = prediction.predictions
        scores = numpy.asarray(predictions[0] if isinstance(predictions, tuple) else predictions)
        if queries is not None and scores.ndim == 2:
            scores = _score_rows(scores)
        lists = split_lists(prediction.label_ids, scores, queries)
        result = evaluate_lists(*lists, chosen, convention=policies)
        return flatten_means(result, names=names, intervals=intervals)

    return compute_metrics


def _score_rows(logits: Any) -> Any:
    """Return one score per row of logits."""
    if logits.shape[1] == 1:
        return logits[:, 0]
    if logits.shape[1] == 2:
        return logits[:, 1] - logits[:, 0]
    raise ParameterError(
        where="predictions",
        found=f"{logits.shape[1]} logits per row",
        expected="one score, or the logits of two classes",
    )
