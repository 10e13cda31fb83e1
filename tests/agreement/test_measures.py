"""compare_measures(): counts by hand, and agreement with compare() and SciPy."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import gainful as package
from gainful.agreement import agreement_of
from gainful.agreement.measures import curve
from gainful.errors import GainfulError, MatchError, MeasureError, ParameterError
from gainful.formats.delimited import text
from json_schema import errors, schema_of

RUNS = {"bm25": "bm25.run", "dense": "dense.run"}

QUERIES = [f"q{at}" for at in range(30)]
RELEVANT = [f"r{at}" for at in range(5)]
QRELS = {query: dict.fromkeys(RELEVANT, 1) for query in QUERIES}
#: One right document at the top, or all of them from rank 2 on.
EARLY = {query: [RELEVANT[0], "x", "y"] for query in QUERIES}
LATE = {query: ["x", *RELEVANT] for query in QUERIES}


def test_measures_with_differences_of_opposite_sign() -> None:
    found = package.compare_measures(
        QRELS, {"early": EARLY, "late": LATE}, ["RR", "R@10"], resamples=999
    )
    reciprocal, recall = found.measures
    assert reciprocal.means == {"early": 1.0, "late": 0.5}
    assert (reciprocal.pairs[0].system, recall.pairs[0].system) == ("early", "late")
    assert (reciprocal.significant, recall.significant, reciprocal.power) == (1, 1, 1.0)
    pair = found.pairs[0]
    assert (pair.same_sign, pair.opposite_sign, pair.only_first, pair.only_second) == (0, 1, 0, 0)
    assert (pair.tau_b, pair.tau_ap_b) == (-1.0, -1.0)
    assert pair.rbo == found.least_rbo
    assert reciprocal.ranks == {"early": 1, "late": 2}


def test_a_measure_without_differences_has_no_significant_pairs() -> None:
    found = package.compare_measures(
        QRELS, {"early": EARLY, "late": LATE, "again": LATE}, ["RR", "Judged@1"], resamples=999
    )
    one, pair = found.measures[0], found.pairs[0]
    assert one.ranks == {"early": 1, "late": 2, "again": 2}
    assert one.significant == 2
    assert one.pairs[-1].p == 1.0
    assert pair.only_first + pair.same_sign + pair.opposite_sign == 2


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("test", ["max-t", "tukey", "t", "randomization"])
def test_decisions_are_counted_by_pair(test: str) -> None:
    runs = {
        "plain": "collections/help/fts5-plain.run",
        "tuned": "collections/help/fts5-tuned.run",
        "title": "collections/help/title-words.run",
    }
    found = package.compare_measures(
        "collections/help/qrels.txt", runs, ["nDCG@10", "AP", "P@5"], test=test, resamples=2000
    )
    assert [pair.measure for pair in found.pairs] == ["nDCG@10", "nDCG@10", "AP"]
    evaluation = package.evaluate("collections/help/qrels.txt", runs=runs, measures="nDCG@10")
    ndcg = found.measures[0]
    for name, mean in ndcg.means.items():
        assert mean == pytest.approx(evaluation.mean("nDCG@10", name), rel=1e-14)
    for one, two in combinations(found.measures, 2):
        expected = dict.fromkeys(("same_sign", "opposite_sign", "only_first", "only_second"), 0)
        for pair in one.pairs:
            other = next(
                each for each in two.pairs if {each.system, each.other} == {pair.system, pair.other}
            )
            if pair.significant and other.significant:
                expected["same_sign" if pair.system == other.system else "opposite_sign"] += 1
            elif pair.significant or other.significant:
                expected["only_first" if pair.significant else "only_second"] += 1
        compared = next(
            each for each in found.pairs if (each.measure, each.other) == (one.measure, two.measure)
        )
        assert {name: getattr(compared, name) for name in expected} == expected
    assert all(
        each.significant == sum(pair.p <= 0.05 for pair in each.pairs) for each in found.measures
    )
    if test == "t":
        from scipy import stats

        for pair in ndcg.pairs:
            one, two = (
                list(evaluation.per_query("nDCG@10", name).values())
                for name in (pair.system, pair.other)
            )
            assert pair.p == pytest.approx(stats.ttest_rel(one, two).pvalue, rel=1e-9)


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("systems", [2, 3])
@pytest.mark.parametrize("test", [None, "tukey"])
def test_decisions_equal_those_of_compare(systems: int, test: str | None) -> None:
    """For all pairs and the same resamples."""
    files = {
        "plain": "collections/help/fts5-plain.run",
        "tuned": "collections/help/fts5-tuned.run",
        "title": "collections/help/title-words.run",
    }
    runs = dict(list(files.items())[:systems])
    qrels = "collections/help/qrels.txt"
    named = {"test": test} if test else {}
    found = package.compare_measures(qrels, runs, "nDCG@10", resamples=5000, seed=3, **named)
    compared = package.compare(qrels, runs, "nDCG@10", correction=test, resamples=5000, seed=3)
    assert found.test == (test or "max-t")
    own = {
        frozenset((pair.system, pair.other)): (pair.p, pair.significant)
        for pair in found.measures[0].pairs
    }
    theirs = {
        frozenset((pair.system, pair.baseline)): (
            pair.p_adjusted,
            pair.verdict in ("better", "worse"),
        )
        for pair in compared.pairs
    }
    assert own == theirs


def test_means_that_differ_by_rounding_errors_are_ties() -> None:
    qrels = {f"q{at}": {"a": 1, **{f"x{n}": 0 for n in range(9)}} for at in range(3)}
    places = {"one": (1, 2, 5), "two": (5, 1, 2), "three": (2, 5, 1)}
    runs = {
        name: {
            f"q{at}": [*(f"x{n}" for n in range(rank - 1)), "a"] for at, rank in enumerate(ranks)
        }
        for name, ranks in places.items()
    }
    found = package.compare_measures(qrels, runs, ["nDCG@10", "RR"], test="t")
    assert found.measures[0].ranks == {"one": 1, "two": 1, "three": 1}
    assert found.pairs[0].tau_b is None


@pytest.mark.usefixtures("small_files")
def test_weights_count_in_means_and_tests() -> None:
    weights = {"q1": 900, "q2": 40, "q3": 30, "q4": 20, "q5": 10, "q6": 0}
    found = package.compare_measures("qrels.txt", RUNS, "nDCG@10", weights=weights, resamples=999)
    evaluation = package.evaluate("qrels.txt", runs=RUNS, measures="nDCG@10", weights=weights)
    for name, mean in found.measures[0].means.items():
        assert mean == pytest.approx(evaluation.mean("nDCG@10", name), rel=1e-14)
    with pytest.raises(ParameterError, match="query 'q1': a weight is missing"):
        package.compare_measures("qrels.txt", RUNS, "nDCG@10", weights={"q2": 1})


@pytest.mark.usefixtures("small_files")
def test_results_depend_on_the_seed_and_not_on_threads() -> None:
    runs = {
        name: f"collections/help/{name}.run" for name in ("fts5-plain", "fts5-tuned", "title-words")
    }
    one, two, other = (
        package.compare_measures(
            "collections/help/qrels.txt", runs, resamples=999, seed=seed, threads=threads
        )
        for seed, threads in ((1, 1), (1, 2), (2, 2))
    )
    assert one.to_dict() == two.to_dict()
    assert one.records("curve")["p"] != other.records("curve")["p"]


@pytest.mark.usefixtures("small_files")
def test_json_meets_its_schema_and_every_part_has_rows() -> None:
    found = package.compare_measures("qrels.txt", RUNS, ["nDCG@10", "AP", "RR"], resamples=999)
    document = json.loads(text(found.to_dict()))
    assert errors(document, schema_of("agreement")) == []
    lengths = {"agreement": 3, "power": 3, "ranks": 6, "curve": 3}
    for what, length in lengths.items():
        assert {len(column) for column in found.records(what).values()} == {length}
    with pytest.raises(ParameterError, match="found 'all', expected one of agreement"):
        found.records("all")


@pytest.mark.usefixtures("small_files")
def test_the_curve_falls_and_is_lowest_for_significant_pairs() -> None:
    runs = {
        "plain": "collections/help/fts5-plain.run",
        "tuned": "collections/help/fts5-tuned.run",
        "title": "collections/help/title-words.run",
    }
    found = package.compare_measures("collections/help/qrels.txt", runs, ["AP"], test="t")
    drawn = curve(found.measures[0])
    assert len(drawn) == 3
    assert sorted(drawn, reverse=True) == list(drawn)
    assert drawn.count("▁") == found.measures[0].significant


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize(
    ("more", "kind", "message"),
    [
        ({"test": "wilcoxon"}, ParameterError, "test: found 'wilcoxon'"),
        ({"alpha": 0}, ParameterError, "alpha: found 0"),
        ({"persistence": 1}, ParameterError, "persistence: found 1"),
        ({"resamples": 10}, ParameterError, "resamples: found 10"),
        ({"seed": -1}, ParameterError, "seed: found -1"),
        ({"measures": "GMAP"}, MeasureError, "geometric"),
        ({"runs": {"bm25": "bm25.run"}}, ParameterError, "found 1 run, expected at least 2"),
    ],
)
def test_invalid_arguments_are_rejected(
    more: dict[str, object], kind: type[GainfulError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        package.compare_measures(**{"qrels": "qrels.txt", "runs": RUNS, **more})  # type: ignore[arg-type]


def _random_collection(queries: int = 24) -> tuple[dict, dict]:
    chance = np.random.default_rng(3)
    qrels = {
        f"q{at}": {f"d{n}": int(grade) for n, grade in enumerate(chance.integers(0, 3, 8))}
        for at in range(queries)
    }
    runs = {
        name: {
            query: {doc: float(chance.random() + lift * grade) for doc, grade in own.items()}
            for query, own in qrels.items()
        }
        for name, lift in (("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.4))
    }
    return qrels, runs


def test_clusters_and_weights_enter_tests_and_intervals() -> None:
    qrels, runs = _random_collection()
    copied = {f"{query} {n}": own for query, own in qrels.items() for n in range(3)}
    ran = {
        name: {f"{query} {n}": own for query, own in run.items() for n in range(3)}
        for name, run in runs.items()
    }
    users = {query: query.split()[0] for query in copied}
    options = {"measures": ["nDCG@5", "P@3"], "resamples": 500, "bootstrap": 300}
    plain = package.compare_measures(qrels, runs, **options)
    clustered = package.compare_measures(copied, ran, clusters=users, **options)
    naive = package.compare_measures(copied, ran, **options)
    heavy = package.compare_measures(qrels, runs, weights=dict.fromkeys(qrels, 3.0), **options)
    assert clustered.cluster == "cluster"
    for other in (clustered, heavy):
        for one, two in zip(plain.measures, other.measures, strict=True):
            assert [p.p for p in one.pairs] == pytest.approx([p.p for p in two.pairs])
        intervals = [agreement.pairs[0].tau_b_interval for agreement in (plain, other)]
        assert intervals[0] == pytest.approx(intervals[1])
    assert naive.measures[0].pairs[-1].p < plain.measures[0].pairs[-1].p
    some = package.compare_measures(
        qrels, runs, weights={query: float(at < 12) for at, query in enumerate(qrels)}, **options
    )
    half = {query: own for at, (query, own) in enumerate(qrels.items()) if at < 12}
    alone = package.compare_measures(half, runs, **options)
    assert list(some.measures[0].means.values()) == pytest.approx(
        list(alone.measures[0].means.values())
    )
    with pytest.raises(ParameterError, match="a cluster is missing"):
        package.compare_measures(qrels, runs, clusters={"q0": "x"}, **options)


def test_slices_are_the_comparison_of_their_queries() -> None:
    qrels, runs = _random_collection()
    by = {query: "even" if at % 2 else "odd" for at, query in enumerate(qrels)} | {"q0": "alone"}
    options = {"measures": ["nDCG@5", "P@3"], "resamples": 500, "bootstrap": 200}
    found = package.compare_measures(qrels, runs, by=by, **options)
    assert (set(found.slices), found.too_small) == ({"even", "odd"}, ("alone",))
    own = {query: judged for query, judged in qrels.items() if by[query] == "even"}
    alone = package.compare_measures(own, runs, **options)
    assert found.slices["even"].to_dict() == alone.to_dict()
    assert errors(json.loads(text(found.to_dict())), schema_of("agreement")) == []
    table = "\n".join(map(str, found.tables()))
    assert "by segment" in str(found)
    assert "Slices with too few queries: alone." in table + str(found)


def test_no_bootstrap_means_no_interval() -> None:
    qrels, runs = _random_collection()
    found = package.compare_measures(qrels, runs, ["AP", "RR"], resamples=200, bootstrap=0)
    assert found.pairs[0].tau_b_interval is None
    assert "95% CI" not in str(found)


def test_one_query_is_rejected() -> None:
    evaluation = package.evaluate(
        {"q": {"a": 1}}, runs={"x": {"q": ["a"]}, "y": {"q": ["b"]}}, measures="AP"
    )
    with pytest.raises(MatchError, match="AP: found 1 query that counts for all systems"):
        agreement_of(evaluation)


def test_the_eight_systems_of_robust03(shared_data: Path) -> None:
    """tau-b equals that of SciPy, and RR has the lowest discriminative power."""
    from scipy import stats

    folder = shared_data / "robust03"
    runs = {path.name[6:-3]: path for path in sorted(folder.glob("input.*"))}
    found = package.compare_measures(
        folder / "qrels.robust03.txt.gz", runs, ["nDCG@10", "AP", "RR"], resamples=2000
    )
    for pair in found.pairs:
        one, two = (
            list(each.means.values())
            for each in found.measures
            if each.measure in (pair.measure, pair.other)
        )
        assert pair.tau_b == pytest.approx(stats.kendalltau(one, two).statistic, rel=1e-12)
    ndcg, precision, reciprocal = found.measures
    assert precision.power > ndcg.power > reciprocal.power
    assert np.argmin(list(ndcg.ranks.values())) == list(ndcg.ranks).index("THUIRr0301")
