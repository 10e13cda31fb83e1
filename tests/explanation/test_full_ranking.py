"""Sampled candidates are declared, never mixed, and explained with an estimate for all items."""

from __future__ import annotations

import random
from functools import cache

import pytest

import gainful
from gainful.conventions import get
from gainful.errors import ConventionError, MatchError
from gainful.policies import sample_of

ITEMS, SAMPLED = 400, 20


def sampled(candidates: str = f"sampled({SAMPLED} of {ITEMS})") -> gainful.Convention:
    return get("gainful-1").replace(candidates=candidates)


def test_one_relevant_item() -> None:
    run = {"u": ["a", "b", "hit", "c"]}
    explained = gainful.explain({"u": {"hit": 1}}, run, "u", "RR", convention=sampled())
    full = explained.full_ranking
    assert full is not None
    rank = 1 + (3 - 1) * (ITEMS - 1) / SAMPLED
    assert [(item.document, item.rank, item.full_rank) for item in full.ranks] == [("hit", 3, rank)]
    assert (full.documents, full.sampled, full.value) == (ITEMS, SAMPLED, 1 / int(rank))
    assert explained.value == 1 / 3
    assert "Estimate for all 400 documents: RR ≈ .0250" in str(explained)


def test_relevant_items_are_not_sampled() -> None:
    qrels = {"u": {"one": 2, "two": 1, "three": 1, "no": 0}}
    run = {"u": ["one", "x", "two", "no", "three"]}
    explained = gainful.explain(qrels, run, "u", "nDCG@50", convention=sampled())
    assert explained.full_ranking is not None
    others = (ITEMS - 3) / SAMPLED
    ranks = [item.full_rank for item in explained.full_ranking.ranks]
    assert ranks == pytest.approx([1, 2 + others, 3 + 2 * others])
    placed = {1: 2, int(ranks[1]): 1, int(ranks[2]): 1}
    grades = [placed.get(rank, 0) for rank in range(1, 51)]
    expected = gainful.ndcg(grades, k=50, ideal=[2, 1, 1])
    assert explained.full_ranking.value == pytest.approx(expected)


def test_the_estimate_of_ranks_is_unbiased() -> None:
    generator = random.Random(6)
    true, estimates = 61, []

    @cache
    def estimate(above: int) -> float:
        run = {"u": [*(f"x{place}" for place in range(above)), "hit"]}
        full = gainful.explain({"u": {"hit": 1}}, run, "u", "RR", convention=sampled()).full_ranking
        assert full is not None
        return full.ranks[0].full_rank

    for _ in range(2000):
        drawn = generator.sample(range(ITEMS - 1), SAMPLED)
        estimates.append(estimate(sum(place < true - 1 for place in drawn)))
    # The standard error is below 0.8.
    assert sum(estimates) / len(estimates) == pytest.approx(true, abs=3)


def test_without_the_number_of_items_there_is_no_estimate() -> None:
    explained = gainful.explain(
        {"u": {"hit": 1}}, {"u": ["hit"]}, "u", convention=sampled("sampled(20)")
    )
    assert explained.full_ranking is None
    text = " ".join(str(explained).split())
    assert "candidates='sampled(20 of M)' estimates that of M documents" in text
    whole = gainful.explain({"u": {"hit": 1}}, {"u": ["hit"]}, "u")
    assert whole.full_ranking is None
    assert "ampled" not in str(whole)


def test_nothing_relevant_was_retrieved() -> None:
    explained = gainful.explain({"u": {"hit": 1}}, {"u": ["a"]}, "u", convention=sampled())
    assert explained.full_ranking is not None
    assert explained.full_ranking.value == 0.0
    assert "none of the relevant ones retrieved" in str(explained)


@pytest.mark.parametrize("other", ["all", "sampled(50)", "sampled(20)", "sampled(20 of 500)"])
def test_candidates_are_not_mixed(other: str) -> None:
    qrels = {"u": {"hit": 1}, "v": {"hit": 1}}
    one = gainful.evaluate(qrels, runs={"one": {"u": ["hit"]}}, convention=sampled())
    two = gainful.evaluate(qrels, runs={"two": {"u": ["hit"]}}, convention=sampled(other))
    with pytest.raises(MatchError, match="values of sampled candidates are not comparable"):
        gainful.compare([one, two])
    snapshot = gainful.make_snapshot(qrels, {"u": ["hit"]}, convention=sampled())
    with pytest.raises(ConventionError, match=r"sampled\(20 of 400\)"):
        gainful.gate(qrels, {"u": ["hit"]}, snapshot, convention=sampled(other))


def test_the_output_names_the_candidates() -> None:
    result = gainful.evaluate({"u": {"hit": 1}}, {"u": ["hit"]}, "P@1", convention=sampled())
    assert "gainful-1 with candidates=sampled(20 of 400)" in str(result)
    assert result.to_dict()["convention"]["candidates"] == "sampled(20 of 400)"
    assert sample_of(result.convention.candidates) == (20, 400)
