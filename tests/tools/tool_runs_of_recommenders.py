"""Runs of tools for recommenders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tool_runs import CUTOFFS, Collection, means, runs


class Numbers:
    """The users and items of a collection as numbers."""

    def __init__(self, given: Collection) -> None:
        self.users = {query: at for at, query in enumerate(given.run)}
        names = {name for each in (given.qrels, given.run) for row in each.values() for name in row}
        self.items = {name: at for at, name in enumerate(sorted(names))}

    def of(self, names: list[str]) -> list[int]:
        """Return the numbers of items."""
        return [self.items[name] for name in names]


@runs("cornac-3.0.1", "cornac", "relevant", "fractional")
def cornac(given: Collection) -> dict[str, float]:
    import numpy
    from cornac import metrics as tool

    numbers = Numbers(given)

    def value(metric: Any, query: str) -> float:
        ranked = numpy.array(numbers.of(given.ranked(query)))
        relevant = numpy.array(numbers.of(given.relevant(query)))
        scores = numpy.zeros(len(numbers.items))
        scores[ranked] = [given.run[query][name] for name in given.ranked(query)]
        return metric.compute(
            gt_pos=relevant,
            pd_rank=ranked,
            item_indices=numpy.arange(len(scores)),
            pd_scores=scores,
        )

    cut = {"nDCG": tool.NDCG, "P": tool.Precision, "R": tool.Recall, "Success": tool.HitRatio}
    metrics = {
        f"{name}@{k}": partial(value, each(k)) for name, each in cut.items() for k in CUTOFFS
    }
    metrics |= {"RR": partial(value, tool.MRR()), "AP": partial(value, tool.MAP())}
    return means(given, metrics, only_relevant=True)


@runs("implicit-0.7.3", "implicit", "binary", "graded", "fractional")
def implicit(given: Collection) -> dict[str, float]:
    import numpy
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    numbers = Numbers(given)
    shape = (len(numbers.users), len(numbers.items))
    test = numpy.zeros(shape, numpy.float32)
    for query, user in numbers.users.items():
        test[user, numbers.of(given.relevant(query))] = 1
    lists = [numbers.of(given.ranked(query)) for query in numbers.users]

    class Model:
        """Recommends the lists of the run."""

        def recommend(self, users: Any, user_items: Any, N: int = 10, **options: Any) -> Any:  # noqa: N803
            ids = numpy.full((len(users), N), -1, numpy.int32)
            for row, user in enumerate(users):
                own = lists[user][:N]
                ids[row, : len(own)] = own
            return ids, numpy.zeros(ids.shape, numpy.float32)

    found = {}
    for k in CUTOFFS:
        values = ranking_metrics_at_k(
            Model(), csr_matrix(shape), csr_matrix(test), K=k, show_progress=False
        )
        for name, family in {"ndcg": "nDCG", "map": "AP", "precision": "P"}.items():
            found[f"{family}@{k}"] = float(values[name])
    return found


class LensKit:
    """The metrics and item lists of LensKit for a collection."""

    def __init__(self, given: Collection, gain: str | None) -> None:
        from lenskit.data import ItemList
        from lenskit.metrics import ranking as tool

        plain = {"AP": tool.AveragePrecision, "RR": tool.RecipRank, "P": tool.Precision}
        plain |= {"R": tool.Recall, "Success": tool.Hit}
        graded = {"nDCG": partial(tool.NDCG, gain=gain), "DCG": partial(tool.DCG, gain=gain)}
        self.metrics = {
            name if k is None else f"{name}@{k}": metric(k)
            for k in (None, *CUTOFFS)
            for name, metric in {**plain, **graded}.items()
        }
        self.recommended = {
            query: ItemList(item_ids=given.ranked(query), ordered=True) for query in given.run
        }
        self.test = {
            query: ItemList(
                item_ids=list(judged),
                **({gain: list(map(float, judged.values()))} if gain else {}),
            )
            for query, judged in given.qrels.items()
        }


def lenskit(given: Collection, gain: str | None = None) -> dict[str, float]:
    from lenskit.data import ItemListCollection
    from lenskit.metrics import RunAnalysis

    lists = LensKit(given, gain)
    recommended, test = (ItemListCollection.empty(["user_id"]) for _ in range(2))
    for collection, items in (recommended, lists.recommended), (test, lists.test):
        for query, item_list in items.items():
            collection.add(item_list, user_id=query)
    analysis = RunAnalysis()
    for name, metric in lists.metrics.items():
        analysis.add_metric(metric, label=name)
    return dict(analysis.measure(recommended, test).list_summary()["mean"])


def lenskit_lists(given: Collection, gain: str | None = None) -> dict[str, float]:
    lists = LensKit(given, gain)

    def value(metric: Any, query: str) -> float:
        return metric.measure_list(lists.recommended[query], lists.test[query])

    values = {name: partial(value, metric) for name, metric in lists.metrics.items()}
    return means(given, values, only_relevant=gain is not None)


runs("lenskit-2025.8.1", "lenskit", "binary", "graded", "fractional")(lenskit)
runs("lenskit-2025.8.1-rating", "lenskit", "graded", "fractional")(partial(lenskit, gain="rating"))
runs("lenskit-2025.8.1-list", "lenskit", "binary", "graded", "fractional")(lenskit_lists)
runs("lenskit-2025.8.1-list-rating", "lenskit", "relevant", "fractional")(
    partial(lenskit_lists, gain="rating")
)


@runs("caserecommender-1.1.1", "")
def caserecommender(given: Collection) -> dict[str, float]:
    from caserec.evaluation.item_recommendation import ItemRecommendationEvaluation

    test = {
        "users": list(given.run),
        "items_seen_by_user": {query: list(judged) for query, judged in given.qrels.items()},
    }
    # The order of the predictions counts, and not their scores.
    lists = {query: list(given.run[query]) for query in given.run}
    tool = ItemRecommendationEvaluation(n_ranks=list(CUTOFFS), verbose=False)
    found = tool.evaluate(lists, test)
    families = {"PREC": "P", "RECALL": "R", "MAP": "AP", "NDCG": "nDCG"}
    return {
        f"{family}@{k}": float(found[f"{name}@{k}"])
        for name, family in families.items()
        for k in CUTOFFS
    }


@runs("recbole-1.2.1", "", "relevant", "fractional")
def recbole(given: Collection) -> dict[str, float]:
    import numpy
    from recbole.evaluator import metrics as tool

    # Its lists are as long as the largest cutoff.
    queries = list(given.run)
    depth = max(CUTOFFS)
    hits = numpy.zeros((len(queries), depth), bool)
    for row, query in enumerate(queries):
        for at, name in enumerate(given.ranked(query)[:depth]):
            hits[row, at] = name in given.relevant(query)
    counts = numpy.array([len(given.relevant(query)) for query in queries])
    families = {"NDCG": "nDCG", "MAP": "AP", "MRR": "RR", "Precision": "P", "Recall": "R"}
    families["Hit"] = "Success"
    found = {}
    for name, family in families.items():
        metric = getattr(tool, name)({"metric_decimal_place": 4, "topk": list(CUTOFFS)})
        asked = (hits,) if name in ("MRR", "Precision", "Hit") else (hits, counts)
        values = metric.topk_result(name, metric.metric_info(*asked))
        found |= {f"{family}@{k}": float(values[f"{name}@{k}"]) for k in CUTOFFS}
    return found


@runs("recpack-0.3.6", "", "binary")
def recpack(given: Collection) -> dict[str, float]:
    import numpy
    from recpack import metrics as tool
    from scipy.sparse import csr_matrix

    numbers = Numbers(given)
    shape = (len(numbers.users), len(numbers.items))
    truth, scores = numpy.zeros(shape), numpy.zeros(shape)
    for query, user in numbers.users.items():
        truth[user, numbers.of(given.relevant(query))] = 1
        scores[user, numbers.of(list(given.run[query]))] = list(given.run[query].values())
    families = {"NDCGK": "nDCG", "DCGK": "DCG", "PrecisionK": "P", "RecallK": "R"}
    families |= {"ReciprocalRankK": "RR", "HitK": "Success"}
    found = {}
    for name, family in families.items():
        for k in CUTOFFS:
            metric = getattr(tool, name)(k)
            metric.calculate(csr_matrix(truth), csr_matrix(scores))
            found[f"{family}@{k}"] = float(metric.value)
    return found


def recommenders(given: Collection, score_type: str = "binary") -> dict[str, float]:
    import pandas
    from recommenders.evaluation import python_evaluation as tool

    truth, lists = (
        pandas.DataFrame(
            [(query, name, value) for query, row in each.items() for name, value in row.items()],
            columns=["userID", "itemID", column],
        )
        for each, column in ((given.qrels, "rating"), (given.run, "prediction"))
    )
    metrics = {
        "nDCG": partial(tool.ndcg_at_k, score_type=score_type),
        "AP": tool.map,
        "AP(norm='capped')": tool.map_at_k,
        "P": tool.precision_at_k,
        "R": tool.recall_at_k,
    }
    return {
        f"{name}@{k}": float(each(truth, lists, k=k))
        for name, each in metrics.items()
        for k in CUTOFFS
    }


for variant in ("", "-raw", "-exp"):
    runs(f"recommenders-1.2.1{variant}", "")(
        partial(recommenders, score_type=variant[1:] or "binary")
    )


def _spark(
    given: Collection, labels: Callable[[str], list[str]], *, graded: bool, python: bool
) -> dict[str, float]:
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    context = SparkSession.builder.master("local[1]").getOrCreate().sparkContext
    rows: list[Any] = [(given.ranked(query), labels(query)) for query in given.run]
    if graded:
        grades = [[float(each) for each in given.qrels[query].values()] for query in given.run]
        rows = [(*row, own) for row, own in zip(rows, grades, strict=True)]
    metrics = RankingMetrics(context.parallelize(rows))
    tool = metrics if python else metrics._java_model
    found = {"AP": tool.meanAveragePrecision if python else tool.meanAveragePrecision()}
    for k in CUTOFFS:
        found[f"nDCG@{k}"] = tool.ndcgAt(k)
        found[f"AP@{k}"] = tool.meanAveragePrecisionAt(k)
        found[f"P@{k}"] = tool.precisionAt(k)
        found[f"R@{k}"] = tool.recallAt(k)
    return {name: float(value) for name, value in found.items()}


@runs("pyspark-4.3.0", "")
def pyspark(given: Collection) -> dict[str, float]:
    return _spark(given, lambda query: list(given.qrels[query]), graded=True, python=True)


@runs("spark-4.3.0", "")
def spark(given: Collection) -> dict[str, float]:
    return _spark(given, given.relevant, graded=False, python=False)
