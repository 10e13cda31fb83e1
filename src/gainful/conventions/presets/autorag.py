"""AutoRAG's retrieval metrics."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, different, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

#: The test with output of the tool for judgments with groups.
GROUPS = "tests/conventions/presets/test_rag_tools.py"
OVER_GROUPS = {
    "AP": different(
        "retrieval_map",
        text="is the mean over groups, each divided by the number of its documents that were "
        "returned",
    ),
    "RR": different("retrieval_mrr", text="is the mean over groups"),
    "F": different(
        "retrieval_f1",
        text="combines the precision of documents with the recall of groups",
        where=GROUPS,
    ),
}
RECALL = equal("retrieval_recall", where=GROUPS)
READ_GROUPS = (
    "The inner lists of retrieval_gt are groups of alternatives; Qrels and read_qrels keep them "
    "with subtopics=True"
)
#: A document returned twice counts once, but each copy is in the denominator of precision.
POLICIES = {"ties": "given", "duplicates": "blank", "no_relevant": "skip", "missing": "error"}

DECLARED = (
    Preset(
        "autorag-0.3.27",
        field="search engines and RAG",
        summary="recall of groups; the ideal is cut at the number of returned documents",
        evidence="run",
        source="https://github.com/Marker-Inc-Korea/AutoRAG/blob/v0.3.27/autorag/evaluation/metric/"
        "retrieval.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            **OVER_GROUPS,
            "nDCG": equal(
                "retrieval_ndcg", text="if no document is in two groups or returned twice"
            ),
            "P": equal("retrieval_precision"),
            "StRecall": RECALL,
        },
        usual=("StRecall", "P", "nDCG"),
        policies={
            **POLICIES,
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "judged-to-depth"},
                **dict.fromkeys(("P", "StRecall"), ABOVE_ZERO),
            },
        },
        remarks=(
            READ_GROUPS,
            "Its nDCG knows no groups: the second of two alternatives gains as much as the first",
            "A document in two groups is in its ideal twice",
        ),
    ),
)
