"""The order in which documents of one query are judged, by strategy."""

from __future__ import annotations

import random

import pytest

from gainful.pooling.result import ADAPTIVE, ORDERS, by_depth, by_max_mean, by_rank_fusion


def random_rankings(rng: random.Random) -> list[list[str]]:
    documents = [f"d{n}" for n in range(12)]
    return [rng.sample(documents, rng.randint(0, 8)) for _ in range(rng.randint(1, 4))]


@pytest.mark.parametrize("strategy", ORDERS)
def test_every_document_appears_once(strategy: str) -> None:
    rng = random.Random(3)
    for _ in range(200):
        rankings = random_rankings(rng)
        pooled = {document for ranking in rankings for document in ranking}
        grades = {document: rng.choice((0, 1)) for document in pooled if rng.random() < 0.5}
        ordered = list(ORDERS[strategy](rankings, grades))
        assert sorted(ordered) == sorted(pooled)


def test_a_prefix_of_the_depth_order_is_the_union_of_first_documents() -> None:
    rng = random.Random(5)
    for _ in range(200):
        rankings = random_rankings(rng)
        ordered = list(by_depth(rankings, {}))
        for depth in range(9):
            union = {document for ranking in rankings for document in ranking[:depth]}
            assert set(ordered[: len(union)]) == union


def test_rank_fusion_sorts_by_reciprocal_ranks() -> None:
    rankings = [["a", "b", "c"], ["b", "d"], ["d", "b", "e"]]
    sums = {
        document: sum(1 / (61 + own.index(document)) for own in rankings if document in own)
        for document in "abcde"
    }
    ordered = list(by_rank_fusion(rankings, {}))
    assert [sums[each] for each in ordered] == sorted(sums.values(), reverse=True)


@pytest.mark.parametrize("strategy", sorted(ADAPTIVE - {"mtc"}))
def test_a_call_with_more_judgments_continues_the_order(strategy: str) -> None:
    """Judging one document per call gives the order of a single call with all grades."""
    rng = random.Random(7)
    for _ in range(100):
        rankings = random_rankings(rng)
        truth = {each: rng.choice((0, 0, 1, 2)) for ranking in rankings for each in ranking}
        judged: dict[str, int] = {}
        for _ in truth:
            order = ORDERS[strategy](rankings, judged)
            document = next(each for each in order if each not in judged)
            judged[document] = truth[document]
        assert list(judged) == list(ORDERS[strategy](rankings, truth))


def test_move_to_front_stays_with_a_system_that_finds_relevant_documents() -> None:
    rankings = [["a1", "a2", "a3"], ["b1", "b2", "b3"], ["c1"]]
    relevant = dict.fromkeys(("a1", "a2", "a3", "b1", "b2", "b3", "c1"), 0) | {"b1": 1, "b2": 2}
    ordered = list(ORDERS["mtf"](rankings, relevant))
    assert ordered == ["a1", "b1", "b2", "b3", "c1", "a2", "a3"]


def test_max_mean_counts_a_document_for_all_systems_that_retrieved_it() -> None:
    # After the shared document, the first and third system have 2 of 3; then a2 lowers the first.
    rankings = [["x", "a2", "a3"], ["b1", "b2"], ["c1", "x", "c3"]]
    grades = {"x": 1, "a2": 0, "b1": 0, "b2": 0, "c1": 1, "c3": 0, "a3": 0}
    assert list(by_max_mean(rankings, grades))[:4] == ["x", "a2", "c1", "c3"]
