"""MemPalace's benchmarks."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

#: The archive of this version has the folder benchmarks.
_ARCHIVE = "https://pypi.org/project/mempalace/3.11.0/#files"

DECLARED = (
    Preset(
        "mempalace-3.11.0",
        field="search engines and RAG",
        summary="the ideal has only the top k, so relevant sessions below it cost nothing",
        evidence="run",
        source=_ARCHIVE,
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal("ndcg_any", "ndcg"),
            "Success": equal("recall_any"),
            "FullRecall": equal("recall_all", text="if every question has relevant sessions"),
        },
        usual=("Success@10", "FullRecall@10", "nDCG@10"),
        policies={
            "ties": "given",
            "missing": "error",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "list-cut"},
                **dict.fromkeys(("Success", "FullRecall"), ABOVE_ZERO),
            },
        },
        remarks=(
            "One relevant session of ten scores 1 if it is at rank 1",
            "Its headline R@5 is recall_any, not a share of the relevant sessions",
            "A question without relevant sessions has recall_all 1, here 0",
        ),
    ),
    Preset(
        "mempalace-3.11.0-locomo",
        field="search engines and RAG",
        summary="questions without evidence have recall 1",
        evidence="run",
        source=_ARCHIVE,
        checks={**dict.fromkeys(COMMON, ABSENT), "R": equal("recall")},
        usual=("R@10",),
        policies={
            "ties": "given",
            "no_relevant": 1.0,
            "missing": "error",
            "extra": "no-relevant",
            "defaults": {"R": ABOVE_ZERO},
        },
        remarks=(
            "It takes the first evidence of a text such as D8:6; D9:17 and none of D:11:26, so "
            "five questions of LoCoMo have other relevant sessions than the data say",
        ),
    ),
)
