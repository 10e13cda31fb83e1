"""trec_eval, the reference implementation of TREC evaluations."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset
from gainful.measures.catalogue import SINCE_10
from gainful.measures.index import TREC_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Both truncate grades to integers and treat negative grades as unjudged.
_GRADES = {"negative": "unjudged", "fractions": "truncate"}


def families(names: Iterable[str]) -> tuple[str, ...]:
    """Return the measure families that trec_eval names mean, without duplicates.

    Examples
    --------
    >>> families(["map", "map_cut", "P"])
    ('AP', 'P')
    """
    return tuple(dict.fromkeys(TREC_NAMES[name] for name in names))


# Tied documents are in descending order of id, except for preference measures.
_PREFS = {"Prefs": {"ties": "doc-id-asc"}}

_GOLDEN = "tests/conventions/presets/test_golden_trec_family.py"
CHECKS = {
    "nDCG": equal("ndcg", "ndcg_cut", where=_GOLDEN),
    "DCG": ABSENT,
    "AP": equal("map", "map_cut", where=_GOLDEN),
    "RR": equal("recip_rank", text="without a cutoff, as it has none", where=_GOLDEN),
    "P": equal("P", where=_GOLDEN),
    "R": equal("recall", where=_GOLDEN),
    "Success": equal("success", where=_GOLDEN),
}

_TREC_EVAL = (
    Preset(
        "trec_eval-9.0.8",
        field="retrieval",
        summary="32-bit scores; queries missing from the run are left out",
        evidence="run",
        source="https://github.com/usnistgov/trec_eval",
        checks=CHECKS,
        others=families(name for name in TREC_NAMES if name not in SINCE_10),
        policies={**_GRADES, "precision": "float32", "missing": "skip", "defaults": {**_PREFS}},
    ),
    Preset(
        "trec_eval-10.0-rc3",
        field="retrieval",
        summary="64-bit scores; a query missing from the run is an error",
        evidence="run",
        source="https://github.com/usnistgov/trec_eval",
        checks={**CHECKS, "DCG": equal("dcg", where=_GOLDEN)},
        others=families(TREC_NAMES),
        policies={
            **_GRADES,
            "missing": "error",
            "defaults": {
                **_PREFS,
                "IPrec": {"rounding": "nearest"},
                "RBP": {"p": 0.9, "max_grade": "judged"},
                "RBPResidual": {"tail": "unjudged"},
            },
        },
    ),
)

DECLARED = {"trec_eval": _TREC_EVAL}
