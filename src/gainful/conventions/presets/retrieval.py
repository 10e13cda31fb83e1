"""Presets of tools for the evaluation of retrieval, in the tradition of TREC and NTCIR."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, different, equal
from gainful.conventions.presets import Preset
from gainful.conventions.presets.trec_eval import families
from gainful.measures.catalogue import NICKNAMES

#: The policies of pytrec_eval, which BEIR and MTEB build on.
POLICIES = {
    "precision": "float32",
    "negative": "unjudged",
    "fractions": "error",
    "missing": "skip",
}

_PYTREC_EVAL = (
    Preset(
        "pytrec_eval-0.5.11",
        field="retrieval",
        summary="trec_eval 9.0.8 in Python; queries missing from the run are left out",
        evidence="run",
        source="https://pypi.org/project/pytrec-eval-terrier/0.5.11/",
        checks={
            "nDCG": equal("ndcg", "ndcg_cut"),
            "DCG": ABSENT,
            "AP": equal("map", "map_cut"),
            "RR": equal("recip_rank", text="without a cutoff, as it has none"),
            "P": equal("P"),
            "R": equal("recall"),
            "Success": equal("success"),
        },
        others=families(NICKNAMES["all_trec"]),
        policies=POLICIES,
        remarks=(
            "It returns values per query; the mean is left to the user",
            "A grade that is not a whole number is a TypeError",
        ),
    ),
)


_BEIR_UNLIKE = (
    "orders equal scores as the run lists them and counts queries missing from the run as 0"
)

_BEIR = (
    Preset(
        "beir-2.2.0",
        field="retrieval",
        summary="drops documents with the query's id; the mean is rounded to five digits",
        evidence="run",
        source="https://github.com/beir-cellar/beir/blob/v2.2.0/beir/retrieval/evaluation.py",
        checks={
            "nDCG": equal("NDCG"),
            "DCG": ABSENT,
            "AP": equal("MAP"),
            "RR": different("MRR", text=_BEIR_UNLIKE),
            "P": equal("P"),
            "R": equal("Recall"),
            "Success": different("Accuracy", "top_k_accuracy", text=_BEIR_UNLIKE),
        },
        names={"R_cap": None},
        policies={**POLICIES, "same_id": "drop", "rounding": "mean:5"},
        remarks=(
            "With ignore_identical_ids=False it keeps these documents: same_id=keep",
            "Queries missing from the run are left out of the mean",
            "It rounds halves to the even digit, Gainful away from zero",
        ),
    ),
)


_MODEL = "is the expected utility of a user model, here CWL(model=...)"

_CWL_EVAL = (
    Preset(
        "cwl_eval-1.0.12",
        field="retrieval",
        summary="its NDCG-k is SDCG: the ideal has the maximum gain 1 at every rank",
        evidence="run",
        source="https://github.com/ireval/cwl",
        checks={
            "nDCG": equal("NDCG-k", where="tests/measures/test_cwl.py"),
            "DCG": ABSENT,
            "AP": different("AP", text=_MODEL, evidence="read"),
            "RR": different("RR", text=_MODEL, evidence="read"),
            "P": different("P", text=_MODEL, evidence="read"),
            "R": ABSENT,
            "Success": ABSENT,
        },
        others=(
            *("SDCG", "CWL", "INST", "INSQ", "BPM", "IFT", "TBG", "U"),
            *("NERR8", "NERR9", "NERR10", "NERR11"),
        ),
        # Expected utilities of user models, unlike other tools' measures of these names.
        names={
            "AP": "CWL(model='AP')",
            "P": "CWL(model='P')",
            "RR": "CWL(model='RR')",
        },
        policies={
            "order": "given",
            "ties": "given",
            "negative": "error",
            "largest_grade": 1,
            "duplicates": "count",
            "missing": "skip",
            "defaults": {
                "nDCG": {"ideal": "max-grade", "max_grade": 1},
                "SDCG": {"max_rel": 1, "depth": 1000},
            },
        },
        remarks=(
            "Grades are gains from 0 to 1; with --max_gain above 1 its values can exceed 1",
            "It prints one line per query, also for queries without judgments, and no mean",
            "nDCG needs a cutoff, as NDCG-k does; without one the ideal is as long as the ranking",
        ),
    ),
)


#: Grades are integers up to 4; those above 0 are kept. Duplicate documents are not detected, in
#: runs or in judgments.
GRADES = {"fractions": "error", "largest_grade": 4, "duplicates": "count"}

_GDEVAL = (
    Preset(
        "gdeval-1.3",
        field="retrieval",
        summary="gain 2^grade - 1, grades up to 4; queries with no relevant documents are left out",
        evidence="run",
        source="https://github.com/trec-web/trec-web-2014/blob/master/src/eval/gdeval.pl",
        checks={
            "nDCG": equal("ndcg", where="tests/conventions/presets/test_golden_trec_family.py"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        others=("ERR",),
        usual=("nDCG@20", "ERR@20"),
        policies={
            **GRADES,
            "no_relevant": "skip",
            "missing": "skip",
            "defaults": {
                "nDCG": {"gain": "exponential", "cutoff": 20},
                "ERR": {"cutoff": 20},
            },
        },
        remarks=(
            "With -c queries missing from the run count as 0: missing=empty",
            "A document listed twice counts twice, so nDCG can exceed 1",
            "It prints five digits; the mean is computed from unrounded values",
        ),
    ),
)


_IR_MEASURES_SOURCE = "https://github.com/terrierteam/ir_measures"

_IR_MEASURES = (
    Preset(
        "ir_measures-0.4.3",
        field="retrieval",
        summary="32-bit scores; negative grades are no judgments; missing queries count as 0",
        evidence="run",
        source=_IR_MEASURES_SOURCE,
        checks={
            "nDCG": equal("nDCG"),
            "DCG": ABSENT,
            "AP": equal("AP"),
            "RR": equal("RR", text="with a cutoff only if no scores are equal"),
            "P": equal("P"),
            "R": equal("R"),
            "Success": equal("Success"),
        },
        others=(
            *("Rprec", "bpref", "infAP", "IPrec"),
            *("F", "RelativeP", "SetAP", "ERR", "RBP", "Compat"),
            *("INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11"),
            *("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"),
            *("AP_IA", "P_IA", "StRecall"),
        ),
        # Use the policies of pytrec_eval, which computes most measures, for all of them.
        policies={"precision": "float32", "negative": "unjudged"},
        grades="whole",
        remarks=(
            "Its Judged counts documents with a negative grade as judged; here they are not",
            "Grades with a fraction are a TypeError in pytrec_eval, which computes most measures; "
            "here they are kept",
            "Its Accuracy leaves out queries with no relevant document returned; "
            "no_relevant=skip under your own name gives the same",
        ),
    ),
    Preset(
        "ir_measures-0.4.3-exp-log2",
        field="retrieval",
        summary="gdeval's output: values rounded to five digits, 0 for queries it leaves out",
        evidence="run",
        source=_IR_MEASURES_SOURCE,
        checks={
            "nDCG": equal("nDCG", where="tests/conventions/presets/test_golden_trec_family.py"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": ABSENT,
            "P": ABSENT,
            "R": ABSENT,
            "Success": ABSENT,
        },
        policies={
            **GRADES,
            "rounding": "query:5",
            "defaults": {"nDCG": {"gain": "exponential"}},
        },
        remarks=(
            "It is nDCG(dcg='exp-log2') with a cutoff; without one ir_measures uses ranx",
            "Query ids that are not numbers are an error in gdeval",
            "A document listed twice counts twice, so nDCG can exceed 1",
        ),
    ),
)


_MTEB = (
    Preset(
        "mteb-2.26.24",
        field="retrieval",
        summary="pytrec_eval over the queries of the run; the mean is rounded to five digits",
        evidence="run",
        source="https://github.com/embeddings-benchmark/mteb/blob/2.26.24/mteb/_evaluators/"
        "retrieval_metrics.py",
        checks={
            "nDCG": equal("ndcg"),
            "DCG": ABSENT,
            "AP": equal("map"),
            "RR": different("mrr", text="orders 64-bit scores and does not round the mean"),
            "P": equal("precision"),
            "R": equal("recall"),
            "Success": equal("hit_rate"),
        },
        # Its accuracy is recall at 1, and its capped recall leaves queries out.
        names={"Accuracy": "R@1", "R_cap": None},
        policies={**POLICIES, "rounding": "mean:5"},
        remarks=(
            "Queries missing from the run are left out of the mean",
            "Tasks with skip_first_result drop the first document of each query",
            "It rounds halves to the even digit, Gainful away from zero",
        ),
    ),
)


_NDEVAL = (
    Preset(
        "ndeval-4.5",
        field="retrieval",
        summary="documents ordered by the rank column; missing queries are left out",
        evidence="run",
        source="https://github.com/trec-web/trec-web-2014",
        checks=dict.fromkeys(COMMON, ABSENT),
        others=(
            *("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP"),
            *("AP_IA", "P_IA", "StRecall"),
        ),
        usual=("ERR_IA@20", "alpha_nDCG@20", "NRBP", "P_IA@20", "StRecall@20"),
        # It rejects duplicate ranks, fractional grades and negative grades. All grades of at least
        # 1 count alike, as diversity measures treat them anyway.
        policies={
            "order": "rank",
            "ties": "error",
            "negative": "error",
            "fractions": "error",
            "missing": "skip",
        },
    ),
)


_NTCIREVAL = (
    Preset(
        "ntcireval-190111",
        field="retrieval",
        summary="documents in the order of the run; ERR stops with probability grade / (max + 1)",
        # The numbers are those of pyNTCIREVAL 0.0.3, which is NTCIREVAL in Python.
        evidence="re-expressed",
        source="https://research.nii.ac.jp/ntcir/tools/ntcireval-en.html",
        checks={
            "nDCG": equal("nDCG"),
            "DCG": ABSENT,
            "AP": equal("AP"),
            "RR": equal("RR"),
            "P": equal("P"),
            "R": ABSENT,
            "Success": equal("Hit"),
        },
        others=("ERR", "nERR", "Q", "OMeasure", "PPlus", "RBP"),
        usual=("nDCG(discount='log2')@10", "Q@10", "nERR@10"),
        names={"MSnDCG": "nDCG(discount='log2')"},
        policies={
            "order": "given",
            "ties": "given",
            "negative": "error",
            "fractions": "error",
            "duplicates": "count",
            "no_relevant": "error",
            "defaults": {
                "nDCG": {"discount": "jarvelin-kekalainen", "base": 2},
                "AP": {"norm": "capped"},
                "P": {"cutoff": 1000},
                "ERR": {"max_grade": 3, "stop": "linear"},
                "RBP": {"p": 0.95, "max_grade": 3},
            },
        },
        remarks=(
            "The gains are those of -g 1:2:3; for other levels set max_grade of ERR, nERR and RBP, "
            "and for other gains gain of nDCG, Q, OMeasure and PPlus",
            "P+ is PPlus, which it prints as P-plus",
        ),
    ),
)


_RANX_SOURCE = "https://github.com/AmenRa/ranx/blob/v0.3.21/ranx/metrics/ndcg.py"
# Its own objects: grades become integers, and both must have the same queries.
_RANX_POLICIES = {
    "ties": "given",
    "fractions": "truncate",
    "duplicates": "last",
    "missing": "error",
    "extra": "error",
}
# Its RBP sums unscaled grades.
_RBP = {"RBP": {"max_grade": 1}}
# ranx's hits is CG with binary gain: the number of relevant documents retrieved.
_OTHERS = ("CG", "F", "Rprec", "RBP")
_RANX_CHECKS = {
    "nDCG": equal("ndcg"),
    "DCG": equal("dcg"),
    "AP": equal("map"),
    "RR": equal("mrr"),
    "P": equal("precision"),
    "R": equal("recall"),
    "Success": equal("hit_rate"),
}
_NAMES = {
    "hits": "CG(gain='binary')",
    # The default cutoff is the whole ranking; trec_eval's name means several cutoffs.
    "recall": "R",
    "dcg_burges": "DCG(gain='exponential')",
    "rbp": "RBP(p=0.{})",
}
_NONE_BETWEEN = "if no grade is between 0 and 1; below rel_lvl, which is 1, a grade gains nothing"
_SORT = "Above 15 documents its unstable sort orders equal scores unpredictably"
_COMPARABLE = "With make_comparable=True: missing=empty, extra=ignore"
_GRADED = "Its RBP can exceed 1 for grades above 1; here such grades are an error for RBP"

_RANX = (
    Preset(
        "ranx-0.3.21",
        field="retrieval",
        summary="ties in the order of the run; judgments and run must have the same queries",
        evidence="run",
        source=_RANX_SOURCE,
        checks=_RANX_CHECKS,
        others=_OTHERS,
        names=_NAMES,
        policies={**_RANX_POLICIES, "defaults": _RBP},
        remarks=(_SORT, _COMPARABLE, _GRADED),
    ),
    Preset(
        "ranx-0.3.21-burges",
        field="retrieval",
        summary="ndcg_burges: the gain is 2^grade - 1",
        evidence="run",
        source=_RANX_SOURCE,
        checks={**_RANX_CHECKS, "nDCG": equal("ndcg_burges"), "DCG": equal("dcg_burges")},
        others=_OTHERS,
        names=_NAMES,
        policies={**_RANX_POLICIES, "defaults": {**_RBP, "nDCG": {"gain": "exponential"}}},
        remarks=(_SORT, _COMPARABLE, _GRADED),
    ),
    Preset(
        "ranx-0.3.21-dict",
        field="retrieval",
        summary="plain dictionaries: ties in the reverse order of the run",
        evidence="run",
        source=_RANX_SOURCE,
        checks={
            **_RANX_CHECKS,
            "nDCG": equal("ndcg", text=_NONE_BETWEEN),
            "DCG": equal("dcg", text=_NONE_BETWEEN),
        },
        others=_OTHERS,
        names=_NAMES,
        policies={**_RANX_POLICIES, "ties": "reverse", "fractions": "keep", "defaults": _RBP},
        remarks=(
            "It pairs the queries of the two dictionaries by position instead of by id, so their "
            "order must match",
            _SORT,
            _GRADED,
        ),
    ),
)


_TRECTOOLS_SOURCE = "https://github.com/joaopalotti/trectools/blob/master/trectools/trec_eval.py"
_TRECTOOLS_UNLIKE = "orders equal scores by descending id, unlike get_ndcg"
_TRECTOOLS_CHECKS = {
    "nDCG": equal("get_ndcg", where="tests/conventions/presets/test_golden_ml_and_production.py"),
    "DCG": ABSENT,
    "AP": different("get_map", text=_TRECTOOLS_UNLIKE, evidence="read"),
    "RR": different("get_reciprocal_rank", text=_TRECTOOLS_UNLIKE, evidence="read"),
    "P": different("get_precision", text=_TRECTOOLS_UNLIKE, evidence="read"),
    "R": different("get_recall", text=_TRECTOOLS_UNLIKE, evidence="read"),
    "Success": ABSENT,
}
_TRECTOOLS_POLICIES = {
    "ties": "doc-id-asc",
    "negative": "unjudged",
    "missing": "skip",
}
_REMARKS = (
    "Data frames are used unchanged, unlike files: runs in row order (order=given) and with "
    "duplicates, judgments with negative grades",
    "Queries of the run without judgments count as 0 in its mean; here they are left out",
    "With per_query=True, queries with no relevant document returned have no value",
)

_TRECTOOLS = (
    Preset(
        "trectools-0.0.50",
        field="retrieval",
        summary="ties by ascending id; only the first 1000 documents",
        evidence="run",
        source=_TRECTOOLS_SOURCE,
        checks=_TRECTOOLS_CHECKS,
        policies={**_TRECTOOLS_POLICIES, "defaults": {"nDCG": {"cutoff": 1000}}},
        remarks=_REMARKS,
    ),
    Preset(
        "trectools-0.0.50-exponential",
        field="retrieval",
        summary="trec_eval=False: the gain is 2^grade - 1",
        evidence="run",
        source=_TRECTOOLS_SOURCE,
        checks=_TRECTOOLS_CHECKS,
        policies={
            **_TRECTOOLS_POLICIES,
            "defaults": {"nDCG": {"gain": "exponential", "cutoff": 1000}},
        },
        remarks=_REMARKS,
    ),
)


DECLARED = {
    "beir": _BEIR,
    "cwl_eval": _CWL_EVAL,
    "gdeval": _GDEVAL,
    "ir_measures": _IR_MEASURES,
    "mteb": _MTEB,
    "ndeval": _NDEVAL,
    "ntcireval": _NTCIREVAL,
    "pytrec_eval": _PYTREC_EVAL,
    "ranx": _RANX,
    "trectools": _TRECTOOLS,
}
