"""trectools, TREC evaluation with data frames."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/joaopalotti/trectools/blob/master/trectools/trec_eval.py"
_UNLIKE = "orders equal scores by descending id, unlike get_ndcg"
_CHECKS = {
    "nDCG": equal("get_ndcg", where="tests/conventions/presets/test_golden_ml_and_production.py"),
    "DCG": ABSENT,
    "AP": different("get_map", text=_UNLIKE, evidence="read"),
    "RR": different("get_reciprocal_rank", text=_UNLIKE, evidence="read"),
    "P": different("get_precision", text=_UNLIKE, evidence="read"),
    "R": different("get_recall", text=_UNLIKE, evidence="read"),
    "Success": ABSENT,
}
_POLICIES = {
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

DECLARED = (
    Preset(
        "trectools-0.0.50",
        field="retrieval",
        summary="ties by ascending id; only the first 1000 documents",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        policies={**_POLICIES, "defaults": {"nDCG": {"cutoff": 1000}}},
        remarks=_REMARKS,
    ),
    Preset(
        "trectools-0.0.50-exponential",
        field="retrieval",
        summary="trec_eval=False: the gain is 2^grade - 1",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        policies={
            **_POLICIES,
            "defaults": {"nDCG": {"gain": "exponential", "cutoff": 1000}},
        },
        remarks=_REMARKS,
    ),
)
