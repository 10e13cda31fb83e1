"""Systems on several collections: means, macro-averages, gaps and missing runs."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import pytest

import gainful
from gainful.errors import ArgumentError, FormatError, MeasureError, ParameterError
from gainful.inference import mean_interval

MEASURES = ["nDCG@10", "AP"]
SIZES = {"small": 5, "middle": 20, "large": 60}
SYSTEMS = ("bm25", "dense", "both")


def collection(size: int, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return judgments and runs of three systems; collections have the same query ids."""
    chance = random.Random(seed)
    queries = [f"q{number}" for number in range(size)]
    qrels = {query: {f"d{n}": chance.choice([0, 0, 1, 2]) for n in range(12)} for query in queries}
    runs = {
        system: {query: {f"d{n}": chance.random() for n in range(15)} for query in queries}
        for system in SYSTEMS
    }
    return qrels, runs


@pytest.fixture(scope="module")
def data() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    return {name: collection(size, at) for at, (name, size) in enumerate(SIZES.items())}


def without(data: Any, *cells: tuple[str, str]) -> Any:
    """Return collections without the runs of some (system, collection)."""
    return {
        name: (qrels, {s: run for s, run in runs.items() if (s, name) not in cells})
        for name, (qrels, runs) in data.items()
    }


def test_values_equal_those_of_evaluate(data: Any) -> None:
    suite = gainful.evaluate_suite(data, MEASURES)
    assert suite.systems == SYSTEMS
    assert suite.collections == tuple(SIZES)
    for name, (qrels, runs) in data.items():
        alone = gainful.evaluate(qrels, runs=runs, measures=MEASURES)
        for system in SYSTEMS:
            for measure in MEASURES:
                assert suite.value(measure, system, name) == alone.mean(measure, system)
                assert suite.per_query(measure, system, name) == alone.per_query(measure, system)


def test_the_macro_average_has_equal_weights_and_never_pools(data: Any) -> None:
    suite = gainful.evaluate_suite(data)
    for system in SYSTEMS:
        values = [list(suite.per_query(system=system, collection=name).values()) for name in SIZES]
        means = [sum(each) / len(each) for each in values]
        macro = suite.macro(system=system)
        assert macro is not None
        assert macro.mean == pytest.approx(sum(means) / 3, rel=1e-14)
        pooled = [value for each in values for value in each]
        assert abs(macro.mean - sum(pooled) / len(pooled)) > 1e-5
        error = math.sqrt(sum(statistics.variance(each) / len(each) for each in values)) / 3
        assert macro.standard_error == pytest.approx(error, rel=1e-12)
        shares = [statistics.variance(each) / len(each) for each in values]
        below = sum(v * v / (len(each) - 1) for v, each in zip(shares, values, strict=True))
        sizes = [len(each) for each in values]
        planned = sum(1 / n for n in sizes) ** 2 / sum(1 / n**2 / (n - 1) for n in sizes)
        df = min(sum(shares) ** 2 / below, planned)
        assert 4 <= df < 82
        assert macro.df == pytest.approx(df, rel=1e-12)
        assert macro.n == 85
        ends = [
            mean_interval(mean, statistics.stdev(each), len(each), low=0.0, high=1.0, df=df)
            for mean, each in zip(means, values, strict=True)
        ]
        arms = [
            math.hypot(*(end[side] - mean for end, mean in zip(ends, means, strict=True))) / 3
            for side in (0, 1)
        ]
        assert all(0.0 < low < high < 1.0 for low, high in ends)
        assert macro.interval == pytest.approx(
            (macro.mean - arms[0], macro.mean + arms[1]), rel=1e-12
        )


def test_the_interval_stays_in_the_range_of_the_measure() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(3)}
    run = {"q0": ["a"], "q1": ["a"], "q2": ["b", "a"]}
    macro = gainful.evaluate_suite({"one": (qrels, {"x": run}), "two": (qrels, {"x": run})}).macro(
        system="x"
    )
    assert macro is not None
    assert macro.interval.high == 1.0


def test_one_query_has_no_interval() -> None:
    one = ({"q": {"a": 1}}, {"x": {"q": ["a"]}})
    macro = gainful.evaluate_suite({"one": one, "two": one}).macro(system="x")
    assert macro is not None
    assert (macro.mean, macro.interval, macro.standard_error) == (1.0, None, None)


def test_weights_count_within_their_collection(data: Any) -> None:
    weights = {"middle": {f"q{n}": n + 1.0 for n in range(20)}}
    plain, weighted = (gainful.evaluate_suite(data, weights=each) for each in (None, weights))
    values = plain.per_query(system="bm25", collection="middle")
    own = sum(weights["middle"][query] * value for query, value in values.items()) / 210
    assert weighted.value(system="bm25", collection="middle") == pytest.approx(own, rel=1e-14)
    assert weighted.value(system="bm25", collection="small") == plain.value(
        system="bm25", collection="small"
    )
    one, other = plain.macro(system="bm25"), weighted.macro(system="bm25")
    assert one is not None
    assert other is not None
    cells = [weighted.value(system="bm25", collection=name) for name in SIZES]
    assert other.mean == pytest.approx(sum(cells) / 3, rel=1e-14)
    assert other.standard_error != one.standard_error
    best = plain.oracle_values(collection="middle")
    found = sum(weights["middle"][query] * value for query, value in best.items()) / 210
    assert weighted.oracle_mean(collection="middle") == pytest.approx(found, rel=1e-14)
    assert weighted.oracle_gap(system="bm25", collection="middle") == pytest.approx(
        own - found, rel=1e-12
    )


def test_a_missing_run_is_reported_and_never_averaged(data: Any) -> None:
    suite = gainful.evaluate_suite(without(data, ("dense", "small"), ("both", "large")))
    assert set(suite.missing) == {("dense", "small"), ("both", "large")}
    assert suite.complete == ("bm25",)
    assert suite.value(system="dense", collection="small") is None
    assert suite.per_query(system="dense", collection="small") == {}
    assert suite.macro(system="dense") is None
    assert suite.oracle_gap(system="dense", collection="small") is None
    assert suite.oracle_gap(system="dense") is None
    rows = [line.split() for line in str(suite).splitlines()]
    assert next(row for row in rows if row[:1] == ["dense"])[:2] == ["dense", "–"]
    text = " ".join(str(suite).split())
    assert "Missing runs: both for large; dense for small." in text
    assert "No macro-average for both, dense." in text


def test_common_collections_have_macro_averages_of_all_systems(data: Any) -> None:
    suite = gainful.evaluate_suite(without(data, ("dense", "small")), over="common")
    assert suite.over == ("middle", "large")
    assert set(suite.complete) == set(SYSTEMS)
    cells = [suite.value(system="dense", collection=name) for name in suite.over]
    macro = suite.macro(system="dense")
    assert macro is not None
    assert macro.mean == pytest.approx(sum(cells) / 2, rel=1e-14)
    assert macro.collections == ("middle", "large")
    assert "macro: mean over middle, large, without small." in str(suite)


def test_over_named_collections(data: Any) -> None:
    assert gainful.evaluate_suite(data, over=["large", "small"]).over == ("small", "large")
    assert gainful.evaluate_suite(data, over="middle").over == ("middle",)


def test_the_oracle_is_the_best_system_for_each_query(data: Any) -> None:
    suite = gainful.evaluate_suite(data)
    for name in SIZES:
        values = [suite.per_query(system=system, collection=name) for system in SYSTEMS]
        best = [max(each[query] for each in values) for query in values[0]]
        assert suite.oracle_mean(collection=name) == pytest.approx(sum(best) / len(best), rel=1e-14)
        for system in SYSTEMS:
            gap = suite.oracle_gap(system=system, collection=name)
            assert gap is not None
            assert gap <= 0
            assert gap == pytest.approx(
                suite.value(system=system, collection=name) - suite.oracle_mean(collection=name),
                abs=1e-14,
            )
    gaps = [suite.oracle_gap(system="bm25", collection=name) for name in SIZES]
    assert suite.oracle_gap(system="bm25") == pytest.approx(sum(gaps) / 3, rel=1e-14)


def test_a_run_can_be_the_oracle(data: Any) -> None:
    ideal = {
        name: (qrels, {**runs, "ideal": {q: dict(grades) for q, grades in qrels.items()}})
        for name, (qrels, runs) in data.items()
    }
    suite = gainful.evaluate_suite(ideal, oracle="ideal")
    assert suite.systems == SYSTEMS
    assert all(suite.oracle_mean(collection=name) == 1.0 for name in SIZES)
    assert suite.oracle_gap(system="bm25", collection="small") == pytest.approx(
        suite.value(system="bm25", collection="small") - 1
    )
    # A missing run of the oracle does not make other systems incomplete.
    part = gainful.evaluate_suite(without(ideal, ("ideal", "small")), oracle="ideal", over="common")
    assert part.over == tuple(SIZES)
    assert part.oracle_mean(collection="small") is None
    assert part.oracle_gap(system="bm25") is None


def test_gaps_are_over_common_queries() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    found = gainful.evaluate_suite(
        {"one": (qrels, {"x": {"q1": ["a"]}, "y": {"q1": ["a"], "q2": ["b", "a"]}})},
        convention=gainful.conventions.get("gainful-1").replace(missing="skip"),
    )
    assert found.value(system="x", collection="one") == 1.0
    # Only q1 has a value for both.
    assert found.oracle_gap(system="x", collection="one") == 0.0


@pytest.mark.parametrize("measure", ["NumRel", "GMAP"])
def test_measures_that_are_not_means_are_rejected(measure: str, data: Any) -> None:
    with pytest.raises(MeasureError, match=measure):
        gainful.evaluate_suite(data, ["nDCG@10", measure])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"over": ["medium"]}, "over: found unknown collection 'medium'"),
        ({"over": []}, "over: at least one collection is required"),
        ({"oracle": "ideal"}, "oracle: found 'ideal', expected one of the runs: bm25, dense, both"),
        ({"weights": {"none": {}}}, "weights: found unknown collection 'none'"),
    ],
)
def test_unknown_names_are_rejected(arguments: Any, message: str, data: Any) -> None:
    with pytest.raises(ParameterError) as error:
        gainful.evaluate_suite(data, **arguments)
    assert message in str(error.value)


def test_no_common_collection(data: Any) -> None:
    incomplete = without(data, ("bm25", "small"), ("dense", "middle"), ("both", "large"))
    with pytest.raises(ParameterError, match="no collection has a run of every system"):
        gainful.evaluate_suite(incomplete, over="common")
    suite = gainful.evaluate_suite(incomplete)
    assert suite.complete == ()


def test_errors_name_the_collection(data: Any) -> None:
    with pytest.raises(FormatError, match="collection bad, row 0"):
        gainful.evaluate_suite({**data, "bad": ([("q1", "d1", "often")], {"x": {}})})
    with pytest.raises(ParameterError, match="collection bare, runs: found no run"):
        gainful.evaluate_suite({**data, "bare": ({"q": {"d": 1}}, {})})
    for pair in ({"q": {"d": 1}}, ({"q": {"d": 1}}, ["a.run"]), ({"q": {"d": 1}},)):
        with pytest.raises(ArgumentError, match="collection odd"):
            gainful.evaluate_suite({"odd": pair})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match="collections: at least one collection is required"):
        gainful.evaluate_suite({})
    with pytest.raises(ArgumentError, match="collections: found int, expected a folder"):
        gainful.evaluate_suite(3)  # type: ignore[arg-type]


def test_unknown_systems_and_collections_are_rejected(data: Any) -> None:
    suite = gainful.evaluate_suite(data)
    with pytest.raises(ParameterError, match="collection: found 'huge'"):
        suite.value(system="bm25", collection="huge")
    with pytest.raises(ParameterError, match="system: found 'splade'"):
        suite.macro(system="splade")
    with pytest.raises(AttributeError):
        suite.over = ()


def test_results_do_not_depend_on_threads(data: Any) -> None:
    one, four = (gainful.evaluate_suite(data, threads=count).to_dict() for count in (1, 4))
    assert one == four
