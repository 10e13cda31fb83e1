"""NTCIREVAL: numbers of pyNTCIREVAL 0.0.3, which is NTCIREVAL in Python, with ``-g 1:2:3``."""

from __future__ import annotations

from typing import Any

import pytest

import gainful
from gainful.errors import GradeError

NAMES = ("ERR", "Q-measure", "O-measure", "P-plus", "AP", "RBP", "RR", "nERR@3", "nDCG@3")
NAMES += ("MSnDCG@3", "P@3", "Hit@3", "AP@3", "Q@3", "nERR@1000", "nDCG@1000", "MSnDCG@1000")
#: Grades of the ranking, ``-`` for an unjudged document; of other judged documents; the values.
CASES = [
    ("03-2", "33221111", (0.40625, 0.096667, 0.5, 0.5, 0.1, 0.076079, 0.5, 0.436364, 0.380094,
     0.296082, 0.333333, 1, 0.166667, 0.166667, 0.470959, 0.338012, 0.275990)),
    ("3120-1", "32", (0.816406, 0.529882, 1, 1, 0.611111, 0.108813, 1, 0.95122, 0.724588,
     0.785864, 1, 1, 1, 0.856061, 0.950036, 0.622147, 0.6652)),
    ("--0", "123", (0,) * 17),
    ("1", "33", (0.25, 0.166667, 0.5, 0.5, 0.333333, 0.016667, 1, 0.294479, 0.150808,
     0.185433, 0.333333, 1, 0.333333, 0.166667, 0.294479, 0.150808, 0.185433)),
    ("21-3003", "1", (0.642857, 0.566403, 0.75, 0.689103, 0.664286, 0.12879, 1, 0.658537, 0.413117,
     0.446466, 0.666667, 1, 0.666667, 0.458333, 0.74987, 0.679719, 0.73364)),
]  # fmt: skip


def query(ranking: str, others: str) -> tuple[dict[str, Any], dict[str, Any]]:
    listed = [f"r{rank}" for rank in range(len(ranking))]
    grades = {name: int(grade) for name, grade in zip(listed, ranking, strict=True) if grade != "-"}
    grades |= {f"x{number}": int(grade) for number, grade in enumerate(others)}
    return {"q": grades}, {"q": listed}


@pytest.mark.parametrize(("ranking", "others", "values"), CASES)
def test_numbers_of_the_tool(ranking: str, others: str, values: tuple[float, ...]) -> None:
    result = gainful.evaluate(*query(ranking, others), NAMES, convention="ntcireval")
    means = [result.mean(measure) for measure in result.measures]
    assert means == pytest.approx(values, abs=1e-6)


def test_precision_is_that_of_the_first_1000() -> None:
    assert gainful.evaluate(*query("03-2", ""), "P", convention="ntcireval").mean() == 0.002


def test_beta_and_gain() -> None:
    qrels, run = query("1-3", "2")
    # The ideal gains are 3, 2 and 1; with beta 0 the ratio is the precision.
    for measure, value in {
        "Q(beta=0)": (1 + 2 / 3) / 3,
        "Q(beta=2)": ((2 * 1 + 1) / (2 * 3 + 1) + (2 * 4 + 2) / (2 * 6 + 3)) / 3,
        "Q(gain={1: 1, 2: 10, 3: 100})@1": 2 / 101,
        "OMeasure(gain='binary')": 1,
        "PPlus": (2 / 4 + 6 / 9) / 2,
    }.items():
        assert gainful.evaluate(qrels, run, measure).mean() == pytest.approx(value), measure


@pytest.mark.parametrize("grade", [-1, 0.5])
def test_grades_are_levels(grade: float) -> None:
    with pytest.raises(GradeError):
        gainful.evaluate({"q": {"a": grade, "b": 1}}, {"q": ["a"]}, "Q", convention="ntcireval")


def test_a_query_without_relevant_documents_is_an_error() -> None:
    with pytest.raises(GradeError, match="no relevant documents"):
        gainful.evaluate({"q": {"a": 0}}, {"q": ["a"]}, "Q", convention="ntcireval")
