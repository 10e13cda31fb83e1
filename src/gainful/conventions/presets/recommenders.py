"""Microsoft Recommenders: ndcg_at_k of its Python evaluation."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import Preset

_SOURCE = (
    "https://github.com/recommenders-team/recommenders/blob/1.2.1/"
    "recommenders/evaluation/python_evaluation.py"
)
_ROWS = {"ties": "given", "duplicates": "count"}
# DEFAULT_K is 10, and the discount uses the natural logarithm.
_GAINS = {"discount": "ln", "cutoff": 10}
_COMMON_USERS = "if every user has recommendations; it leaves the others out"
_CHECKS = {
    "nDCG": equal("ndcg_at_k"),
    "DCG": ABSENT,
    "AP": equal("map", text=_COMMON_USERS),
    "RR": ABSENT,
    "P": equal("precision_at_k", text=_COMMON_USERS),
    "R": equal("recall_at_k", text=_COMMON_USERS),
    "Success": ABSENT,
}
_NAMES = {"map_at_k": "AP(norm='capped')"}
# Every test item is relevant.
_TEST = {family: {"rel": 0, "cutoff": 10} for family in ("AP", "P", "R")}
_REPEATED = (
    "It joins the rows of ranking and judgments: duplicates in either multiply rows, and a "
    "document judged twice counts twice in the ideal"
)
_NOTHING_FOUND = "If no user has a hit, the mean is 0 and no user is left out"

DECLARED = (
    Preset(
        "recommenders-1.2.1",
        field="recommenders",
        summary="every judged item gains 1, even if graded 0; without k it computes nDCG@10",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        names=_NAMES,
        policies={**_ROWS, "defaults": {**_TEST, "nDCG": {**_GAINS, "gain": "judged"}}},
        remarks=(
            "Grades are ignored unless score_type is raw or exp, so items graded 0 or less count "
            "as relevant",
            _REPEATED,
        ),
    ),
    Preset(
        "recommenders-1.2.1-raw",
        field="recommenders",
        summary=(
            "score_type='raw': the gain is the grade; users with no relevant items are left out"
        ),
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        names=_NAMES,
        policies={
            **_ROWS,
            "negative": "signed",
            "no_relevant": "skip",
            "defaults": {**_TEST, "nDCG": _GAINS},
        },
        remarks=(_NOTHING_FOUND, _REPEATED),
    ),
    Preset(
        "recommenders-1.2.1-exp",
        field="recommenders",
        summary="score_type='exp': the gain is 2^grade - 1",
        evidence="run",
        source=_SOURCE,
        checks=_CHECKS,
        names=_NAMES,
        policies={
            **_ROWS,
            "negative": "signed",
            "no_relevant": "skip",
            "defaults": {**_TEST, "nDCG": {**_GAINS, "gain": "exponential"}},
        },
        remarks=(_NOTHING_FOUND, _REPEATED),
    ),
)
