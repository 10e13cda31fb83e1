"""Quepid's scorers, which run in the browser."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_POLICIES = {
    "ties": "given",
    "negative": "signed",
    "duplicates": "count",
}
_REMARKS = (
    "A query whose score is below 0 counts as 0 in the score of the case, and one without results "
    "can be left out of it",
    "It divides by an ideal below 0, too; here such a query has nothing relevant",
    "A document returned twice counts twice",
)

DECLARED = (
    Preset(
        "quepid-8.6",
        field="search engines and RAG",
        summary="nDCG@10: the ideal is all rated documents, never cut; ten perfect ones can lose",
        evidence="re-expressed",
        source="https://github.com/o19s/quepid/blob/main/db/scorers/ndcg%4010.js",
        measures=("nDCG",),
        policies={
            **_POLICIES,
            "defaults": {"nDCG": {"gain": "exponential", "ideal": "judged-uncut", "cutoff": 10}},
        },
        remarks=_REMARKS,
    ),
    Preset(
        "quepid-8.6-cut",
        field="search engines and RAG",
        summary="nDCG_cut@10: the ideal is the ten best rated documents; nDCG@10 before 8.1",
        evidence="re-expressed",
        source="https://github.com/o19s/quepid/blob/main/db/scorers/ndcg_cut%4010.js",
        measures=("nDCG",),
        policies={**_POLICIES, "defaults": {"nDCG": {"gain": "exponential", "cutoff": 10}}},
        remarks=_REMARKS,
    ),
)
