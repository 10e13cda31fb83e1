"""Calls of other libraries' nDCG: from grades and scores of lists to values per cutoff.

None of them trains anything: where a library measures models only, the scores are handed over as
what the model starts from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from requirements import need

Rows = tuple[Sequence[float], Sequence[float]]
#: A large cutoff for libraries that require one.
WHOLE = 10_000


def scikit_learn(rows: Rows, cutoff: int | None, **options: bool) -> float:
    need("scikit-learn")
    from sklearn.metrics import ndcg_score

    grades, scores = rows
    return float(ndcg_score([grades], [scores], k=cutoff, **options))


def torchmetrics(rows: Rows, cutoff: int | None) -> float:
    need("torchmetrics")
    import torch
    from torchmetrics.functional.retrieval import retrieval_normalized_dcg

    grades, scores = (torch.tensor(column, dtype=torch.float32) for column in rows)
    return float(retrieval_normalized_dcg(scores, grades, top_k=cutoff))


def rax(rows: Rows, cutoff: int | None) -> float:
    # Pad to one length, because each new length is compiled again.
    import numpy

    grades, scores = rows
    width = 64
    padded = numpy.zeros((2, width), dtype=numpy.float32)
    padded[0, : len(grades)], padded[1, : len(scores)] = grades, scores
    where = numpy.arange(width) < len(grades)
    return float(need("rax").ndcg_metric(padded[1], padded[0], where=where, topn=cutoff))


def lightgbm(groups: Sequence[Rows], cutoff: int | None, weights: Sequence[float] = ()) -> float:
    """Return the mean over groups of rows."""
    import numpy

    library = need("lightgbm")
    at = cutoff or WHOLE
    settings: dict[str, Any] = {
        "objective": "lambdarank",
        "metric": "ndcg",
        "eval_at": [at],
        "verbosity": -1,
        "num_threads": 1,
        "feature_pre_filter": False,
    }
    sizes = [len(grades) for grades, _ in groups]
    data = library.Dataset(
        numpy.zeros((sum(sizes), 1)),  # A column without a split leaves the scores as they are.
        label=numpy.concatenate([grades for grades, _ in groups]),
        init_score=numpy.concatenate([scores for _, scores in groups]),
        weight=numpy.repeat(weights, sizes) if weights else None,
        group=sizes,
        params=settings,
    )
    seen: dict[str, Any] = {}
    library.train(
        settings,
        data,
        1,
        valid_sets=[data],
        valid_names=["v"],
        callbacks=[library.record_evaluation(seen)],
    )
    return float(seen["v"][f"ndcg@{at}"][0])


def xgboost(
    groups: Sequence[Rows],
    cutoff: int | None,
    weights: Sequence[float] = (),
    *,
    exponential: bool = True,
    minus: bool = False,
) -> float:
    """Return the mean over groups of rows; without a cutoff that of the bare name."""
    import numpy

    library = need("xgboost")
    library.set_config(verbosity=0)
    sizes = [len(grades) for grades, _ in groups]
    data = library.DMatrix(
        numpy.zeros((sum(sizes), 1)),
        label=numpy.concatenate([grades for grades, _ in groups]),
        base_margin=numpy.concatenate([scores for _, scores in groups]),
    )
    data.set_group(sizes)
    if weights:
        data.set_weight(numpy.array(weights))
    metric = "ndcg" + (f"@{cutoff}" if cutoff else "") + ("-" if minus else "")
    settings = {
        "objective": "rank:ndcg",
        "ndcg_exp_gain": exponential,
        "eval_metric": metric,
        "nthread": 1,
    }
    # Without a round of training the prediction is the margin.
    text = library.Booster(settings, cache=[data]).eval(data, name="v")
    return float(text.rsplit(":", 1)[1])


def catboost(
    groups: Sequence[Rows],
    cutoff: int | None,
    weights: Sequence[float] = (),
    options: Sequence[str] = (),
) -> float:
    """Return the mean over groups of rows."""
    need("catboost")
    from catboost.utils import eval_metric

    options = [*([f"top={cutoff}"] if cutoff else []), *options]
    rows = [
        (grade, score, number, weights[number] if weights else 1.0)
        for number, group in enumerate(groups)
        for grade, score in zip(*group, strict=True)
    ]
    labels, scores, numbers, row_weights = map(list, zip(*rows, strict=True))
    (value,) = eval_metric(
        labels,
        scores,
        "NDCG" + (":" + ";".join(options) if options else ""),
        group_id=numbers,
        group_weight=row_weights,
        thread_count=1,
    )
    return float(value)
