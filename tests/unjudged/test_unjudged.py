"""Unjudged documents whose labels could reverse the order of systems."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random

import pytest

import gainful
from gainful.cli import main
from gainful.errors import ConventionError, MeasureError, ParameterError
from gainful.unjudged import Unjudged, find_unjudged
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

MEASURES = ("nDCG@3", "P@2", "AP", "R@3", "nDCG(gain='exponential')@4")


def collection(rng: random.Random) -> tuple[dict, dict]:
    """Return judgments of two queries and three runs with a few unjudged documents."""
    qrels, runs = {}, {"a": {}, "b": {}, "c": {}}
    for query in ("q1", "q2"):
        documents = [f"d{n}" for n in range(6)]
        qrels[query] = {each: rng.choice((0, 1, 2)) for each in documents[:4]} | {"n": 2}
        for run in runs.values():
            own = rng.sample(documents, 4)
            run[query] = {each: float(-n) for n, each in enumerate(own)}
    return qrels, runs


def labelings(qrels: dict, places: list[tuple[str, str]], scale: tuple[float, ...]):
    for labels in itertools.product(scale, repeat=len(places)):
        own = {query: dict(judged) for query, judged in qrels.items()}
        for (query, document), label in zip(places, labels, strict=True):
            own[query][document] = label
        yield labels, own


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(4))
def test_all_values_against_an_enumeration(measure: str, seed: int) -> None:
    qrels, runs = collection(random.Random(f"{measure} {seed}"))
    depth = 3
    found = find_unjudged(qrels, runs, measure, depth=depth)
    places = sorted({(each.query, each.document) for each in found})
    deep = {
        (query, document)
        for run in runs.values()
        for query, ranking in run.items()
        for document in list(ranking)[:depth]
        if document not in qrels[query]
    }
    assert set(places) == deep
    means = {
        labels: gainful.evaluate(own, runs=runs, measures=measure)
        for labels, own in labelings(qrels, places, (0, 1, 2))
    }
    for system in runs:
        values = [each.mean(measure, system) for each in means.values()]
        assert found.systems[system].interval == pytest.approx(
            (min(values), max(values)), abs=1e-12
        )
    for each in found.contests:
        gaps = [
            one.mean(measure, each.system) - one.mean(measure, each.baseline)
            for one in means.values()
        ]
        assert each.interval.low <= min(gaps) + 1e-12
        assert each.interval.high >= max(gaps) - 1e-12
        assert each.difference >= 0
        reversed_ = min(gaps) < -1e-12
        assert (each.verdict == "open") == reversed_
        assert each.worst == pytest.approx(min(gaps), abs=1e-12)
        if reversed_:
            counts = [
                sum(label != 0 for label in labels)
                for labels, gap in zip(means, gaps, strict=True)
                if gap < -1e-12
            ]
            assert (each.labels, each.is_minimum) == (min(counts), True)
    for each in found:
        at = places.index((each.query, each.document))
        plain = [0] * len(places)
        gaps = []
        for label in (0, 1, 2):
            one = means[(*plain[:at], label, *plain[at + 1 :])]
            gaps.append(one.mean(measure, each.system) - one.mean(measure, each.baseline))
        assert each.value == pytest.approx(max(gaps) - min(gaps), abs=1e-12)


@pytest.mark.parametrize("measure", ["nDCG@2", "nDCG(ideal='ones')@2", "AP@2", "R@2", "P@2"])
@pytest.mark.parametrize("seed", range(6))
def test_bounds_of_differences_include_labels_below_the_cutoff(measure: str, seed: int) -> None:
    qrels, runs = collection(random.Random(f"below {measure} {seed}"))
    scale = (0, 1, 2) if "nDCG" in measure else (0, 1)
    qrels = {
        query: {document: min(grade, scale[-1]) for document, grade in judged.items()}
        for query, judged in qrels.items()
    }
    contests = find_unjudged(qrels, runs, measure, scale=scale).contests
    retrieved = {
        (query, document)
        for run in runs.values()
        for query, ranking in run.items()
        for document in ranking
        if document not in qrels[query]
    }
    means = [
        gainful.evaluate(judged, runs=runs, measures=measure)
        for _, judged in labelings(qrels, sorted(retrieved), scale)
    ]
    for contest in contests:
        gaps = [
            mean.mean(measure, contest.system) - mean.mean(measure, contest.baseline)
            for mean in means
        ]
        assert contest.interval == pytest.approx((min(gaps), max(gaps)), abs=1e-12)
        assert contest.depth is None
        assert contest.verdict != "settled" or min(gaps) >= -1e-12


@pytest.mark.parametrize("ideal", ["list", "judged-to-depth"])
@pytest.mark.parametrize("seed", range(5))
def test_bounds_with_an_ideal_of_the_run_are_safe(ideal: str, seed: int) -> None:
    measure = f"nDCG(ideal='{ideal}')@2"
    qrels, runs = collection(random.Random(f"{ideal} {seed}"))
    runs["c"] = {query: dict(list(ranking.items())[:3]) for query, ranking in runs["c"].items()}
    contests = find_unjudged(qrels, runs, measure).contests
    places = [(query, document) for query in qrels for document in ("d4", "d5")]
    for _, judged in labelings(qrels, places, (0, 1, 2)):
        means = gainful.evaluate(judged, runs=runs, measures=measure)
        for contest in contests:
            gap = means.mean(measure, contest.system) - means.mean(measure, contest.baseline)
            assert contest.interval.low - 1e-12 <= gap <= contest.interval.high + 1e-12


def test_a_verdict_without_a_cutoff_names_the_rank() -> None:
    qrels, runs = {"q": {"r": 1, "s": 0}}, {"one": {"q": ["r", "s", "t"]}, "two": {"q": ["s", "r"]}}
    for depth, which in ((2, "labels up to rank 2"), (3, "labels")):
        (contest,) = find_unjudged(qrels, runs, "AP", depth=depth).contests
        assert contest.verdict_text == f"{which} cannot reverse it"


def test_the_labels_found_reverse_the_order_and_one_less_does_not() -> None:
    qrels = {f"q{n}": {"r": 1, "s": 0} for n in range(6)}
    ahead = {query: ["r", "s"] for query in qrels}
    behind = {query: ["x", "r"] for query in qrels}
    behind["q0"] = ["r", "x"]
    found = find_unjudged(qrels, {"ahead": ahead, "behind": behind}, "P@1")
    (contest,) = found.contests
    assert (contest.difference, contest.verdict) == (pytest.approx(5 / 6), "settled")
    assert contest.worst == pytest.approx(0)
    found = find_unjudged(qrels, {"ahead": ahead, "behind": behind}, "DCG@2")
    (contest,) = found.contests
    assert contest.verdict == "open"
    assert contest.labels == 2
    assert contest.is_minimum
    assert contest.verdict_text == "2 labels could reverse it"


def test_one_label_of_several_that_are_worth_less_is_the_minimum() -> None:
    # The most adverse labels of q1 are two, but one of q2 is enough.
    qrels = {query: {"r": 1, "s": 0} for query in ("q1", "q2", "q3", "q4")}
    ahead = {"q1": ["s", "r"], "q2": ["s", "r"], "q3": ["r", "s"], "q4": ["s", "r"]}
    behind = {"q1": ["x", "y"], "q2": ["z", "r"], "q3": ["s", "r"], "q4": ["s", "r"]}
    (found,) = find_unjudged(qrels, {"ahead": ahead, "behind": behind}, "DCG@2").contests
    assert found.difference > 0
    fewest = None
    for number in range(4):
        for chosen in itertools.combinations([("q1", "x"), ("q1", "y"), ("q2", "z")], number):
            own = {query: dict(judged) for query, judged in qrels.items()}
            for query, document in chosen:
                own[query][document] = 1
            means = gainful.evaluate(own, runs={"a": ahead, "b": behind}, measures="DCG@2")
            if fewest is None and means.mean("DCG@2", "a") < means.mean("DCG@2", "b") - 1e-12:
                fewest = number
    assert (found.labels, found.is_minimum) == (fewest, True)


def test_the_number_is_an_upper_limit_if_there_are_too_many_labelings() -> None:
    documents = [f"x{n}" for n in range(11)]
    qrels = {"q1": {"r": 1, "s": 0}, "q2": {"r": 1}}
    ahead = {"q1": ["r", "s"], "q2": ["r"]}
    behind = {"q1": documents, "q2": ["r"]}
    (found,) = find_unjudged(qrels, {"ahead": ahead, "behind": behind}, "DCG@11").contests
    assert found.labels is not None
    assert found.labels > 1
    assert not found.is_minimum
    assert found.verdict_text == f"at most {found.labels} labels could reverse it"
    assert found.verdict == "open"


@pytest.mark.parametrize(("measure", "verdict"), [("P@1", "settled"), ("DCG@2", "open")])
def test_exchanging_system_and_baseline_mirrors_the_result(measure: str, verdict: str) -> None:
    qrels = {f"q{n}": {"r": 1, "s": 0} for n in range(6)}
    behind = {query: ["x", "r"] for query in qrels}
    runs = {"ahead": {query: ["r", "s"] for query in qrels}, "behind": {**behind, "q0": ["r", "x"]}}
    (front,) = find_unjudged(qrels, runs, measure, baseline="behind").contests
    (back,) = find_unjudged(qrels, runs, measure, baseline="ahead").contests
    assert (front.system, back.system) == ("ahead", "behind")
    assert front.difference > 0 > back.difference
    assert (front.verdict, front.labels) == (back.verdict, back.labels)
    assert front.verdict == verdict
    low, high = back.interval
    assert [-front.difference, *front.interval, -front.worst] == pytest.approx(
        [back.difference, -high, -low, back.worst], abs=1e-12
    )


def test_many_labelings_are_bounded_from_both_sides() -> None:
    rng = random.Random(5)
    documents = [f"d{n}" for n in range(30)]
    qrels = {"q": {each: rng.choice((0, 1, 2, 3)) for each in documents[:6]}}
    runs = {name: {"q": rng.sample(documents, 20)} for name in "ab"}
    found = find_unjudged(qrels, runs, "nDCG@10")
    (contest,) = found.contests
    assert contest.interval.low < contest.worst <= contest.difference < contest.interval.high
    places = sorted({(each.query, each.document) for each in found})
    for _ in range(200):
        own = {"q": dict(qrels["q"])}
        own["q"].update({document: rng.choice((0, 3)) for _, document in places})
        one = gainful.evaluate(own, runs=runs, measures="nDCG@10")
        gap = one.mean("nDCG@10", contest.system) - one.mean("nDCG@10", contest.baseline)
        assert contest.interval.low - 1e-12 <= gap <= contest.interval.high + 1e-12


def test_open_orders_go_first() -> None:
    qrels = {f"q{n}": {"r": 1, "s": 0, "t": 0} for n in range(4)}
    runs = {
        "best": {query: ["r", "s"] for query in qrels},
        "next": {**{query: ["r", "s"] for query in qrels}, "q3": ["x", "r"]},
        "last": {**{query: ["s", "t"] for query in qrels}, "q0": ["s", "y"]},
    }
    found = find_unjudged(qrels, runs, "P@2")
    verdicts = {(each.system, each.baseline): each.verdict for each in found.contests}
    assert verdicts == {("best", "next"): "open", ("next", "last"): "settled"}
    assert (found.documents[0].query, found.documents[0].document) == ("q3", "x")
    assert found.documents[0].baseline == "next"
    assert found.documents[-1].value == 0


def test_one_system_alone() -> None:
    found = find_unjudged("qrels.txt", ["dense.run"])
    assert found.contests == ()
    (only,) = found
    assert (only.query, only.document, only.system, only.baseline) == ("q6", "r12", "dense", None)
    low, high = found.systems["dense"].interval
    assert only.value == pytest.approx(high - low)


def test_a_baseline_and_files_by_name() -> None:
    found = find_unjudged("qrels.txt", ["bm25.run", "dense.run"], baseline="bm25")
    assert [(each.system, each.baseline) for each in found.contests] == [("dense", "bm25")]
    assert isinstance(found, Unjudged)
    assert len(found) == 2


def test_everything_judged() -> None:
    found = find_unjudged({"q": {"a": 1, "b": 0}}, {"x": {"q": ["a"]}, "y": {"q": ["b"]}})
    assert found.documents == ()
    (contest,) = found.contests
    assert (contest.verdict, contest.interval) == ("settled", (1.0, 1.0))
    assert "Every document is judged." in str(found)


def test_titles_and_query_texts() -> None:
    found = find_unjudged(
        "qrels.txt", ["bm25.run", "dense.run"], docs="docs.jsonl", queries="queries.jsonl"
    )
    assert (found.documents[0].title, found.documents[0].query_text) == (
        "Mushroom risotto",
        "oyster stew",
    )
    assert list(next(found.rows())) == [
        *("query_id", "doc_id", "value", "system", "baseline", "systems", "best_rank"),
        *("query", "title", "text"),
    ]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"measure": "nDCG@10 AP"}, MeasureError, "expected one measure"),
        ({"measure": "bpref"}, MeasureError, "bounds of bpref"),
        ({"baseline": "other"}, ParameterError, "'other'"),
        ({"depth": 0}, ParameterError, "depth"),
    ],
)
def test_invalid_arguments_are_errors(arguments: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        find_unjudged("qrels.txt", ["bm25.run"], **arguments)


def test_a_query_that_counts_only_with_labels_is_an_error() -> None:
    convention = gainful.conventions["gainful-1"].replace(no_relevant="skip")
    with pytest.raises(ConventionError, match="query 'q6'.*no_relevant=skip"):
        find_unjudged("qrels.txt", ["dense.run"], convention=convention)


def test_the_command(output_of) -> None:
    words = ("find-unjudged", "qrels.txt", "bm25.run", "dense.run")
    printed = output_of(
        *words, "--prior", "run", "--docs", "docs.jsonl", "--queries", "queries.jsonl"
    )
    assert (
        printed
        == str(
            find_unjudged(
                *("qrels.txt", ["bm25.run", "dense.run"]),
                prior="run",
                docs="docs.jsonl",
                queries="queries.jsonl",
            )
        )
        + "\n"
    )
    tables = [part for part in printed.split("\n\n") if "───" in part]
    assert len(tables) == 3
    assert max(len(line) for table in tables for line in table.splitlines()) <= 100
    rows = list(csv.DictReader(io.StringIO(output_of(*words, "--format", "csv"))))
    assert [row["doc_id"] for row in rows] == ["r12", "r04"]
    lines = output_of(*words, "--format", "jsonl").splitlines()
    assert [json.loads(line)["query_id"] for line in lines] == ["q6", "q4"]
    assert "| q6" in output_of(*words, "--format", "markdown")


@pytest.mark.parametrize("prior", [(), ("--prior", "pool"), ("--prior", "0=0.5,2=0.5")])
def test_json_matches_its_schema(prior: tuple[str, ...], output_of) -> None:
    text = output_of(
        "find-unjudged", "qrels.txt", "bm25.run", "dense.run", *prior, "--format", "json"
    )
    schema = schema_of("unjudged")
    document = json.loads(text)
    assert errors(document, schema) == []
    assert ("samples" in document) == bool(prior)
    document["contests"][0]["verdict"] = "perhaps"
    assert errors(document, schema) != []


def test_two_systems_are_compared_on_the_queries_that_count_for_both() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    some = {"q1": ["a"], "q2": ["x", "b"]}
    all_three = {"q1": ["y", "a"], "q2": ["b"], "q3": ["z"]}
    skipping = gainful.conventions.get("gainful-1").replace(missing="skip")
    found = gainful.find_unjudged(
        qrels, {"some": some, "all": all_three}, "P@1", convention=skipping
    )
    (contest,) = found.contests
    # The mean over q1 and q2; q3 counts for one system only.
    assert (contest.system, contest.difference) == ("some", 0.0)
    assert contest.interval == (-0.5, 0.5)
    assert {each.document: each.value for each in found} == {"x": 0.5, "y": 0.5, "z": 0.0}
    assert "difference: mean over the queries that count for both systems." in str(found)


def test_measures_without_additive_differences_are_errors() -> None:
    qrels, runs = {"q1": {"a": 0}, "q2": {"b": 1}}, {"one": {"q1": ["a"], "q2": ["x"]}}
    with pytest.raises(MeasureError, match="GMAP: found a geometric mean"):
        gainful.find_unjudged(qrels, runs, "GMAP")
    without = gainful.conventions.get("gainful-1").replace(no_relevant="nan")
    with pytest.raises(ConventionError, match="one: found a mean of NaN"):
        gainful.find_unjudged(qrels, runs, "P@1", convention=without)
    with pytest.raises(ParameterError, match="depth: found 2.5"):
        gainful.find_unjudged(qrels, runs, depth=2.5)


def test_tables_without_documents() -> None:
    found = gainful.find_unjudged(
        {"q1": {"a": 1}}, {"one": {"q1": ["x", "a"]}, "two": {"q1": ["a", "x"]}}
    )
    assert [table.title[:4] for table in found.tables(0)] == ["nDCG", "Coul"]
    assert len(found.tables(1)) == 3


def test_empty_rows_have_the_same_columns() -> None:
    none = gainful.find_unjudged({"q1": {"a": 1}}, {"one": {"q1": ["a"]}})
    some = gainful.find_unjudged({"q1": {"a": 1}}, {"one": {"q1": ["x"]}})
    assert list(none.records()) == list(some.records())


@pytest.mark.parametrize("measure", ["nDCG@3", "AP"])
@pytest.mark.parametrize("seed", range(4))
def test_weights_and_slices_against_an_enumeration(measure: str, seed: int) -> None:
    qrels, runs = collection(random.Random(f"weights {measure} {seed}"))
    weights, slices = {"q1": 3.0, "q2": 1.0}, {"q1": "one", "q2": "two"}
    found = find_unjudged(qrels, runs, measure, depth=3, weights=weights, by=slices)
    places = sorted({(each.query, each.document) for each in found})
    labeled = [
        gainful.evaluate(own, runs=runs, measures=measure, weights=weights)
        for _, own in labelings(qrels, places, (0, 1, 2))
    ]
    for system in runs:
        means = [each.mean(measure, system) for each in labeled]
        assert found.systems[system].interval == pytest.approx((min(means), max(means)), abs=1e-12)
        for query, name in slices.items():
            values = [each.per_query(measure, system)[query] for each in labeled]
            mean = found.slices[name].systems[system]
            assert mean.interval == pytest.approx((min(values), max(values)), abs=1e-12)
            own = gainful.evaluate(qrels, runs[system], measure).per_query(measure)[query]
            assert mean.value == pytest.approx(own)
    for each in found.contests:
        gaps = [
            one.mean(measure, each.system) - one.mean(measure, each.baseline) for one in labeled
        ]
        # Labels below the cutoff change the ideal.
        assert each.interval.low <= min(gaps) + 1e-12
        assert each.interval.high >= max(gaps) - 1e-12
        assert each.worst == pytest.approx(min(gaps), abs=1e-12)
    for name, query in (("one", "q1"), ("two", "q2")):
        for each in found.slices[name].contests:
            gaps = [
                one.per_query(measure, each.system)[query]
                - one.per_query(measure, each.baseline)[query]
                for one in labeled
            ]
            assert each.interval.low <= min(gaps) + 1e-12
            assert each.interval.high >= max(gaps) - 1e-12
            assert each.worst == pytest.approx(min(gaps), abs=1e-12)
    assert errors(found.to_dict(), schema_of("unjudged")) == []


def test_weights_change_the_sampled_means_too() -> None:
    qrels, runs = collection(random.Random("sampled"))
    alone = find_unjudged(qrels, runs, "P@2", prior="pool", weights={"q1": 1.0, "q2": 0.0})
    for system in runs:
        first = gainful.evaluate({"q1": qrels["q1"]}, {"q1": runs[system]["q1"]}, "P@2").mean()
        assert alone.samples is not None
        assert alone.samples.summary("P@2", system).value == pytest.approx(first)


def test_a_query_without_a_weight_is_an_error() -> None:
    qrels, runs = collection(random.Random(1))
    with pytest.raises(ParameterError, match="no weight"):
        find_unjudged(qrels, runs, "P@2", weights={"q1": 1.0})


def test_the_command_line_slices_and_refuses_clusters(output_of, capsys, small_files) -> None:
    course = small_files / "course.tsv"
    course.write_text("q1 main\nq2 side\nq3 main\nq4 main\nq5 side\nq6 side\n")
    named = ["find-unjudged", "qrels.txt", "bm25.run", "dense.run"]
    found = json.loads(output_of(*named, "--by", str(course), "--format", "json"))
    assert set(found["slices"]) == {"main", "side"}
    assert main([*named, "--clusters", str(course)]) == 2
    assert "--clusters: bounds over labels" in capsys.readouterr().err
