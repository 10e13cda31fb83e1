"""scikit-learn's ndcg_score."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, different, equal
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

_CHECKS = {
    "nDCG": equal("ndcg_score"),
    "DCG": equal("dcg_score"),
    "AP": different(
        "label_ranking_average_precision_score",
        text="gives equal scores the last rank of their group, and 1 to a query with no "
        "relevant documents",
    ),
    "RR": ABSENT,
    "P": ABSENT,
    "R": ABSENT,
    "Success": ABSENT,
}

DECLARED = (
    Preset(
        "scikit-learn-1.9.1",
        field="learning to rank",
        also=("sklearn",),
        summary="mean over all orders of ties, on a matrix of all judged and returned documents",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        policies={**_MATRIX, "ties": "expected"},
        remarks=(
            "Documents that the run did not return are tied after all others; in scikit-learn's "
            "matrix they need a score below all others, and 0 is one only if all scores are "
            "positive",
        ),
    ),
    Preset(
        "scikit-learn-1.9.1-returned",
        field="learning to rank",
        also=("sklearn",),
        summary="the returned documents only: missing relevant documents cost nothing",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        policies={**_MATRIX, "ties": "expected", "unretrieved": "absent"},
        remarks=("The value of ndcg_score for a search result without the missing documents",),
    ),
    Preset(
        "scikit-learn-1.9.1-ignore_ties",
        field="learning to rank",
        also=("sklearn",),
        summary="ignore_ties=True: ties in the reverse order of the run",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        policies={**_MATRIX, "ties": "reverse"},
        remarks=(
            "NumPy's unstable sort, reversed, orders ties: on some processors, and everywhere "
            "from about 16 documents, the order differs from the reverse order of the run",
        ),
    ),
)
