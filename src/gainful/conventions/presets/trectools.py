"""trectools, TREC evaluation with data frames."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_SOURCE = "https://github.com/joaopalotti/trectools/blob/master/trectools/trec_eval.py"
_POLICIES = {
    "ties": "doc-id-asc",
    "negative": "unjudged",
    "missing": "skip",
}
_REMARKS = (
    "A data frame is taken as it is, unlike a file: a run in the order of its rows (order=given), "
    "with documents that stand twice, and judgments with negative grades",
    "Queries of the run without judgments count as 0 in its mean; here they are left out",
    "For each query (per_query=True), one of which nothing relevant was returned has no value",
)

DECLARED = (
    Preset(
        "trectools-0.0.50",
        field="retrieval",
        summary="equal scores in ascending order of ids, and the first thousand documents",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        policies={**_POLICIES, "defaults": {"nDCG": {"cutoff": 1000}}},
        remarks=_REMARKS,
    ),
    Preset(
        "trectools-0.0.50-exponential",
        field="retrieval",
        summary="the same with gains of 2^grade - 1, under trec_eval=False",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        policies={
            **_POLICIES,
            "defaults": {"nDCG": {"gain": "exponential", "cutoff": 1000}},
        },
        remarks=_REMARKS,
    ),
)
