"""FullRecall: whether everything that is needed was found."""

from __future__ import annotations

from gainful.measures.family import Family
from gainful.measures.parameters import JUDGED_ONLY, REL, Parameter, number_between

OVERLAP = Parameter(
    "overlap",
    number_between(0, 1, low_open=True),
    legal="a number above 0, up to 1",
    meaning=(
        "with spans, the share of a relevant span that the top k must cover to find it; by "
        "default any part of it"
    ),
)

FAMILIES = (
    Family(
        "FullRecall",
        kernel="full_recall",
        summary="Full recall: whether the top k has everything that is needed",
        formula=(
            "1 if the top k has a relevant document of every group with one, else 0; without "
            "groups, if it has every relevant document"
        ),
        source="D. Wu, H. Wang, W. Yu, Y. Zhang, K. Chang, D. Yu: LongMemEval. ICLR 2025, where it "
        "is recall_all",
        example="FullRecall(overlap=0.5)@5",
        group="precision-recall",
        aliases=("recallall", "rall"),
        parameters=(REL, OVERLAP, JUDGED_ONLY),
        judgments="alternatives",
    ),
)
