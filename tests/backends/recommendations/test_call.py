"""Recommenders evaluated in blocks give the same rows as in one piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import gainful
from evaluation_words import sorted_rows
from gainful.backends.recommendations import Factors, evaluate_recommendations
from gainful.conventions import get
from requirements import need

USERS, ITEMS = 60, 200
MEASURES = ["nDCG@10", "nDCG(gain='exponential')@3", "P@5", "R@20", "RR@10", "AP@20", "ERR@5"]
SETTLED = ("doc-id-desc", "doc-id-asc", "given", "reverse", "optimistic", "random(3)")
OPEN = ("expected", "average-rank")


class Case:
    """Scores with many ties, held-out items with grades, and items that were seen."""

    def __init__(self) -> None:
        random = np.random.default_rng(5)
        self.scores = random.integers(0, 30, (USERS, ITEMS)) / 7
        self.held_out = scipy.sparse.random(USERS, ITEMS, 0.03, rng=random, format="csr")
        self.held_out.data = random.integers(0, 4, self.held_out.nnz).astype(float)
        self.seen = scipy.sparse.random(USERS, ITEMS, 0.1, rng=random, format="csr")

    def qrels(self) -> dict[str, dict[str, float]]:
        """Return the held-out items as judgments."""
        return {
            str(user): {str(item): float(row[0, item]) for item in row.indices}
            for user in range(USERS)
            if (row := self.held_out[[user]]).nnz
        }

    def run(self) -> dict[str, dict[str, float]]:
        """Return all scores but those of seen items."""
        taken = self.seen.toarray() != 0
        return {
            str(user): {
                str(item): float(self.scores[user, item])
                for item in range(ITEMS)
                if not taken[user, item]
            }
            for user in range(USERS)
        }


CASE = Case()


def measures_under(ties: str) -> list[str]:
    return [name for name in MEASURES if ties != "average-rank" or name[:2] not in ("AP", "ER")]


def rows(result: gainful.Evaluation, without: tuple[str, ...]) -> list[dict[str, object]]:
    return [
        {name: value for name, value in row.items() if name not in without}
        for row in sorted_rows(result)
    ]


@pytest.mark.parametrize("memory", [1 << 26, 3000 * 8, 8])
@pytest.mark.parametrize("ties", [*SETTLED, *OPEN])
def test_rows_are_those_of_all_scores(ties: str, memory: int) -> None:
    measures = measures_under(ties)
    convention = get("gainful-1").replace(ties=ties)
    whole = gainful.evaluate(CASE.qrels(), CASE.run(), measures, convention=convention)
    blocks = evaluate_recommendations(
        CASE.held_out,
        CASE.scores,
        measures,
        seen=CASE.seen,
        convention=convention,
        memory=memory,
        ratings="grades",
    )
    # Only what lies below the top differs: how many were retrieved, judged and tied in all.
    below = ("system", "retrieved", "judged", "tied")
    assert rows(blocks, below) == rows(whole, below)
    retrieved = {row["retrieved"] for row in sorted_rows(blocks)}
    assert retrieved == {20} if ties in SETTLED else min(retrieved) >= 20  # type: ignore[type-var]


def test_all_items_are_ranked_for_a_measure_without_a_cutoff() -> None:
    whole = gainful.evaluate(CASE.qrels(), CASE.run(), ["AP", "nDCG@5"])
    blocks = evaluate_recommendations(
        CASE.held_out, CASE.scores, ["AP", "nDCG@5"], seen=CASE.seen, memory=4000, ratings="grades"
    )
    assert rows(blocks, ("system",)) == rows(whole, ("system",))


@pytest.mark.parametrize(
    "changes",
    [
        {"unjudged": "condense"},
        {"negative": "drop"},
        {"same_id": "drop"},
        {"precision": "float32"},
        {"order": "given"},
        {"order": "rank"},
        {"no_relevant": "skip"},
        {"unretrieved": "last"},
    ],
    ids=str,
)
def test_conventions(changes: dict[str, Any]) -> None:
    convention = get("gainful-1").replace(**changes)
    run: dict[str, Any] = CASE.run()
    if "order" in changes:
        order = {
            user: sorted(scores, key=lambda item: (-scores[item], int(item)))
            for user, scores in run.items()
        }
        run = order
        if changes["order"] == "rank":
            convention = convention.replace(order="given")
    # 32 bits join what 64 bits tell apart.
    scores = CASE.scores
    if "precision" in changes:
        scores = scores + np.arange(ITEMS) * 1e-12
        run = {
            user: {item: score + int(item) * 1e-12 for item, score in own.items()}
            for user, own in run.items()
        }
    whole = gainful.evaluate(CASE.qrels(), run, MEASURES, convention=convention)
    blocks = evaluate_recommendations(
        CASE.held_out,
        scores,
        MEASURES,
        seen=CASE.seen,
        convention=get("gainful-1").replace(**changes),
        memory=5000,
        ratings="grades",
    )
    for measure in MEASURES:
        # Rows are numbered, and the ids of the judgments are text.
        found = {str(user): value for user, value in blocks[measure].items()}
        assert found == whole[measure], measure


def test_ids() -> None:
    users = [f"user {number}" for number in range(USERS)]
    items = [f"sku-{7 * number % ITEMS:03}" for number in range(ITEMS)]
    names = {str(number): item for number, item in enumerate(items)}
    qrels = {
        users[int(user)]: {names[item]: grade for item, grade in own.items()}
        for user, own in CASE.qrels().items()
    }
    run = {
        users[int(user)]: {names[item]: score for item, score in own.items()}
        for user, own in CASE.run().items()
    }
    whole = gainful.evaluate(qrels, run, MEASURES)
    blocks = evaluate_recommendations(
        CASE.held_out,
        CASE.scores,
        MEASURES,
        seen=CASE.seen,
        user_ids=users,
        item_ids=items,
        ratings="grades",
    )
    for measure in MEASURES:
        assert blocks.per_query(measure) == whole.per_query(measure)


def test_a_user_is_no_item_even_where_the_last_one_ties() -> None:
    convention = get("gainful-1").replace(ties="expected", same_id="drop")
    scores = np.array([[3.0, 2.0, 1.0, 0.5], [4.0, 3.0, 2.0, 1.0]])
    held_out = scipy.sparse.csr_array(np.array([[0, 0, 1, 1], [0, 0, 1, 1]]))
    # User 0 is item 0, and user b none of them.
    for ids in ([0, "b"], [b"0", "b"], np.array(["0", "b"])):
        result = evaluate_recommendations(
            held_out, scores, ["NumRet", "AP"], top=2, convention=convention, user_ids=ids
        )
        assert [row["retrieved"] for row in sorted_rows(result)] == [2, 2]
        assert list(result.per_query("AP").values()) == [0.25, 0.0]


def test_ids_come_in_any_sequence() -> None:
    users, items = range(100, 100 + USERS), np.arange(ITEMS) + 7
    expected = evaluate_recommendations(
        CASE.held_out,
        CASE.scores,
        "nDCG@10",
        user_ids=list(users),
        item_ids=list(items),
        ratings="grades",
    )
    for make in (iter, tuple, np.array):
        found = evaluate_recommendations(
            CASE.held_out,
            CASE.scores,
            "nDCG@10",
            user_ids=make(users),
            item_ids=make(items),
            ratings="grades",
        )
        assert rows(found, ()) == rows(expected, ())


def test_factors_are_multiplied_in_blocks_of_items() -> None:
    random = np.random.default_rng(8)
    # Whole numbers, so that products are exact whatever the order of sums.
    users = random.integers(-3, 4, (USERS, 6)).astype(np.float32)
    items = random.integers(-3, 4, (3000, 6)).astype(np.float32)
    held_out = scipy.sparse.random(USERS, 3000, 0.003, rng=random, format="csr")
    held_out.data[:] = 1
    whole = evaluate_recommendations(held_out, users @ items.T, MEASURES)
    blocks = evaluate_recommendations(held_out, Factors(users, items), MEASURES, memory=8 * 2000)
    assert rows(blocks, ()) == rows(whole, ())


def callable_of(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda users: make(CASE.scores[users])


def test_other_libraries() -> None:
    strict = need("array_api_strict")
    expected = evaluate_recommendations(
        CASE.held_out, CASE.scores, MEASURES, seen=CASE.seen, ratings="grades"
    )
    for scores in (callable_of(np.asarray), callable_of(strict.asarray)):
        found = evaluate_recommendations(
            CASE.held_out, scores, MEASURES, seen=CASE.seen, memory=8 * 1000, ratings="grades"
        )
        assert rows(found, ()) == rows(expected, ())


def test_several_systems_and_progress() -> None:
    calls: list[tuple[int, int]] = []
    result = evaluate_recommendations(
        CASE.held_out,
        systems={"one": CASE.scores, "other": -CASE.scores},
        measures="nDCG@10",
        memory=8 * 4000,
        progress=lambda done, total: calls.append((done, total)),
        ratings="grades",
    )
    assert result.systems == ("one", "other")
    assert result.mean("nDCG@10", "one") != result.mean("nDCG@10", "other")
    judged = len(CASE.qrels())
    assert [done for done, _ in calls][-1] == judged
    assert {total for _, total in calls} == {judged}


def test_plain_arrays_and_binary_grades() -> None:
    held_out = (CASE.held_out.indptr, CASE.held_out.indices)
    binary = CASE.held_out.copy()
    binary.data[:] = 1
    found = evaluate_recommendations(held_out, CASE.scores, MEASURES)
    expected = evaluate_recommendations(binary, CASE.scores, MEASURES)
    assert rows(found, ()) == rows(expected, ())


def test_scores_of_minus_infinity_are_no_recommendations() -> None:
    scores = np.array([[3.0, -np.inf, 1.0], [-np.inf, -np.inf, -np.inf]])
    held_out = scipy.sparse.csr_array(np.array([[0, 1, 1], [1, 0, 0]]))
    result = evaluate_recommendations(held_out, scores, "R@3")
    assert result.per_query() == {0: 0.5, 1: 0.0}
    assert [row["retrieved"] for row in sorted_rows(result)] == [2, 0]


def test_scores_are_left_as_they_are() -> None:
    before = CASE.scores.copy()
    evaluate_recommendations(
        CASE.held_out, lambda users: CASE.scores[: len(users)], seen=CASE.seen, ratings="grades"
    )
    assert (CASE.scores == before).all()
