"""Many looks at the same queries: error rates, wrong passes to expect, and margins."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import gainful
from gainful.errors import ParameterError
from gainful.gates import carried_margins, look_alpha, read_snapshot
from gainful.gates.gated_measure import bounds_of
from gainful.inference import Design, always_valid_alpha, always_valid_bound
from gate_data import qrels, run

BEFORE = [1, 2, 3, None] * 5


def look(file, ranks, **options):
    return gainful.gate(qrels(20), run(ranks), file, margin=0.2, count=True, **options)


def runs():
    """Yield ranks that differ from `BEFORE` and from each other."""
    for first, second in itertools.product(range(2, 9), repeat=2):
        yield [first, second, *BEFORE[2:]]


def test_spending_gives_less_to_each_look_and_alpha_to_all():
    rates = [look_alpha(0.05, number, spending=True) for number in range(1, 100_000)]
    assert rates == sorted(rates, reverse=True)
    assert sum(rates) == pytest.approx(0.05, rel=1e-4)
    assert sum(rates) < 0.05


def test_looks_are_tested_at_the_rate_that_spending_leaves(tmp_path):
    path = tmp_path / "b.json"
    gainful.make_snapshot(qrels(20), run(BEFORE), "RR", spending=True).write(path)
    used = [look(path, ranks).alpha_used for ranks in itertools.islice(runs(), 3)]
    assert used == [look_alpha(0.05, number, spending=True) for number in (1, 2, 3)]
    assert [each.alpha for each in read_snapshot(path).looks] == used
    # The first run again has its own rate, and spends nothing more.
    again = look(path, next(runs()))
    assert (again.look, again.alpha_used) == (1, used[0])
    assert again.expected_wrong_passes == pytest.approx(sum(used))


def test_spending_is_carried_over_unless_a_budget_is_declared():
    kept = gainful.make_snapshot(qrels(20), run(BEFORE), "RR", spending=True)
    after = gainful.make_snapshot(qrels(20), run([1] * 20), "RR", after=kept)
    assert (after.spending, after.budget) == (True, None)
    after = gainful.make_snapshot(qrels(20), run([1] * 20), "RR", after=kept, budget=4)
    assert (after.spending, after.budget) == (False, 4)
    with pytest.raises(ParameterError, match="spending"):
        gainful.make_snapshot(qrels(20), run(BEFORE), "RR", spending=True, budget=4)


def test_the_number_of_looks_and_of_wrong_passes_is_always_printed(tmp_path):
    path = tmp_path / "b.json"
    gainful.make_snapshot(qrels(20), run(BEFORE), "RR").write(path)
    assert "Looks at these queries: 0." in str(look(path, BEFORE))
    every = runs()
    assert "Looks at these queries: 1. Expected wrong passes: at most .05" in str(
        look(path, next(every))
    )
    results = [look(path, next(every), alpha=0.1) for _ in range(19)]
    assert results[-1].looks == 20
    assert results[-1].expected_wrong_passes == pytest.approx(0.05 + 19 * 0.1)
    assert "Replace the queries." not in str(results[-2])
    assert "After 20 looks, systems may be tuned to these queries" in str(results[-1])
    # The snapshot's own run reveals nothing, and does not count.
    assert look(path, BEFORE).looks == 20


def test_a_look_that_is_not_counted_is_added_to_those_that_are(tmp_path):
    path = tmp_path / "b.json"
    gainful.make_snapshot(qrels(20), run(BEFORE), "RR").write(path)
    every = runs()
    look(path, next(every))
    result = gainful.gate(qrels(20), run(next(every)), path, margin=0.2)
    assert (result.looks, result.expected_wrong_passes) == (2, pytest.approx(0.1))
    assert len(read_snapshot(path).looks) == 1


def test_an_unchanged_system_passes_at_the_margin_with_80_percent_power():
    random = np.random.default_rng(20)
    ranks = random.integers(1, 6, 60).tolist()
    snapshot = gainful.make_snapshot(qrels(60), run(ranks), "RR")
    (found,) = carried_margins(snapshot)
    assert found.source == "values"
    values = np.array([1 / rank for rank in ranks])
    assert found.deviation == pytest.approx(values.std(ddof=1))
    passed = sum(
        bounds_of(random.normal(0, found.deviation, 60), Design(60), 0.05, 0.05).low > -found.margin
        for _ in range(1000)
    )
    assert passed / 1000 == pytest.approx(0.8, abs=0.04)


def test_the_margin_is_from_the_differences_between_saved_systems_if_there_are_several():
    first = gainful.make_snapshot(qrels(20), run(BEFORE), "RR")
    ranks = [2, 1, 3, None] * 5
    second = gainful.make_snapshot(qrels(20), run(ranks), "RR", after=first)
    (found,) = carried_margins(second, first)
    assert found.source == "changes"
    assert found.deviation == pytest.approx(np.std([-0.5, 0.5, 0, 0] * 5, ddof=1))
    assert carried_margins(second) == [found]
    # The same run again does not show how much systems differ.
    again = gainful.make_snapshot(qrels(20), run(BEFORE), "RR", after=first)
    assert carried_margins(again, first) == carried_margins(first)


def test_a_budget_and_spending_need_wider_margins():
    plain, budget, spending = (
        carried_margins(gainful.make_snapshot(qrels(20), run(BEFORE), "RR", **options))[0].margin
        for options in ({}, {"budget": 2}, {"spending": True})
    )
    # The first look has .05 / 2 and .0304.
    assert plain < spending < budget
    one = gainful.make_snapshot({"q": {"a": 1}}, {"q": ["a"]}, "RR")
    assert carried_margins(one)[0].margin == math.inf


def test_growing_queries_have_bounds_that_may_be_repeated(tmp_path):
    path = tmp_path / "b.json"
    gainful.make_snapshot(qrels(20), run(BEFORE), "RR", budget=2).write(path)
    first = next(runs())
    plain, growing = (
        gainful.gate(qrels(20), run(first), path, margin=0.2, growing=growing)
        for growing in (False, True)
    )
    assert plain.alpha_used == growing.alpha_used == 0.025
    (wide,), (narrow,) = growing.measures, plain.measures
    assert wide.low < narrow.difference < narrow.high < wide.high
    differences = [after - before for before, after in plain.values["RR"].values()]
    assert wide.method == "betting"
    assert wide.low == always_valid_bound(differences, alpha=0.025)
    assert "as often as you like" in str(growing).replace("\n ", "")
    assert growing.to_dict()["growing"] is True


def test_clusters_of_growing_queries_reduce_the_rate_by_their_number(tmp_path):
    path = tmp_path / "b.json"
    gainful.make_snapshot(qrels(20), run(BEFORE), "RR").write(path)
    first = next(runs())
    clusters = {query: number % 10 for number, query in enumerate(qrels(20))}
    growing = gainful.gate(qrels(20), run(first), path, margin=0.2, growing=True, clusters=clusters)
    rate = always_valid_alpha(10, 0.1) / 2
    assert growing.alpha_used == rate
    at_rate = gainful.gate(qrels(20), run(first), path, margin=0.2, alpha=rate, clusters=clusters)
    bounds, expected = growing.measures[0], at_rate.measures[0]
    assert (bounds.low, bounds.high) == (expected.low, expected.high)


def test_a_used_up_budget_leaves_nothing_to_growing_queries(tmp_path):
    path = tmp_path / "b.json"
    gainful.make_snapshot(qrels(20), run(BEFORE), "RR", budget=1).write(path)
    for number, ranks in enumerate(itertools.islice(runs(), 2), 1):
        result = look(path, ranks, growing=True)
        assert result.alpha_used == (0.05 if number == 1 else 0.0)
    assert result.verdict == "inconclusive"
