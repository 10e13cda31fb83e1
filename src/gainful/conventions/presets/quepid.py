"""Quepid's scorers, which run in the browser."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

_READ = {"evidence": "read", "where": "https://github.com/o19s/quepid/tree/main/db/scorers"}
_POLICIES = {
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

DECLARED = (
    Preset(
        "quepid-8.6",
        field="search engines and RAG",
        summary="nDCG@10: the ideal is not cut, so ten perfect documents can score below 1",
        evidence="re-expressed",
        source="https://github.com/o19s/quepid/blob/main/db/scorers/ndcg%4010.js",
        checks=_CHECKS,
        policies={
            **_POLICIES,
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
            **_POLICIES,
            "defaults": {**_DEFAULTS, "nDCG": {"gain": "exponential", "cutoff": 10}},
        },
        remarks=_REMARKS,
    ),
)
