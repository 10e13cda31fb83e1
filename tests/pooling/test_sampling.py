"""Stratified samples: inclusion probabilities, strata and budgets."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from math import comb

import pytest

import gainful
from gainful.pooling.call import allocate, draw_sample, share_budget, stratify

DOCUMENTS = [f"d{n}" for n in range(14)]
BEST = [1, 1, 2, 3, 3, 4, 5, 6, 7, 9, 12, 20, 50, 90]


def test_inclusion_probabilities_are_those_of_the_draws() -> None:
    draws = 20_000
    counts: Counter[str] = Counter()
    probabilities: dict[str, float] = {}
    rng = random.Random(11)
    for _ in range(draws):
        for document, (_, probability) in draw_sample(DOCUMENTS, BEST, 8, rng).items():
            counts[document] += 1
            assert probabilities.setdefault(document, probability) == probability
    assert set(probabilities) == set(DOCUMENTS)
    for document, probability in probabilities.items():
        error = (probability * (1 - probability) / draws) ** 0.5
        assert abs(counts[document] / draws - probability) <= 4 * error


def test_subsets_of_a_stratum_are_equally_likely() -> None:
    # Six documents at rank 1 are one stratum, from which two are drawn.
    rng = random.Random(13)
    draws = 15_000
    counts = Counter(frozenset(draw_sample("abcdef", [1] * 6, 2, rng)) for _ in range(draws))
    share = 1 / comb(6, 2)
    error = (share * (1 - share) / draws) ** 0.5
    assert len(counts) == len(list(combinations("abcdef", 2)))
    assert all(abs(count / draws - share) <= 4 * error for count in counts.values())


@pytest.mark.parametrize("budget", range(1, 20))
def test_budget_is_used_and_every_stratum_is_sampled(budget: int) -> None:
    drawn = draw_sample(DOCUMENTS, BEST, budget, random.Random(1))
    assert len(drawn) == min(budget, len(DOCUMENTS))
    strata = Counter(stratify(BEST, budget))
    taken = Counter(stratum for stratum, _ in drawn.values())
    assert set(taken) == set(strata)
    for stratum, size in strata.items():
        assert taken[stratum] >= min(size, 2, budget)
        # The estimated size of a stratum is its size: the sum of 1 / probability.
        weights = sum(1 / p for own, p in drawn.values() if own == stratum)
        assert weights == pytest.approx(size)


def test_deep_strata_are_sampled_less() -> None:
    first, second, third, last = allocate([10, 20, 40, 80], 40)
    assert first / 10 > second / 20 > third / 40 > last / 80


def test_a_budget_is_divided_evenly() -> None:
    rng = random.Random(17)
    for _ in range(200):
        sizes = [rng.randint(0, 9) for _ in range(rng.randint(1, 6))]
        budget = rng.randint(1, 40)
        shares = share_budget(budget, sizes)
        assert sum(shares) == min(budget, sum(sizes))
        assert all(share <= size for share, size in zip(shares, sizes, strict=True))
        unfilled = [s for s, size in zip(shares, sizes, strict=True) if s < size]
        assert not unfilled or max(shares) - min(unfilled) <= 1


def test_judged_documents_enter_with_probability_one() -> None:
    runs = {"a": {"q": ["x", "y", "z", "w"]}, "b": {"q": ["v", "y"]}}
    found = gainful.pool(runs, "sample", budget=2, judged={"q": {"y": 2, "elsewhere": 1}})
    at = found.documents.index("y")
    assert (found.strata[at], found.probabilities[at], found.judges[at]) == (0, 1.0, 0)
    assert "elsewhere" not in found.documents
    assert len(found) == 2
