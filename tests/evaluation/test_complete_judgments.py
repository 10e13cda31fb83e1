"""Judgments that are declared complete: numbers as with unjudged=zero, without judged shares."""

import pytest

import gainful
from gainful.errors import ConventionError

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": ["x", "a", "y"], "q2": ["c", "z"]}
COMPLETE = gainful.conventions.get("gainful-1").replace(unjudged="irrelevant")


def test_numbers_are_those_of_zero():
    measures = ["nDCG@10", "AP", "R@2", "ERR@10", "nDCG(gain='exponential')@2"]
    plain = gainful.evaluate(QRELS, RUN, measures)
    complete = gainful.evaluate(QRELS, RUN, measures, convention=COMPLETE)
    for measure in measures:
        assert complete.per_query(measure) == plain.per_query(measure)
        assert complete.summary(measure).interval == plain.summary(measure).interval


def test_nothing_says_how_many_are_judged():
    result = gainful.evaluate(QRELS, RUN, ["nDCG@10", "R@2"], convention=COMPLETE)
    assert "judged:" not in str(result)
    assert "judged" not in str(result).splitlines()[0]
    assert result.summary("nDCG@10").judged is None
    assert set(result.counts()["judged_at_cutoff"].values()) == {None}


def test_wrong_ids_are_still_named():
    result = gainful.evaluate(QRELS, {"q1": ["A"], "q2": ["B"]}, "nDCG@10", convention=COMPLETE)
    assert result.unjudged_systems
    assert "no document of the run is judged" in str(result)


def test_missing_labels_are_refused():
    with pytest.raises(ConventionError, match="declares that the judgments are complete"):
        gainful.evaluate(QRELS, RUN, "nDCG@10", convention=COMPLETE, bounds=True)
    with pytest.raises(ConventionError, match="declares that the judgments are complete"):
        gainful.find_unjudged(QRELS, {"run": RUN}, "nDCG@10", convention=COMPLETE)
