"""LongMemEval's evaluate_retrieval."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, COMMON, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "longmemeval-2025",
        field="search engines and RAG",
        summary="nDCG without a discount at rank 2; recall of any and of all sessions",
        evidence="run",
        source="https://github.com/xiaowu0162/LongMemEval/blob/"
        "6a92d1ab7a7f8815525e43048f752f59e1d711a9/src/retrieval/eval_utils.py",
        checks={
            **dict.fromkeys(COMMON, ABSENT),
            "nDCG": equal("ndcg_any"),
            "Success": equal("recall_any"),
            "FullRecall": equal("recall_all"),
        },
        usual=("Success@10", "FullRecall@10", "nDCG@10"),
        policies={
            "ties": "given",
            "no_relevant": "skip",
            "missing": "error",
            "defaults": {
                "nDCG": {"gain": "binary", "discount": "jarvelin-kekalainen", "base": 2},
                **dict.fromkeys(("Success", "FullRecall"), ABOVE_ZERO),
            },
        },
        remarks=(
            "It takes the sessions with the answer without grades; here those with a grade above 0",
            "It leaves questions about what was never said out of its means; for a question "
            "without sessions its functions give recall_any 0 and recall_all 1",
            "When turns are evaluated by their sessions, each turn of a relevant session is in the "
            "ideal, and the cutoff grows until it has k sessions: no convention does that",
            "It calls numpy.asfarray, which NumPy 2 no longer has",
        ),
    ),
)
