"""All uses of Gainful's Python interface in the benchmark; `gainful_command.py` has the commands.

Gainful is imported inside the functions, because the peers' workers load this file, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MEASURE = "nDCG@10"


def evaluate(qrels: Any, run: Any) -> float:
    """Return the mean nDCG@10 of `run`: dicts of dicts or Arrow objects."""
    import gainful

    return float(gainful.evaluate(qrels, run, [MEASURE]).mean(MEASURE))


def evaluated(qrels: Any, run: Any) -> Any:
    """Return the evaluation."""
    import gainful

    return gainful.evaluate(qrels, run, [MEASURE])


def mean_of(evaluation: Any) -> float:
    """Return the mean nDCG@10 of an evaluation."""
    return float(evaluation.mean(MEASURE))


def evaluate_on_spark(
    qrels: Any, run: Any, measures: list[str], *, counts: bool = True
) -> list[float]:
    """Return the means on Spark, from data frames or addresses of Parquet files."""
    from gainful.backends import spark

    evaluation = spark.evaluate(qrels, run, measures, counts=counts).evaluation()
    return [evaluation.mean(measure) for measure in measures]


def evaluate_recommendations(users: Any, items: Any, seen: Any, held_out: Any) -> float:
    """Return the mean nDCG@10 of a recommender of vectors."""
    from gainful.backends.recommendations import Factors, evaluate_recommendations

    factors = Factors(users, items)
    return float(evaluate_recommendations(held_out, factors, MEASURE, seen=seen).mean(MEASURE))


def ndcg_of_rows(labels: Any, scores: Any) -> Any:
    """Return nDCG@10 of each row of labels ranked by its row of scores, ties expected."""
    import gainful

    return gainful.ndcg(labels, scores=scores, k=10)


def ndcg() -> Callable[[list[int]], float]:
    """Return the function that takes one list of grades."""
    import gainful

    function: Callable[[list[int]], float] = gainful.ndcg
    return function


def relevance_evaluator(qrels: Any, measures: list[str]) -> Any:
    """Return the replacement of pytrec_eval's evaluator."""
    from gainful.compat.pytrec_eval import RelevanceEvaluator

    return RelevanceEvaluator(qrels, measures)


def read(qrels: str, run: str) -> tuple[Any, Any]:
    """Return judgments and a run in memory."""
    import gainful

    return gainful.read_qrels(qrels), gainful.read_run(run, duplicates="count")


def read_qrels(qrels: str) -> Any:
    """Return judgments in memory."""
    import gainful

    return gainful.read_qrels(qrels)


def reconcile(qrels: Any, run: Any, reported: str, measure: str | None) -> float:
    """Return the number of combinations searched for a reported number."""
    import gainful

    return float(gainful.reconcile(qrels, run, reported, measure).searched)


def randomization_test(differences: Any, resamples: int) -> list[float]:
    """Return the p-value of the randomization test."""
    from gainful.inference import randomization_test

    return [randomization_test(differences, resamples=resamples).p]


def randomized_tukey(scores: Any, resamples: int) -> list[float]:
    """Return the p-values of the first system vs. the others, last system first."""
    from gainful.inference import randomized_tukey

    return [float(p) for p in randomized_tukey(scores, resamples=resamples).p[0, :0:-1]]


def max_t_pairs(scores: Any, resamples: int) -> list[float]:
    """Return the p-values of the first system vs. the others, last system first."""
    from gainful.inference import max_t_pairs

    (found,) = max_t_pairs([scores], resamples=resamples)
    return [float(p) for p in found.p[0, :0:-1]]


def http_system(url: str) -> Any:
    """Return the description of a server that returns ids and scores."""
    from gainful.systems import load_system

    return load_system(
        {
            "engine": "http",
            "name": "echo",
            "url": url,
            "path": "/search",
            "params": {"q": "{{query}}", "k": "{{k}}"},
            "results": {"documents": "hits[]", "id": "id", "score": "score"},
        }
    )


def search(system: Any, queries: Any, k: int, workers: int, journal: Any) -> list[float]:
    """Return the number of documents of a search, and the sum of the best scores."""
    import gainful

    run = gainful.search(system, queries, k, workers=workers, journal=journal)
    return [float(run.rows), sum(found[0][1] or 0.0 for found in run.top(1).values())]
