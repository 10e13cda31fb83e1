"""The anchor: losses of several snapshots in a row do not add up unnoticed."""

from __future__ import annotations

import json

import pytest

import gainful
from gainful.errors import FormatError, ParameterError
from gainful.gates import read_snapshot
from gainful.gates.call import save_snapshot
from gainful.gates.creation import gains_since_anchor
from gate_data import qrels, run
from json_schema import errors, schema_of

N = 400


def release(lost: int) -> list[int]:
    """Return ranks of which some are 2 instead of 1: the mean falls by lost / (2 N)."""
    return [2] * lost + [1] * (N - lost)


def snapshot_of(ranks, after=None, measures="RR@10", **options):
    return gainful.make_snapshot(qrels(N), run(ranks), measures, after=after, **options)


def check(ranks, snapshot, **options):
    return gainful.gate(qrels(N), run(ranks), snapshot, margin=0.05, **options)


def test_each_release_passes_but_the_sum_of_their_losses_does_not():
    first = snapshot_of(release(0))
    second = snapshot_of(release(20), after=first)
    third = snapshot_of(release(40), after=second)
    assert first.anchor is None
    assert second.anchor == third.anchor
    assert third.anchor.queries == first.queries
    assert check(release(20), first).verdict == "pass"
    result = check(release(60), third)
    (own,), (since,) = result.measures, result.anchored
    assert (own.verdict, own.difference) == ("pass", pytest.approx(-0.025))
    assert (since.reference, since.difference) == ("anchor", pytest.approx(-0.075))
    assert (since.verdict, result.verdict, result.status) == ("fail", "fail", 4)
    text = " ".join(str(result).split())
    assert "RR@10 vs. the anchor fails" in text
    assert "To accept them, save a snapshot with new_anchor=True." in text
    # One failed comparison is enough to fail, so both share alpha.
    assert "All 2 comparisons have to pass" in text
    assert since.high == check(release(60), first, alpha=0.025).measures[0].high


def test_a_wider_margin_and_a_new_anchor_accept_the_losses():
    first = snapshot_of(release(0))
    second = snapshot_of(release(40), after=first)
    assert check(release(60), second).verdict == "fail"
    accepted = check(release(60), second, anchor_margin=0.12)
    assert (accepted.verdict, accepted.anchored[0].margin) == ("pass", 0.12)
    renewed = snapshot_of(release(40), after=first, new_anchor=True)
    assert renewed.anchor is None
    assert check(release(60), renewed).verdict == "pass"
    assert snapshot_of(release(60), after=renewed).anchor.run == renewed.run
    with pytest.raises(ParameterError, match="anchor_margin"):
        check(release(60), second, anchor_margin=-1)


def test_the_run_of_the_anchor_is_its_own_anchor_again():
    first = snapshot_of(release(0))
    second = snapshot_of(release(20), after=first)
    assert snapshot_of(release(0), after=second).anchor is None


def test_the_anchor_is_evaluated_with_the_judgments_measures_and_queries_of_today():
    old = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    new = {"q1": {"a": 1}, "q2": {"b": 1}, "q4": {"a": 1}}
    first = gainful.make_snapshot(old, {query: ["a", "b"] for query in old}, ["RR", "P@1"])
    second = gainful.make_snapshot(
        new, {query: ["b", "a"] for query in new}, ["P@1", "P@2"], after=first
    )
    anchor = second.anchor
    # The first rankings are whole, so any measure can be computed from them.
    assert {query: own.values for query, own in anchor.queries.items()} == {
        "q1": (1.0, 0.5),
        "q2": (0.0, 0.5),
    }
    assert anchor.queries["q2"].judgments == second.queries["q2"].judgments
    changed = {**new, "q1": {"b": 1}}
    result = gainful.gate(changed, {query: ["b"] for query in new}, second, "P@1", rescore=True)
    assert result.anchored[0].snapshot_mean == 0.0
    assert (result.measures[0].n, result.anchored[0].n) == (3, 2)


def test_a_measure_that_the_saved_ranks_do_not_suffice_for_has_no_anchor():
    first = snapshot_of(release(0), measures="nDCG@1")
    second = snapshot_of(release(4), first, ["nDCG@1", "nDCG@3"])
    for rescore in (False, True):
        result = check(release(8), second, rescore=rescore)
        assert [each.measure for each in result.anchored] == ["nDCG@1"]
        assert "nDCG@3: not checked against the anchor" in str(result)
    assert snapshot_of(release(4), first, "nDCG@3").anchor is None
    other = snapshot_of(release(4), first, "nDCG@1", convention="trec_eval")
    assert other.anchor is None


def test_other_queries_have_no_anchor():
    other = {f"new {query}": judged for query, judged in qrels(4).items()}
    ranked = {query: ["right"] for query in other}
    assert gainful.make_snapshot(other, ranked, after=snapshot_of(release(0))).anchor is None


def test_the_file_keeps_the_anchor(tmp_path):
    path = tmp_path / "b.json"
    first = snapshot_of(release(0), budget=3)
    second = snapshot_of(release(4), after=first)
    second.write(path)
    whole = json.loads(path.read_text())
    assert errors(whole, schema_of("snapshot")) == []
    assert whole == json.loads(json.dumps(second.to_dict()))
    assert read_snapshot(path) == second
    result = gainful.gate(qrels(N), run(release(8)), path, count=True)
    assert read_snapshot(path).anchor == second.anchor
    assert errors(json.loads(json.dumps(result.to_dict())), schema_of("gate")) == []
    # One line per query of each, so that a diff of the file is readable.
    assert sum('"q000": ' in line for line in path.read_text().splitlines()) == 2


@pytest.mark.parametrize("key", ["anchor", "spending", "inputs", "budget", "looks"])
def test_a_file_that_lacks_a_key_is_damaged(tmp_path, key):
    path = tmp_path / "b.json"
    snapshot_of(release(0)).write(path)
    whole = json.loads(path.read_text())
    del whole[key]
    path.write_text(json.dumps(whole))
    with pytest.raises(FormatError, match=f"a damaged snapshot .KeyError: '{key}'"):
        read_snapshot(path)


def test_an_anchor_that_would_be_lost_to_another_process_is_an_error(tmp_path):
    path = tmp_path / "b.json"
    first = snapshot_of(release(0))
    first.write(path)
    made = snapshot_of(release(4), after=first)
    snapshot_of(release(2), after=first).write(path)
    with pytest.raises(FormatError, match="replaced while the run was evaluated"):
        save_snapshot(made, path, first)


def test_a_run_that_is_better_than_the_anchor_is_reported():
    first = snapshot_of(release(80))
    better = snapshot_of(release(20), after=first)
    assert gains_since_anchor(better) == {"RR@10": pytest.approx(0.075)}
    assert gains_since_anchor(snapshot_of(release(100), after=first)) == {}
    assert gains_since_anchor(first) == {}
