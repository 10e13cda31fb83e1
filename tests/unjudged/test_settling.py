"""How many labels could settle the order of two systems, compared with all labelings."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

import gainful
from gainful.unjudged.differences import count_settling

GRADES = (0.0, 1.0, 2.0)
DOCUMENTS = ("a", "b", "c", "d")


def collection(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, list[str]]]]:
    """Return judgments of a few documents, and two systems."""
    source = random.Random(seed)
    queries = [f"q{n}" for n in range(2)]
    qrels = {
        query: {name: source.choice(GRADES) for name in source.sample(DOCUMENTS, 2)} | {"z": 1.0}
        for query in queries
    }
    runs = {
        system: {query: source.sample(DOCUMENTS, 3) for query in queries}
        for system in ("new", "old")
    }
    return qrels, runs


def fewest(
    qrels: dict[str, dict[str, float]], runs: dict[str, dict[str, list[str]]], measure: str
) -> int | None:
    """Return the minimum by trying all labelings."""
    unjudged = sorted(
        {
            (query, document)
            for run in runs.values()
            for query, documents in run.items()
            for document in documents
            if document not in qrels[query]
        }
    )
    labelings = list(product(GRADES, repeat=len(unjudged)))
    signs = {}
    for labeling in labelings:
        judged = {query: dict(own) for query, own in qrels.items()}
        for (query, document), grade in zip(unjudged, labeling, strict=True):
            judged[query][document] = grade
        found = gainful.evaluate(judged, runs=runs, measures=measure)
        difference = found.mean(measure, "new") - found.mean(measure, "old")
        signs[labeling] = round(difference, 9)
    for count in range(len(unjudged) + 1):
        for places in combinations(range(len(unjudged)), count):
            for given in product(GRADES, repeat=count):
                left = [
                    sign
                    for labeling, sign in signs.items()
                    if all(labeling[at] == grade for at, grade in zip(places, given, strict=True))
                ]
                if min(left) >= 0 or max(left) <= 0:
                    return count
    return None


@pytest.mark.parametrize("measure", ["P@2", "nDCG@3"])
@pytest.mark.parametrize("seed", range(6))
def test_so_many_labels_settle_the_order(seed: int, measure: str) -> None:
    qrels, runs = collection(seed)
    unjudged = gainful.find_unjudged(qrels, runs, measure, baseline="old", scale=GRADES)
    (contest,) = unjudged.contests
    labels = count_settling(qrels, runs, contest, unjudged.evaluation, scale=GRADES)
    expected = fewest(qrels, runs, measure)
    assert expected is not None
    assert labels is not None
    # The labels that it tries settle the order, so that it is never below the minimum.
    assert expected <= labels <= expected + 1
    assert (labels == 0) == (expected == 0)


def test_a_system_may_lack_a_query() -> None:
    runs = {"old": {"q1": ["a", "b"]}, "new": {"q1": ["b", "a"], "q2": ["c"], "q3": ["d"]}}
    qrels: dict[str, dict[str, float]] = {"q1": {"a": 1}, "q2": {"z": 0}, "q3": {}}
    unjudged = gainful.find_unjudged(qrels, runs, "P@1")
    (contest,) = unjudged.contests
    assert (contest.labels, contest.verdict) == (2, "open")
    settling = count_settling(qrels, runs, contest, unjudged.evaluation)
    # With a label of q2, "old" is at best equal.
    assert settling == 1
