"""Compat: the rank-biased overlap with the most similar of the ideal rankings."""

from __future__ import annotations

import itertools
import random

import pytest

import gainful
from gainful.errors import MeasureError
from gainful.measures import Compat
from requirements import need

HALF = Compat(p=0.5, normalize=False)


def overlap(one: list[str], other: list[str], p: float, depth: int) -> float:
    """The definition, set by set."""
    shares = [len(set(one[:k]) & set(other[:k])) / k for k in range(1, depth + 1)]
    weights = [p ** (k - 1) for k in range(1, depth + 1)]
    return sum(s * w for s, w in zip(shares, weights, strict=True)) / sum(weights)


def test_by_hand() -> None:
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    # In common at depths 1 to 4: nothing, a, a, a and b.
    result = gainful.evaluate(qrels, {"q": ["x", "a", "c", "b"]}, [HALF, HALF(normalize=True)])
    own = (0 + 1 / 2 / 2 + 1 / 3 / 4 + 2 / 4 / 8) / (1 + 1 / 2 + 1 / 4 + 1 / 8)
    best = (1 + 1 / 2 + 2 / 3 / 4 + 2 / 4 / 8) / (1 + 1 / 2 + 1 / 4 + 1 / 8)
    assert [result.mean(each) for each in result.measures] == pytest.approx([own, own / best])


def test_the_ideal_is_the_most_similar_one() -> None:
    rng = random.Random(8)
    for _ in range(30):
        grades = {f"d{number}": rng.choice([0, 1, 1, 2]) for number in range(5)}
        ranking = rng.sample([*grades, "x", "y"], rng.randint(0, 7))
        relevant = [document for document, grade in grades.items() if grade > 0]
        if not relevant:
            continue
        ideals = [
            list(order)
            for order in itertools.permutations(relevant)
            if all(grades[a] >= grades[b] for a, b in itertools.pairwise(order))
        ]
        depth = max(len(ranking), len(relevant))
        best = max(overlap(ranking, ideal, 0.5, depth) for ideal in ideals)
        result = gainful.evaluate({"q": grades}, {"q": ranking}, HALF)
        assert result.mean() == pytest.approx(best, abs=1e-15)


def test_a_cutoff_is_the_depth_also_below_both_lists() -> None:
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": ["b", "a", "c"]}
    for depth in (1, 2, 3, 9):
        result = gainful.evaluate(qrels, run, HALF @ depth)
        assert result.mean() == pytest.approx(overlap(["b", "a", "c"], ["a", "b"], 0.5, depth))
    with pytest.raises(MeasureError, match="exceeds 1000000"):
        gainful.evaluate(qrels, run, HALF @ 1_000_001)


def test_nothing_relevant_and_nothing_returned() -> None:
    result = gainful.evaluate({"q1": {"a": 0}, "q2": {"a": 1}}, {"q1": ["a"]}, "Compat")
    assert result.per_query() == {"q1": 0.0, "q2": 0.0}
    assert result.counts()["no_relevant"] == {"Compat": 1}


def test_only_judged_documents() -> None:
    result = gainful.evaluate(
        {"q": {"a": 1, "b": 0}}, {"q": ["x", "a", "b"]}, Compat(judged_only=True)
    )
    assert result.mean() == 1.0


def test_a_grouped_file_and_one_in_pieces(tmp_path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 2\nq 0 b 1\nr 0 c 1\n")
    lines = ["q 0 b 1 3 x", "q 0 c 2 2 x", "q 0 a 3 1 x", "r 0 d 1 2 x", "r 0 c 2 1 x"]
    values = []
    for number, order in enumerate(([0, 1, 2, 3, 4], [3, 2, 0, 4, 1])):
        path = tmp_path / f"run{number}"
        path.write_text("\n".join(lines[at] for at in order) + "\n")
        values.append(gainful.evaluate(tmp_path / "qrels", path, "Compat").per_query())
    assert values[0] == values[1]
    assert 0 < values[0]["q"] < 1


def test_the_fixture_of_ir_measures() -> None:
    folder = need("shared-data") / "ir_measures"
    ir_measures = need("ir_measures")
    qrels, run = folder / "compat.qrels", folder / "compat.run"
    texts = ["Compat", "Compat(p=0.8)", "Compat(p=0.8, normalize=False)"]
    result = gainful.evaluate(qrels, run, texts)
    theirs = {ir_measures.parse_measure(text): text for text in texts}
    metrics = ir_measures.compat.iter_calc(
        list(theirs), ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
    )
    checked = 0
    for metric in metrics:
        assert result.per_query(theirs[metric.measure])[metric.query_id] == metric.value
        checked += 1
    assert checked >= len(texts)


def test_ir_measures_to_the_last_bit_on_random_collections() -> None:
    ir_measures = need("ir_measures")
    rng = random.Random(4)
    measure = ir_measures.Compat(p=0.9)
    for _ in range(50):
        documents = [f"d{number}" for number in range(40)]
        qrels = {"q": {each: rng.choice([-1, 0, 1, 2, 3]) for each in rng.sample(documents, 25)}}
        chosen = rng.sample(documents, rng.randint(1, 40))
        scores = rng.sample(range(1, 1000), len(chosen))
        run = {"q": dict(zip(chosen, map(float, scores), strict=True))}
        (metric,) = ir_measures.compat.iter_calc([measure], qrels, run)
        assert gainful.evaluate(qrels, run, "Compat(p=0.9)").mean() == metric.value
