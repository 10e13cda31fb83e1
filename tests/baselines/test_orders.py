"""Random and ideal orders: seeds, sources of documents, and optimality."""

from __future__ import annotations

from itertools import permutations

import pytest

import gainful
from gainful.baselines import oracle, random_order
from gainful.errors import ArgumentError, GainfulError, MatchError, ParameterError

CORPUS = {f"d{n}": "text" for n in range(200)}
QUERIES = {f"q{n}": "text" for n in range(50)}
GRADES = {"q1": {"a": 1, "b": 3, "c": 0, "d": -1}, "q2": {"x": 0, "y": 2}}


def test_a_seed_determines_the_order() -> None:
    first = random_order(CORPUS, QUERIES, 10)
    assert first == random_order(dict(reversed(CORPUS.items())), QUERIES, 10)
    assert first != random_order(CORPUS, QUERIES, 10, seed=1)
    assert first["q1"] != first["q2"]
    assert [len(ranked) for ranked in first.values()] == [10] * 50


def test_other_documents_do_not_matter() -> None:
    whole = random_order(CORPUS, QUERIES, 200)
    half = {f"d{n}": "text" for n in range(100)}
    for query, ranked in random_order(half, QUERIES, 100).items():
        assert ranked == [each for each in whole[query] if each[0] in half]


def test_every_document_is_equally_likely_to_be_first() -> None:
    """Test the first of ten documents over 5,000 seeds and queries with chi-squared."""
    ten = {f"d{n}": "text" for n in range(10)}
    counts = dict.fromkeys(ten, 0)
    for seed in range(100):
        for ranked in random_order(ten, QUERIES, 1, seed=seed).values():
            counts[ranked[0][0]] += 1
    statistic = sum((count - 500) ** 2 / 500 for count in counts.values())
    assert statistic < 27.9  # the 0.999 quantile for 9 degrees of freedom


def test_all_sources_of_documents_agree() -> None:
    queries = {"q1": "text"}
    of_corpus = random_order({"a": "", "b": "", "c": "", "d": ""}, queries, seed=5)
    assert random_order(judged=GRADES, queries=queries, seed=5) == of_corpus
    assert random_order(run={"q1": ["d", "c", "b", "a"]}, seed=5) == of_corpus
    assert list(random_order(judged=GRADES)) == ["q1", "q2"]


@pytest.mark.parametrize("measure", ["nDCG@2", "nDCG", "AP", "RR", "P@1", "ERR@3", "RBP"])
def test_no_order_is_better_than_the_ideal_one(measure: str) -> None:
    best = gainful.evaluate(GRADES, oracle(GRADES), measure).per_query(measure)
    for order in permutations("abcd"):
        value = gainful.evaluate(GRADES, {"q1": list(order)}, measure).per_query(measure)
        assert value["q1"] <= best["q1"] + 1e-12
    listed = ["u", "a", "v", "b"]
    reordered = oracle(GRADES, run={"q1": listed})
    best = gainful.evaluate(GRADES, reordered, measure).per_query(measure)
    for order in permutations(listed):
        value = gainful.evaluate(GRADES, {"q1": list(order)}, measure).per_query(measure)
        assert value["q1"] <= best["q1"] + 1e-12


def test_the_ideal_order_is_by_grade() -> None:
    assert oracle(GRADES).to_dict() == {
        "q1": {"b": 4.0, "a": 3.0, "c": 2.0, "d": 1.0},
        "q2": {"y": 2.0, "x": 1.0},
    }
    assert oracle(GRADES, 1).to_dict() == {"q1": {"b": 1.0}, "q2": {"y": 1.0}}


def test_the_ideal_order_of_a_run_has_its_documents() -> None:
    run = {"q1": ["d", "u", "a", "v", "b"], "q9": ["z"]}
    assert [each for each, _ in oracle(GRADES, run=run)["q1"]] == ["b", "a", "u", "v", "d"]
    assert [each for each, _ in oracle(GRADES, run=run, depth=3)["q1"]] == ["a", "u", "d"]
    assert list(oracle(GRADES, run=run)) == ["q1"]


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: random_order(), ArgumentError, "exactly one of them"),
        (lambda: random_order(CORPUS, QUERIES, judged=GRADES), ArgumentError, "one of them"),
        (lambda: random_order(CORPUS), ArgumentError, "a corpus without queries"),
        (lambda: random_order({}, QUERIES), ParameterError, "no documents"),
        (lambda: random_order(judged=GRADES, seed=1.5), ParameterError, "seed: found 1.5"),
        (lambda: random_order(judged=GRADES, k=0), ParameterError, "k: found 0"),
        (lambda: oracle(GRADES, depth=3), ParameterError, "a depth without a run"),
        (lambda: oracle(GRADES, run={"q9": ["a"]}), MatchError, "no judged query in the run"),
        (
            lambda: oracle(gainful.Qrels([("q", "1", "d", 1)], subtopics=True)),
            ArgumentError,
            "merged('max')",
        ),
    ],
)
def test_invalid_arguments_are_errors(make: object, kind: type[GainfulError], message: str) -> None:
    with pytest.raises(kind) as caught:
        make()  # type: ignore[operator]
    assert message in str(caught.value)
