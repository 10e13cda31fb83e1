"""Runs of tools for retrieval, search engines and RAG."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tool_runs import CUTOFFS, Collection, mean, means, runs


@runs("pytrec_eval-0.5.11", "pytrec_eval", "binary", "graded", "ties")
def pytrec_eval(given: Collection) -> dict[str, float]:
    import pytrec_eval as tool

    cut = ",".join(map(str, CUTOFFS))
    names = ("ndcg_cut", "map_cut", "P", "recall", "success")
    asked = {"ndcg", "map", "recip_rank", *(f"{name}.{cut}" for name in names)}
    found = tool.RelevanceEvaluator(given.qrels, asked).evaluate(given.run)
    read = {"ndcg": "nDCG", "map": "AP", "recip_rank": "RR"}
    families = dict(zip(names, ("nDCG", "AP", "P", "R", "Success"), strict=True))
    read |= {f"{name}_{k}": f"{families[name]}@{k}" for name in names for k in CUTOFFS}
    return {read[name]: mean(each[name] for each in found.values()) for name in read}


@runs("ir_measures-0.4.3", "ir_measures", "binary", "graded", "ties")
def ir_measures(given: Collection) -> dict[str, float]:
    import ir_measures as tool

    families = {name: getattr(tool, name) for name in ("nDCG", "AP", "P", "R", "RR", "Success")}
    asked = {f"{name}@{k}": each @ k for name, each in families.items() for k in CUTOFFS}
    asked |= {name: families[name] for name in ("nDCG", "AP", "RR")}
    if any(len(set(scores.values())) < len(scores) for scores in given.run.values()):
        # With a cutoff another program computes RR, which orders ties differently.
        asked = {name: each for name, each in asked.items() if not name.startswith("RR@")}
    found = tool.calc_aggregate(list(asked.values()), given.qrels, given.run)
    return {name: float(found[each]) for name, each in asked.items()}


def ranx(given: Collection, ndcg: str = "ndcg", dcg: str = "dcg") -> dict[str, float]:
    import ranx as tool

    names = {ndcg: "nDCG", dcg: "DCG", "map": "AP", "mrr": "RR", "precision": "P"}
    names |= {"recall": "R", "hit_rate": "Success"}
    asked = {f"{name}@{k}": f"{family}@{k}" for name, family in names.items() for k in CUTOFFS}
    asked |= names
    found = tool.evaluate(tool.Qrels(given.qrels), tool.Run(given.run), list(asked))
    return {family: float(found[name]) for name, family in asked.items()}


runs("ranx-0.3.21", "ranx", "binary", "graded", "ties", "fractional")(ranx)


@runs("ranx-0.3.21-dict", "ranx", "binary", "ties", "fractional")
def ranx_dict(given: Collection) -> dict[str, float]:
    import ranx as tool

    names = {"ndcg": "nDCG", "dcg": "DCG", "map": "AP", "mrr": "RR", "precision": "P"}
    names |= {"recall": "R", "hit_rate": "Success"}
    if given.has_fractions():
        # Grades below rel_lvl gain nothing.
        del names["ndcg"], names["dcg"]
    asked = {f"{name}@{k}": f"{family}@{k}" for name, family in names.items() for k in CUTOFFS}
    found = tool.evaluate(given.qrels, given.run, list(asked))
    return {family: float(found[name]) for name, family in asked.items()}


runs("ranx-0.3.21-burges", "ranx", "binary", "graded", "ties", "fractional")(
    partial(ranx, ndcg="ndcg_burges", dcg="dcg_burges")
)


@runs("beir-2.2.0", "beir", "binary", "graded", "ties")
def beir(given: Collection) -> dict[str, float]:
    from beir.retrieval.evaluation import EvaluateRetrieval

    values = list(CUTOFFS)
    found: dict[str, float] = {}
    for each in EvaluateRetrieval.evaluate(given.qrels, given.run, values):
        found |= each
    for metric in ("mrr", "top_k_accuracy"):
        found |= EvaluateRetrieval.evaluate_custom(given.qrels, given.run, values, metric)
    names = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P", "MRR": "RR"}
    names["Accuracy"] = "Success"
    return {f"{names[name.split('@')[0]]}@{name.split('@')[1]}": v for name, v in found.items()}


@runs("mteb-2.26.24", "", "binary", "graded", "ties")
def mteb(given: Collection) -> dict[str, float]:
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    found = calculate_retrieval_scores(given.run, given.qrels, list(CUTOFFS))
    columns = {"NDCG": found.ndcg, "MAP": found.map, "Recall": found.recall, "P": found.precision}
    columns |= {"MRR": found.mrr, "HitRate": found.hit_rate}
    families = ("nDCG", "AP", "R", "P", "RR", "Success")
    return {
        f"{family}@{k}": float(values[f"{name}@{k}"])
        for (name, values), family in zip(columns.items(), families, strict=True)
        for k in CUTOFFS
    }


_BY_NAME = {
    "ndcg@k": "nDCG",
    "map@k": "AP",
    "mrr@k": "RR",
    "precision@k": "P",
    "recall@k": "R",
    "accuracy@k": "Success",
}


def _by_cutoff(found: dict[str, dict[int, float]]) -> dict[str, float]:
    return {
        f"{_BY_NAME[name]}@{k}": float(value)
        for name, values in found.items()
        for k, value in values.items()
    }


@runs(
    "sentence-transformers-6.2.0", "sentence_transformers", "binary", "graded", "ties", "fractional"
)
def sentence_transformers(given: Collection) -> dict[str, float]:
    from sentence_transformers.sentence_transformer.evaluation import (
        InformationRetrievalEvaluator,
    )

    tool = InformationRetrievalEvaluator(
        {query: query for query in given.run},
        {"d": "d"},
        {query: set(given.relevant(query)) for query in given.qrels},
        **_cutoffs(),
    )
    lists = [
        [{"corpus_id": name, "score": score} for name, score in given.run[query].items()]
        for query in tool.queries_ids
    ]
    return _by_cutoff(tool.compute_metrics(lists))


def _cutoffs() -> dict[str, Any]:
    names = ("mrr", "ndcg", "accuracy", "precision_recall", "map")
    return {f"{name}_at_k": list(CUTOFFS) for name in names}


@runs("pyvespa-1.2.9-binary", "pyvespa", "binary", "graded", "ties", "fractional")
def pyvespa(given: Collection) -> dict[str, float]:
    from vespa.evaluation import VespaEvaluator

    tool = VespaEvaluator(
        queries={query: query for query in given.run},
        relevant_docs={query: set(given.relevant(query)) for query in given.qrels},
        vespa_query_fn=lambda text, top_k: {},
        app=None,
        **_cutoffs(),
    )
    found = tool._compute_metrics(
        [
            [(name, given.run[query][name]) for name in given.ranked(query)]
            for query in tool.queries_ids
        ]
    )
    return {
        f"{_BY_NAME[name.split('@')[0] + '@k']}@{name.split('@')[1]}": float(value)
        for name, value in found.items()
    }


@runs("llama-index-0.14.25", "llama_index", "relevant", "fractional")
def llama_index(given: Collection) -> dict[str, float]:
    from llama_index.core.evaluation.retrieval import metrics

    def value(metric: Any, query: str) -> float:
        return metric.compute(
            expected_ids=given.relevant(query), retrieved_ids=given.ranked(query)
        ).score

    tools = {"nDCG": metrics.NDCG, "AP": metrics.AveragePrecision, "RR": metrics.MRR}
    tools |= {"P": metrics.Precision, "R": metrics.Recall, "Success": metrics.HitRate}
    return means(given, {name: partial(value, tool()) for name, tool in tools.items()})


@runs("haystack-3.4.0", "haystack", "binary", "graded", "fractional")
def haystack(given: Collection) -> dict[str, float]:
    from haystack import Document
    from haystack.components import evaluators

    recall = evaluators.DocumentRecallEvaluator
    tools = {"AP": evaluators.DocumentMAPEvaluator(), "RR": evaluators.DocumentMRREvaluator()}
    tools |= {"R": recall(mode="multi_hit"), "Success": recall(), "nDCG": None}
    truth = [
        [
            Document(content=name, score=float(given.qrels[query][name]))
            for name in given.relevant(query)
        ]
        for query in given.run
    ]
    lists = [[Document(content=name) for name in given.ranked(query)] for query in given.run]
    tools["nDCG"] = evaluators.DocumentNDCGEvaluator()
    return {
        name: tool.run(ground_truth_documents=truth, retrieved_documents=lists)["score"]
        for name, tool in tools.items()
    }


@runs("mlflow-3.17.2", "", "relevant", "fractional")
def mlflow(given: Collection) -> dict[str, float]:
    import pandas
    from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k

    truth = pandas.Series([given.relevant(query) for query in given.run])
    lists = pandas.Series([given.ranked(query) for query in given.run])
    tools = {"nDCG": ndcg_at_k, "P": precision_at_k, "R": recall_at_k}
    return {
        f"{name}@{k}": float(tool(k).eval_fn(lists, truth).aggregate_results["mean"])
        for name, tool in tools.items()
        for k in CUTOFFS
    }


@runs("phoenix-20.26.1", "", "binary", "graded", "fractional")
def phoenix(given: Collection) -> dict[str, float]:
    from phoenix.metrics.retrieval_metrics import RetrievalMetrics

    def tool(query: str) -> Any:
        judged = given.qrels[query]
        return RetrievalMetrics([judged.get(name, 0) for name in given.ranked(query)])

    metrics: dict[str, Callable[[str], float]] = {
        "nDCG": lambda query: tool(query).ndcg(),
        "RR": lambda query: tool(query).reciprocal_rank(),
        "Success": lambda query: tool(query).hit(),
    }
    for k in CUTOFFS:
        metrics[f"nDCG@{k}"] = lambda query, k=k: tool(query).ndcg(k)
        metrics[f"P@{k}"] = lambda query, k=k: tool(query).precision(k)
    return means(given, metrics)


@runs("evidently-0.7.23", "", "binary", "relevant", "fractional")
def evidently(given: Collection) -> dict[str, float]:
    import pandas
    from evidently.legacy.metrics.recsys.hit_rate_k import HitRateKMetric
    from evidently.legacy.metrics.recsys.map_k import MAPKMetric
    from evidently.legacy.metrics.recsys.mrr import MRRKMetric
    from evidently.legacy.metrics.recsys.ndcg_k import NDCGKMetric
    from evidently.legacy.metrics.recsys.precision_top_k import PrecisionTopKMetric
    from evidently.legacy.metrics.recsys.recall_top_k import RecallTopKMetric
    from evidently.legacy.pipeline.column_mapping import ColumnMapping
    from evidently.legacy.report import Report

    rows = [
        (query, name, given.qrels[query].get(name, 0), score)
        for query, scores in given.run.items()
        for name, score in scores.items()
    ]
    frame = pandas.DataFrame(rows, columns=["user", "item", "target", "prediction"])
    mapping = ColumnMapping(
        user_id="user", item_id="item", target="target", prediction="prediction",
        recommendations_type="score",
    )  # fmt: skip
    tools = {"nDCG": NDCGKMetric, "AP": MAPKMetric, "RR": MRRKMetric, "P": PrecisionTopKMetric}
    tools |= {"R": RecallTopKMetric, "Success": HitRateKMetric}
    found: dict[str, float] = {}
    for name, tool in tools.items():
        for k in (1, 3):
            metric = tool(k=k)
            Report(metrics=[metric]).run(
                reference_data=None, current_data=frame, column_mapping=mapping
            )
            current = metric.get_result().current
            found[f"{name}@{k}"] = float(current[k - 1 if min(current.index) == 0 else k])
    return found
