"""Microsoft Recommenders: ndcg_at_k of its Python evaluation."""

from __future__ import annotations

from gainful.conventions.presets import Preset

_SOURCE = (
    "https://github.com/recommenders-team/recommenders/blob/1.2.1/"
    "recommenders/evaluation/python_evaluation.py"
)
_ROWS = {"ties": "given", "duplicates": "count"}
# DEFAULT_K is 10, and the discount uses the natural logarithm.
_GAINS = {"discount": "ln", "cutoff": 10}
_REPEATED = (
    "The rows of ranking and judgments are joined: a document that stands twice in one multiplies "
    "rows, and one judged twice counts twice in the ideal"
)
_NOTHING_FOUND = "Where no user has any hit at all the mean is 0, whoever else would be left out"

DECLARED = (
    Preset(
        "recommenders-1.2.1",
        field="recommenders",
        summary="every judged document counts 1, one graded 0 too; without k it is nDCG@10",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        names={"ndcg_at_k": "nDCG"},
        policies={**_ROWS, "defaults": {"nDCG": {**_GAINS, "gain": "judged"}}},
        remarks=(
            "Grades do not count, unless score_type says raw or exp: a document graded 0 or less "
            "is as relevant as any",
            _REPEATED,
        ),
    ),
    Preset(
        "recommenders-1.2.1-raw",
        field="recommenders",
        summary="score_type='raw': the grade is the gain, users with nothing relevant vanish",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        names={"ndcg_at_k": "nDCG"},
        policies={
            **_ROWS,
            "negative": "signed",
            "no_relevant": "skip",
            "defaults": {"nDCG": _GAINS},
        },
        remarks=(_NOTHING_FOUND, _REPEATED),
    ),
    Preset(
        "recommenders-1.2.1-exp",
        field="recommenders",
        summary="score_type='exp': the gain is 2^grade - 1",
        evidence="run",
        source=_SOURCE,
        measures=("nDCG",),
        names={"ndcg_at_k": "nDCG"},
        policies={
            **_ROWS,
            "negative": "signed",
            "no_relevant": "skip",
            "defaults": {"nDCG": {**_GAINS, "gain": "exponential"}},
        },
        remarks=(_NOTHING_FOUND, _REPEATED),
    ),
)
