"""Bounds: arguments, errors and output."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random

import pytest

import gainful
from gainful.errors import ConventionError, GradeError, MeasureError, ParameterError
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

QRELS = {"q1": {"a": 1, "n": 3}, "q2": {"b": 2, "c": 0}, "q3": {"d": 0}}
RUN = {"q1": ["a", "x"], "q2": ["y", "b", "z"], "q3": ["w", "d"]}


def test_bounds_are_not_those_of_all_zero_or_all_best() -> None:
    """A relevant unjudged document lowers this nDCG, since it raises the ideal."""
    result = gainful.evaluate(
        {"q": {"a": 1}}, {"q": ["a", "x"]}, "nDCG@10", bounds=True, scale=[0, 1, 2, 3]
    )
    low, value, high = result.bounds()["q"]
    assert (round(low, 3), value, high) == (0.797, 1.0, 1.0)


@pytest.mark.parametrize("no_relevant", [0, "skip"])
@pytest.mark.parametrize("weighted", [False, True])
def test_bounds_of_the_mean(no_relevant: float | str, weighted: bool) -> None:
    """Bounds of the mean equal an enumeration of the labelings of all queries."""
    measures = ["nDCG@3", "AP", "P@2", "GMAP", "NumRelRet"]
    convention = gainful.conventions["gainful-1"].replace(no_relevant=no_relevant)
    weights = {"q1": 1.0, "q2": 2.5, "q3": 0.5} if weighted else None
    options = {"convention": convention, "weights": weights}
    result = gainful.evaluate(QRELS, RUN, measures, bounds=True, scale=[0, 1, 3], **options)
    places = [(q, d) for q, ranking in RUN.items() for d in ranking if d not in QRELS[q]]
    means: dict[str, list[float]] = {measure: [] for measure in measures}
    for labels in itertools.product((0, 1, 3), repeat=len(places)):
        qrels = {query: dict(judged) for query, judged in QRELS.items()}
        for (query, document), label in zip(places, labels, strict=True):
            qrels[query][document] = label
        labeled = gainful.evaluate(qrels, RUN, measures, **options)
        for measure in measures:
            means[measure].append(labeled.summary(measure).value)
    for measure in measures:
        summary = result.summary(measure)
        assert summary.lowest == pytest.approx(min(means[measure]), abs=1e-12)
        assert summary.highest == pytest.approx(max(means[measure]), abs=1e-12)
        assert summary.lowest < summary.highest


def test_bounds_do_not_depend_on_threads_or_the_kind_of_run() -> None:
    paths = [
        gainful.evaluate("qrels.txt", run, ["nDCG@3", "AP"], bounds=True, threads=threads)
        for run, threads in itertools.product(
            ("bm25.run", gainful.read_run("bm25.run"), gainful.read_run("bm25.run").to_dict()),
            (1, 2),
        )
    ]
    first, *others = ([each.bounds(m) for m in each.measures] for each in paths)
    assert all(each == first for each in others)


def test_values_and_means_are_those_without_bounds() -> None:
    plain = gainful.evaluate("qrels.txt", "bm25.run")
    bounded = gainful.evaluate("qrels.txt", "bm25.run", bounds=True)
    for measure in plain.measures:
        assert plain.per_query(measure) == bounded.per_query(measure)
        low_value_high = bounded.bounds(measure).values()
        assert all(low <= value <= high for low, value, high in low_value_high)
    assert plain.summary("AP").lowest is None


def test_bounds_are_equal_if_all_documents_above_the_cutoff_are_judged() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": ["a", "b", "x"]}
    cut = gainful.evaluate(qrels, run, "nDCG@2", bounds="cutoff", scale=[0, 3])
    assert cut.bounds()["q"] == (1.0, 1.0, 1.0)
    whole = gainful.evaluate(qrels, run, "nDCG@2", bounds=True, scale=[0, 3])
    low, _, high = whole.bounds()["q"]
    assert low < 0.3
    assert high == 1.0


def test_a_query_that_counts_only_with_labels() -> None:
    convention = gainful.conventions["gainful-1"].replace(no_relevant="skip")
    result = gainful.evaluate(QRELS, RUN, "P@2", convention=convention, bounds=True)
    assert result.bounds()["q3"] == (0.5, None, 0.5)
    rows = {row["query_id"]: row for row in result.rows()}
    assert (rows["q3"]["P@2"], rows["q3"]["P@2 low"]) == (None, 0.5)


def test_the_scale_is_that_of_the_judgments_and_0() -> None:
    assert gainful.evaluate(QRELS, RUN, "P@2", bounds=True).scale == (0, 1, 2, 3)
    assert gainful.evaluate({"q": {"a": 2.5}}, {"q": ["a"]}, "P@2", bounds=True).scale == (0, 2.5)
    assert gainful.evaluate(QRELS, RUN, "P@2", bounds=True, scale=[2, 1, 2]).scale == (1, 2)
    assert gainful.evaluate(QRELS, RUN, "P@2").scale is None


@pytest.mark.parametrize(
    "measure",
    ["bpref", "Judged@3", "infAP", "nDCG(judged_only=True)", "IDCG@3", "nERR(max_grade=3)@3"],
)
def test_measures_without_bounds_are_errors(measure: str) -> None:
    with pytest.raises(MeasureError, match="bounds of "):
        gainful.evaluate(QRELS, RUN, measure, bounds=True)


@pytest.mark.parametrize(
    ("measure", "policies"),
    [
        ("P@2", {"unjudged": "condense"}),
        ("P@2", {"unjudged": 1}),
        ("P@2", {"ties": "optimistic"}),
        ("nDCG@2", {"negative": "signed"}),
        ("nDCG@2", {"rounding": "term:3"}),
        ("nDCG(ideal='given-order')@2", {}),
        ("nDCG(discount=[0.5, 1])@2", {}),
    ],
)
def test_policies_without_bounds_are_errors(measure: str, policies: dict[str, str]) -> None:
    convention = gainful.conventions["gainful-1"].replace(**policies)
    with pytest.raises(ConventionError, match="bounds of "):
        gainful.evaluate(QRELS, RUN, measure, convention=convention, bounds=True)


def test_a_document_that_counts_twice_is_an_error() -> None:
    convention = gainful.conventions["gainful-1"].replace(duplicates="count")
    run = [("q1", "x", 3.0), ("q1", "x", 2.0), ("q1", "a", 1.0)]
    with pytest.raises(ConventionError, match="query 'q1'.*count twice"):
        gainful.evaluate(QRELS, run, "P@2", convention=convention, bounds=True)


def test_invalid_arguments_are_errors() -> None:
    with pytest.raises(ParameterError, match="'all'"):
        gainful.evaluate(QRELS, RUN, "P@2", bounds="all")
    with pytest.raises(ParameterError, match="a scale without bounds"):
        gainful.evaluate(QRELS, RUN, "P@2", scale=[0, 1])
    with pytest.raises(ParameterError, match="scale has no grades"):
        gainful.evaluate(QRELS, RUN, "P@2", bounds=True, scale=[])
    with pytest.raises(ParameterError, match="scale"):
        gainful.evaluate(QRELS, RUN, "P@2", bounds=True, scale=[float("nan")])
    with pytest.raises(ParameterError, match="an evaluation without bounds"):
        gainful.evaluate(QRELS, RUN, "P@2").bounds()
    strict = gainful.conventions["gainful-1"].replace(negative="error")
    with pytest.raises(GradeError):
        gainful.evaluate(QRELS, RUN, "P@2", convention=strict, bounds=True, scale=[-1])


def test_a_document_with_an_ignored_judgment_has_no_label() -> None:
    convention = gainful.conventions["gainful-1"].replace(negative="unjudged")
    result = gainful.evaluate(
        {"q": {"a": 1, "b": -1}}, {"q": ["b", "a"]}, "P@2", convention=convention, bounds=True
    )
    assert result.bounds()["q"] == (0.5, 0.5, 0.5)


def test_long_rankings_agree_with_samples() -> None:
    """Sampled labelings of many documents are within the bounds and come close to them."""
    rng = random.Random(3)
    run = {"q": [f"d{n}" for n in range(200)]}
    judged = {f"d{n}": rng.choice((0, 0, 1, 3)) for n in rng.sample(range(200), 40)} | {"n": 3}
    bounds = gainful.evaluate({"q": judged}, run, ["nDCG@20", "AP", "nDCG"], bounds=True)
    samples = {}
    for n in range(300):
        share = rng.random()
        labels = {each: 3 if rng.random() < share else 0 for each in run["q"]}
        samples[f"s{n}"] = {**labels, **judged}
    seen = gainful.evaluate(samples, dict.fromkeys(samples, run["q"]), bounds.measures)
    for measure in bounds.measures:
        low, _, high = bounds.bounds(measure)["q"]
        values = seen.per_query(measure).values()
        assert low <= min(values) <= max(values) <= high


def test_the_command_prints_bounds(output_of) -> None:
    printed = output_of(
        "evaluate", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "--bounds"
    )
    assert "low   mean   high" in printed
    assert "Documents that were not retrieved count as not relevant" in printed
    assert max(map(len, printed.split("\n\n")[0].splitlines())) <= 100
    text = output_of(
        *("evaluate", "qrels.txt", "dense.run", "-m", "nDCG@10", "--bounds", "cutoff"),
        *("--scale", "0,1", "--format", "csv"),
    )
    row = next(csv.DictReader(io.StringIO(text)))
    assert float(row["lowest"]) <= float(row["mean"]) < float(row["highest"])
    per_query = output_of(
        "evaluate", "qrels.txt", "dense.run", "-m", "P@5", "--bounds", "--per-query"
    )
    assert per_query.splitlines()[1].split() == ["query_id", "low", "P@5", "high"]


def test_json_with_bounds(output_of) -> None:
    text = output_of(
        "evaluate", "qrels.txt", "dense.run", "-m", "P@5", "--bounds", "--format", "json"
    )
    document = json.loads(text)
    assert errors(document, schema_of("evaluation")) == []
    assert document["bounds"] == {"labels_of": "retrieved", "scale": [0, 1, 2, 3]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--bounds", "--convention", "trec_eval", "--convention", "gainful"), "a single"),
        (("--bounds", "--scale", "0,high"), "numbers and commas"),
        (("--scale", "0,1"), "a scale without bounds"),
        (("-m", "bpref", "--bounds"), "bounds of bpref"),
    ],
)
def test_errors_of_the_command(words: tuple[str, ...], message: str, capsys) -> None:
    from gainful.cli import main

    assert main(("evaluate", "qrels.txt", "bm25.run", *words)) == 2
    assert message in capsys.readouterr().err
