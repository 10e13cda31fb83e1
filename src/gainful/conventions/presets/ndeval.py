"""ndeval, the program of TREC's diversity tasks."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON
from gainful.conventions.presets import Preset

DECLARED = (
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
