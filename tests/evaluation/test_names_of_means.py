"""Means by trec_eval's names of measures."""

from __future__ import annotations

import re

import pytest

import gainful
from gainful.errors import ParameterError
from gainful.measures import parse_measure, parse_measures
from gainful.measures.index import FAMILIES, TREC_NAMES
from gainful.measures.portable_names import name_in_trec_eval

QRELS, RUN = {"q": {"a": 1}}, {"q": ["b", "a"]}


@pytest.mark.parametrize("name", TREC_NAMES)
def test_names_of_trec_eval_are_found_again(name: str) -> None:
    for measure in parse_measures(name):
        found = name_in_trec_eval(measure)
        assert re.fullmatch(r"[\w.-]+", found)
        assert parse_measures(found) == [measure]


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("nDCG@10", "ndcg_cut_10"),
        ("nDCG", "ndcg"),
        ("AP", "map"),
        ("AP@100", "map_cut_100"),
        ("R@100", "recall_100"),
        ("RBP(p=0.9)", "rbp"),
        ("RBP(p=0.5)", "rbp_0.5"),
        ("nDCG(gain='exponential')@10", "nDCG_gain_exponential_10"),
        ("RBP(p=0.5, rel=2)", "RBP_p_0.5_rel_2"),
        ("IPrec@0.1", "iprec_at_recall_0.1"),
    ],
)
def test_names(measure: str, name: str) -> None:
    assert name_in_trec_eval(parse_measure(measure)) == name


@pytest.mark.parametrize("family", FAMILIES)
def test_every_measure_has_a_name_that_trackers_accept(family: str) -> None:
    example = gainful.measures.describe(family).example
    assert re.fullmatch(r"[\w.-]+", name_in_trec_eval(parse_measure(example)))


def test_means_of_one_system_and_of_several() -> None:
    result = gainful.evaluate(QRELS, RUN, ["RR", "ERR@20"])
    assert list(result.means(names="trec")) == ["recip_rank", "ERR_20"]
    assert list(result.means().values()) == list(result.means(names="trec").values())
    result = gainful.evaluate(QRELS, runs={"a": RUN, "b": RUN}, measures="RR")
    assert list(result.means(names="trec")) == [("a", "recip_rank"), ("b", "recip_rank")]


def test_other_names_and_names_that_are_the_same() -> None:
    result = gainful.evaluate(QRELS, RUN, "RR")
    with pytest.raises(ParameterError, match="names: found 'mlflow', expected gainful or trec"):
        result.means(names="mlflow")
