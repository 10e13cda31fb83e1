"""analyze_power(): the estimate, the results and errors."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import gainful as package
from gainful.agreement import PastEvaluation, agreement_of
from gainful.errors import ArgumentError, GainfulError, MatchError, ParameterError
from gainful.formats.delimited import text
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

RUNS = {"bm25": "bm25.run", "dense": "dense.run"}


def drawn(seed: int, queries: int, systems: int, name: str, **more: object) -> PastEvaluation:
    values = np.random.default_rng(seed).uniform(size=(systems, queries)) ** (seed + 1)
    return PastEvaluation(
        name=name,
        systems=tuple(f"s{at}" for at in range(systems)),
        scores={
            "AP": {
                f"s{at}": {f"q{query}": float(value) for query, value in enumerate(row)}
                for at, row in enumerate(values)
            }
        },
        **more,  # type: ignore[arg-type]
    )


def variance_of_pairs(past: PastEvaluation) -> float:
    columns = past.matrix("AP")[0].T
    pairs = [np.var(a - b, ddof=1) for a, b in combinations(columns, 2)]
    return float(np.mean(pairs))


@pytest.mark.parametrize(("effect", "queries"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_cohens_small_medium_and_large_effects(effect: float, queries: int) -> None:
    """Equal to G*Power 3.1 for the paired t test, two-sided, alpha .05, power .8."""
    found = package.analyze_power(deviation=1.0, difference=effect).measures[0]
    assert found.needed(effect) == queries
    assert found.achieved(queries, effect) >= 0.8 > found.achieved(queries - 1, effect)
    assert found.detectable(queries) <= effect < found.detectable(queries - 1)


def test_a_plan_for_all_pairs_is_that_of_compare() -> None:
    random = np.random.default_rng(3)
    queries = [f"q{at}" for at in range(60)]
    qrels = {query: dict.fromkeys("abc", 1) for query in queries}
    runs = {
        f"s{system}": {
            query: dict(zip("abcdef", map(float, random.permutation(6)), strict=True))
            for query in queries
        }
        for system in range(3)
    }
    compared = package.compare(qrels, runs, "nDCG@3", detect=0.2, resamples=199, bootstrap=0)
    for pair in compared.pairs:
        plan = package.analyze_power(deviation=pair.deviation, comparisons=3).measures[0]
        assert plan.detectable(60) == pytest.approx(pair.detectable)
        assert plan.needed(0.2) == pair.needed
    alone = package.analyze_power(deviation=0.2).measures[0]
    assert alone.needed(0.05) < package.analyze_power(deviation=0.2, comparisons=2).measures[
        0
    ].needed(0.05)


@pytest.mark.parametrize("comparisons", [0, -1, 1.5])
def test_comparisons_are_counted(comparisons: float) -> None:
    with pytest.raises(ParameterError, match="a whole number, 1 or more"):
        package.analyze_power(deviation=0.2, comparisons=comparisons)


def test_the_deviation_is_that_of_the_pairs_pooled_over_evaluations() -> None:
    first, second = drawn(1, 40, 5, "first"), drawn(2, 25, 3, "second")
    found = package.analyze_power([first, second]).measures[0]
    df = (39 * 4, 24 * 2)
    expected = (df[0] * variance_of_pairs(first) + df[1] * variance_of_pairs(second)) / sum(df)
    assert found.df == sum(df)
    assert found.deviation**2 == pytest.approx(expected, rel=1e-12)
    assert [each.name for each in found.past] == ["first", "second"]
    deviations = [
        float(np.std(a - b, ddof=1))
        for past in (first, second)
        for a, b in combinations(past.matrix("AP")[0].T, 2)
    ]
    expected_pairs = (min(deviations), np.median(deviations), max(deviations))
    pairs = found.pairs
    assert (pairs.low, pairs.median, pairs.high) == pytest.approx(expected_pairs, rel=1e-12)


def test_a_measure_that_only_one_evaluation_has() -> None:
    one = package.evaluate("qrels.txt", runs=RUNS, measures=["AP", "RR"])
    other = package.evaluate("qrels.txt", runs=RUNS, measures="AP")
    found = package.analyze_power([one, other])
    assert [(each.measure, len(each.past)) for each in found.measures] == [("AP", 2), ("RR", 1)]
    chosen = package.analyze_power([one, other], "map")
    assert [each.measure for each in chosen.measures] == ["AP"]


def test_measures_can_be_an_iterator() -> None:
    past = drawn(1, 5, 3, "x")
    found = package.analyze_power(past, iter(past.measures))
    assert tuple(each.measure for each in found.measures) == past.measures


def test_an_evaluation_equals_its_rows_and_file() -> None:
    evaluation = package.evaluate("qrels.txt", runs=RUNS, measures="nDCG@10")
    rows = ["system,query_id,nDCG@10"]
    rows += [f"{row['system']},{row['query_id']},{row['nDCG@10']!r}" for row in evaluation.rows()]
    Path("past.csv").write_text("\n".join(rows))
    of_file = package.analyze_power("past.csv").measures[0]
    of_evaluation = package.analyze_power(evaluation).measures[0]
    assert (of_file.deviation, of_file.df) == (of_evaluation.deviation, of_evaluation.df)


def test_the_curve_covers_low_to_high_power() -> None:
    curve = package.analyze_power(deviation=0.2).measures[0].curve(0.02)
    powers = [power for _, power in curve]
    assert powers == sorted(powers)
    assert powers[0] <= 0.11
    assert powers[-2] < 0.99 <= powers[-1]


def test_systems_that_never_differ_need_no_queries() -> None:
    found = package.analyze_power(
        package.evaluate("qrels.txt", runs={"a": "bm25.run", "b": "bm25.run"}, measures="AP")
    )
    assert found.measures[0].deviation == 0.0
    assert found.measures[0].needed(0.01) is None
    assert found.measures[0].detectable(10) == 0.0
    assert "–" in str(found)
    assert errors(json.loads(text(found.to_dict())), schema_of("power")) == []


def test_default_differences_depend_on_the_scale_of_the_measure() -> None:
    found = package.analyze_power(
        package.evaluate("qrels.txt", runs=RUNS, measures=["nDCG@10", "DCG@10"])
    )
    ratio, total = found.measures
    assert ratio.differences == (0.01, 0.02, 0.03, 0.05, 0.1)
    assert total.differences[-1] == float(f"{total.deviation:.0e}")
    assert len(found.tables()) == 5


def test_json_meets_its_schema_and_equals_the_rows() -> None:
    found = package.analyze_power(
        package.evaluate("qrels.txt", runs=RUNS, measures=["nDCG@10", "AP"]),
        difference=[0.02, 0.05],
        queries=[50, 100],
        power=0.9,
        alpha=0.01,
    )
    document = json.loads(text(found.to_dict()))
    assert errors(document, schema_of("power")) == []
    needed = document["measures"][0]["needed"]
    assert [each["difference"] for each in needed] == [0.02, 0.05]
    columns = found.records()
    assert len({len(column) for column in columns.values()}) == 1
    at = columns["found"].index("queries")
    assert columns["queries"][at] == needed[0]["queries"]
    assert columns["power"][at] == 0.9
    assert {*columns["found"]} == {"queries", "difference", "power"}


def test_it_exports_as_arrow() -> None:
    import requirements

    polars = requirements.need("polars")
    found = package.analyze_power(deviation=0.2, difference=0.05)
    frame = polars.DataFrame(found)
    assert frame.columns == list(found.records())


@pytest.mark.parametrize(
    ("past", "more", "kind", "message"),
    [
        (None, {}, ArgumentError, "neither past evaluations nor a deviation"),
        ([], {}, ParameterError, "at least one evaluation is required"),
        (None, {"deviation": 0.0}, ParameterError, "deviation=0.0"),
        (None, {"deviation": 0.2, "difference": 0.0}, ParameterError, "difference=0.0"),
        (None, {"deviation": 0.2, "difference": -1}, ParameterError, "difference=-1"),
        (None, {"deviation": 0.2, "queries": 1}, ParameterError, "queries=1"),
        (None, {"deviation": 0.2, "queries": 20.5}, ParameterError, "queries=20.5"),
        (None, {"deviation": 0.2, "power": 0.04}, ParameterError, "power=0.04"),
        (None, {"deviation": 0.2, "alpha": 1}, ParameterError, "alpha: found 1"),
    ],
)
def test_invalid_numbers_are_rejected(
    past: object, more: dict[str, object], kind: type[GainfulError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        package.analyze_power(past, **more)  # type: ignore[arg-type]


def test_unusable_evaluations_are_rejected() -> None:
    with pytest.raises(ArgumentError, match="both past evaluations and a deviation"):
        package.analyze_power(drawn(1, 5, 2, "x"), deviation=0.1)
    with pytest.raises(ParameterError, match="AP of x: found 1 system and 5 queries"):
        package.analyze_power(drawn(1, 5, 1, "x"))
    with pytest.raises(ParameterError, match="AP of x: found 2 systems and 1 query"):
        package.analyze_power(drawn(1, 1, 2, "x"))
    with pytest.raises(ParameterError, match="found 'RR', expected one of AP"):
        package.analyze_power(drawn(1, 5, 2, "x"), "RR")


def test_two_conventions_are_not_pooled() -> None:
    pasts = [
        package.evaluate("qrels.txt", runs=RUNS, measures="AP", convention=convention)
        for convention in ("gainful-1", "trec_eval")
    ]
    with pytest.raises(MatchError, match=r"two conventions, gainful-1 and trec_eval-9\.0\.8"):
        package.analyze_power(pasts)


def no_value_of_one(**more: object) -> package.Evaluation:
    qrels = {f"q{at}": {"a": int(at != 2), "b": 0} for at in range(6)}
    runs = {
        "one": {query: ["a", "b"] for query in qrels},
        "two": {query: ["b", "a"] if at % 2 else ["a"] for at, query in enumerate(qrels)},
    }
    return package.evaluate(qrels, runs=runs, measures=["RR", "AP"], **more)  # type: ignore[arg-type]


def test_queries_with_nan_do_not_count() -> None:
    nothing, skipped = (
        no_value_of_one(convention=package.conventions.get("gainful-1").replace(no_relevant=policy))
        for policy in ("nan", "skip")
    )
    one, two = (package.analyze_power(each, difference=0.1) for each in (nothing, skipped))
    assert one.measures[0].past[0].queries == 5
    assert one.measures[0].deviation == two.measures[0].deviation
    agreements = [agreement_of(each, resamples=500) for each in (nothing, skipped)]
    assert agreements[0].measures[0].pairs == agreements[1].measures[0].pairs


def test_a_note_reports_constant_differences() -> None:
    past = PastEvaluation(
        name="twice",
        systems=("one", "same"),
        scores={"AP": {name: {"q1": 0.1, "q2": 0.4} for name in ("one", "same")}},
    )
    text = " ".join(str(package.analyze_power(past)).split())
    assert "AP .0000 – – – – – –" in text
    assert "every query has the same difference, so nothing can be estimated." in text


def test_the_upper_limit_of_the_required_queries() -> None:
    past = drawn(1, 40, 5, "first")
    found = package.analyze_power(past, difference=0.1)
    each = found.measures[0]
    upper = each.upper_deviation
    assert upper is not None
    assert upper > each.deviation
    most = package.analyze_power(deviation=upper).measures[0].needed(0.1)
    assert each.needed_at_most(0.1) == most > each.needed(0.1)
    assert f"{each.needed(0.1)} to {most}" in str(found)
    assert found.to_dict()["measures"][0]["needed"][0]["queries_at_most"] == most
    # More past queries narrow it.
    many = package.analyze_power(drawn(1, 400, 5, "many")).measures[0]
    assert many.upper_deviation / many.deviation < upper / each.deviation


def test_a_given_deviation_has_no_upper_limit() -> None:
    found = package.analyze_power(deviation=0.2, difference=0.05)
    assert found.measures[0].needed_at_most(0.05) is None
    assert "confidence limit" not in str(found)
