"""Judgments and runs are equal for every kind of object."""

from __future__ import annotations

import pytest

import gainful
from data_kinds import KINDS, QRELS, RUN, make, nested
from evaluation_words import sorted_rows
from gainful.data.coercion import as_qrels, as_run, run_input
from gainful.data.read_options import ReadOptions


@pytest.mark.parametrize("kind", KINDS)
def test_judgments(kind: str) -> None:
    qrels = gainful.Qrels(make(kind, QRELS, "grade"))
    assert qrels.to_dict() == nested(QRELS, "grade")
    assert list(qrels) == ["q1", "q2", "q3"]
    assert all(type(grade) is int for grade in qrels["q1"].values())


@pytest.mark.parametrize("kind", KINDS)
def test_runs(kind: str) -> None:
    run = gainful.Run(make(kind, RUN, "score"))
    assert run.to_dict() == nested(RUN, "score")
    assert run.scored


@pytest.mark.parametrize("kind", KINDS)
def test_numbers(kind: str) -> None:
    expected = gainful.evaluate(nested(QRELS, "grade"), nested(RUN, "score"), ["nDCG@10", "AP"])
    assert expected.per_query("nDCG@10")["q2"] == pytest.approx(0.6309297535714575)
    found = gainful.evaluate(
        make(kind, QRELS, "grade"), make(kind, RUN, "score"), ["nDCG@10", "AP"]
    )
    assert sorted_rows(found) == sorted_rows(expected)


@pytest.mark.parametrize("grades", [[0.5, 1.25], [-1, 2], [True, False]])
def test_grades_of_every_sort(grades: list[float]) -> None:
    rows = [("q", str(number), grade) for number, grade in enumerate(grades)]
    assert gainful.Qrels(rows).to_dict() == {"q": {"0": grades[0], "1": grades[1]}}


def test_qrels_and_runs_are_returned_unchanged() -> None:
    qrels, run = gainful.Qrels(QRELS), gainful.Run(RUN)
    assert as_qrels(qrels) is qrels
    assert as_run(run) is run
    assert run_input(run) is run._rows


def test_trec_text_is_read_by_the_kernel() -> None:
    assert run_input("run.txt", ReadOptions(format="trec")) == ["run.txt"]
