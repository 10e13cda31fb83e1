"""compare(): p-values that allow for the selection of the best or worst system as baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.comparison import families
from gainful.comparison.pair import Pair

FEW = {"resamples": 2_000, "bootstrap": 0, "threads": 1}


@pytest.fixture
def data() -> tuple[Any, Any]:
    draw = np.random.default_rng(4)
    values = draw.normal([5.0, 5.1, 5.2, 5.3], 0.5, (40, 4))
    return collection({name: values[:, at].tolist() for at, name in enumerate("abcd")})


def compare(data: tuple[Any, Any], **options: Any) -> gainful.Comparison:
    return gainful.compare(*data, MEASURE, **{**FEW, **options})


def shown(found: gainful.Comparison) -> str:
    """Return the tables and notes without line breaks."""
    return " ".join(str(found).split())


def test_the_best_and_the_worst_baseline_get_the_p_of_all_pairs(data: tuple[Any, Any]) -> None:
    every = compare(data)
    means = every.means()
    order = sorted(means, key=lambda name: means[name])
    for baseline in (order[0], order[-1]):
        found = compare(data, baseline=baseline)
        assert len(found.pairs) == 3
        for pair in found.pairs:
            other = every.pair(pair.system, pair.baseline)
            assert pair.p_all_pairs == other.p_adjusted
            assert pair.correction == "holm"
            assert found.pair(pair.baseline, pair.system).p_all_pairs == pair.p_all_pairs


def test_only_pairs_with_the_baseline_are_compared(
    data: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = []
    original = families.compare_family

    def compare_family(*family: Any, **options: Any) -> list[Pair]:
        pairs = original(*family, **options)
        numbers.append(len(pairs))
        return pairs

    means = compare(data).means()
    monkeypatch.setattr(families, "compare_family", compare_family)
    found = compare(data, baseline=max(means, key=lambda name: means[name]))
    assert numbers == [len(found.pairs)] == [3]


def test_all_pairs_of_many_systems_have_fewer_resamples(
    data: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    means = compare(data).means()
    best = max(means, key=lambda name: means[name])
    usual = compare(data, baseline=best)
    # Four systems have six pairs.
    monkeypatch.setattr(families, "_DIFFERENCES", 6 * 500)
    monkeypatch.setattr(families, "_FEWEST_RESAMPLES", 400)
    found = compare(data, baseline=best)
    assert [pair.p_adjusted for pair in found.pairs] == [pair.p_adjusted for pair in usual.pairs]
    for pair, before in zip(found.pairs, usual.pairs, strict=True):
        assert (pair.p_all_pairs * 501) == pytest.approx(round(pair.p_all_pairs * 501))
        assert pair.p_all_pairs == pytest.approx(before.p_all_pairs, abs=0.1)
    monkeypatch.setattr(families, "_DIFFERENCES", 6)
    least = min(pair.p_all_pairs for pair in compare(data, baseline=best).pairs)
    assert least * 401 == pytest.approx(round(least * 401))


def test_the_p_of_all_pairs_of_copies_is_that_of_all_pairs() -> None:
    draw = np.random.default_rng(4)
    best, other = draw.normal([5.4, 5.0], 0.5, (40, 2)).T.tolist()
    data = collection({"best": best, "copy": best, "other": other, "again": other})
    every = compare(data)
    found = compare(data, baseline="best")
    assert [pair.p_all_pairs for pair in found.pairs] == [
        every.pair(pair.system, "best").p_adjusted for pair in found.pairs
    ]
    assert found.pair("copy", "best").p_all_pairs == 1.0


def test_other_comparisons_have_one_p(data: tuple[Any, Any]) -> None:
    means = compare(data).means()
    middle = sorted(means, key=lambda name: means[name])[1]
    assert {pair.p_all_pairs for pair in compare(data, baseline=middle).pairs} == {None}
    assert {pair.p_all_pairs for pair in compare(data).pairs} == {None}
    qrels, runs = data
    two = {name: runs[name] for name in "ab"}
    (pair,) = gainful.compare(qrels, two, MEASURE, baseline="a", **FEW).pairs
    assert pair.p_all_pairs is None


def test_only_extreme_baselines_of_several_get_the_second_p(data: tuple[Any, Any]) -> None:
    means = compare(data).means()
    first, second, *_ = sorted(means, key=lambda name: means[name])
    found = compare(data, baseline=[second, first])
    for pair in found.pairs:
        assert (pair.p_all_pairs is None) == (pair.baseline == second)


def test_table_and_note_show_both_p_values(data: tuple[Any, Any]) -> None:
    means = compare(data).means()
    order = sorted(means, key=lambda name: means[name])
    text = shown(compare(data, baseline=order[0]))
    assert "p (Holm) p (all pairs)" in text
    assert f"The baseline {order[0]} has the highest or lowest mean." in text
    plain = shown(compare(data, baseline=order[1]))
    assert "p (all pairs)" not in plain
    assert "highest or lowest mean" not in plain


def test_the_note_counts_the_differences_that_selection_explains(data: tuple[Any, Any]) -> None:
    means = compare(data).means()
    worst = min(means, key=lambda name: means[name])
    pairs = compare(data, baseline=worst).pairs
    pair = max(pairs, key=lambda each: (each.p_all_pairs or 0) - each.p_adjusted)
    assert pair.p_all_pairs is not None
    alpha = (pair.p_adjusted + pair.p_all_pairs) / 2
    lost = sum(each.p_adjusted <= alpha < (each.p_all_pairs or 0) for each in pairs)
    assert lost
    text = f"use p (all pairs), by which {lost} fewer differ"
    assert text in shown(compare(data, baseline=worst, alpha=alpha))
    assert "use p (all pairs)." in shown(compare(data, baseline=worst, alpha=1e-3))


def test_all_measures_as_one_family_are_all_pairs_of_all_measures() -> None:
    draw = np.random.default_rng(4)
    qrels = {f"q{at}": {"x": 1, "y": 2, "z": 1} for at in range(40)}
    runs = {
        name: {query: draw.permutation(["x", "y", "z", "u"]).tolist() for query in qrels}
        for name in "abc"
    }
    measures = ["nDCG@3", "P@1"]
    every = gainful.compare(qrels, runs, measures, family="all", **FEW)
    for baseline in "abc":
        found = gainful.compare(qrels, runs, measures, family="all", baseline=baseline, **FEW)
        for pair in found.pairs:
            if pair.p_all_pairs is not None:
                other = every.pair(pair.system, pair.baseline, measure=pair.measure)
                assert pair.p_all_pairs == other.p_adjusted


def test_a_note_counts_measures_that_are_tested_separately() -> None:
    qrels = {f"q{at}": {"x": 1, "y": 2} for at in range(20)}
    orders = {"old": ["x", "y"], "new": ["y", "x"]}
    runs = {name: {query: list(order) for query in qrels} for name, order in orders.items()}
    text = "3 measures, each tested at .05; family='all' corrects for all."
    measures = ["nDCG@2", "P@1", "RR"]
    assert text in str(gainful.compare(qrels, runs, measures, **FEW))
    assert "each tested" not in str(gainful.compare(qrels, runs, measures, family="all", **FEW))
    assert "each tested" not in str(gainful.compare(qrels, runs, "RR", **FEW))
