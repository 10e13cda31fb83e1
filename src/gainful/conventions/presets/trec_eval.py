"""trec_eval, the reference implementation of TREC evaluations."""

from __future__ import annotations

from gainful.conventions.presets import Preset
from gainful.measures.index import TREC_NAMES
from gainful.measures.trec_names import SINCE_10

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

DECLARED = (
    Preset(
        "trec_eval-9.0.8",
        field="retrieval",
        summary="32-bit scores; queries missing from the run are left out",
        evidence="run",
        source="https://github.com/usnistgov/trec_eval",
        measures=families(name for name in TREC_NAMES if name not in SINCE_10),
        policies={**_GRADES, "precision": "float32", "missing": "skip", "defaults": {**_PREFS}},
    ),
    Preset(
        "trec_eval-10.0-rc3",
        field="retrieval",
        summary="64-bit scores; a query missing from the run is an error",
        evidence="run",
        source="https://github.com/usnistgov/trec_eval",
        measures=families(TREC_NAMES),
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
