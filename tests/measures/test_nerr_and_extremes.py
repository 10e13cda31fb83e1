"""nERR, min-max nDCG, condensed nDCG and Accuracy: computed by hand, and by brute force."""

from __future__ import annotations

import itertools
import math
import random

import pytest

import gainful
from gainful.measures import ERR, Accuracy, Measure, MinMaxNDCG, nDCG, nERR, parse_measure
from requirements import need

LOG3 = math.log2(3)


def value(
    grades: dict[str, float], ranking: list[str], measure: Measure, **policies: object
) -> float:
    convention = gainful.conventions["gainful-1"].replace(**policies)
    return gainful.evaluate({"q": grades}, {"q": ranking}, measure, convention=convention).mean()


class TestNERR:
    def test_by_hand(self) -> None:
        # A grade of 2 of 2 satisfies with 3/4, a grade of 1 with 1/4.
        grades = {"a": 2, "b": 1}
        own = 1 / 4 + 1 / 2 * 3 / 4 * 3 / 4
        best = 3 / 4 + 1 / 2 * 1 / 4 * 1 / 4
        assert value(grades, ["b", "a"], nERR(max_grade=2)) == pytest.approx(own / best)
        assert value(grades, ["b", "a"], nERR(max_grade=2) @ 1) == pytest.approx(1 / 3)
        assert value(grades, ["a", "b"], nERR) == 1.0

    def test_nothing_relevant(self) -> None:
        assert value({"a": 0, "b": -1}, ["a"], nERR) == 0.0
        assert value({"a": 0}, ["a"], nERR, no_relevant=1) == 1.0

    def test_is_at_most_1_for_every_ranking(self) -> None:
        grades = {"a": 3, "b": 1, "c": 2, "d": 0}
        values = [value(grades, list(o), nERR @ 3) for o in itertools.permutations([*grades, "x"])]
        assert max(values) == 1.0
        assert min(values) > 0

    def test_err_divided(self) -> None:
        grades, ranking = {"a": 3, "b": 1, "c": 2}, ["b", "x", "c"]
        own, best = value(grades, ranking, ERR @ 5), value(grades, ["a", "c", "b"], ERR @ 5)
        assert value(grades, ranking, nERR @ 5) == own / best


class TestMinMaxNDCG:
    def test_by_hand(self) -> None:
        grades = {"a": 2, "b": -1, "c": -2, "d": 1}
        best, worst = 2 + 1 / LOG3, -2 - 1 / LOG3
        dcg = -1 + 2 / LOG3
        assert value(grades, ["b", "a"], MinMaxNDCG) == pytest.approx(
            (dcg - worst) / (best - worst)
        )
        assert value(grades, ["b", "a"], MinMaxNDCG @ 1) == pytest.approx((-1 + 2) / 4)

    def test_the_extremes(self) -> None:
        """No ranking of judged and other documents is below 0 or above 1, and some are at both."""
        grades = {"a": 2, "b": -1, "c": -2, "d": 1, "e": 0}
        documents = [*grades, "x", "y"]
        for cutoff in (1, 3, None):
            measure = MinMaxNDCG(cutoff=cutoff)
            run = {
                "".join(order): list(order)
                for length in (1, 2, 3, 4)
                for order in itertools.permutations(documents, length)
            }
            result = gainful.evaluate(dict.fromkeys(run, grades), run, measure)
            values = result.per_query().values()
            assert min(values) == pytest.approx(0.0, abs=1e-15)
            assert max(values) == pytest.approx(1.0)

    @pytest.mark.parametrize("negative", ["zero", "signed"])
    def test_negative_grades_are_losses_whatever_the_convention(self, negative: str) -> None:
        grades = {"a": 1, "b": -1}
        assert value(grades, ["b"], MinMaxNDCG @ 1, negative=negative) == 0.0
        assert value(grades, [], MinMaxNDCG @ 1, negative=negative) == 0.5

    def test_is_ndcg_without_negative_grades(self) -> None:
        grades = {"a": 3, "b": 1, "c": 0, "d": 2}
        for measure in ("@3", "(gain='exponential')", "(discount='reciprocal')@2"):
            one, other = (parse_measure(f"{name}{measure}") for name in ("MinMaxNDCG", "nDCG"))
            assert value(grades, ["b", "x", "a"], one) == value(grades, ["b", "x", "a"], other)

    def test_nothing_to_tell_apart(self) -> None:
        assert value({"a": 0}, ["a"], MinMaxNDCG) == 0.0
        # Losses alone do: the best is to return none of them.
        assert value({"a": -1, "b": -2}, ["x"], MinMaxNDCG) == 1.0

    def test_range(self) -> None:
        signed = gainful.conventions["gainful-1"].replace(negative="signed")
        assert MinMaxNDCG.range(signed) == (0.0, 1.0)
        assert MinMaxNDCG.range(signed.replace(unjudged=-1)) == (None, None)
        assert MinMaxNDCG(discount=(0.5, 1)).range() == (None, None)


@pytest.mark.parametrize("name", ["nDCG'@10", "ndcg′@10", "nDCG_prime@10", "condensed_ndcg@10"])
def test_condensed_ndcg_by_its_names(name: str) -> None:
    assert parse_measure(name) == nDCG(judged_only=True) @ 10


def test_a_quote_is_not_a_prime() -> None:
    with pytest.raises(gainful.errors.MeasureError, match="unknown measure"):
        parse_measure("'nDCG@10'")


class TestAccuracy:
    def test_by_hand(self) -> None:
        grades = {"a": 1, "b": 2, "c": 0}
        # Of the pairs a-x, a-c, b-x, b-c, three stand right.
        assert value(grades, ["a", "x", "b", "c"], Accuracy) == 3 / 4
        assert value(grades, ["a", "x", "b", "c"], Accuracy @ 3) == 1 / 2
        assert value(grades, ["a", "x", "b", "c"], Accuracy(rel=2)) == 1 - 2 / 3
        assert value(grades, ["a", "x", "b", "c"], Accuracy(judged_only=True)) == 1.0

    def test_one_kind_alone(self) -> None:
        assert value({"a": 1}, ["a"], Accuracy) == 1.0
        assert value({"a": 1}, ["x", "a"], Accuracy @ 1) == 0.0
        assert math.isnan(value({"a": 1}, ["x", "a"], Accuracy @ 1, no_relevant="skip"))

    def test_the_provider_of_ir_measures(self) -> None:
        ir_measures = need("ir_measures")
        texts = ["Accuracy", "Accuracy@5", "Accuracy(rel=2)@20"]
        theirs = {ir_measures.parse_measure(text): text for text in texts}
        skip = gainful.conventions["gainful-1"].replace(no_relevant="skip")
        rng = random.Random(6)
        for _ in range(30):
            documents = [f"d{number}" for number in range(30)]
            judged = rng.sample(documents, 20)
            qrels = {"q": {each: rng.choice([0, 0, 1, 2]) for each in judged}}
            chosen = rng.sample(documents, 25)
            scores = rng.sample(range(1, 1000), len(chosen))
            run = {"q": dict(zip(chosen, map(float, scores), strict=True))}
            result = gainful.evaluate(qrels, run, texts, convention=skip)
            found = {
                theirs[metric.measure]: metric.value
                for metric in ir_measures.accuracy.iter_calc(list(theirs), qrels, run)
            }
            for text in texts:
                mean = result.mean(text)
                assert mean == found[text] if text in found else math.isnan(mean)
