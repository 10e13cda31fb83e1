"""Scores relative to the other systems on a query, and their macro-averages."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.comparison import compare
from gainful.errors import ParameterError
from gainful.formats.text import text
from gainful.suite.macro import standardize

Say = Callable[..., str]


def collection(
    queries: int, systems: int, seed: int, lift: float = 0.4
) -> tuple[dict[str, Any], dict[str, Any]]:
    chance = random.Random(seed)
    qrels = {f"q{at}": {f"d{n}": n % 3 for n in range(8)} for at in range(queries)}
    runs = {
        f"s{system}": {
            query: {doc: chance.gauss(lift * grade * system, 1) for doc, grade in grades.items()}
            for query, grades in qrels.items()
        }
        for system in range(systems)
    }
    return qrels, runs


def test_standardized_scores_are_shares_of_a_normal_distribution() -> None:
    from scipy import stats

    scores = np.random.default_rng(1).uniform(0, 1, (20, 5))
    found = standardize(scores, "standardized")
    expected = stats.norm.cdf(stats.zscore(scores, axis=1, ddof=1))
    assert found == pytest.approx(expected, abs=1e-12)


def test_empirical_scores_are_mean_ranks() -> None:
    from scipy import stats

    scores = np.random.default_rng(1).integers(0, 4, (20, 5)) / 4
    found = standardize(scores, "empirical")
    assert found == pytest.approx((stats.rankdata(scores, axis=1) - 0.5) / 5, abs=1e-12)


@pytest.mark.parametrize("aggregate", ["standardized", "empirical"])
def test_the_scale_of_a_query_does_not_matter(aggregate: str) -> None:
    scores = np.random.default_rng(1).uniform(0, 1, (6, 4))
    scaled = scores * np.arange(1, 7)[:, None] + np.arange(6)[:, None]
    assert standardize(scaled, aggregate) == pytest.approx(standardize(scores, aggregate))
    assert (standardize([[0.3, 0.3, 0.3]], aggregate) == 0.5).all()


@pytest.mark.parametrize("aggregate", ["standardized", "empirical"])
def test_a_missing_score_is_no_part_of_the_scale(aggregate: str) -> None:
    found = standardize([[0.1, np.nan, 0.3, 0.2]], aggregate)[0]
    assert np.isnan(found[1])
    assert found[[0, 2, 3]] == pytest.approx(standardize([[0.1, 0.3, 0.2]], aggregate)[0])
    assert np.isnan(standardize([[np.nan, np.nan]], aggregate)).all()


@pytest.mark.parametrize("aggregate", ["standardized", "empirical"])
def test_one_collection_is_compared_by_its_standardized_scores(aggregate: str) -> None:
    qrels, runs = collection(30, 4, 0)
    suite = gainful.evaluate_suite({"only": (qrels, runs)}, aggregate=aggregate)
    raw = compare(qrels, runs, "nDCG@10", resamples=999, bootstrap=0)
    scores = np.array([list(raw.values(system=system).values()) for system in runs]).T
    expected = standardize(scores, aggregate)
    for at, system in enumerate(runs):
        macro = suite.macro(system=system)
        assert macro.mean == pytest.approx(expected[:, at].mean())
        assert 0 <= macro.interval.low <= macro.mean <= macro.interval.high <= 1
    found = suite.compare(resamples=999, bootstrap=0)
    pair = found.pair("s3", "s0")
    assert pair.difference == pytest.approx((expected[:, 3] - expected[:, 0]).mean())
    assert pair.verdict == "better"
    assert suite.value(system="s3", collection="only") == pytest.approx(scores[:, 3].mean())
    ranks = found.ranks()
    assert ranks["s3"].high < ranks["s0"].rank


def test_an_easy_collection_does_not_dominate() -> None:
    # On the first collection scores vary a hundred times as much as on the second.
    means = np.array([[0.1, 0.9], [0.52, 0.51]])
    assert means.mean(axis=0).argmax() == 1
    found = standardize(means, "empirical").mean(axis=0)
    assert found[0] == found[1]


def test_an_unknown_aggregate_is_refused() -> None:
    with pytest.raises(ParameterError, match="mean, standardized, empirical"):
        gainful.evaluate_suite({"only": collection(3, 2, 0)}, aggregate="median")


@pytest.mark.usefixtures("small_files")
def test_the_command_aggregates_as_python_does(output_of: Say) -> None:
    suite = gainful.evaluate_suite("collections", over="common", aggregate="standardized")
    words = ("evaluate-suite", "collections", "--common", "--aggregate", "standardized")
    assert output_of(*words) == f"{suite.compare()}\n"
    document = json.loads(output_of(*words, "--format", "json"))
    assert document["aggregate"] == "standardized"
    assert (
        document["macro"]["nDCG@10"]["fts5-tuned"]["mean"] == suite.macro(system="fts5-tuned").mean
    )


def test_twenty_systems_on_many_collections_fit_on_a_screen() -> None:
    data = {f"collection-{at}": collection(12, 20, at, 0.03) for at in range(8)}
    suite = gainful.evaluate_suite(data)
    tables = suite.compare(resamples=999, bootstrap=0).tables()
    board = text(tables[0].replace(notes=[])).splitlines()
    assert len(tables) == 1
    assert len(board) <= 24
    assert max(map(len, board)) <= 100
    ranks = [row[-1].split() for row in tables[0].cells().rows]
    assert [sorted(map(int, own)) for own in zip(*ranks, strict=True)] == 8 * [list(range(1, 21))]
    assert {note.key for note in tables[0].notes} >= {"ranks", "counts", "first", "convention"}
