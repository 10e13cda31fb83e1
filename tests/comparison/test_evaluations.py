"""compare() of evaluations: the same results as from runs, and mismatches are rejected."""

from __future__ import annotations

import pytest

import gainful
from gainful.errors import ArgumentError, GainfulError, MatchError, ParameterError

QRELS = {f"q{at}": {"d1": 2, "d2": 1, "d3": 0} for at in range(8)}
OLD = {query: ["d3", "d2", "d1"] for query in QRELS}
NEW = {query: ["d1", "d2", "d3"] for query in QRELS}
MEASURES = ["nDCG@10", "AP"]
FEW = {"resamples": 500, "bootstrap": 0}


def evaluated(name: str, run: dict[str, list[str]], **options: object) -> gainful.Evaluation:
    judgments = options.pop("qrels", QRELS)
    return gainful.evaluate(judgments, runs={name: run}, measures=MEASURES, **options)


def test_evaluations_give_the_same_comparison_as_runs() -> None:
    runs = {"old": OLD, "new": NEW}
    whole = gainful.evaluate(QRELS, runs=runs, measures=MEASURES)
    two = [evaluated("old", OLD), evaluated("new", NEW)]
    expected = gainful.compare(QRELS, runs, MEASURES, **FEW)
    for each in (whole, two):
        found = gainful.compare(each, **FEW)
        assert found.pairs == expected.pairs
        assert found.to_dict() == expected.to_dict()
    assert {pair.verdict for pair in expected.pairs} == {"better"}
    only = gainful.compare(two, measures="AP", **FEW)
    assert only.pairs == expected.pairs[1:]
    assert [repr(measure) for measure in only.measures] == ["AP"]


def test_the_order_of_the_judgments_does_not_matter() -> None:
    backwards = {query: dict(reversed(QRELS[query].items())) for query in reversed(QRELS)}
    found = [evaluated("old", OLD), evaluated("new", NEW, qrels=backwards)]
    assert gainful.compare(found, **FEW).pair("new", measure="AP").n == 8


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            {"qrels": {**QRELS, "q0": {"d1": 3, "d2": 1, "d3": 0}}},
            "the judgments of old differ from those of new",
        ),
        ({"convention": "trec_eval"}, "the conventions gainful-1 and trec_eval-9.0.8"),
        ({"weights": dict.fromkeys(QRELS, 2.0)}, "the query weights differ. Hint: set weights="),
    ],
)
def test_mismatching_evaluations_are_rejected(other: dict[str, object], message: str) -> None:
    with pytest.raises(MatchError, match=message):
        gainful.compare([evaluated("old", OLD), evaluated("new", NEW, **other)], **FEW)


def test_weights_replace_those_of_evaluations() -> None:
    found = [evaluated("old", OLD), evaluated("new", NEW, weights=dict.fromkeys(QRELS, 2.0))]
    weights = dict.fromkeys(QRELS, 1.0)
    assert gainful.compare(found, weights=weights, **FEW).to_dict()["weighted"] is True


def test_duplicate_system_names_are_rejected() -> None:
    with pytest.raises(ParameterError, match="two runs have the name 'old'"):
        gainful.compare([evaluated("old", OLD), evaluated("old", NEW)], **FEW)


def test_arguments_that_are_not_evaluations_are_rejected() -> None:
    with pytest.raises(ArgumentError, match="found str without runs, expected judgments and runs"):
        gainful.compare("run.txt", **FEW)
    with pytest.raises(ArgumentError, match="found no evaluation"):
        gainful.compare([], **FEW)


def test_evaluations_with_runs_or_a_convention_are_rejected() -> None:
    found = [evaluated("old", OLD), evaluated("new", NEW)]
    with pytest.raises(ArgumentError, match="runs cannot be combined with evaluations. Hint: pass"):
        gainful.compare(found, ["old.run", "new.run"], **FEW)
    with pytest.raises(ArgumentError, match="convention cannot be combined with evaluations"):
        gainful.compare(found, convention="trec_eval", **FEW)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"baseline": "od"},
            ParameterError,
            "baseline: found 'od', .* old, new. .*old",
        ),
        ({"alpha": 0.0}, ParameterError, "alpha: found 0.0"),
        ({"margin": -0.1}, ParameterError, "margin: found -0.1"),
        ({"detect": 0.0}, ParameterError, "detect: found 0.0"),
        ({"tie_margin": -1.0}, ParameterError, "tie_margin: found -1.0"),
        (
            {"tests": "anova"},
            ParameterError,
            "tests: found 'anova', .* wilcoxon, sign",
        ),
        ({"family": "both"}, ParameterError, "family: found 'both'"),
        ({"resamples": 10}, ParameterError, "resamples: found 10, expected 100 or more"),
        ({"bootstrap": 10}, ParameterError, "bootstrap: found 10"),
        ({"seed": -1}, ParameterError, "seed: found -1"),
        ({"weights": {"q0": 1.0}}, ParameterError, "weights, query 'q1': a weight is missing"),
        ({"clusters": {"q0": "a"}}, ParameterError, "clusters, query 'q1': a cluster is missing"),
        ({"by": {"x": "a"}}, ParameterError, "by: no query has a value"),
        (
            {"tests": "sign", "clusters": dict.fromkeys(QRELS, "a")},
            ParameterError,
            "tests: sign requires independent queries.* clusters",
        ),
        (
            {"tests": "wilcoxon", "weights": dict.fromkeys(QRELS, 1.0)},
            ParameterError,
            "tests: wilcoxon requires independent queries.* weights",
        ),
    ],
)
def test_invalid_options_are_rejected(
    options: dict[str, object], kind: type[GainfulError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        gainful.compare(QRELS, {"old": OLD, "new": NEW}, **{**FEW, **options})


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"old": OLD}, "runs: found 1 run, expected at least 2"),
        (["a/x.run", "b/x.run"], "runs: two runs are named 'x'"),
        (5, "runs: found int"),
    ],
)
def test_invalid_runs_are_rejected(runs: object, message: str) -> None:
    with pytest.raises(GainfulError, match=message):
        gainful.compare(QRELS, runs)


def test_systems_without_a_common_query_are_rejected() -> None:
    runs = {"old": {"q0": ["d1"]}, "new": {"q1": ["d1"]}}
    with pytest.raises(MatchError, match="have no query in common that counts for both"):
        gainful.compare(QRELS, runs, convention=gainful.Convention(missing="skip"), **FEW)


def test_a_comparison_cannot_be_changed() -> None:
    found = gainful.compare(QRELS, {"old": OLD, "new": NEW}, **FEW)
    with pytest.raises(AttributeError):
        found.pairs = ()
    with pytest.raises(AttributeError):
        found.pairs[0].p = 0.0
    assert repr(found) == "<Comparison of old, new: nDCG@10>"


def test_unknown_judgments_are_reported_and_not_compared() -> None:
    """Rows do not contain the judgments; those of the other systems are still compared."""
    new = evaluated("new", NEW)
    read = gainful.Evaluation.from_rows(new.to_rows(), MEASURES)
    assert read.judgments_digest is None
    old, third = evaluated("old", OLD), evaluated("third", OLD)
    found = gainful.compare([read, old, third], **FEW)
    output = "The judgments of new are unknown"
    assert output in str(found)
    assert found.to_dict()["judgments"] is None
    known = gainful.compare([new, old, third], **FEW)
    assert output not in str(known)
    assert known.to_dict()["judgments"] == old.judgments_digest
    other = evaluated("third", OLD, qrels={**QRELS, "q0": {"d1": 3, "d2": 1, "d3": 0}})
    with pytest.raises(MatchError, match="the judgments of old differ from those of third"):
        gainful.compare([read, old, other], **FEW)
