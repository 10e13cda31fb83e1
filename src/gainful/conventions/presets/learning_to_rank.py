"""Presets of libraries that train rankers and classifiers."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset

_CATBOOST_SOURCE = "https://catboost.ai/docs/en/references/ndcg"
_CATBOOST_LIST = {
    "ties": "pessimistic",
    "negative": "signed",
    "duplicates": "copies",
    "no_relevant": 1,
    "missing": "skip",
}


# The smallest 32-bit float above the default border of .5.
_LEVEL = 0.5000000596046448
_CATBOOST_ZERO = "counts queries with no relevant documents as 0, unlike NDCG"
_CATBOOST_CHECKS = {
    "nDCG": equal("NDCG"),
    "DCG": equal("DCG"),
    "AP": different("MAP", text=_CATBOOST_ZERO),
    "RR": different("MRR", text=_CATBOOST_ZERO),
    "P": different("PrecisionAt", text=_CATBOOST_ZERO),
    "R": equal("RecallAt"),
    "Success": ABSENT,
}


def _preset(variant: str, summary: str, **gains: str) -> Preset:
    return Preset(
        f"catboost-1.2.10{variant}",
        field="learning to rank",
        summary=summary,
        evidence="run",
        source=_CATBOOST_SOURCE,
        checks=_CATBOOST_CHECKS,
        policies={
            **_CATBOOST_LIST,
            "defaults": {"nDCG": {"ideal": "list", **gains}, "R": {"rel": _LEVEL, "listed": True}},
        },
        remarks=("Grades are 32-bit floats",),
    )


_CATBOOST = (
    _preset("", "ties in the worst order; 1 for queries with no relevant documents"),
    _preset("-exp", "type=Exp: the gain is 2^grade - 1", gain="exponential"),
    _preset("-position", "denominator=Position: the discount is 1/rank", discount="reciprocal"),
    _preset(
        "-exp-position",
        "type=Exp and denominator=Position",
        gain="exponential",
        discount="reciprocal",
    ),
)


_LIGHTGBM = (
    Preset(
        "lightgbm-4.7.0",
        field="learning to rank",
        summary="1 for a query with no relevant documents, unweighted in weighted means",
        evidence="run",
        source="https://github.com/microsoft/LightGBM/blob/v4.7.0/src/metric/rank_metric.hpp",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("map"),
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        # The default label_gain ends at grade 30.
        policies={
            "ties": "given",
            "negative": "error",
            "fractions": "error",
            "largest_grade": 30,
            "duplicates": "copies",
            "no_relevant": 1,
            "missing": "skip",
            "unweighted": "no-relevant",
            "defaults": {
                "nDCG": {"gain": "exponential", "ideal": "list"},
                "AP": {"norm": "list-capped"},
            },
        },
        remarks=(
            "The 1 of a query with no relevant documents is added without its weight, but the "
            "weight counts in the denominator, so a weighted mean can exceed 1",
            "A query with more than 10000 documents is an error in LightGBM",
        ),
    ),
)


_RAX = (
    Preset(
        "rax-0.4.0",
        field="learning to rank",
        summary="gain 2^grade - 1, ideal of the list, ties as given; negative grades are losses",
        evidence="run",
        source="https://github.com/google/rax/blob/v0.4.0/rax/_src/metrics.py",
        checks={
            "nDCG": equal("ndcg_metric"),
            "DCG": equal("dcg_metric"),
            "AP": equal("ap_metric"),
            "RR": equal("mrr_metric"),
            "P": equal("precision_metric"),
            "R": equal("recall_metric"),
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "precision": "float32",
            "negative": "signed",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {
                "nDCG": {"gain": "exponential", "ideal": "list"},
                "AP": {"norm": "list"},
                "P": {"to_depth": True},
                "R": {"listed": True},
            },
        },
        remarks=(
            "It computes with 32-bit floats by default, so its values agree to about five digits",
            "Weights of single documents, which multiply gains, are not supported here",
            "A document with the score minus infinity counts only in the ideal",
        ),
    ),
)


_SCIKIT_LEARN_SOURCE = (
    "https://scikit-learn.org/1.9/modules/generated/sklearn.metrics.ndcg_score.html"
)

# A row of its matrix has a score for every document, so documents missing from the run need one:
# here the lowest, shared by all. A query without a row is ignored.
_MATRIX = {
    "unretrieved": "last",
    "negative": "error",
    "single": "error",
    "missing": "skip",
    "defaults": {"nDCG": {"ideal": "list"}},
}

_SCIKIT_LEARN_CHECKS = {
    "nDCG": equal("ndcg_score"),
    "DCG": equal("dcg_score"),
    "AP": different(
        "label_ranking_average_precision_score",
        text="gives equal scores the last rank of their group, and 1 to a query with no "
        "relevant documents",
    ),
    "RR": ABSENT,
    "P": ABSENT,
    "R": ABSENT,
    "Success": ABSENT,
}

_SCIKIT_LEARN = (
    Preset(
        "scikit-learn-1.9.1",
        field="learning to rank",
        also=("sklearn",),
        summary="mean over all orders of ties, on a matrix of all judged and returned documents",
        evidence="run",
        source=_SCIKIT_LEARN_SOURCE,
        checks=_SCIKIT_LEARN_CHECKS,
        policies={**_MATRIX, "ties": "expected"},
        remarks=(
            "Documents that the run did not return are tied after all others; in scikit-learn's "
            "matrix they need a score below all others, and 0 is one only if all scores are "
            "positive",
        ),
    ),
    Preset(
        "scikit-learn-1.9.1-returned",
        field="learning to rank",
        also=("sklearn",),
        summary="the returned documents only: missing relevant documents cost nothing",
        evidence="run",
        source=_SCIKIT_LEARN_SOURCE,
        checks=_SCIKIT_LEARN_CHECKS,
        policies={**_MATRIX, "ties": "expected", "unretrieved": "absent"},
        remarks=("The value of ndcg_score for a search result without the missing documents",),
    ),
    Preset(
        "scikit-learn-1.9.1-ignore_ties",
        field="learning to rank",
        also=("sklearn",),
        summary="ignore_ties=True: ties in the reverse order of the run",
        evidence="run",
        source=_SCIKIT_LEARN_SOURCE,
        checks=_SCIKIT_LEARN_CHECKS,
        policies={**_MATRIX, "ties": "reverse"},
        remarks=(
            "NumPy's unstable sort, reversed, orders ties: on some processors, and everywhere "
            "from about 16 documents, the order differs from the reverse order of the run",
        ),
    ),
)


_TENSORFLOW_RANKING = (
    Preset(
        "tensorflow-ranking-0.5.5",
        field="learning to rank",
        summary="removes documents with a negative grade (padding); shuffles ties",
        evidence="run",
        source="https://www.tensorflow.org/ranking/api_docs/python/tfr/keras/metrics/NDCGMetric",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": equal("dcg"),
            "AP": equal("map"),
            "RR": equal("mrr"),
            "P": equal("precision"),
            "R": equal("recall"),
            "Success": equal("hits"),
        },
        names={"recall": "R"},
        policies={
            "ties": "random(0)",
            "precision": "float32",
            "negative": "drop",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {
                "nDCG": {"gain": "exponential", "ideal": "list"},
                "AP": {"norm": "list"},
                "P": {"to_depth": True},
                "R": {"listed": True},
            },
        },
        remarks=(
            "It shuffles ties at each call, so its value is one random draw; random(0) is "
            "another, expected the mean of all",
            "It computes with 32-bit floats, so its values agree to about five digits",
            "Weights of single documents, from which it derives query weights, are not supported "
            "here",
        ),
    ),
)


_TORCHMETRICS_BINARY = "for grades 0 and 1 and scores above 0, none of them equal"

_TORCHMETRICS = (
    Preset(
        "torchmetrics-1.9.0",
        field="learning to rank",
        summary="mean over all orders of ties; negative grades are losses",
        evidence="run",
        source="https://github.com/Lightning-AI/torchmetrics/blob/v1.9.0/"
        "src/torchmetrics/functional/retrieval/ndcg.py",
        checks={
            "nDCG": equal("retrieval_normalized_dcg", "RetrievalNormalizedDCG"),
            "DCG": ABSENT,
            "AP": equal("retrieval_average_precision", "RetrievalMAP", text=_TORCHMETRICS_BINARY),
            "RR": equal("retrieval_reciprocal_rank", "RetrievalMRR", text=_TORCHMETRICS_BINARY),
            "P": equal("retrieval_precision", "RetrievalPrecision", text=_TORCHMETRICS_BINARY),
            "R": equal("retrieval_recall", "RetrievalRecall", text=_TORCHMETRICS_BINARY),
            "Success": equal("retrieval_hit_rate", "RetrievalHitRate", text=_TORCHMETRICS_BINARY),
        },
        policies={
            "ties": "expected",
            "precision": "float32",
            "negative": "signed",
            "duplicates": "copies",
            "missing": "skip",
            "defaults": {
                "nDCG": {"ideal": "list"},
                "AP": {"norm": "list-cut"},
                "R": {"listed": True},
            },
        },
        remarks=(
            "It computes with 32-bit floats, so its values agree to about five digits",
            "The function treats a matrix as one long list; the class separates the queries",
            "If the grades of a query sum to 0, the class returns 0 or follows "
            "empty_target_action. It also divides by an ideal DCG below 0; here such a query has "
            "no relevant documents",
        ),
    ),
)


_XGBOOST_SOURCE = "https://github.com/dmlc/xgboost/blob/v3.2.0/src/metric/rank_metric.cc"
_XGBOOST_LIST = {
    "ties": "given",
    "precision": "float32",
    "duplicates": "copies",
    "no_relevant": 1,
    "missing": "skip",
    "unweighted": "no-relevant",
}
# The limits of the 32-bit integer that holds 2^grade.
_WHOLE = {"negative": "error", "fractions": "error", "largest_grade": 31}
# The bare name ndcg means ndcg@32.
_CUT = {"ideal": "list", "cutoff": 32}
_XGBOOST_BINARY = "if all grades are 0 or 1; XGBoost refuses others for this metric"
_XGBOOST_CHECKS = {
    "nDCG": equal("ndcg"),
    "DCG": ABSENT,
    "AP": equal("map", text=_XGBOOST_BINARY),
    "RR": ABSENT,
    "P": different("pre", text="counts queries with no relevant documents as 0, unlike ndcg"),
    "R": ABSENT,
    "Success": ABSENT,
}
_LISTED = {"AP": {"norm": "list-capped"}, "P": {"to_depth": True}}
_BARE = "ndcg without a cutoff is ndcg@32, so documents below rank 32 do not count"
_UNWEIGHTED = (
    "The 1 of a query with no relevant documents is added without its weight, but the weight "
    "counts in the denominator; if the mean then exceeds 1, XGBoost raises an error"
)

_XGBOOST_ZERO = "a minus sign counts queries with no relevant documents as 0: "

_XGBOOST = (
    Preset(
        "xgboost-3.2.0",
        field="learning to rank",
        summary="default cutoff 32; 1 for queries with no relevant documents",
        evidence="run",
        source=_XGBOOST_SOURCE,
        checks=_XGBOOST_CHECKS,
        suffixes={"-": f"{_XGBOOST_ZERO}use the convention xgboost-minus"},
        policies={
            **_XGBOOST_LIST,
            **_WHOLE,
            "defaults": {**_LISTED, "nDCG": {**_CUT, "gain": "exponential"}},
        },
        remarks=(_BARE, _UNWEIGHTED),
    ),
    Preset(
        "xgboost-3.2.0-linear",
        field="learning to rank",
        summary="ndcg_exp_gain=False: the gain is the grade; negative grades are losses",
        evidence="run",
        source=_XGBOOST_SOURCE,
        checks=_XGBOOST_CHECKS,
        suffixes={"-": f"{_XGBOOST_ZERO}set no_relevant=0 and unweighted=nothing"},
        policies={**_XGBOOST_LIST, "negative": "signed", "defaults": {**_LISTED, "nDCG": _CUT}},
        remarks=(_BARE, _UNWEIGHTED),
    ),
    Preset(
        "xgboost-3.2.0-minus",
        field="learning to rank",
        summary="ndcg@k- (with minus sign): 0 for queries with no relevant documents",
        evidence="run",
        source=_XGBOOST_SOURCE,
        checks={**_XGBOOST_CHECKS, "P": equal("pre", text=_XGBOOST_BINARY)},
        suffixes={"-": ""},
        policies={
            **_XGBOOST_LIST,
            **_WHOLE,
            "no_relevant": 0,
            "unweighted": "nothing",
            "defaults": {**_LISTED, "nDCG": {**_CUT, "gain": "exponential"}},
        },
        remarks=(_BARE,),
    ),
)


DECLARED = {
    "catboost": _CATBOOST,
    "lightgbm": _LIGHTGBM,
    "rax": _RAX,
    "scikit_learn": _SCIKIT_LEARN,
    "tensorflow_ranking": _TENSORFLOW_RANKING,
    "torchmetrics": _TORCHMETRICS,
    "xgboost": _XGBOOST,
}
