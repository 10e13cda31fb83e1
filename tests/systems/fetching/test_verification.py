"""A resumed search requests some answers again, and refuses a system that has changed."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest

import gainful
from gainful.errors import SearchError, SearchWarning
from gainful.systems import Answer
from gainful.systems.fetching.query_jobs import Ranking, distance
from searching import DOCUMENTS, Scripted, queries


@pytest.fixture
def journal(tmp_path, monkeypatch) -> Path:
    # The wait before a query is sent again.
    monkeypatch.setattr("gainful.systems.fetching.base.FIRST_WAIT", 0.0)
    return tmp_path / "search.journal"


def answers(**changed):
    """Return a script with other answers to some queries."""
    return lambda query, before: changed.get(query.id, DOCUMENTS)


def test_eight_queries_of_the_journal_are_sent_again(journal) -> None:
    first = gainful.search(Scripted(), queries(20), journal=journal)
    system = Scripted()
    with pytest.warns(SearchWarning, match="8 answers were requested again and are the same"):
        again = gainful.search(system, queries(25), journal=journal)
    known = system.asked.keys() & first.keys()
    assert (len(known), set(system.asked.values())) == (8, {1})
    assert system.asked.keys() - known == {f"q{number}" for number in range(20, 25)}
    assert (again.account.reused, again.account.verified) == (20, 8)
    # The choice is the same as long as the queries are.
    system = Scripted()
    gainful.search(system, queries(20), journal=journal, quiet=True)
    assert system.asked.keys() == known


def test_another_journal_chooses_other_queries(tmp_path) -> None:
    chosen = []
    for name in "ab":
        gainful.search(Scripted(), queries(60), journal=tmp_path / name)
        system = Scripted()
        gainful.search(system, queries(60), journal=tmp_path / name, quiet=True)
        chosen.append(set(system.asked))
    assert chosen[0] != chosen[1]


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("workers", [1, 4])
def test_a_changed_answer_stops_the_search_before_it_begins(journal, asynchronous, workers) -> None:
    gainful.search(Scripted(), queries(3), journal=journal)
    system = Scripted(answers(q1=["d1", "other", "d3"]), asynchronous=asynchronous)
    with pytest.raises(SearchError) as caught:
        gainful.search(system, queries(9), journal=journal, workers=workers)
    assert "'scripted' has changed: 1 of 3 answers that were requested again differ" in str(
        caught.value
    )
    assert "(query q1: rank 2 'd2' → 'other')" in str(caught.value)
    assert caught.value.hint == (
        "use another name or journal, or restart=True to send all queries again;"
        " keep_answers=True keeps the existing answers"
    )
    assert set(system.asked) == {"q0", "q1", "q2"}
    # The ways out.
    kept = gainful.search(system, queries(9), journal=journal, keep_answers=True)
    assert (kept["q1"][1][0], kept.account.verified, kept.account.sessions) == ("d2", 0, 2)
    new = gainful.search(system, queries(9), journal=journal, restart=True)
    assert new["q1"][1][0] == "other"
    assert gainful.search(system, queries(9), name="new", journal=journal)["q1"] == new["q1"]


def test_a_message_has_three_queries_and_ranks(journal) -> None:
    gainful.search(Scripted(lambda *_: list("abcdef")), queries(8), journal=journal)
    with pytest.raises(SearchError) as caught:
        gainful.search(Scripted(lambda *_: list("ghijk")), queries(8), journal=journal)
    message = str(caught.value)
    assert message.count("rank 1 'a' → 'g', rank 2 'b' → 'h', rank 3 'c' → 'i' and 3 more") == 3
    assert "; and 5 more)" in message


# --- kinds of changes ---------------------------------------------------------------------------


class Numbered:
    def __init__(self, ids) -> None:
        self.ids = ids

    def search(self, query, top_k):
        return [str(number) for number in self.ids[:top_k]]


def as_closure(ids):
    return lambda text, k: [str(number) for number in ids[:k]]


@pytest.mark.parametrize("make", [Numbered, as_closure, lambda ids: Numbered(ids).search])
def test_another_matrix_is_another_system(journal, make) -> None:
    def search(*ids):
        return gainful.search(make(np.array(ids)), {"q": "t"}, 2, name="one", journal=journal)

    assert search(1, 2)["q"] == search(1, 2)["q"] == [("1", None), ("2", None)]
    with pytest.raises(SearchError, match="query q: rank 1 '1' → '3', rank 2 '2' → '4'"):
        search(3, 4)


class Embeddings:
    """Documents by their cosine with the query, of random vectors of a seed."""

    def __init__(self, seed: int, noise: float = 0.0) -> None:
        random = np.random.default_rng(seed)
        self.documents = random.standard_normal((50, 16)).astype("float32")
        self.queries = {f"text {n}": random.standard_normal(16) for n in range(20)}
        self.noise = noise
        self.random = np.random.default_rng()

    def search(self, query, top_k):
        scores = self.documents @ self.queries[query].astype("float32")
        scores *= 1 + self.noise * self.random.standard_normal(50)
        order = np.argsort(-scores)[:top_k]
        return [(f"d{number}", float(scores[number])) for number in order]


def test_two_embeddings_are_distinguished(journal) -> None:
    gainful.search(Embeddings(1), queries(20), 10, journal=journal)
    assert gainful.search(Embeddings(1), queries(20), 10, journal=journal).account.verified == 8
    with pytest.raises(SearchError, match="'Embeddings' has changed: 8 of 8 answers"):
        gainful.search(Embeddings(2), queries(20), 10, journal=journal)


def test_rounding_is_no_change(journal) -> None:
    system = Embeddings(1, noise=1e-6)
    gainful.search(system, queries(20), 50, journal=journal)
    assert gainful.search(system, queries(20), 50, journal=journal).account.verified == 8


@pytest.mark.parametrize(
    ("new", "described"),
    [
        (Answer(DOCUMENTS, [3.0, 2.0, 1.1]), "rank 3 'd3 1' → 'd3 1.1'"),
        (Answer(DOCUMENTS), "rank 1 'd1 3' → 'd1 without a score'"),
        (Answer(["d1", "d2"], [3.0, 2.0]), "rank 3 'd3' → none"),
        (Answer([*DOCUMENTS, "d4"], [3.0, 2.0, 1.0, 0.5]), "rank 4 none → 'd4'"),
        (Answer(["d2", "d1", "d3"], [3.0, 2.0, 1.0]), "rank 1 'd1' → 'd2', rank 2 'd2' → 'd1'"),
        (Answer([]), "rank 1 'd1' → none"),
    ],
)
def test_what_counts_as_a_change(journal, new, described) -> None:
    def script(answer):
        return Scripted(lambda *_: answer)

    gainful.search(script(Answer(DOCUMENTS, [3.0, 2.0, 1.0])), queries(1), journal=journal)
    with pytest.raises(SearchError) as caught:
        gainful.search(script(new), queries(1), journal=journal)
    assert f"(query q0: {described}" in str(caught.value)


EQUAL = [
    (Ranking(["d1", "d2"], [2.0, 1.0]), Ranking(["d1", "d2"], [2.0001, 1.0001])),
    # Tied documents in another order.
    (Ranking(["d1", "d2", "d3"], [2.0, 2.0, 1.0]), Ranking(["d2", "d1", "d3"], [2.0, 2.0, 1.0])),
    (Ranking(["d1", "d1"], [2.0, 1.0]), Ranking(["d1", "d1"], [2.0, 1.0])),
    (Ranking([], None), Ranking([], None)),
    (Ranking(["d1"], [0.0]), Ranking(["d1"], [-0.0])),
]


@pytest.mark.parametrize(("one", "two"), EQUAL)
def test_equal_answers(one, two) -> None:
    assert distance(one, two) == distance(two, one) == 0.0


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (Ranking(["a", "b"], None), Ranking(["b", "a"], None), 0.5),
        (Ranking(["a"], None), Ranking(["b"], None), 1.0),
        (Ranking(["a"], None), Ranking(["a"], [1.0]), 1.0),
        (Ranking(["a", "b"], None), Ranking(["a"], None), 0.25),
        # Scores that do not fall do not explain another order.
        (Ranking(["a", "b"], [1.0, 1.0]), Ranking(["b", "a"], [1.0, 1.0]), 0.0),
        (Ranking(["a", "b", "c"], [1, 2, 2]), Ranking(["a", "c", "b"], [1, 2, 2]), 1 / 6),
        (Ranking(["a", "b"], [4.0, 2.0]), Ranking(["a", "b"], [4.0, 1.0]), 0.25),
        (Ranking(["a"], [1.0]), Ranking(["a"], [-9.0]), 1.0),
        (Ranking(["a", "b"], [1.0, 1.0]), Ranking(["a", "c"], [1.0, 1.0]), 0.25),
    ],
)
def test_distances(one, two, expected) -> None:
    assert distance(one, two) == pytest.approx(expected)
    assert distance(two, one) == pytest.approx(expected)


# --- systems whose answers vary -----------------------------------------------------------------


class Varying:
    """An approximate index: each answer lacks other documents of an exact one."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.number = itertools.count()

    def search(self, query, top_k):
        missing = next(self.number) % 9
        ranks = [rank for rank in range(10) if rank != missing]
        return [(f"d{self.first + rank}", 10.0 - rank) for rank in ranks]


def test_a_system_whose_answers_vary_has_not_changed(journal) -> None:
    gainful.search(Varying(0), queries(20), 10, journal=journal, workers=1)
    again = gainful.search(Varying(0), queries(20), 10, journal=journal, workers=1)
    assert again.account.verified == 8


def test_a_system_whose_answers_vary_can_change(journal) -> None:
    gainful.search(Varying(0), queries(20), 10, journal=journal, workers=1)
    with pytest.raises(SearchError, match="'Varying' has changed: 8 of 8"):
        gainful.search(Varying(5), queries(20), 10, journal=journal, workers=1)


# --- failures -----------------------------------------------------------------------------------


def failing(query, before):
    return ConnectionError("no connection")


def test_without_an_answer_nothing_is_compared(journal) -> None:
    gainful.search(Scripted(), queries(3), journal=journal)
    with pytest.raises(SearchError, match="cannot be compared with new ones") as caught:
        gainful.search(Scripted(failing), queries(9), journal=journal, retries=1)
    assert "ConnectionError: no connection" in str(caught.value)
    assert caught.value.hint == "keep_answers=True uses them without a comparison"
    kept = gainful.search(
        Scripted(failing), queries(3), journal=journal, retries=0, keep_answers=True
    )
    assert kept.account.reused == 3


def test_one_failure_does_not_end_the_comparison(journal) -> None:
    gainful.search(Scripted(), queries(3), journal=journal)
    system = Scripted(answers(q1=ValueError("no")))
    run = gainful.search(system, queries(3), journal=journal, on_failure="raise")
    assert (run.account.verified, run.incomplete) == (2, False)


def test_temporary_failures_are_retried(journal) -> None:
    gainful.search(Scripted(), queries(3), journal=journal)
    script = lambda query, before: DOCUMENTS if before else TimeoutError("late")  # noqa: E731
    run = gainful.search(Scripted(script), queries(3), journal=journal, retries=1)
    assert (run.account.verified, run.account.retries) == (3, {})


def test_no_verification_without_answers(journal) -> None:
    gainful.search(Scripted(failing), queries(3), journal=journal, retries=0, quiet=True)
    system = Scripted()
    run = gainful.search(system, queries(3), journal=journal)
    assert (run.account.verified, set(system.asked.values())) == (0, {1})


def test_a_batch_verifies_in_batches(journal) -> None:
    gainful.search(Scripted(batch=4), queries(20), journal=journal)
    system = Scripted(batch=4)
    gainful.search(system, queries(20), journal=journal, quiet=True)
    assert [len(call) for call in system.calls] == [4, 4]


def test_the_new_answers_are_not_stored(journal) -> None:
    first = gainful.search(Scripted(), queries(3), journal=journal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = gainful.search(Scripted(lambda *_: 0.2), queries(3), journal=journal)
    assert again.account.latency == first.account.latency
