"""The default query of an explanation, and explanations of lists of grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from gainful.errors import GradeError, MatchError, MeasureError
from gainful.explanation import Explanation, worst_query


class TestWorstQuery:
    QRELS: ClassVar[dict[str, dict[str, int]]] = {
        "a": {"d": 1},
        "b": {"d": 3},
        "c": {"d": 1},
        "empty": {"d": 0},
    }

    def test_lowest_value_then_largest_loss(self) -> None:
        run = {name: ["x"] for name in self.QRELS} | {"c": ["d"]}
        assert worst_query(self.QRELS, run) == "b"
        assert worst_query(self.QRELS, run, "AP") == "a"
        assert worst_query(self.QRELS, run, "DCG@5") == "b"
        assert worst_query(self.QRELS, run, "CG") == "b"

    def test_highest_value_if_low_is_good(self) -> None:
        run = {"a": ["d"], "b": ["x"], "c": ["d"]}
        assert worst_query(self.QRELS, run, "Unjudged@1") == "b"

    def test_no_relevant_documents(self) -> None:
        with pytest.raises(MatchError, match="nDCG@10"):
            worst_query({"a": {"d": 0}}, {"a": ["d"]})


class TestOfGrades:
    def test_every_worked_example(self, golden: Path) -> None:
        examples = json.loads((golden / "worked_examples.json").read_text("utf-8"))
        examples = [each for each in examples if "grades_in_rank_order" in each]
        assert len(examples) >= 9
        for example in examples:
            measure = f"nDCG(gain={example['gain']!r}, discount={example['discount']!r})"
            worked = Explanation.of_grades(
                example["grades_in_rank_order"], measure, ideal=example.get("ideal_grades")
            )
            assert worked.dcg == pytest.approx(example["dcg"], abs=1e-14)
            assert worked.idcg == pytest.approx(example["idcg"], abs=1e-14)
            assert worked.value == pytest.approx(example["ndcg"], abs=1e-15)

    def test_unjudged_and_named(self) -> None:
        worked = Explanation.of_grades([2, None, 1])
        assert [each.grade for each in worked.ranks] == [2, None, 1]
        assert [each.document for each in worked.ranks] == ["d1", "d2", "d3"]

    @pytest.mark.parametrize("grade", [float("nan"), float("inf"), 2**60, "three"])
    def test_invalid_grades(self, grade: Any) -> None:
        with pytest.raises(GradeError, match="rank 2"):
            Explanation.of_grades([1, grade])

    def test_an_ideal_for_a_measure_without_one(self) -> None:
        with pytest.raises(MeasureError):
            Explanation.of_grades([1], "AP", ideal=[1])
