"""cwl_eval, the C/W/L framework, with a DCG scaled by its own discounts."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
from gainful.conventions.presets import Preset

_MODEL = "is the expected utility of a user model, here CWL(model=...)"

DECLARED = (
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
