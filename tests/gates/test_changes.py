"""Changes since the snapshot was saved: judgments, queries, conventions and looks."""

from __future__ import annotations

import pytest

import gainful
from gainful.errors import ConventionError, MeasureError
from gainful.gates import read_snapshot
from gate_data import gate_reciprocal_ranks, qrels, run

BEFORE = [1, 2, 3, None] * 5


@pytest.fixture
def file(tmp_path):
    """Save a snapshot of reciprocal ranks with a budget of two looks."""
    path = tmp_path / "snapshot.json"
    snapshot = gainful.make_snapshot(qrels(20), run(BEFORE), "RR@10", name="main", budget=2)
    snapshot.write(path)
    return path


def test_another_convention_is_rejected_by_name(file):
    with pytest.raises(ConventionError) as caught:
        gainful.gate(qrels(20), run(BEFORE), file, convention="trec_eval")
    assert str(caught.value).startswith(
        f"{file}: found values under gainful-1, expected trec_eval-9.0.8"
    )
    assert gainful.gate(qrels(20), run(BEFORE), file, convention="gainful").verdict == "pass"


def test_another_measure_is_rejected_by_name(file):
    with pytest.raises(MeasureError, match="found values of RR@10, expected RR@5"):
        gainful.gate(qrels(20), run(BEFORE), file, "RR@5")


def test_changed_judgments_are_reported_and_both_sides_rescored():
    old = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1}}
    new = {"q1": {"a": 0, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1, "zzz": 0}}
    ranked = {"q1": ["a", "b", "c"], "q2": ["a"], "q3": ["b", "c"]}
    snapshot = gainful.make_snapshot(old, ranked, "nDCG@2")
    result = gainful.gate(new, ranked, snapshot)
    assert result.judgments_changed == ("q1", "q3")
    assert "The judgments changed since the snapshot was saved, for 2 queries (q1, q3)" in str(
        result
    )
    (found,) = result.measures
    assert found.difference < 0
    rescored = gainful.gate(new, ranked, snapshot, rescore=True)
    assert (rescored.verdict, rescored.measures[0].changed) == ("pass", 0)
    assert rescored.measures[0].mean == gainful.evaluate(new, ranked, "nDCG@2").mean()
    assert "Both sides are evaluated with today's judgments. They differ" in str(rescored)
    assert "changed since" not in str(gainful.gate(old, ranked, snapshot))


def test_queries_added_and_removed_are_listed_and_not_compared():
    snapshot = gainful.make_snapshot(qrels(12), run([1] * 12), "RR")
    today = {query: judged for query, judged in qrels(14).items() if query != "q003"}
    ranked = {query: ranking for query, ranking in run([1] * 14).items() if query != "q003"}
    ranked["q012"] = ["wrong"]
    for rescore in (False, True):
        result = gainful.gate(today, ranked, snapshot, rescore=rescore)
        assert result.added == ("q012", "q013")
        assert result.removed == ("q003",)
        assert result.measures[0].n == 11
        assert result.verdict == "pass"
        assert "Not in the snapshot, so not compared: 2 queries (q012, q013)." in str(result)
        assert "Only in the snapshot, so not compared: 1 query (q003)." in str(result)
        # No judgments of common queries changed.
        assert result.judgments_changed == ()


def test_queries_without_a_value_on_one_side_are_counted():
    skipping = gainful.conventions.get("gainful-1").replace(no_relevant="skip")
    old = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    new = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    ranked = {query: ["a"] for query in old}
    snapshot = gainful.make_snapshot(old, ranked, "RR", convention=skipping)
    result = gainful.gate(new, ranked, snapshot)
    assert (result.measures[0].n, result.measures[0].left_out) == (2, 1)
    assert "RR: 1 query with a value on one side only." in str(result)


def test_each_run_counts_as_one_look_and_the_budget_is_corrected_for(file):
    def look(ranks):
        return gainful.gate(qrels(20), run(ranks), file, margin=0.6, count=True, alpha=0.04)

    own = look(BEFORE)
    assert (own.look, own.counted) == (0, True)
    first = look([2, *BEFORE[1:]])
    assert (first.look, first.alpha_used, first.counted) == (1, 0.02, True)
    # The same run again reveals nothing new.
    assert look([2, *BEFORE[1:]]).look == 1
    assert look([3, *BEFORE[1:]]).look == 2
    kept = read_snapshot(file)
    assert [(each.system, each.verdict) for each in kept.looks] == [
        ("run", "pass"),
        ("run", "pass"),
    ]
    spent = look([4, *BEFORE[1:]])
    assert (spent.look, spent.alpha_used, spent.verdict) == (3, 0.0, "inconclusive")
    assert "Looks at these queries: 3 of a declared budget of 2." in str(spent)
    assert "The budget is used up" in str(spent)
    # A run that was checked within the budget keeps its verdict.
    assert look([2, *BEFORE[1:]]).verdict == "pass"
    # Without a change, there is nothing to test.
    moved = [ranking if ranking != ["wrong"] else ["other"] for ranking in run(BEFORE).values()]
    unchanged = dict(zip(run(BEFORE), moved, strict=True))
    assert gainful.gate(qrels(20), unchanged, file).verdict == "pass"


def test_bounds_are_wider_under_a_budget():
    after = [2, 1] * 10
    plain = gainful.make_snapshot(qrels(20), run(BEFORE), "RR")
    careful = gainful.make_snapshot(qrels(20), run(BEFORE), "RR", budget=5)
    with_budget = gainful.gate(qrels(20), run(after), careful, alpha=0.05).measures[0]
    without = gainful.gate(qrels(20), run(after), plain, alpha=0.01).measures[0]
    assert (with_budget.low, with_budget.high) == (without.low, without.high)


def test_a_look_is_not_counted_by_default(file):
    before = file.read_bytes()
    result = gainful.gate(qrels(20), run([1] * 20), file)
    assert result.counted is None
    assert file.read_bytes() == before


def test_a_file_that_cannot_be_written_is_reported(file, monkeypatch):
    def refuse(path, chunks):
        raise gainful.errors.SourceError(file=str(path), found="a read-only file")

    monkeypatch.setattr("gainful.gates.snapshot.write_whole", refuse)
    result = gainful.gate(qrels(20), run([1] * 20), file, count=True)
    assert result.counted is False
    assert "The look was not counted" in str(result)


def test_looks_are_carried_over_to_the_snapshot_that_replaces_it(file):
    gainful.gate(qrels(20), run([1] * 20), file, count=True)
    before = read_snapshot(file)
    after = gainful.make_snapshot(qrels(21), run([1] * 21), "RR", after=before)
    assert (after.looks, after.budget) == (before.looks, 2)
    other = {f"new {query}": judged for query, judged in qrels(20).items()}
    fresh = gainful.make_snapshot(other, {query: ["right"] for query in other}, after=before)
    assert (fresh.looks, fresh.budget) == ((), None)


def test_rescoring_with_the_same_judgments_changes_nothing():
    plain = gate_reciprocal_ranks(BEFORE, [2, 2, 2, 2] * 5)
    rescored = gate_reciprocal_ranks(BEFORE, [2, 2, 2, 2] * 5, rescore=True)
    assert plain.measures == rescored.measures
