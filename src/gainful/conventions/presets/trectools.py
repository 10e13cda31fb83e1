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
        measures=("nDCG",),
        policies={**_POLICIES, "defaults": {"nDCG": {"cutoff": 1000}}},
        remarks=_REMARKS,
    ),
    Preset(
        "trectools-0.0.50-exponential",
        field="retrieval",
        summary="trec_eval=False: the gain is 2^grade - 1",
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
