"""gdeval, the program for graded judgments of the TREC Web Tracks."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

#: Grades are integers up to 4; those above 0 are kept. Duplicate documents are not detected, in
#: runs or in judgments.
GRADES = {"fractions": "error", "largest_grade": 4, "duplicates": "count"}

DECLARED = (
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
