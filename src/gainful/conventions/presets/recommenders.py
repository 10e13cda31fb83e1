"""Presets of tools for recommender systems."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_CASERECOMMENDER = (
    Preset(
        "caserecommender-1.1.1",
        field="recommenders",
        summary="the ideal is built from the top k only, so a single hit at rank 1 scores 1",
        evidence="run",
        source="https://github.com/caserec/CaseRecommender/blob/master/"
        "caserec/evaluation/item_recomendation_functions.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": equal("MAP"),
            "RR": ABSENT,
            "P": equal("PREC"),
            "R": equal("RECALL"),
            "Success": ABSENT,
        },
        policies={
            "order": "given",
            "duplicates": "first",
            "rounding": "mean:6",
            "defaults": {
                "nDCG": {
                    "gain": "judged",
                    "discount": "jarvelin-kekalainen",
                    "base": 2,
                    "ideal": "list-cut",
                },
                "AP": {"rel": 0, "norm": "list-cut"},
                "P": {"rel": 0},
                "R": {"rel": 0},
            },
        },
        remarks=(
            "Relevant items that were not recommended do not lower the value",
            "With NumPy 2.0 or later it raises AttributeError, because np.asfarray was removed",
        ),
    ),
)


_CORNAC = (
    Preset(
        "cornac-3.0.1",
        field="recommenders",
        summary="binary gain; users with no relevant items are left out",
        evidence="run",
        source="https://github.com/PreferredAI/cornac/blob/v3.0.1/cornac/metrics/ranking.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": different(
                "MAP",
                text="ranks all items and gives equal scores the last rank of their group",
            ),
            "RR": equal("MRR", text="if every user has a hit; otherwise it raises an error"),
            "P": equal("Precision"),
            "R": equal("Recall"),
            "Success": equal("HitRatio"),
        },
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "skip",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "ones"},
                **dict.fromkeys(("RR", "P", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "Cornac's evaluation gives the metrics the items rated at least rating_threshold, 1 by "
            "default (fractions=truncate); here those with a grade above 0",
            "The metric alone, without Cornac's evaluation, returns NaN for users with no "
            "relevant items",
            "A model's ranking orders ties with NumPy's unstable sort",
        ),
    ),
)


_ELLIOT = (
    Preset(
        "elliot-0.3.1",
        field="recommenders",
        summary="gain 2^(grade + 1) - 1 above the relevance threshold 0, so grade 0 gains 1",
        evidence="read",
        source="https://github.com/sisinflab/elliot/blob/master/"
        "elliot/evaluation/metrics/accuracy/ndcg/ndcg.py",
        checks={
            "nDCG": equal("nDCG"),
            "DCG": ABSENT,
            "AP": different("MAP", text="averages the precision at every rank down to the cutoff"),
            "RR": equal("MRR"),
            "P": equal("Precision"),
            "R": equal("Recall"),
            "Success": equal("HR"),
        },
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {
                "nDCG": {"gain": "exponential+1"},
                **{family: {"rel": 0} for family in ("RR", "P", "R", "Success")},
            },
        },
        remarks=(
            "With relevance_threshold=t, grades of at least t gain 2^(grade - t + 1) - 1 and "
            "others 0; use a table of gains",
        ),
    ),
)


_IMPLICIT = (
    Preset(
        "implicit-0.7.3",
        field="recommenders",
        summary="binary gain; without K it computes nDCG@10",
        evidence="run",
        source="https://github.com/benfred/implicit/blob/v0.7.3/implicit/evaluation.pyx",
        checks={
            "nDCG": equal("ndcg_at_k"),
            "DCG": ABSENT,
            "AP": equal("mean_average_precision_at_k"),
            "RR": ABSENT,
            "P": different(
                "precision_at_k",
                text="divides all hits by the sum of min(K, relevant items) of all users",
            ),
            "R": ABSENT,
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "skip",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "ones", "cutoff": 10},
                "AP": {**ABOVE_ZERO, "norm": "capped", "cutoff": 10},
            },
        },
        remarks=(
            "It ignores the values of the test matrix, so stored entries of 0 or less count 1; "
            "gain='judged' reproduces that",
            "It sums all users in one pass, so the last digits can differ",
        ),
    ),
)


_LENSKIT_SOURCE = (
    "https://github.com/lenskit/lkpy/blob/v2025.8.1/src/lenskit/metrics/ranking/_dcg.py"
)
# The default weight is LogRankWeight(), which does not discount ranks 1 and 2;
# LogRankWeight(offset=1) is the usual one, here nDCG(discount='log2').
_SPARED = {"discount": "jarvelin-kekalainen", "base": 2}
_RUNS = {"ties": "given", "duplicates": "count", "missing": "skip", "extra": "no-relevant"}
_LISTS = {**_RUNS, "no_relevant": "nan", "extra": "ignore"}
_TESTED = "the user has test items"
_LISTED = f"{_TESTED} and recommendations"

_LENSKIT_CHECKS = {
    "nDCG": equal("NDCG"),
    "DCG": equal("DCG"),
    "AP": equal("AveragePrecision"),
    "RR": equal("RecipRank"),
    "P": equal("Precision"),
    "R": equal("Recall"),
    "Success": equal("Hit"),
}
# A user without test items is an error in AveragePrecision.
_SUMMARY = {**_LENSKIT_CHECKS, "AP": equal("AveragePrecision", text=_TESTED)}
# For them, Precision and DCG are 0 and not NaN; of no recommendations, Precision and
# AveragePrecision are NaN.
_PER_LIST = {
    **_LENSKIT_CHECKS,
    "DCG": equal("DCG", text=_TESTED),
    "AP": equal("AveragePrecision", text=_LISTED),
    "P": equal("Precision", text=_LISTED),
}
# Every test item is relevant.
_DEFAULTS = {
    "AP": {"rel": 0, "norm": "capped-to-depth"},
    "RR": {"rel": 0},
    "P": {"rel": 0, "to_depth": True},
    "R": {"rel": 0, "capped": True},
    "Success": {"rel": 0},
}
_BINARY = {"defaults": {**_DEFAULTS, "nDCG": {**_SPARED, "gain": "judged"}}}
_RATING = {"negative": "signed", "defaults": {**_DEFAULTS, "nDCG": _SPARED}}
_TWICE = "Two rows of one item are an error, or pandas multiplies them"

_LENSKIT = (
    Preset(
        "lenskit-2025.8.1",
        field="recommenders",
        summary="RunAnalysis: every test item gains 1; users without test items count 0",
        evidence="run",
        source=_LENSKIT_SOURCE,
        checks=_SUMMARY,
        policies={**_RUNS, **_BINARY},
    ),
    Preset(
        "lenskit-2025.8.1-rating",
        field="recommenders",
        summary="gain='rating': the rating is the gain",
        evidence="run",
        source=_LENSKIT_SOURCE,
        checks=_SUMMARY,
        policies={**_RUNS, **_RATING},
        remarks=(_TWICE,),
    ),
    Preset(
        "lenskit-2025.8.1-list",
        field="recommenders",
        summary="measure_list of a metric: NaN for users without test items",
        evidence="run",
        source=_LENSKIT_SOURCE,
        checks=_PER_LIST,
        policies={**_LISTS, **_BINARY},
    ),
    Preset(
        "lenskit-2025.8.1-list-rating",
        field="recommenders",
        summary="measure_list with gain='rating': NaN with no relevant items",
        evidence="run",
        source=_LENSKIT_SOURCE,
        checks=_PER_LIST,
        policies={**_LISTS, **_RATING},
        remarks=(_TWICE,),
    ),
)


_RECBOLE = (
    Preset(
        "recbole-1.2.1",
        field="recommenders",
        summary="binary gain; the mean is rounded to four digits",
        evidence="run",
        source="https://github.com/RUCAIBox/RecBole/blob/v1.2.1/recbole/evaluator/metrics.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": equal("MAP"),
            "RR": equal("MRR"),
            "P": equal("Precision"),
            "R": equal("Recall"),
            "Success": equal("Hit"),
        },
        policies={
            "ties": "given",
            "precision": "float32",
            "rounding": "mean:4",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "ones", "cutoff": 10},
                "AP": {**ABOVE_ZERO, "norm": "capped", "cutoff": 10},
                **{family: {**ABOVE_ZERO, "cutoff": 10} for family in ("RR", "P", "R", "Success")},
            },
        },
        remarks=(
            "Every row of its test data gains 1, whatever its rating; here grades above 0 do, "
            "with gain='judged' all",
            "torch.topk orders ties, in an undocumented order",
            "With NumPy 1.24 or later it raises AttributeError, because np.float was removed",
        ),
    ),
)


_RECOMMENDERS_SOURCE = (
    "https://github.com/recommenders-team/recommenders/blob/1.2.1/"
    "recommenders/evaluation/python_evaluation.py"
)
_ROWS = {"ties": "given", "duplicates": "count"}
# DEFAULT_K is 10, and the discount uses the natural logarithm.
_GAINS = {"discount": "ln", "cutoff": 10}
_COMMON_USERS = "if every user has recommendations; it leaves the others out"
_RECOMMENDERS_CHECKS = {
    "nDCG": equal("ndcg_at_k"),
    "DCG": ABSENT,
    "AP": equal("map", text=_COMMON_USERS),
    "RR": ABSENT,
    "P": equal("precision_at_k", text=_COMMON_USERS),
    "R": equal("recall_at_k", text=_COMMON_USERS),
    "Success": ABSENT,
}
_NAMES = {"map_at_k": "AP(norm='capped')"}
# Every test item is relevant.
_TEST = {family: {"rel": 0, "cutoff": 10} for family in ("AP", "P", "R")}
_REPEATED = (
    "It joins the rows of ranking and judgments: duplicates in either multiply rows, and a "
    "document judged twice counts twice in the ideal"
)
_NOTHING_FOUND = "If no user has a hit, the mean is 0 and no user is left out"

_RECOMMENDERS = (
    Preset(
        "recommenders-1.2.1",
        field="recommenders",
        summary="every judged item gains 1, even if graded 0; without k it computes nDCG@10",
        evidence="run",
        source=_RECOMMENDERS_SOURCE,
        checks=_RECOMMENDERS_CHECKS,
        names=_NAMES,
        policies={**_ROWS, "defaults": {**_TEST, "nDCG": {**_GAINS, "gain": "judged"}}},
        remarks=(
            "Grades are ignored unless score_type is raw or exp, so items graded 0 or less count "
            "as relevant",
            _REPEATED,
        ),
    ),
    Preset(
        "recommenders-1.2.1-raw",
        field="recommenders",
        summary=(
            "score_type='raw': the gain is the grade; users with no relevant items are left out"
        ),
        evidence="run",
        source=_RECOMMENDERS_SOURCE,
        checks=_RECOMMENDERS_CHECKS,
        names=_NAMES,
        policies={
            **_ROWS,
            "negative": "signed",
            "no_relevant": "skip",
            "defaults": {**_TEST, "nDCG": _GAINS},
        },
        remarks=(_NOTHING_FOUND, _REPEATED),
    ),
    Preset(
        "recommenders-1.2.1-exp",
        field="recommenders",
        summary="score_type='exp': the gain is 2^grade - 1",
        evidence="run",
        source=_RECOMMENDERS_SOURCE,
        checks=_RECOMMENDERS_CHECKS,
        names=_NAMES,
        policies={
            **_ROWS,
            "negative": "signed",
            "no_relevant": "skip",
            "defaults": {**_TEST, "nDCG": {**_GAINS, "gain": "exponential"}},
        },
        remarks=(_NOTHING_FOUND, _REPEATED),
    ),
)


_RECPACK = (
    Preset(
        "recpack-0.3.6",
        field="recommenders",
        summary="grades 0 and 1 only; the ideal has a gain of 1 for each relevant item",
        evidence="run",
        source="https://gitlab.com/recpack-maintainers/recpack/-/blob/master/recpack/metrics/dcg.py",
        checks={
            "nDCG": equal("NDCGK"),
            "DCG": equal("DCGK"),
            "AP": ABSENT,
            "RR": equal("ReciprocalRankK"),
            "P": equal("PrecisionK"),
            "R": equal("RecallK"),
            "Success": different("HitK", text="is the mean number of hits"),
        },
        others=("CG",),
        names={"HitK": "CG(gain='binary')", "CalibratedRecallK": "R(capped=True)"},
        policies={
            "ties": "given",
            "negative": "error",
            "fractions": "error",
            "largest_grade": 1,
            "no_relevant": "skip",
            "defaults": {"nDCG": {"gain": "binary", "ideal": "ones"}},
        },
        remarks=(
            "It accepts other grades but computes wrong values: a grade changes the discount as "
            "well as the gain, and nDCG can exceed 1; here they are an error",
            "NumPy's unstable partition orders ties, on real runs mostly as given",
        ),
    ),
)


_SPARK_SOURCE = (
    "https://github.com/apache/spark/blob/v4.3.0/"
    "mllib/src/main/scala/org/apache/spark/mllib/evaluation/RankingMetrics.scala"
)
# Its input is the ids of the recommended items, in order, and the ids of the relevant items.
PAIRS = {"ties": "given", "duplicates": "count"}
CHECKS = {
    "nDCG": equal("ndcgAt"),
    "DCG": ABSENT,
    "AP": equal("meanAveragePrecisionAt", "meanAveragePrecision"),
    "RR": ABSENT,
    "P": equal("precisionAt"),
    "R": equal("recallAt"),
    "Success": ABSENT,
}
# Without grades every labelled item is relevant.
LABELLED = {"AP": {"rel": 0, "norm": "capped"}, "P": {"rel": 0}, "R": {"rel": 0}}
COUNTED = "A document recommended twice counts twice, but once in the ideal"

_SPARK = (
    Preset(
        "spark-4.3.0",
        field="recommenders",
        summary="binary gain from a set of relevant items; duplicates count again",
        evidence="run",
        source=_SPARK_SOURCE,
        checks=CHECKS,
        policies={
            **PAIRS,
            "defaults": {
                "nDCG": {"gain": "binary", "discount": "ln", "ideal": "ones"},
                "AP": {**ABOVE_ZERO, "norm": "capped"},
                "P": ABOVE_ZERO,
                "R": ABOVE_ZERO,
            },
        },
        remarks=(COUNTED,),
    ),
    Preset(
        "spark-4.3.0-graded",
        field="recommenders",
        summary="graded: the ideal has the grades in the order of the judgments, unsorted",
        evidence="run",
        source=_SPARK_SOURCE,
        checks={
            "nDCG": equal("ndcgAt", where="tests/conventions/presets/test_recommenders.py"),
            "DCG": ABSENT,
            "AP": equal("meanAveragePrecisionAt", "meanAveragePrecision", evidence="read"),
            "RR": ABSENT,
            "P": equal("precisionAt", evidence="read"),
            "R": equal("recallAt", evidence="read"),
            "Success": ABSENT,
        },
        policies={
            **PAIRS,
            "negative": "signed",
            "defaults": {
                "nDCG": {"gain": "exponential", "discount": "ln", "ideal": "given-order"},
                **LABELLED,
            },
        },
        remarks=(
            "The ideal is not sorted, so nDCG can exceed 1 unless judgments are in descending "
            "order of grade",
            COUNTED,
            "It also divides by an ideal DCG below 0; here such a query has no relevant documents",
        ),
    ),
)


_PYSPARK = (
    Preset(
        "pyspark-4.3.0",
        field="recommenders",
        summary="ignores grades silently: every judged document gains 1",
        evidence="run",
        source="https://spark.apache.org/docs/4.3.0/api/python/reference/api/"
        "pyspark.mllib.evaluation.RankingMetrics.html",
        checks=CHECKS,
        names={"ndcgAtK": "nDCG", "precisionAtK": "P", "recallAtK": "R"},
        policies={
            **PAIRS,
            "defaults": {
                "nDCG": {"gain": "judged", "discount": "ln", "ideal": "ones"},
                **LABELLED,
            },
        },
        remarks=(
            "The documentation passes grades as a third column, but Spark never receives them",
            COUNTED,
        ),
    ),
)


DECLARED = {
    "caserecommender": _CASERECOMMENDER,
    "cornac": _CORNAC,
    "elliot": _ELLIOT,
    "implicit": _IMPLICIT,
    "lenskit": _LENSKIT,
    "pyspark": _PYSPARK,
    "recbole": _RECBOLE,
    "recommenders": _RECOMMENDERS,
    "recpack": _RECPACK,
    "spark": _SPARK,
}
