"""Presets of search engines, vector stores and tools that evaluate retrieval for agents."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, different, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_ELASTICSEARCH = (
    Preset(
        "elasticsearch-9.4.2",
        field="search engines and RAG",
        summary="the ideal is cut at the number of returned documents",
        evidence="re-expressed",
        source="https://www.elastic.co/guide/en/elasticsearch/reference/current/"
        "search-rank-eval.html#_discounted_cumulative_gain_dcg",
        checks={
            "nDCG": equal(),
            "DCG": equal("dcg"),
            "AP": ABSENT,
            "RR": equal("mean_reciprocal_rank"),
            "P": equal("precision", evidence="read"),
            "R": equal("recall"),
            "Success": ABSENT,
        },
        others=("IDCG",),
        # Its default cutoff is 10.
        names={"recall": "R"},
        policies={
            "ties": "given",
            "negative": "signed",
            "fractions": "error",
            "defaults": {
                "nDCG": {"gain": "exponential", "ideal": "judged-to-depth", "cutoff": 10},
                "P": {"to_depth": True, "cutoff": 10},
                "R": {"cutoff": 10},
                "RR": {"cutoff": 10},
            },
        },
        remarks=(
            "Rewritten from the source of 9.4.2. The tests run _rank_eval of Elasticsearch 7.17 "
            "and OpenSearch 2.19, with the same numbers; later versions are not in Maven Central",
            "Without normalize=true it prints DCG: use the measure DCG",
            "Returning only the best document scores 1.0, however many are relevant",
            "unknown_doc_rating is unjudged=GRADE; it raises DCG but not the ideal, so nDCG can "
            "exceed 1",
            "It also divides by an ideal DCG below 0; here such a query has no relevant documents",
        ),
    ),
)


_OPENSEARCH = (
    Preset(
        "opensearch-3.1.0",
        field="search engines and RAG",
        summary="values are rounded to two digits before the mean; duplicates count again",
        evidence="re-expressed",
        source="https://github.com/opensearch-project/search-relevance/blob/main/src/main/java/"
        "org/opensearch/searchrelevance/metrics/calculator/Evaluation.java",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": equal("MAP", evidence="read"),
            "RR": ABSENT,
            "P": equal("Precision", evidence="read"),
            "R": ABSENT,
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "negative": "signed",
            "duplicates": "count",
            "rounding": "query:2",
            "defaults": {
                "nDCG": {"gain": "exponential"},
                "AP": ABOVE_ZERO,
                "P": {**ABOVE_ZERO, "to_depth": True},
            },
        },
        remarks=(
            "A document returned twice counts twice, so nDCG can exceed 1",
            "Before 3.1.0 the ideal was cut at the number of returned documents instead of k",
            "It rounds negative halves towards zero, Gainful away from zero",
            "Later versions derive the lowest relevant grade from the judgments",
        ),
    ),
)


_SOURCE = "https://github.com/vespa-engine/pyvespa/blob/v1.2.9/vespa/evaluation/_base.py"
_GOLDEN = "tests/conventions/presets/test_golden_ml_and_production.py"
_PYVESPA_POLICIES = {"ties": "given", "duplicates": "count"}
_NAMES = {"Accuracy": "Success"}
_TWICE = "A document returned twice counts twice, so nDCG can exceed 1"

_PYVESPA = (
    Preset(
        "pyvespa-1.2.9",
        field="search engines and RAG",
        summary="judgments in dictionaries: hits in the returned order, nDCG@10",
        evidence="run",
        source=_SOURCE,
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal(
                "ndcg", where="tests/conventions/presets/test_golden_ml_and_production.py"
            ),
        },
        names=_NAMES,
        policies={**_PYVESPA_POLICIES, "negative": "signed", "defaults": {"nDCG": {"cutoff": 10}}},
        remarks=(
            "VespaEvaluator accepts grades from 0 to 1 only (negative=error, largest_grade=1)",
            "The judgments of the first query decide whether all are read as grades or as sets",
            _TWICE,
        ),
    ),
    Preset(
        "pyvespa-1.2.9-binary",
        field="search engines and RAG",
        summary="judgments in sets: binary gain",
        evidence="run",
        source=_SOURCE,
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("map"),
            "RR": equal("mrr"),
            "P": equal("precision"),
            "R": equal("recall"),
            "Success": equal("Accuracy"),
        },
        names=_NAMES,
        policies={
            **_PYVESPA_POLICIES,
            "no_relevant": "skip",
            "defaults": {
                "nDCG": {"gain": "binary", "cutoff": 10},
                "AP": {**ABOVE_ZERO, "norm": "capped", "cutoff": 100},
                "RR": {**ABOVE_ZERO, "cutoff": 10},
                **dict.fromkeys(("P", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It takes the relevant documents without grades; here those with a grade above 0",
            _TWICE,
        ),
    ),
)


_READ = {"evidence": "read", "where": "https://github.com/o19s/quepid/tree/main/db/scorers"}
_QUEPID_POLICIES = {
    "ties": "given",
    "negative": "signed",
    "duplicates": "count",
}
_CHECKS = {
    "nDCG": equal("nDCG"),
    "DCG": equal("DCG", text="if every returned document is rated", **_READ),
    "AP": equal("AP", text="if every query has a relevant document", **_READ),
    "RR": equal("RR", **_READ),
    "P": equal("P", **_READ),
    "R": ABSENT,
    "Success": ABSENT,
}
_DEFAULTS = {family: {**ABOVE_ZERO, "cutoff": 10} for family in ("AP", "RR")}
_DEFAULTS["P"] = {**ABOVE_ZERO, "to_depth": True, "cutoff": 10}
_REMARKS = (
    "In the score of a case, query scores below 0 count as 0, and queries without results can be "
    "left out",
    "It also divides by an ideal DCG below 0; here such a query has no relevant documents",
    "A document returned twice counts twice",
)

_QUEPID = (
    Preset(
        "quepid-8.6",
        field="search engines and RAG",
        summary="nDCG@10: the ideal is not cut, so ten perfect documents can score below 1",
        evidence="re-expressed",
        source="https://github.com/o19s/quepid/blob/main/db/scorers/ndcg%4010.js",
        checks=_CHECKS,
        policies={
            **_QUEPID_POLICIES,
            "defaults": {
                **_DEFAULTS,
                "nDCG": {"gain": "exponential", "ideal": "judged-uncut", "cutoff": 10},
            },
        },
        remarks=_REMARKS,
    ),
    Preset(
        "quepid-8.6-cut",
        field="search engines and RAG",
        summary="nDCG_cut@10: the ideal is the ten best documents; nDCG@10 before 8.1",
        evidence="re-expressed",
        source="https://github.com/o19s/quepid/blob/main/db/scorers/ndcg_cut%4010.js",
        checks=_CHECKS,
        policies={
            **_QUEPID_POLICIES,
            "defaults": {**_DEFAULTS, "nDCG": {"gain": "exponential", "cutoff": 10}},
        },
        remarks=_REMARKS,
    ),
)


_RRE = (
    Preset(
        "rre-1.1",
        field="search engines and RAG",
        summary="each term and the quotient are rounded down to two digits",
        evidence="re-expressed",
        source="https://github.com/SeaseLtd/rated-ranking-evaluator/blob/master/rre-core/src/main/"
        "java/io/sease/rre/core/domain/metrics/impl/NDCGAtK.java",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": different("AP", text="adds differences of recall that are rounded to two digits"),
            "RR": different(
                "RR",
                text="takes the rank of the document with the highest grade in the top k",
            ),
            "P": different("P", text="counts every judged document and rounds to two digits"),
            "R": different("R", text="counts every judged document and rounds to two digits"),
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "negative": "signed",
            "duplicates": "count",
            "no_relevant": "error",
            "rounding": "term-down:2",
            "defaults": {"nDCG": {"gain": "exponential"}},
        },
        remarks=(
            "Since November 2025 its main branch has gain='linear'",
            "It rounds means up to four digits; here they are unrounded",
            "It does not round the gain at rank 1, which matters for gains with more than two "
            "digits",
            "A query with only grades of 0 is a division by zero, unless nothing was returned",
            "A query without judgments scores 1 if nothing was returned, else 0; here it is left "
            "out",
        ),
    ),
)


_SENTENCE_TRANSFORMERS = (
    Preset(
        "sentence-transformers-6.2.0",
        field="search engines and RAG",
        summary="binary gain, ties by ascending id; nDCG is nDCG@10",
        evidence="run",
        source="https://github.com/UKPLab/sentence-transformers/blob/v6.2.0/"
        "sentence_transformers/sentence_transformer/evaluation/information_retrieval.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("map"),
            "RR": equal("mrr"),
            "P": equal("precision"),
            "R": equal("recall"),
            "Success": equal("Accuracy"),
        },
        policies={
            "ties": "doc-id-asc",
            "no_relevant": "skip",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "ones", "cutoff": 10},
                "AP": {**ABOVE_ZERO, "norm": "capped", "cutoff": 100},
                "RR": {**ABOVE_ZERO, "cutoff": 10},
                **dict.fromkeys(("P", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It takes the ids of relevant documents; in a dictionary of grades it ignores the "
            "grades silently, so a document graded 0 counts as relevant",
        ),
    ),
)


_ONE = "if each document has one aspect"
_WHERE = "https://github.com/echo0715/BRIGHT-PRO/blob/{}/retrieval/evaluation/{}.py"

_BRIGHT_PRO = (
    Preset(
        "bright-pro",
        field="search engines and RAG",
        summary="recall and alpha-nDCG of weighted aspects; each document has one aspect",
        evidence="read",
        source="https://github.com/echo0715/BRIGHT-PRO",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "StRecall": equal(
                "a_recall",
                text=_ONE,
                where=_WHERE.format(
                    "513890f43e2cb977b055fc6cd30944491c8b6b4d", "weighted_aspect_recall"
                ),
            ),
            "alpha_nDCG": equal(
                "alpha_ndcg",
                text=_ONE,
                where=_WHERE.format(
                    "c748136ee121601fabf748a42dff2a34e56302c5", "alpha-ndcg-evaluation"
                ),
            ),
        },
        usual=("StRecall@25", "alpha_nDCG@25"),
        policies={
            "ties": "given",
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {
                "StRecall": {**ABOVE_ZERO, "cutoff": 25},
                "alpha_nDCG": {**ABOVE_ZERO, "cutoff": 25},
            },
        },
        remarks=(
            "Its table of documents has one aspect per document: of a document in several aspects "
            "the last one counts, here all",
        ),
    ),
)


_HAYSTACK = (
    Preset(
        "haystack-3.4.0",
        field="search engines and RAG",
        summary="no cutoff: the ideal contains all judged documents",
        evidence="run",
        source="https://github.com/deepset-ai/haystack/blob/v3.4.0/haystack/components/evaluators/"
        "document_ndcg.py",
        checks={
            "nDCG": equal("DocumentNDCGEvaluator"),
            "DCG": ABSENT,
            "AP": equal("DocumentMAPEvaluator"),
            "RR": equal("DocumentMRREvaluator"),
            "P": ABSENT,
            "R": equal(text="DocumentRecallEvaluator with mode multi_hit"),
            "Success": equal("DocumentRecallEvaluator", text="with its default mode single_hit"),
        },
        policies={
            "ties": "given",
            "negative": "signed",
            "duplicates": "blank",
            "missing": "error",
            "extra": "error",
            "defaults": {
                "nDCG": {"ideal": "judged-uncut"},
                **dict.fromkeys(("AP", "RR", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It compares documents by content by default, Gainful by id",
            "For a document judged twice it uses the higher grade, Gainful the first",
        ),
    ),
)


_DISTINCT = "if no document is returned twice"

_LLAMA_INDEX = (
    Preset(
        "llama-index-0.14.25",
        field="search engines and RAG",
        summary="the ideal contains all expected documents; duplicates count again",
        evidence="run",
        source="https://github.com/run-llama/llama_index/blob/v0.14.25/llama-index-core/"
        "llama_index/core/evaluation/retrieval/metrics.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("ap"),
            "RR": equal("mrr"),
            "P": equal("precision", text=_DISTINCT),
            "R": equal("recall", text=_DISTINCT),
            "Success": equal("hit_rate"),
        },
        names={"recall": "R"},
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "error",
            "missing": "error",
            "extra": "error",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "judged-uncut"},
                **dict.fromkeys(("AP", "RR", "P", "R", "Success"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It takes the expected documents without grades; here those with a grade above 0",
            "It has no cutoff, and its modes linear and exponential are equal",
            "A document returned twice counts twice, so nDCG can exceed 1; a document expected "
            "twice is in the ideal twice",
            "It returns one value per query; the mean is left to the user",
        ),
    ),
)


_LONGMEMEVAL = (
    Preset(
        "longmemeval-2025",
        field="search engines and RAG",
        summary="nDCG without a discount at rank 2; recall of any and of all sessions",
        evidence="run",
        source="https://github.com/xiaowu0162/LongMemEval/blob/"
        "6a92d1ab7a7f8815525e43048f752f59e1d711a9/src/retrieval/eval_utils.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal("ndcg_any"),
            "Success": equal("recall_any"),
            "FullRecall": equal("recall_all"),
        },
        usual=("Success@10", "FullRecall@10", "nDCG@10"),
        policies={
            "ties": "given",
            "no_relevant": "skip",
            "missing": "error",
            "defaults": {
                "nDCG": {"gain": "binary", "discount": "jarvelin-kekalainen", "base": 2},
                **dict.fromkeys(("Success", "FullRecall"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It takes the sessions with the answer without grades; here those with a grade above 0",
            "It leaves questions about what was never said out of its means; for a question "
            "without sessions its functions give recall_any 0 and recall_all 1",
            "When turns are evaluated by their sessions, each turn of a relevant session is in the "
            "ideal, and the cutoff grows until it has k sessions: no convention does that",
            "It calls numpy.asfarray, which NumPy 2 no longer has",
        ),
    ),
)


#: The archive of this version has the folder benchmarks.
_ARCHIVE = "https://pypi.org/project/mempalace/3.11.0/#files"

_MEMPALACE = (
    Preset(
        "mempalace-3.11.0",
        field="search engines and RAG",
        summary="the ideal has only the top k, so relevant sessions below it cost nothing",
        evidence="run",
        source=_ARCHIVE,
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal("ndcg_any", "ndcg"),
            "Success": equal("recall_any"),
            "FullRecall": equal("recall_all", text="if every question has relevant sessions"),
        },
        usual=("Success@10", "FullRecall@10", "nDCG@10"),
        policies={
            "ties": "given",
            "missing": "error",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "list-cut"},
                **dict.fromkeys(("Success", "FullRecall"), ABOVE_ZERO),
            },
        },
        remarks=(
            "One relevant session of ten scores 1 if it is at rank 1",
            "Its headline R@5 is recall_any, not a share of the relevant sessions",
            "A question without relevant sessions has recall_all 1, here 0",
        ),
    ),
    Preset(
        "mempalace-3.11.0-locomo",
        field="search engines and RAG",
        summary="questions without evidence have recall 1",
        evidence="run",
        source=_ARCHIVE,
        checks={**dict.fromkeys(COMMON, ABSENT), "R": equal("recall")},
        usual=("R@10",),
        policies={
            "ties": "given",
            "no_relevant": 1.0,
            "missing": "error",
            "extra": "no-relevant",
            "defaults": {"R": ABOVE_ZERO},
        },
        remarks=(
            "It takes the first evidence of a text such as D8:6; D9:17 and none of D:11:26, so "
            "five questions of LoCoMo have other relevant sessions than the data say",
        ),
    ),
)


DECLARED = {
    "bright_pro": _BRIGHT_PRO,
    "elasticsearch": _ELASTICSEARCH,
    "haystack": _HAYSTACK,
    "llama_index": _LLAMA_INDEX,
    "longmemeval": _LONGMEMEVAL,
    "mempalace": _MEMPALACE,
    "opensearch": _OPENSEARCH,
    "pyvespa": _PYVESPA,
    "quepid": _QUEPID,
    "rre": _RRE,
    "sentence_transformers": _SENTENCE_TRANSFORMERS,
}
