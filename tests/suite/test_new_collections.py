"""Differences over other collections, with the collections as a random sample."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import pytest

import gainful
from gainful.inference import Design, random_effects

DIFFERENCES = {"a": 0.30, "b": 0.10, "c": 0.25, "d": 0.15}


def suite_of(
    differences: dict[str, float], sizes: dict[str, int] | None = None, **options: Any
) -> gainful.Suite:
    """Return collections, of 20 queries by default, with these differences of "new" and "old"."""
    data: dict[str, Any] = {}
    for name, difference in differences.items():
        size = (sizes or {}).get(name, 20)
        gains = round(difference * size)
        queries = [f"q{number}" for number in range(size)]
        old = {query: {"x": 2.0, "d": 1.0} for query in queries}
        new = {q: {"d": 2.0} if at < gains else old[q] for at, q in enumerate(queries)}
        data[name] = {q: {"d": 1} for q in queries}, {"old": old, "new": new, "same": old}
    return gainful.evaluate_suite(data, ["P@1"], **options)


def test_intervals_are_those_of_random_effects() -> None:
    suite = suite_of(DIFFERENCES)
    comparison = suite.compare("old", resamples=200)
    new, same = comparison.new_collections()
    effects = list(DIFFERENCES.values())
    values = [suite.per_query(system="new", collection=name).values() for name in suite.over]
    errors = [Design(20).standard_error(list(column)) for column in values]
    simultaneous = random_effects(effects, errors, level=1 - 0.05 / 2)
    alone = random_effects(effects, errors)
    assert simultaneous is not None
    assert alone is not None
    assert new.difference == pytest.approx(fmean(effects))
    assert new.interval == pytest.approx((simultaneous.low, simultaneous.high))
    assert [new.tau, *new.prediction_interval] == pytest.approx(alone[3:])
    assert new.verdict == "better"
    # No collection has a difference.
    assert (same.system, same.difference, same.interval, same.tau, same.verdict) == (
        *("same", 0.0, None, None, None),
    )


def test_a_significant_difference_may_not_hold_in_other_collections() -> None:
    comparison = suite_of({"a": 0.9, "b": 0.05, "c": 0.0}).compare("old", resamples=2_000)
    (pair, *_), (effect, *_) = comparison.pairs, comparison.new_collections()
    assert pair.verdict == "better"
    assert effect.verdict == "inconclusive"
    assert effect.prediction_interval.low == -1.0
    text = str(comparison)
    assert "not significantly different on average over collections like these" in text
    assert "expect a difference between -1.0000 and +1.0000" in text


def test_two_collections_cannot_say() -> None:
    comparison = suite_of({"a": 0.3, "b": 0.1}).compare("old", resamples=200)
    assert all(effect.verdict is None for effect in comparison.new_collections())
    assert "2 collections cannot show whether" in str(comparison)
    assert "other collections like these" not in str(comparison)


def test_one_collection_says_nothing_of_others() -> None:
    text = str(suite_of({"a": 0.3}).compare("old", resamples=200))
    assert "other collections" not in text.replace("not for other collections", "")


@pytest.mark.parametrize("baseline", ["old", None])
@pytest.mark.parametrize("family", ["measure", "all"])
def test_weighted_effects_average_to_the_difference(baseline: str | None, family: str) -> None:
    weights = {name: {f"q{n}": n % 3 + 1.0 for n in range(20)} for name in DIFFERENCES}
    clusters = {name: {f"q{n}": str(n // 2) for n in range(20)} for name in DIFFERENCES}
    suite = suite_of(DIFFERENCES, weights=weights, clusters=clusters)
    comparison = suite.compare(baseline, family=family, resamples=200)
    effects = comparison.new_collections()
    assert [(effect.system, effect.baseline) for effect in effects] == [
        (pair.system, pair.baseline) for pair in comparison.pairs
    ]
    for pair, effect in zip(comparison.pairs, effects, strict=True):
        assert effect.difference == pair.difference
        if effect.interval is not None:
            assert sum(effect.interval) / 2 == pytest.approx(pair.difference)
    document = comparison.to_dict()["comparison"]
    assert document["new_collections"] == [effect.to_dict() for effect in effects]


def test_a_collection_of_one_query_has_no_tau() -> None:
    suite = suite_of({"a": 0.3, "b": 0.1, "c": 0.2}, sizes={"a": 1})
    new, _ = suite.compare("old", resamples=200).new_collections()
    assert new.tau is None
    assert new.interval is not None
