"""nDCG as a measure of one's own: for one query at a time, and for all queries as columns."""

from __future__ import annotations

from math import log2

import numpy

import gainful


def one_by_one(ranking: gainful.measures.Ranking) -> float:
    """Return nDCG with gains and discounts of Python's own numbers."""

    def dcg(grades: list[float]) -> float:
        return sum(grade / log2(rank) for rank, grade in enumerate(grades, start=2))

    return dcg(ranking.grades) / dcg(ranking.pool[: ranking.cutoff])


def all_at_once(rankings: gainful.measures.Rankings) -> numpy.ndarray:
    """Return nDCG of all queries."""
    ideal = rankings.pool / numpy.log2(rankings.pool_ranks + 1)
    if rankings.cutoff is not None:
        ideal[rankings.pool_ranks > rankings.cutoff] = 0
    gains = rankings.sum(rankings.grades / numpy.log2(rankings.ranks + 1))
    return gains / rankings.pool_sum(ideal)


gainful.measures.define("plain", one_by_one)
gainful.measures.define("vectorized", all_at_once, vectorized=True)
