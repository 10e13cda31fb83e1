"""Ranks with intervals, and the systems tied for first."""

from __future__ import annotations

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.comparison import Comparison
from gainful.comparison.headlines import headlines
from gainful.errors import ParameterError


def compared(**options: object) -> Comparison:
    draw = np.random.default_rng(1)
    base = draw.uniform(0, 0.5, 40)
    values = {
        "first": (base + 0.3 + draw.normal(0, 0.03, 40)).tolist(),
        "second": (base + 0.295 + draw.normal(0, 0.03, 40)).tolist(),
        "last": base.tolist(),
    }
    return gainful.compare(*collection(values), MEASURE, resamples=999, bootstrap=0, **options)


def test_ranks_agree_with_the_intervals_of_the_pairs() -> None:
    found = compared()
    ranks = found.ranks()
    for system, rank in ranks.items():
        pairs = [found.pair(system, other) for other in found.systems if other != system]
        # An end of exactly 0 was set to 0 to agree with the verdict.
        worse = [pair for pair in pairs if pair.verdict == "worse"]
        better = [pair for pair in pairs if pair.verdict == "better"]
        assert rank.low == 1 + len(worse)
        assert rank.high == len(found.systems) - len(better)
        assert all(pair.interval.high <= 0 for pair in worse)
        assert all(pair.interval.low >= 0 for pair in better)
        assert rank.low <= rank.rank <= rank.high
    assert (ranks["last"].low, ranks["last"].high) == (3, 3)
    assert set(found.tied_for_first()) == {"first", "second"}


def test_ranks_are_in_table_note_and_json() -> None:
    found = compared()
    board = found.tables()[0]
    assert [row[2] for row in board.cells().rows] == ["1 to 2", "1 to 2", "3"]
    note = next(note for table in found.tables() for note in table.notes if note.key == "first")
    assert note == f"Tied for first (95% confidence): {', '.join(found.tied_for_first())}."
    document = found.to_dict()
    (ranks,) = document["ranks"].values()
    assert ranks["last"] == {"rank": 3, "low": 3, "high": 3}
    (tied,) = document["tied_for_first"].values()
    assert tied == list(found.tied_for_first())


def test_comparisons_with_a_baseline_have_no_ranks() -> None:
    found = compared(baseline="last")
    assert found.to_dict()["ranks"] is None
    assert found.leaderboard()[0].ranks is None
    with pytest.raises(ParameterError, match="ranks need all pairs"):
        found.ranks()


def test_a_run_of_few_queries_is_ranked_on_these() -> None:
    """A mean over easy queries is not compared with means over all queries."""
    qrels = {f"q{n}": {"d": n % 2} for n in range(1, 5)}
    runs = {"a": {query: ["d"] for query in qrels}, "c": {query: ["x", "d"] for query in qrels}}
    runs["b"] = {"q1": ["x", "d"]}
    found = gainful.compare(qrels, runs, "nDCG@10", convention=gainful.Convention(missing="skip"))
    ranks = {system: rank.rank for system, rank in found.ranks().items()}
    assert ranks == {"a": 1, "c": 2, "b": 2}
    assert found.means()["c"] == found.means()["b"] < found.means()["a"]
    assert {line.n for line in found.leaderboard()} == {1}


def test_means_of_different_queries_have_no_headline() -> None:
    qrels = {f"q{n}": {"d": 1} for n in range(8)}
    runs = {"old": {query: ["x", "d"] for query in qrels}, "new": {"q1": ["d"]}}
    skip = gainful.Convention(missing="skip")
    found = gainful.compare(qrels, runs, "nDCG@10", baseline="old", convention=skip)
    assert headlines(found) == [
        "The systems have nDCG@10 for different queries, so their means do not rank them. Each is"
        " compared with old on common queries."
    ]
