"""Comparisons over several collections: macro-averaged, stratified, never pooled."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.comparison import compare
from gainful.errors import MatchError, ParameterError
from gainful.inference.interval import quantile
from requirements import need

SIZES = {"small": 4, "middle": 7, "large": 30}
SYSTEMS = ("bm25", "dense", "both")


def collection(size: int, seed: int, lift: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return judgments and runs, of which ``dense`` is somewhat better."""
    chance = random.Random(seed)
    qrels = {
        f"q{number}": {f"d{n}": chance.choice([0, 0, 1, 2]) for n in range(12)}
        for number in range(size)
    }
    runs = {
        system: {
            query: {
                doc: chance.random() + (lift * grade if system == "dense" else 0.0)
                for doc, grade in grades.items()
            }
            for query, grades in qrels.items()
        }
        for system in SYSTEMS
    }
    return qrels, runs


@pytest.fixture(scope="module")
def data() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    lifts = (0.4, 0.1, 0.25)
    return {name: collection(size, at, lifts[at]) for at, (name, size) in enumerate(SIZES.items())}


def only(data: Any, *names: str) -> Any:
    return {name: data[name] for name in names}


def without(data: Any, system: str, collection: str) -> Any:
    return {
        name: (qrels, {s: run for s, run in runs.items() if (s, name) != (system, collection)})
        for name, (qrels, runs) in data.items()
    }


def differences(suite: gainful.Suite, one: str, two: str) -> list[np.ndarray]:
    return [
        np.array(
            [
                value - suite.per_query(system=two, collection=name)[query]
                for query, value in suite.per_query(system=one, collection=name).items()
            ]
        )
        for name in suite.over
    ]


def test_means_and_differences_are_macro_averages(data: Any) -> None:
    suite = gainful.evaluate_suite(data)
    found = suite.compare("bm25", resamples=1000)
    for pair in found.pairs:
        own = differences(suite, pair.system, pair.baseline)
        assert pair.difference == pytest.approx(np.mean([each.mean() for each in own]), rel=1e-12)
        assert abs(pair.difference - np.concatenate(own).mean()) > 1e-4
        for name, mean in ((pair.system, pair.mean), (pair.baseline, pair.baseline_mean)):
            macro = suite.macro(system=name)
            assert macro is not None
            assert mean == macro.mean
        assert (pair.n, pair.segment) == (sum(SIZES.values()), None)
        error = np.sqrt(sum(each.var(ddof=1) / len(each) for each in own)) / len(own)
        shares = [each.var(ddof=1) / len(each) for each in own]
        below = sum(v * v / (len(each) - 1) for v, each in zip(shares, own, strict=True))
        assert pair.df == pytest.approx(sum(shares) ** 2 / below, rel=1e-10)
        assert pair.df < sum(SIZES.values()) - len(SIZES)
        assert pair.t_statistic == pytest.approx(pair.difference / error, rel=1e-10)
        half = quantile(0.975, pair.df) * error
        assert pair.t_interval.high == pytest.approx(pair.difference + half, rel=1e-10)


def test_the_p_value_enumerates_the_flips_of_the_macro_average(data: Any) -> None:
    suite = gainful.evaluate_suite(only(data, "small", "middle"))
    pair = suite.compare("bm25").pair("dense")
    assert pair is not None
    assert pair.exact
    parts = [each / len(each) / 2 for each in differences(suite, "dense", "bm25")]
    contributions = np.concatenate(parts)
    observed = abs(contributions.sum())
    signs = np.array(list(itertools.product((1, -1), repeat=len(contributions))))
    share = (abs(signs @ contributions) >= observed * (1 - 1e-9)).mean()
    assert pair.p == pytest.approx(share, rel=1e-12)
    pooled = np.concatenate([each * len(each) for each in parts])
    assert share != (abs(signs @ pooled) >= abs(pooled.sum()) * (1 - 1e-9)).mean()


def test_queries_are_resampled_within_their_collection() -> None:
    """A sample of the pooled queries could have a mean close to that of one collection."""
    qrels = {f"q{n}": {"a": 1} for n in range(8)}
    first = {q: ["a"] for q in qrels}
    later = {q: ["b", "a"] if n % 2 else ["b", "c", "a"] for n, q in enumerate(qrels)}
    suite = gainful.evaluate_suite(
        {
            "won": (qrels, {"old": later, "new": first}),
            "lost": (qrels, {"old": first, "new": later}),
        },
        "RR",
    )
    pair = suite.compare("old").pair("new")
    assert pair is not None
    # The differences are 1/2 and 2/3 in one collection, and their negatives in the other.
    assert pair.difference == pytest.approx(0, abs=1e-15)
    assert pair.bca_interval is not None
    assert -1 / 12 <= pair.bca_interval.low < 0 < pair.bca_interval.high <= 1 / 12


def test_a_gap_equals_the_comparison_on_that_collection(data: Any) -> None:
    found = gainful.evaluate_suite(data).compare("bm25")
    for name, (qrels, runs) in data.items():
        alone = compare(qrels, runs, "nDCG@10", baseline="bm25")
        assert [pair.segment for pair in found.gaps[name]] == [name, name]
        for pair in found.gaps[name]:
            other = alone.pair(pair.system, "bm25")
            for field in ("n", "mean", "baseline_mean", "difference", "p", "exact", "p_t", "wins"):
                assert getattr(pair, field) == getattr(other, field), field
            assert pair.bca_interval == other.bca_interval
    gaps = [pair for own in found.gaps.values() for pair in own]
    assert {pair.correction for pair in gaps} == {"holm"}
    least = min(gaps, key=lambda pair: pair.p)
    assert least.p_adjusted == pytest.approx(min(1, 6 * least.p))


def test_all_pairs_by_randomized_tukey(data: Any) -> None:
    suite = gainful.evaluate_suite(data)
    found = suite.compare(correction="tukey", resamples=2_000)
    assert [pair.correction for pair in found.pairs] == ["tukey"] * 3
    assert len({round(pair.interval.high - pair.interval.low, 12) for pair in found.pairs}) == 1
    with pytest.raises(ParameterError, match="found tukey with a baseline"):
        suite.compare("bm25", correction="tukey")


def test_all_pairs_are_corrected_by_max_t(data: Any) -> None:
    found = gainful.evaluate_suite(data).compare(resamples=20_000)
    assert found.baselines == ()
    assert found.gaps == {}
    assert [pair.correction for pair in found.pairs] == ["max-t"] * 3
    assert "corrected by max-T over 3 pairs" in " ".join(str(found).split())
    for pair in found.pairs:
        assert (pair.interval.low > 0 or pair.interval.high < 0) == (
            pair.verdict in ("better", "worse")
        )
    assert {pair.verdict for pair in found.pairs} >= {"better", "inconclusive"} or {
        pair.verdict for pair in found.pairs
    } >= {"worse", "inconclusive"}
    pair = found.pairs[0]
    turned = found.pair(pair.baseline, pair.system)
    assert turned is not None
    assert (turned.difference, turned.interval.low) == (-pair.difference, -pair.interval.high)
    letters = found.letters()
    for pair in found.pairs:
        shared = set(letters[pair.system]) & set(letters[pair.baseline])
        assert bool(shared) == (pair.verdict == "inconclusive")
    with pytest.raises(ParameterError, match="all pairs"):
        gainful.evaluate_suite(data).compare("bm25").letters()


def test_intervals_agree_with_verdicts_with_a_baseline(data: Any) -> None:
    found = gainful.evaluate_suite(data).compare("dense")
    verdicts = set()
    for pair in [*found.pairs, *(each for own in found.gaps.values() for each in own)]:
        verdicts.add(pair.verdict)
        if pair.verdict == "worse":
            assert pair.interval.high <= 0
        elif pair.verdict == "inconclusive":
            # Four queries have no finite simultaneous interval.
            assert (
                pair.interval is None
                if pair.n == 4
                else pair.interval.low <= 0 <= pair.interval.high
            )
    assert verdicts == {"worse", "inconclusive"}


def test_a_system_with_a_missing_run_is_compared_on_its_collections(data: Any) -> None:
    suite = gainful.evaluate_suite(without(data, "both", "middle"))
    found = suite.compare("bm25")
    assert found.systems == ("bm25", "dense")
    assert [(pair.system, pair.baseline) for pair in found.pairs] == [("dense", "bm25")]
    gaps = {name: [pair.system for pair in own] for name, own in found.gaps.items()}
    assert gaps == {"small": ["dense", "both"], "middle": ["dense"], "large": ["dense", "both"]}
    assert found.pair("both") is None
    assert found.pair("both", collection="middle") is None
    assert found.pair("both", collection="large") is not None
    common = gainful.evaluate_suite(without(data, "both", "middle"), over="common").compare("bm25")
    assert [pair.n for pair in common.pairs] == [34, 34]


def test_a_baseline_with_a_missing_run(data: Any) -> None:
    found = gainful.evaluate_suite(without(data, "bm25", "middle")).compare("bm25")
    assert found.pairs == ()
    assert sorted(pair.system for pair in found.gaps["small"]) == ["both", "dense"]
    assert found.gaps["middle"] == ()
    note = "bm25 has no run for middle, so no system is compared with it over all collections."
    assert note in " ".join(str(found).split())


def test_margins_and_required_queries(data: Any) -> None:
    suite = gainful.evaluate_suite(data)
    found = suite.compare("bm25", margin=0.9)
    assert [pair.verdict_text for pair in found.pairs if pair.system == "both"] == ["equivalent"]
    assert {pair.verdict_text for pair in found.pairs} <= {
        "equivalent",
        "better, by less than the margin",
    }
    small = suite.compare("bm25", detect=0.02)
    pair = small.pair("both")
    assert pair is not None
    assert pair.verdict == "inconclusive"
    assert pair.needed is not None
    assert pair.needed > pair.n
    text = " ".join(str(small).split())
    assert f"A difference of .02 requires {pair.needed:,} queries, distributed over" in text


def test_weights_count_within_their_collection(data: Any) -> None:
    weights = {"large": {f"q{n}": n + 1.0 for n in range(30)}}
    suite = gainful.evaluate_suite(data, weights=weights)
    found = suite.compare("bm25", resamples=1000)
    for pair in found.pairs:
        macros = suite.macro(system=pair.system), suite.macro(system="bm25")
        assert None not in macros
        assert (pair.mean, pair.baseline_mean) == tuple(each.mean for each in macros if each)
        assert pair.difference == pytest.approx(pair.mean - pair.baseline_mean, rel=1e-10)
    assert "Means and tests weight the queries of each collection." in str(found)


def test_identical_systems(data: Any) -> None:
    twins = {
        name: (qrels, {"a": runs["bm25"], "b": runs["bm25"]})
        for name, (qrels, runs) in data.items()
    }
    pair = gainful.evaluate_suite(twins).compare("a").pair("b")
    assert pair is not None
    assert (pair.verdict, pair.p, pair.difference) == ("identical", 1.0, 0.0)


def test_several_measures_and_baselines(data: Any) -> None:
    suite = gainful.evaluate_suite(data, ["nDCG@10", "AP"])
    found = suite.compare(["bm25", "both"], resamples=1000)
    named = [(pair.measure, pair.system, pair.baseline) for pair in found.pairs]
    couples = [("dense", "bm25"), ("both", "bm25"), ("dense", "both")]
    assert sorted(named) == sorted((m, s, b) for m in ("nDCG@10", "AP") for s, b in couples)
    with pytest.raises(
        ParameterError, match="baseline: found no baseline, expected one of bm25, both"
    ):
        found.pair("dense", measure="AP")
    one, all_of_them = (
        suite.compare("bm25", family=family, resamples=1000) for family in ("measure", "all")
    )
    for alone, together in zip(one.pairs, all_of_them.pairs, strict=True):
        assert together.p == alone.p
        assert together.p_adjusted >= alone.p_adjusted


def test_invalid_comparisons_are_rejected(data: Any) -> None:
    suite = gainful.evaluate_suite(data)
    with pytest.raises(ParameterError, match="did you mean bm25"):
        suite.compare("bm52")
    with pytest.raises(ParameterError, match="alpha"):
        suite.compare(alpha=2)
    skip = gainful.conventions.get("gainful-1").replace(missing="skip")
    apart = (
        {"q1": {"a": 1}, "q2": {"a": 1}},
        {"one": {"q1": ["a"]}, "two": {"q2": ["a"]}},
    )
    with pytest.raises(MatchError, match="collection apart: two and one have no query in common"):
        gainful.evaluate_suite({"apart": apart}, convention=skip).compare()


def test_the_seed_decides_and_threads_do_not(data: Any) -> None:
    suite = gainful.evaluate_suite(data)
    one, four = (suite.compare(threads=count, resamples=2000).to_dict() for count in (1, 4))
    assert one == four
    assert suite.compare(seed=1, resamples=2000).to_dict() != one


def test_one_collection_equals_compare(data: Any) -> None:
    qrels, runs = data["large"]
    suite = gainful.evaluate_suite({"large": (qrels, runs)}).compare()
    alone = compare(qrels, runs, "nDCG@10")
    assert suite.pairs == alone.pairs


def test_the_best_baseline_gets_the_p_of_all_pairs(data: Any) -> None:
    options = {"resamples": 500, "bootstrap": 0, "threads": 1}
    suite = gainful.evaluate_suite(data, "nDCG@10")
    macros = {name: suite.macro(system=name).mean for name in suite.complete}
    best = max(macros, key=lambda name: macros[name])
    every = suite.compare(**options)
    found = suite.compare(best, **options)
    assert len(suite.complete) > 2
    for pair in found.pairs:
        assert pair.p_all_pairs == every.pair(pair.system, best).p_adjusted
    assert f"The baseline {best} has the highest or lowest mean." in str(found)


def test_nothing_is_equivalent_with_a_collection_of_one_query(data: Any) -> None:
    # The variance of its differences is unknown, so their mean has no standard error.
    both = {**only(data, "large"), "single": collection(1, 9, 0.0)}
    found = gainful.evaluate_suite(both, "nDCG@10").compare(
        margin=0.9, resamples=500, bootstrap=0, threads=1
    )
    for pair in found.pairs:
        assert (pair.t_interval, pair.p_equivalence, pair.within_margin) == (None, None, False)
        assert pair.verdict != "equivalent"


def test_ranks_and_differences_count_the_queries_of_all_systems() -> None:
    qrels = {f"q{n}": {"d": 1} for n in range(8)}
    runs = {
        "a": {query: ["x", "d"] for query in qrels} | {"q0": ["d"]},
        "b": {query: ["x", "y", "d"] for query in qrels},
        # Its only query is the easiest of a.
        "short": {"q0": ["x", "d"]},
    }
    skip = gainful.conventions.get("gainful-1").replace(missing="skip")
    found = gainful.evaluate_suite({"one": (qrels, runs)}, "RR", convention=skip).compare()
    assert {system: rank.rank for system, rank in found.ranks().items()} == {
        "a": 1,
        "short": 2,
        "b": 3,
    }
    assert [pair.n for pair in found.pairs] == [1, 1, 1]
    assert "leave out up to 7 queries for which a system has no value; means do not" in str(found)


def rows(plot: Any) -> list[dict[str, Any]]:
    """Return the data of all parts of a picture."""

    def parts(spec: Any) -> Any:
        yield from spec.get("data", {}).get("values", ())
        for name in ("layer", "vconcat", "hconcat"):
            for part in spec.get(name, ()):
                yield from parts(part)

    return list(parts(plot.to_dict()))


def test_pictures_of_a_comparison(data: Any) -> None:
    need("altair")
    suite = gainful.evaluate_suite(data)
    found = suite.compare(resamples=500, bootstrap=0)
    ranks = rows(found.plot("ranks"))
    assert {row["system"]: row["rank"] for row in ranks} == {
        system: rank.rank for system, rank in found.ranks().items()
    }
    best = next(iter(found.ranks()))
    queries = rows(found.plot("queries"))
    assert {row["query"] for row in queries} == set(found.queries)
    assert {row["query"].partition("/")[0] for row in queries} == set(SIZES)
    drawn = {row["system"]: row["difference"] for row in rows(found.plot()) if "difference" in row}
    assert drawn == {
        system: found.pair(system, best).difference for system in SYSTEMS if system != best
    }
    assert found.plot("means").to_dict() == suite.plot().to_dict()


def test_a_comparison_without_pairs_draws_means(data: Any) -> None:
    alone = without(only(data, "small", "middle"), "both", "small")
    parts = without(without(alone, "dense", "small"), "bm25", "middle")
    found = gainful.evaluate_suite(parts).compare()
    assert (found.systems, found.pairs, found.ranks()) == ((), (), {})
    assert found.plot().to_dict() == found.suite.plot().to_dict()
    assert found.records("means") == found.suite.records()
