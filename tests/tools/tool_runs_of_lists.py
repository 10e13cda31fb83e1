"""Runs of tools for learning to rank and other tools that see lists only."""

from __future__ import annotations

from functools import partial
from typing import Any

from tool_runs import CUTOFFS, Collection, mean, means, runs

DEPTHS = (None, *CUTOFFS)


def at(family: str, k: int | None) -> str:
    """Return the name of a measure."""
    return family if k is None else f"{family}@{k}"


def matrix_rows(given: Collection, query: str) -> tuple[list[float], list[float]]:
    """Return a list with the judged documents that were not returned, tied below all others."""
    grades, scores = given.rows(query)
    others = [grade for name, grade in given.qrels[query].items() if name not in given.run[query]]
    return [*grades, *map(float, others)], [*scores, *[min(scores) - 1] * len(others)]


def scikit_learn(given: Collection, variant: str = "") -> dict[str, float]:
    from sklearn import metrics as tool

    rows = given.rows if variant == "returned" else partial(matrix_rows, given)
    # A list of one document is an error.
    queries = [query for query in given.run if len(rows(query)[0]) > 1]
    options = {"ignore_ties": True} if variant == "ignore_ties" else {}
    found = {}
    for k in DEPTHS:
        for family, score in (("nDCG", tool.ndcg_score), ("DCG", tool.dcg_score)):
            found[at(family, k)] = mean(
                score([grades], [scores], k=k, **options) for grades, scores in map(rows, queries)
            )
    lists = [([grade > 0 for grade in grades], scores) for grades, scores in map(rows, queries)]
    average = tool.label_ranking_average_precision_score
    found["AP"] = mean(average([grades], [scores]) for grades, scores in lists)
    return found


runs("scikit-learn-1.9.1", "scikit-learn", "long", "ties", "fractional")(scikit_learn)
for variant, collection in (("returned", "long"), ("ignore_ties", "closed")):
    runs(f"scikit-learn-1.9.1-{variant}", "scikit-learn", collection, "fractional")(
        partial(scikit_learn, variant=variant)
    )


@runs("torchmetrics-1.9.0", "torchmetrics", "binary")
def torchmetrics(given: Collection) -> dict[str, float]:
    import torch
    from torchmetrics.functional import retrieval as tool

    def value(metric: Any, k: int | None, query: str) -> float:
        grades, scores = given.rows(query)
        target = torch.tensor([int(grade) for grade in grades])
        return float(metric(torch.tensor(scores), target, top_k=k))

    metrics = {
        "nDCG": tool.retrieval_normalized_dcg,
        "AP": tool.retrieval_average_precision,
        "RR": tool.retrieval_reciprocal_rank,
        "P": tool.retrieval_precision,
        "R": tool.retrieval_recall,
        "Success": tool.retrieval_hit_rate,
    }
    asked = {at(name, k): partial(value, each, k) for name, each in metrics.items() for k in DEPTHS}
    return means(given, asked)


@runs("rax-0.4.0", "rax", "binary", "graded", "ties", "fractional")
def rax(given: Collection) -> dict[str, float]:
    import numpy
    import rax as tool

    def value(metric: Any, k: int | None, query: str) -> float:
        # Pad to one length, because each new length is compiled again.
        grades, scores = given.rows(query)
        padded = numpy.zeros((2, 16), dtype=numpy.float32)
        padded[0, : len(grades)], padded[1, : len(scores)] = grades, scores
        where = numpy.arange(16) < len(grades)
        return float(metric(padded[1], padded[0], where=where, topn=k))

    metrics = {
        "nDCG": tool.ndcg_metric,
        "DCG": tool.dcg_metric,
        "AP": tool.ap_metric,
        "RR": tool.mrr_metric,
        "P": tool.precision_metric,
        "R": tool.recall_metric,
    }
    asked = {at(name, k): partial(value, each, k) for name, each in metrics.items() for k in DEPTHS}
    return means(given, asked)


@runs("tensorflow-ranking-0.5.5", "", "binary", "graded")
def tensorflow_ranking(given: Collection) -> dict[str, float]:
    from tensorflow_ranking.python.keras import metrics as tool

    rows = [given.rows(query) for query in given.run]
    width = max(len(grades) for grades, _ in rows)
    # Documents with a negative grade are padding.
    labels = [[*grades, *[-1.0] * (width - len(grades))] for grades, _ in rows]
    scores = [[*own, *[0.0] * (width - len(own))] for _, own in rows]
    metrics = {
        "nDCG": tool.NDCGMetric,
        "DCG": tool.DCGMetric,
        "AP": tool.MeanAveragePrecisionMetric,
        "RR": tool.MRRMetric,
        "P": tool.PrecisionMetric,
        "R": tool.RecallMetric,
        "Success": tool.HitsMetric,
    }
    return {
        at(name, k): float(each(topn=k)(labels, scores))
        for name, each in metrics.items()
        for k in DEPTHS
    }


def _stacked(given: Collection) -> tuple[list[float], list[float], list[int]]:
    """Return the grades and scores of all lists, and the sizes of the lists."""
    rows = [given.rows(query) for query in given.run]
    grades, scores = ([value for row in rows for value in row[side]] for side in (0, 1))
    return grades, scores, [len(own) for own, _ in rows]


@runs("lightgbm-4.7.0", "lightgbm", "binary", "graded", "ties")
def lightgbm(given: Collection) -> dict[str, float]:
    import lightgbm as tool
    import numpy

    grades, scores, sizes = _stacked(given)
    settings = {
        "objective": "lambdarank",
        "metric": ["ndcg", "map"],
        "eval_at": list(CUTOFFS),
        "verbosity": -1,
        "num_threads": 1,
        "feature_pre_filter": False,
    }
    data = tool.Dataset(
        numpy.zeros((len(grades), 1)), label=grades, init_score=scores, group=sizes, params=settings
    )
    seen: dict[str, Any] = {}
    tool.train(
        settings,
        data,
        1,
        valid_sets=[data],
        valid_names=["v"],
        callbacks=[tool.record_evaluation(seen)],
    )
    families = {"ndcg": "nDCG", "map": "AP"}
    return {
        f"{families[name.split('@')[0]]}@{name.split('@')[1]}": float(values[0])
        for name, values in seen["v"].items()
    }


def xgboost(given: Collection, sign: str = "", *, exponential: bool = True) -> dict[str, float]:
    import numpy
    import xgboost as tool

    tool.set_config(verbosity=0)
    grades, scores, sizes = _stacked(given)
    found = {}
    for name, family in {"ndcg": "nDCG", "map": "AP", "pre": "P"}.items():
        # The metrics map and pre need grades 0 and 1.
        if name != "ndcg" and given.has_fractions():
            continue
        labels = grades if name == "ndcg" else [float(grade > 0) for grade in grades]
        data = tool.DMatrix(numpy.zeros((len(labels), 1)), label=labels, base_margin=scores)
        data.set_group(sizes)
        for k in DEPTHS:
            settings = {
                "objective": f"rank:{'map' if name == 'map' else 'ndcg'}",
                "ndcg_exp_gain": exponential,
                "eval_metric": name + (f"@{k}" if k else "") + sign,
                "nthread": 1,
            }
            if name == "map":
                del settings["ndcg_exp_gain"]
            text = tool.Booster(settings, cache=[data]).eval(data, name="v")
            found[at(family, k)] = float(text.rsplit(":", 1)[1])
    return found


for suffix, options in {"": {}, "-linear": {"exponential": False}, "-minus": {"sign": "-"}}.items():
    fractional = ("fractional",) if suffix == "-linear" else ()
    runs(f"xgboost-3.2.0{suffix}", "xgboost", "binary", "graded", "ties", *fractional)(
        partial(xgboost, **options)
    )


def catboost(given: Collection, options: tuple[str, ...] = ()) -> dict[str, float]:
    from catboost.utils import eval_metric

    grades, scores, sizes = _stacked(given)
    groups = [number for number, size in enumerate(sizes) for _ in range(size)]
    names = {"NDCG": "nDCG", "DCG": "DCG", "MAP": "AP", "MRR": "RR"}
    names |= {"PrecisionAt": "P", "RecallAt": "R"}
    found = {}
    for name, family in names.items():
        for k in DEPTHS:
            own = options if name.endswith("DCG") else ()
            settings = [*([f"top={k}"] if k else []), *own]
            text = name + (":" + ";".join(settings) if settings else "")
            (value,) = eval_metric(grades, scores, text, group_id=groups, thread_count=1)
            found[at(family, k)] = float(value)
    return found


_EXPONENTIAL, _POSITION = "type=Exp", "denominator=Position"
for suffix, settings in {
    "": (),
    "-exp": (_EXPONENTIAL,),
    "-position": (_POSITION,),
    "-exp-position": (_EXPONENTIAL, _POSITION),
}.items():
    runs(f"catboost-1.2.10{suffix}", "catboost", "binary", "graded", "ties", "fractional")(
        partial(catboost, options=settings)
    )
