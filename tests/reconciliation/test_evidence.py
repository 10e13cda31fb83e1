"""reconcile(): invented numbers are not explained, and other readings of a number are."""

from __future__ import annotations

import random

import pytest

import gainful
from gainful.demo import collection, search
from gainful.reconciliation.result import share_by_chance

QUERIES = 173


@pytest.fixture(scope="module")
def demo() -> tuple[gainful.Qrels, gainful.Run]:
    """Return the demo's judgments, and the run with the most ties."""
    rows = search.runs()["title-words"]
    run = gainful.Run({query: dict(documents) for query, documents in rows.items()})
    return gainful.read_qrels(collection.qrels_path()), run


@pytest.fixture(scope="module")
def large() -> tuple[gainful.Qrels, gainful.Run]:
    """Return 173 queries with 30 documents each, grades from 0 to 3, without ties."""
    chance = random.Random(7)
    judged, ranked = [], []
    for number in range(QUERIES):
        query = f"q{number}"
        documents = [f"d{at}" for at in range(30)]
        judged += [(query, document, chance.choice((0, 0, 0, 1, 2, 3))) for document in documents]
        chance.shuffle(documents)
        ranked += [(query, document, 30.0 - at) for at, document in enumerate(documents)]
    return gainful.Qrels(judged), gainful.Run(ranked)


def test_invented_numbers_are_not_explained(demo: tuple[gainful.Qrels, gainful.Run]) -> None:
    qrels, run = demo
    result = gainful.reconcile(qrels, run, "0.5595", "nDCG@10")
    assert result.matches
    assert not result.explained
    assert str(result).startswith("No evidence: ")
    assert result.matches[0].coincidences is not None
    assert share_by_chance(result.matches[0].coincidences) > 0.05


@pytest.mark.parametrize("preset", ["trec_eval", "torchmetrics", "gdeval"])
def test_the_numbers_of_presets_are_explained(
    preset: str, demo: tuple[gainful.Qrels, gainful.Run]
) -> None:
    qrels, run = demo
    value = gainful.evaluate(qrels, run, "nDCG@10", convention=preset).mean()
    found = gainful.reconcile(qrels, run, f"{value:.4f}", "nDCG@10")
    assert found.explained
    assert found.matches[0].value == pytest.approx(value, abs=1e-9)
    assert str(found).startswith("Conventions that give ")


def test_a_mean_over_one_more_query_is_found(
    large: tuple[gainful.Qrels, gainful.Run],
) -> None:
    qrels, run = large
    value = gainful.evaluate(qrels, run, "P@10").mean() * QUERIES / (QUERIES + 1)
    found = gainful.reconcile(qrels, run, f"{value:.5f}", "P@10")
    first = found.matches[0]
    assert found.explained
    assert first.queries == QUERIES + 1
    assert first.readings == ("as a mean over 174 queries, not 173",)
    assert first.value == pytest.approx(value)


def test_another_cutoff_than_the_reported_one_is_found(
    large: tuple[gainful.Qrels, gainful.Run],
) -> None:
    qrels, run = large
    value = gainful.evaluate(qrels, run, "P@15").mean()
    found = gainful.reconcile(qrels, run, f"{value:.5f}", "P@10")
    assert found.explained
    assert repr(found.matches[0].measure) == "P@15"
    assert found.matches[0].readings == ("at cutoff 15, not 10",)
    assert "at cutoff 15, not 10" in str(found)


@pytest.mark.parametrize(
    ("measure", "reported"), [("P(rel=2)@10", "P(rel=1)@10"), ("nDCG@10", "nDCG@10")]
)
def test_another_relevance_threshold_is_found(
    large: tuple[gainful.Qrels, gainful.Run], measure: str, reported: str
) -> None:
    qrels, run = large
    judged = qrels
    if measure == reported:
        # Binary gains of grades from 2.
        judged = gainful.Qrels(
            [(q, d, float(g >= 2)) for q, each in qrels.to_dict().items() for d, g in each.items()]
        )
    value = gainful.evaluate(judged, run, measure).mean()
    found = gainful.reconcile(qrels, run, f"{value:.6f}", reported)
    assert any(match.readings and match.value == pytest.approx(value) for match in found.matches)


def test_values_of_queries_are_evidence(large: tuple[gainful.Qrels, gainful.Run]) -> None:
    qrels, run = large
    result = gainful.evaluate(qrels, run, "nDCG@10", convention="gdeval")
    reported, measure = f"{result.mean():.2f}", "nDCG(ideal='judged')@10"
    values = {query: f"{result.per_query()[query]:.4f}" for query in ("q1", "q2", "q3", "q4")}
    alone = gainful.reconcile(qrels, run, reported, measure)
    known = gainful.reconcile(qrels, run, reported, measure, per_query=values)
    assert known.matches[0].coincidences < alone.matches[0].coincidences
    assert known.coincidences < alone.coincidences
