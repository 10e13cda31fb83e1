"""Defects of ir_measures 0.4.3 with its own providers, and the behavior of Gainful.

Each was found by running it. If its wrong value is reproducible, the test checks that, too.
"""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gainful.compat import ir_measures as compat
from gainful.errors import DuplicateError, GradeError, MeasureError
from requirements import need

ir_measures = need("ir_measures")
Qrel, ScoredDoc, P = ir_measures.Qrel, ir_measures.ScoredDoc, ir_measures.P
nDCG = ir_measures.nDCG  # noqa: N816

# Unjudged first, the best document last.
QRELS = {"q": {"a": 2, "c": 1, "z": 3}}
RUN = {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "c": 1.0}}


def calculated(measures: Sequence[Any], qrels: Any = None, run: Any = None) -> list[float]:
    """Return the means of ir_measures.calc_aggregate while Gainful is registered."""
    with compat.register():
        found = ir_measures.calc_aggregate(
            measures, QRELS if qrels is None else qrels, RUN if run is None else run
        )
    return [found[measure] for measure in measures]


MIXED = [
    nDCG(gains={1: 5, 2: 0}) @ 3,
    nDCG @ 3,
    nDCG(judged_only=True) @ 3,
    nDCG,
    P(rel=2) @ 2,
    ir_measures.NumRet,
    ir_measures.NumRet(rel=2),
    ir_measures.SetF(beta=2.0),
    ir_measures.SetF,
    ir_measures.RR @ 2,
]


class TestNoMeasureChangesAnother:
    """ir_measures adds measures without parameters to the first invocation of a set."""

    alone = tuple(calculated([measure])[0] for measure in MIXED)

    @pytest.mark.parametrize("pair", list(itertools.permutations(range(len(MIXED)), 2)))
    def test_pairs(self, pair: tuple[int, int]) -> None:
        assert calculated([MIXED[i] for i in pair]) == [self.alone[i] for i in pair]

    def test_all_of_them_in_two_orders(self) -> None:
        assert calculated(MIXED) == list(self.alone)
        assert calculated(MIXED[::-1]) == list(self.alone[::-1])
        assert self.alone[0] != self.alone[1] != self.alone[2]

    def test_the_hash_seed_does_not_matter(self) -> None:
        script = (
            "import ir_measures; from ir_measures import *\n"
            "from gainful.compat.ir_measures import register; register()\n"
            f"qrels, run = {QRELS!r}, {RUN!r}\n"
            "measures = {nDCG(gains={1: 5, 2: 0}) @ 3, nDCG @ 3, NumRet, P(rel=2) @ 1}\n"
            "print(ir_measures.calc(measures, qrels, run))"
        )
        message = {
            subprocess.run(
                [sys.executable, "-c", script],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("0", "1", "2", "3")
        }
        assert len(message) == 1
        assert "nDCG@3" in message.pop()


def test_equal_scores_have_one_order_whatever_the_measure() -> None:
    """RR was 0.5 and RR@10 was 1.0: the providers break ties in opposite directions."""
    first = [
        *("P@1", "nDCG@1", "Judged@1", "Success@1", "AP@1", "ERR@1", "SDCG(max_rel=1)@1"),
        *("BPM(max_rel=1)@1", "NERR8(max_rel=1)@1", "Accuracy@1", "alpha_nDCG@1", "StRecall@1"),
    ]
    names = ["RR", "RR@10", "Compat(p=0.5, normalize=False)", *first]
    measures = [eval(name, vars(ir_measures)) for name in names]
    judged, tied = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    found = dict(zip(names, calculated(measures, judged, tied), strict=True))
    # Accuracy has no value for a query without relevant documents in the run.
    assert math.isnan(found.pop("Accuracy@1"))
    assert found == {"RR": 0.5, "RR@10": 0.5, names[2]: 1 / 6} | dict.fromkeys(
        (name for name in first if name != "Accuracy@1"), 0
    )
    assert ir_measures.calc_aggregate([measures[1]], judged, tied)[measures[1]] == 1.0


def test_a_provider_returns_only_the_requested_measure() -> None:
    """ir_measures labels the value with linear gain as that with exponential gain."""
    exponential = nDCG(dcg="exp-log2") @ 3
    assert compat.provider.calc_aggregate([exponential], QRELS, RUN)[exponential] == pytest.approx(
        0.20151514190050243
    )
    wrong = ir_measures.pytrec_eval.calc_aggregate([exponential], QRELS, RUN)[exponential]
    assert wrong == pytest.approx(0.26499301486112564)


class TestExponentialGainAndERR:
    """gdeval accepts integer grades up to 4 and numeric queries, and prints five digits."""

    measures = (nDCG(dcg="exp-log2") @ 2, ir_measures.ERR @ 2)

    def test_queries_with_any_name(self) -> None:
        found = calculated(self.measures, {"wt-1": {"a": 1}}, {"wt-1": {"b": 2.0, "a": 1.0}})
        assert found == pytest.approx([0.6309297535714574, 1 / 32])

    def test_grades_above_4_have_exponential_gain(self) -> None:
        judged, run = {"1": {"a": 30, "b": 1}}, {"1": {"b": 2.0, "a": 1.0}}
        assert calculated(self.measures[:1], judged, run) == pytest.approx([0.6309297535714574])

    def test_a_grade_above_the_scale_is_an_error(self) -> None:
        """ERR has grades up to 4; a grade of 5 would have a probability above 1."""
        with pytest.raises(GradeError, match="grade 5"):
            calculated(self.measures[1:], {"1": {"a": 5}}, {"1": {"a": 1.0}})

    def test_all_digits(self) -> None:
        (value,) = calculated(
            [ir_measures.ERR @ 3], {"1": {"a": 2, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}
        )
        assert value == 3 / 16 + 13 / 16 * (1 / 16) / 2


def test_relevant_documents_are_counted_without_the_run() -> None:
    """Queries missing from the run counted as without relevant documents, or not at all."""
    judged = {"q1": {"a": 1}, "q2": {"b": 1, "c": 2}}
    found = {"q1": {"a": 1.0}}
    measures = [ir_measures.NumRel, ir_measures.NumQ, ir_measures.NumRel(rel=2)]
    assert calculated(measures, judged, found) == [3, 2, 1]
    assert ir_measures.calc_aggregate(measures[:2], judged, found) == {
        measures[0]: 1, measures[1]: 1
    }  # fmt: skip


class TestDocumentsTwice:
    """The last duplicate replaced the others silently, in judgments and in runs."""

    def test_in_the_run(self) -> None:
        twice = [ScoredDoc("q", "a", 2.0), ScoredDoc("q", "b", 1.0), ScoredDoc("q", "a", 0.5)]
        with pytest.raises(DuplicateError, match="'a'"):
            calculated([ir_measures.AP], QRELS, twice)

    def test_in_the_judgments(self) -> None:
        with pytest.raises(DuplicateError, match="'a'"):
            calculated([ir_measures.AP], [Qrel("q", "a", 1), Qrel("q", "a", 0)], RUN)


def test_a_scattered_query_is_one_query() -> None:
    run = [ScoredDoc("1", "a", 1.0), ScoredDoc("2", "a", 1.0), ScoredDoc("1", "b", 2.0)]
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    values = list(compat.provider.iter_calc([ir_measures.RBP(rel=1), ir_measures.RR], judged, run))
    assert [(each.query_id, each.value) for each in values[1::2]] == [("1", 0.5), ("2", 1.0)]
    assert [each.value for each in values[::2]] == pytest.approx([0.2 * 0.8, 0.2])


class TestSubtopics:
    qrels = (
        *(Qrel("q", "a", 1, "1"), Qrel("q", "a", 1, "2"), Qrel("q", "b", 1, "1")),
        *(Qrel("q", "c", 1, "3"), Qrel("q", "b", 0, "2")),
    )
    run = {"q": {"b": 4.0, "x": 3.0, "a": 2.0, "c": 1.0}}

    def test_two_alphas_in_one_call(self) -> None:
        """The second value was 0: the first measure had consumed the run's generator."""
        one, other = (ir_measures.alpha_nDCG(alpha=alpha) @ 5 for alpha in (0.2, 0.9))
        (first,), (second,) = (calculated([each], self.qrels, self.run) for each in (one, other))
        assert calculated([one, other], self.qrels, self.run) == [first, second]
        assert first != second
        assert 0 not in (first, second)

    def test_the_first_document_alone(self) -> None:
        """alpha_DCG@1 was not normalized, and was 1."""
        judged = [Qrel("q", "a", 1, "1"), Qrel("q", "b", 1, "2")]
        assert calculated([ir_measures.alpha_DCG @ 1], judged, {"q": {"a": 1.0}}) == [0.5]

    def test_judged_documents_alone(self) -> None:
        """Every measure of subtopics raised a TypeError."""
        measure = ir_measures.StRecall @ 2
        alone = ir_measures.P_IA(judged_only=True) @ 2
        assert calculated([measure, alone], self.qrels, self.run) == [1 / 3, 0.5]

    def test_measures_of_one_grade_and_of_many_in_one_call(self) -> None:
        judged = [Qrel("q", "a", 1, "1"), Qrel("q", "b", 2, "2")]
        measures = [ir_measures.AP, ir_measures.StRecall @ 2, nDCG]
        for kind in (list, iter):
            together = calculated(measures, kind(judged), self.run)
            assert together == [calculated([each], judged, self.run)[0] for each in measures]

    def test_measures_of_one_grade_reject_subtopics(self) -> None:
        """nDCG used the grade of the last subtopic."""
        with pytest.raises(DuplicateError, match="'a'"):
            calculated([nDCG], self.qrels, self.run)

    @pytest.mark.parametrize("name", ["dictionary", "frame", "frame without subtopics"])
    def test_other_kinds_of_judgments(self, name: str) -> None:
        measure = ir_measures.alpha_nDCG @ 3
        rows = [("q", "a", 1), ("q", "b", 0), ("q", "c", 1)]
        plain = [Qrel(*row) for row in rows]
        qrels: Any = {"q": {document: grade for _, document, grade in rows}}
        if name != "dictionary":
            qrels = need("pandas").DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
        if name == "frame":
            qrels["iteration"] = ["1", "2", "3"]
            plain = [Qrel(*row, str(number)) for number, row in enumerate(rows, start=1)]
        assert calculated([measure], qrels, self.run) == calculated([measure], plain, self.run)


@pytest.mark.parametrize(
    "measure",
    [ir_measures.Judged @ 5, ir_measures.Judged, ir_measures.AP, ir_measures.IPrec @ 0.0],
)
def test_an_empty_ranking_scores_0(measure: Any) -> None:
    """Judged divided by zero, and IPrec was NaN."""
    assert calculated([measure], {"q": {"a": 1}, "r": {"a": 1}}, {"q": {}, "r": {"a": 1.0}}) == [
        0.5
    ]


@pytest.mark.parametrize("name", ["nDCG", "P", "AP", "R", "RR", "Success", "Judged", "ERR"])
def test_a_cutoff_of_0_is_an_error(name: str) -> None:
    """nDCG@0 crashed the interpreter."""
    for cutoff in (0, -1):
        with pytest.raises(MeasureError, match=f"{name}@{cutoff}: found cutoff {cutoff}"):
            calculated([getattr(ir_measures, name) @ cutoff])


def test_recall_levels_are_not_rounded() -> None:
    """Levels were rounded to two digits; a level of 0.14 needs two of eight documents."""
    judged = {"q": {f"d{number}": 1 for number in range(8)}}
    run = {"q": {"d0": 3.0, "x": 2.0, "d1": 1.0}}
    below, above = ir_measures.IPrec @ 0.1374, ir_measures.IPrec @ 0.1376
    assert calculated([below, above], judged, run) == [1.0, 2 / 3]
    assert ir_measures.calc_aggregate([below], judged, run)[below] == 2 / 3


def test_numbers_of_numpy_and_grades_with_fractions() -> None:
    judged = {"q": {"a": np.int64(2), "c": np.int8(1), "z": np.float64(3)}}
    run = {"q": {doc: np.float32(score) for doc, score in RUN["q"].items()}}
    assert calculated([nDCG @ 3], judged, run) == [0.26499301486112564]
    half = {"q": {"a": 0.5, "b": 0.25}}
    assert calculated([nDCG @ 1], half, {"q": {"b": 1.0, "a": 0.0}}) == [0.5]
    with pytest.raises(TypeError):
        ir_measures.calc_aggregate([nDCG @ 3], QRELS, run)


def test_ids_that_are_numbers() -> None:
    judged, run = {1: {10: 0, 9: 1}}, {1: {9: 1.0, 10: 1.0}}
    assert calculated([ir_measures.RR], judged, run) == [1.0], "as text, 9 stands above 10"
    ((query, _, _),) = compat.provider.iter_calc([ir_measures.RR], judged, run)
    assert query == "1"


def test_one_run_evaluated_twice() -> None:
    """The second call returned 0: the first had consumed the generator."""
    evaluator = compat.provider.evaluator([nDCG], iter([Qrel("q", "a", 1)]))
    assert evaluator.calc_aggregate(RUN) == evaluator.calc_aggregate(RUN) != {nDCG: 0.0}
