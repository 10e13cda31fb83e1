"""scikit-learn's ndcg_score."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_SOURCE = "https://scikit-learn.org/1.9/modules/generated/sklearn.metrics.ndcg_score.html"

# A row of its matrix has a score for every document, so documents missing from the run need one:
# here the lowest, shared by all. A query without a row is ignored.
_MATRIX = {
    "unretrieved": "last",
    "negative": "error",
    "single": "error",
    "missing": "skip",
    "defaults": {"nDCG": {"ideal": "list"}},
}

_MEASURES = ("nDCG", "DCG")
_NAMES = {"ndcg_score": "nDCG", "dcg_score": "DCG"}

DECLARED = (
    Preset(
        "scikit-learn-1.9.1",
        field="learning to rank",
        also=("sklearn",),
        summary="the mean over all orders of tied documents, of a matrix with all documents in it",
        evidence="run",
        source=_SOURCE,
        measures=_MEASURES,
        names=_NAMES,
        policies={**_MATRIX, "ties": "expected"},
        remarks=(
            "A document that the run did not return stands, tied with the others of its kind, "
            "after all that it did; in the matrix that scikit-learn takes it needs a score, and 0 "
            "is that place only where all scores are positive",
        ),
    ),
    Preset(
        "scikit-learn-1.9.1-returned",
        field="learning to rank",
        also=("sklearn",),
        summary="the same of what was returned alone: the ideal forgives what was not found",
        evidence="run",
        source=_SOURCE,
        measures=_MEASURES,
        names=_NAMES,
        policies={**_MATRIX, "ties": "expected", "unretrieved": "absent"},
        remarks=("What ndcg_score says of a search result that is handed over by itself",),
    ),
    Preset(
        "scikit-learn-1.9.1-ignore_ties",
        field="learning to rank",
        also=("sklearn",),
        summary="ties as an unstable sort leaves them, here the last one first",
        evidence="run",
        source=_SOURCE,
        measures=_MEASURES,
        names=_NAMES,
        policies={**_MATRIX, "ties": "reverse"},
        remarks=(
            "The order within ties is that of NumPy's unstable sort, reversed: on some processors, "
            "and from some 16 documents on everywhere, it is another than the last listed first",
        ),
    ),
)
