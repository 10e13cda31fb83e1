"""Presets of tools that evaluate RAG and monitor models."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, different, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

#: The test with output of the tool for judgments with groups.
GROUPS = "tests/conventions/presets/test_rag_tools.py"
OVER_GROUPS = {
    "AP": different(
        "retrieval_map",
        text="is the mean over groups, each divided by the number of its documents that were "
        "returned",
    ),
    "RR": different("retrieval_mrr", text="is the mean over groups"),
    "F": different(
        "retrieval_f1",
        text="combines the precision of documents with the recall of groups",
        where=GROUPS,
    ),
}
RECALL = equal("retrieval_recall", where=GROUPS)
READ_GROUPS = (
    "The inner lists of retrieval_gt are groups of alternatives; Qrels and read_qrels keep them "
    "with subtopics=True"
)
#: A document returned twice counts once, but each copy is in the denominator of precision.
POLICIES = {"ties": "given", "duplicates": "blank", "no_relevant": "skip", "missing": "error"}

_AUTORAG = (
    Preset(
        "autorag-0.3.27",
        field="search engines and RAG",
        summary="recall of groups; the ideal is cut at the number of returned documents",
        evidence="run",
        source="https://github.com/Marker-Inc-Korea/AutoRAG/blob/v0.3.27/autorag/evaluation/metric/"
        "retrieval.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            **OVER_GROUPS,
            "nDCG": equal(
                "retrieval_ndcg", text="if no document is in two groups or returned twice"
            ),
            "P": equal("retrieval_precision"),
            "StRecall": RECALL,
        },
        usual=("StRecall", "P", "nDCG"),
        policies={
            **POLICIES,
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "judged-to-depth"},
                **dict.fromkeys(("P", "StRecall"), ABOVE_ZERO),
            },
        },
        remarks=(
            READ_GROUPS,
            "Its nDCG knows no groups: the second of two alternatives gains as much as the first",
            "A document in two groups is in its ideal twice",
        ),
    ),
)


_AUTORAG_RESEARCH = (
    Preset(
        "autorag-research-0.1.3",
        field="search engines and RAG",
        summary="nDCG of groups: only the first document of each group gains",
        evidence="run",
        source="https://github.com/NomaDamas/AutoRAG-Research/blob/"
        "1af7d6983824d2e877df5aceea840c322b19e61f/autorag_research/evaluation/metrics/retrieval.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            **OVER_GROUPS,
            "P": equal("retrieval_precision"),
            "StRecall": RECALL,
            "FullRecall": equal("retrieval_full_recall", where=GROUPS),
            "alpha_nDCG": equal(
                "retrieval_ndcg",
                text="without relevance_scores, and if no document is in two groups",
                where=GROUPS,
            ),
        },
        usual=("StRecall", "FullRecall", "P", "alpha_nDCG"),
        policies={
            **POLICIES,
            "defaults": {
                "alpha_nDCG": {**ABOVE_ZERO, "alpha": 1},
                **dict.fromkeys(("P", "StRecall", "FullRecall"), ABOVE_ZERO),
            },
        },
        remarks=(
            READ_GROUPS,
            "A document in two groups gains once, although both are in its ideal: one document "
            "that satisfies all groups of [[A], [A, B]] has nDCG .6131",
            "With relevance_scores a gain is 2^score - 1",
        ),
    ),
)


_DEEPEVAL = (
    Preset(
        "deepeval-4.3.1",
        field="search engines and RAG",
        summary="contextual precision is AP divided by the relevant nodes that were returned",
        evidence="run",
        source="https://github.com/confident-ai/deepeval/blob/v4.3.1/deepeval/metrics/"
        "contextual_precision/contextual_precision.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "AP": equal("contextual_precision", text="with the same verdicts"),
        },
        usual=("AP",),
        policies={
            "ties": "given",
            "duplicates": "count",
            "missing": "error",
            "extra": "error",
            "defaults": {"AP": {**ABOVE_ZERO, "norm": "list"}},
        },
        remarks=(
            "A relevant node that was not returned does not lower it, and each copy counts",
            "Its verdicts are a model's; here grades above 0",
            "It merges nodes with one source before it asks for verdicts; here each is one",
            "contextual_recall and contextual_relevancy are shares of sentences, not of nodes",
            "With strict_mode a value below the threshold is 0",
        ),
    ),
)


_FOUND = "if no query has relevant documents but did not return one; it leaves such queries out"

_EVIDENTLY = (
    Preset(
        "evidently-0.7.23",
        field="search engines and RAG",
        summary="tied documents all get their mean rank, rounded down",
        evidence="run",
        source="https://github.com/evidentlyai/evidently/blob/v0.7.23/src/evidently/legacy/"
        "metrics/recsys/ndcg_k.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": different(
                "MAP",
                text="depends on the order of rows: the last one down to each rank decides",
            ),
            "RR": equal("MRR", text=_FOUND),
            "P": equal("Precision_top_k", text=_FOUND),
            "R": equal("Recall_top_k"),
            "Success": equal("HitRate", text=_FOUND),
        },
        policies={
            "ties": "average-rank-down",
            "negative": "signed",
            "duplicates": "copies",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {
                "nDCG": {"ideal": "list"},
                "RR": ABOVE_ZERO,
                "P": {**ABOVE_ZERO, "to_depth": True},
                "R": {**ABOVE_ZERO, "listed": True},
                "Success": ABOVE_ZERO,
            },
        },
        remarks=(
            "Several documents at one rank can exceed the ideal, and rank 1 can be empty",
            "With no_feedback_users=True queries with no relevant documents count as 0: "
            "no_relevant=0",
            "It has no value at cutoffs above the largest rank of any document, which ties make "
            "smaller",
            "It also divides by an ideal DCG below 0; here such a query has no relevant documents",
        ),
    ),
)


_MLFLOW = (
    Preset(
        "mlflow-3.17.2",
        field="search engines and RAG",
        summary="the ideal is cut at the number of returned documents: one of three is perfect",
        evidence="run",
        source="https://github.com/mlflow/mlflow/blob/v3.17.2/mlflow/metrics/metric_definitions.py",
        checks={
            "nDCG": equal("ndcg_at_k"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": ABSENT,
            "P": equal(
                "precision_at_k",
                text="if every query has relevant documents or results",
            ),
            "R": equal("recall_at_k", text="if no document is returned twice"),
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "duplicates": "copies",
            "no_relevant": "agree",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "judged-to-depth"},
                "P": {**ABOVE_ZERO, "to_depth": True},
                "R": ABOVE_ZERO,
            },
        },
        remarks=(
            "It takes the relevant documents without grades; here those with a grade above 0",
            "A document returned again counts as another relevant document, also in the ideal",
            "It also prints the variance and the 90th percentile",
        ),
    ),
)


_PHOENIX = (
    Preset(
        "phoenix-20.26.1",
        field="search engines and RAG",
        summary="the ideal is built from the returned documents, so missing ones cost nothing",
        evidence="run",
        source="https://github.com/Arize-ai/phoenix/blob/arize-phoenix-v20.26.1/src/phoenix/"
        "metrics/retrieval_metrics.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": equal("reciprocal_rank"),
            "P": equal("precision"),
            "R": ABSENT,
            "Success": equal("hit"),
        },
        policies={
            "ties": "given",
            "negative": "error",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {
                "nDCG": {"ideal": "list"},
                **dict.fromkeys(("RR", "P", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "A query with an unjudged document has no value and is left out of the mean; here "
            "unjudged documents gain nothing",
        ),
    ),
)


_RAGAS = (
    Preset(
        "ragas-0.4.3",
        field="search engines and RAG",
        summary="context precision is AP divided by the relevant contexts that were returned",
        evidence="run",
        source="https://github.com/explodinggradients/ragas/blob/v0.4.3/src/ragas/metrics/"
        "_context_precision.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "AP": equal(
                "context_precision",
                "llm_context_precision_with_reference",
                "llm_context_precision_without_reference",
                "non_llm_context_precision_with_reference",
                "context_utilization",
                text="if no context is returned twice and each query has a relevant one, with the "
                "same verdicts, and apart from 1e-10 in its denominator",
            ),
            "P": equal(
                "id_based_context_precision",
                text="if each query has results and relevant contexts",
            ),
            "R": equal("id_based_context_recall", "non_llm_context_recall"),
        },
        usual=("AP", "P", "R"),
        policies={
            "ties": "given",
            "duplicates": "first",
            "no_relevant": "skip",
            "missing": "error",
            "extra": "error",
            "defaults": {
                "AP": {**ABOVE_ZERO, "norm": "list"},
                **dict.fromkeys(("P", "R"), ABOVE_ZERO),
            },
        },
        remarks=(
            "A relevant context that was not returned does not lower context_precision",
            "Its verdicts are a model's, or similarities of texts: at least .5 for precision, but "
            "above .5 for recall, so at .5 they are 1 and 0; here grades above 0",
            "For context_precision, which counts each copy of a context, set duplicates=count",
            "context_recall is the share of supported claims of an answer, not of contexts",
            "Without results, or relevant contexts for recall, a value is NaN, and its mean "
            "leaves it out; here a query without results counts as 0",
        ),
    ),
)


_TFMA = (
    Preset(
        "tfma-0.52.0",
        field="search engines and RAG",
        summary=(
            "ties in the reverse order of the run; queries with no relevant documents have no "
            "weight"
        ),
        evidence="read",
        source="https://github.com/tensorflow/model-analysis/blob/v0.52.0/"
        "tensorflow_model_analysis/metrics/ndcg.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        policies={
            "ties": "reverse",
            "negative": "signed",
            "duplicates": "copies",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {"nDCG": {"ideal": "list"}},
        },
        remarks=(
            "It reverses an unstable sort, so the order of ties depends on the machine",
            "A query with an ideal DCG below 0 counts as 0; here it is left out",
        ),
    ),
)


_SOURCE = (
    "https://github.com/truera/trulens/blob/trulens-{}/src/feedback/trulens/feedback/groundtruth.py"
)
_DISTINCT = "if no chunk is returned twice"
_POLICIES = {
    "ties": "given",
    "no_relevant": "skip",
    "missing": "error",
    "defaults": {
        "P": {**ABOVE_ZERO, "to_depth": True},
        **dict.fromkeys(("RR", "R", "Success"), ABOVE_ZERO),
    },
}
_REMARKS = (
    "Every expected chunk is relevant, also one with expect_score 0; here those with a grade above "
    "0",
    "With relevance_scores its precision and recall include all chunks tied with the one at rank k",
    "Without k its nDCG has an ideal cut at the number of returned chunks",
    "It returns one value per query, NaN without expected chunks; here a mean leaves these out",
)

_TRULENS = (
    Preset(
        "trulens-2.16.0",
        field="search engines and RAG",
        summary="a chunk returned again gains nothing, except for precision",
        evidence="run",
        source=_SOURCE.format("2.16.0"),
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal("ndcg_at_k", text="with k"),
            "RR": equal("mrr"),
            "P": equal("precision_at_k", text=_DISTINCT),
            "R": equal("recall_at_k"),
            "Success": equal("ir_hit_rate"),
        },
        policies={**_POLICIES, "duplicates": "blank"},
        remarks=_REMARKS,
    ),
    Preset(
        "trulens-2.13.1",
        field="search engines and RAG",
        summary="recall and nDCG count each copy of a chunk, so they can exceed 1",
        evidence="run",
        source=_SOURCE.format("2.13.1"),
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal("ndcg_at_k", text="with k"),
            "RR": equal("mrr"),
            "P": equal("precision_at_k"),
            "R": equal("recall_at_k"),
            "Success": equal("ir_hit_rate"),
        },
        policies={**_POLICIES, "duplicates": "count"},
        remarks=(
            "A chunk returned twice counts twice, so nDCG can exceed 1, and so can recall; "
            "version 2.14.0 changed that",
            *_REMARKS,
        ),
    ),
)


DECLARED = {
    "autorag": _AUTORAG,
    "autorag_research": _AUTORAG_RESEARCH,
    "deepeval": _DEEPEVAL,
    "evidently": _EVIDENTLY,
    "mlflow": _MLFLOW,
    "phoenix": _PHOENIX,
    "ragas": _RAGAS,
    "tfma": _TFMA,
    "trulens": _TRULENS,
}
