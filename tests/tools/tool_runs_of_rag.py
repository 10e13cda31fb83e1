"""Runs of tools for retrieval-augmented generation and the memory of agents."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from tool_runs import CUTOFFS, Collection, means, runs


def _memory(module: str, given: Collection, *, only_relevant: bool) -> dict[str, float]:
    """Run the functions that LongMemEval's file of them has, and MemPalace's benchmark copies."""
    tool = import_module(module)

    def value(place: int, k: int, query: str) -> float:
        ranked = given.ranked(query)
        corpus = list(dict.fromkeys([*ranked, *given.qrels[query]]))
        order = [corpus.index(name) for name in ranked]
        return tool.evaluate_retrieval(order, given.relevant(query), corpus, k)[place]

    metrics = {
        f"{name}@{k}": partial(value, place, k)
        for place, name in enumerate(("Success", "FullRecall", "nDCG"))
        for k in CUTOFFS
    }
    return means(given, metrics, only_relevant=only_relevant)


# Put src/retrieval of LongMemEval and benchmarks of MemPalace on the path.
runs("longmemeval-2025", "")(partial(_memory, "eval_utils", only_relevant=True))
runs("mempalace-3.11.0", "", "relevant", "fractional")(
    partial(_memory, "longmemeval_bench", only_relevant=False)
)


@runs("mempalace-3.11.0-locomo", "")
def locomo(given: Collection) -> dict[str, float]:
    from locomo_bench import compute_retrieval_recall

    def value(k: int, query: str) -> float:
        return compute_retrieval_recall(given.ranked(query)[:k], set(given.relevant(query)))

    return means(given, {f"R@{k}": partial(value, k) for k in CUTOFFS})


@runs("ragas-0.4.3", "", "relevant", "fractional")
def ragas(given: Collection) -> dict[str, float]:
    import ragas.metrics
    from ragas.dataset_schema import SingleTurnSample

    def average(query: str) -> float:
        verdicts = [int(name in given.relevant(query)) for name in given.ranked(query)]
        tool = ragas.metrics.NonLLMContextPrecisionWithReference()
        return tool._calculate_average_precision(verdicts)

    def of_ids(tool: Any, query: str) -> float:
        return tool.single_turn_score(
            SingleTurnSample(
                retrieved_context_ids=given.ranked(query),
                reference_context_ids=given.relevant(query),
            )
        )

    tools = {
        "P": ragas.metrics.IDBasedContextPrecision(),
        "R": ragas.metrics.IDBasedContextRecall(),
    }
    return means(
        given, {"AP": average, **{name: partial(of_ids, each) for name, each in tools.items()}}
    )


@runs("deepeval-4.3.1", "")
def deepeval(given: Collection) -> dict[str, float]:
    from deepeval.metrics import ContextualPrecisionMetric

    verdict = import_module("deepeval.metrics.base_metric").Verdict

    def value(query: str) -> float:
        verdicts = [
            SimpleNamespace(verdict=verdict.YES if name in given.relevant(query) else verdict.NO)
            for name in given.ranked(query)
        ]
        state = SimpleNamespace(verdicts=verdicts, strict_mode=False, threshold=0.5)
        return ContextualPrecisionMetric._calculate_score(state)

    return means(given, {"AP": value})


def _autorag(metrics: str, schema: str, names: dict[str, str], given: Collection) -> dict[str, Any]:
    """Run functions of groups on groups of one document."""
    tool, sample = import_module(metrics), import_module(schema).MetricInput

    def value(name: str, query: str) -> float:
        groups = [[each] for each in given.relevant(query)]
        # The wrapper takes lists of queries.
        return getattr(tool, name).__wrapped__(
            sample(retrieval_gt=groups, retrieved_ids=given.ranked(query))
        )

    return means(given, {each: partial(value, name) for each, name in names.items()})


_NAMES = {"P": "retrieval_precision", "AP": "retrieval_map", "RR": "retrieval_mrr"}
runs("autorag-0.3.27", "", "relevant", "fractional")(
    partial(
        _autorag,
        "autorag.evaluation.metric.retrieval",
        "autorag.schema.metricinput",
        {**_NAMES, "nDCG": "retrieval_ndcg"},
    )
)
runs("autorag-research-0.1.3", "", "relevant", "fractional")(
    partial(
        _autorag,
        "autorag_research.evaluation.metrics.retrieval",
        "autorag_research.schema",
        _NAMES,
    )
)


def trulens(given: Collection) -> dict[str, float]:
    from trulens.feedback.groundtruth import GroundTruthAgreement

    truth = [
        {
            "query": query,
            "expected_response": "",
            "expected_chunks": [
                {"text": name, "expect_score": given.qrels[query][name]}
                for name in given.relevant(query)
            ],
        }
        for query in given.run
    ]
    dummy = import_module("trulens.feedback.dummy.provider").DummyProvider()
    tool = GroundTruthAgreement(truth, provider=dummy)

    def value(name: str, k: int | None, query: str) -> float:
        options = {} if k is None else {"k": k}
        return getattr(tool, name)(query, given.ranked(query), **options)

    names = {"nDCG": "ndcg_at_k", "P": "precision_at_k", "R": "recall_at_k"}
    names["Success"] = "ir_hit_rate"
    metrics = {
        f"{each}@{k}": partial(value, name, k) for each, name in names.items() for k in CUTOFFS
    }
    return means(given, {**metrics, "RR": partial(value, "mrr", None)}, only_relevant=True)


for version in ("2.16.0", "2.13.1"):
    runs(f"trulens-{version}", "")(trulens)
