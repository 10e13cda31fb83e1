"""Means over labels drawn at random."""

from __future__ import annotations

import itertools

import pytest

import gainful
from gainful.errors import GradeError, MeasureError, ParameterError
from gainful.unjudged import sample_labels

pytestmark = pytest.mark.usefixtures("small_files")

QRELS = {"q1": {"a": 2, "b": 0, "c": 0}, "q2": {"d": 1, "e": 0}}
RUN = {"q1": ["x", "a", "y", "z"], "q2": ["d", "w"]}
PRIOR = {0: 0.5, 1: 0.3, 2: 0.2}


@pytest.mark.parametrize("measure", ["nDCG@2", "AP", "P@3", "ERR(max_grade=2)@3"])
def test_the_mean_of_samples_is_the_expectation(measure: str) -> None:
    """Compare with an enumeration of all labelings and their probabilities."""
    cutoff = {"nDCG@2": 2, "AP": 9, "P@3": 3}.get(measure, 3)
    places = [(q, d) for q, own in RUN.items() for d in own[:cutoff] if d not in QRELS[q]]
    mean = square = 0.0
    for labels in itertools.product(PRIOR, repeat=len(places)):
        qrels = {query: dict(judged) for query, judged in QRELS.items()}
        likely = 1.0
        for (query, document), label in zip(places, labels, strict=True):
            qrels[query][document] = label
            likely *= PRIOR[label]
        value = gainful.evaluate(qrels, RUN, measure).mean()
        mean += likely * value
        square += likely * value * value
    drawn = sample_labels(QRELS, RUN, measure, prior=PRIOR, samples=20_000)
    error = ((square - mean * mean) / 20_000) ** 0.5
    assert abs(drawn.summary().mean - mean) <= 4 * error
    assert error > 0


def test_priors_of_pool_and_run() -> None:
    """P@1 is the chance that x is relevant: by the pool 1/3; by the run's top 1 the same."""
    for prior in ("pool", "run"):
        drawn = sample_labels(QRELS, {"q1": ["x"]}, "P@1", prior=prior, samples=20_000)
        assert drawn.summary().mean * 2 == pytest.approx(1 / 3, abs=0.02)
    # Above rank 3 the run has a, and the pool counts as one document more: (1 + 1/3) / 2.
    drawn = sample_labels(QRELS, {"q1": ["x", "a"]}, "P@2", prior="run", samples=20_000)
    assert drawn.summary().mean * 2 == pytest.approx((1 + 2 / 3) / 2, abs=0.02)


def test_samples_depend_on_the_seed_and_not_on_threads() -> None:
    def means(**options: int) -> list[float]:
        return sample_labels("qrels.txt", "bm25.run", prior="pool", **options).means()

    assert means(threads=1) == means(threads=3) == means()
    assert means(seed=1) != means()
    assert means(samples=50) == means()[:50]


def test_one_document_has_one_label_in_all_systems() -> None:
    runs = {"one": {"q1": ["x", "a"]}, "two": {"q1": ["x", "b"]}}
    drawn = sample_labels(QRELS, runs=runs, measures="P@1", prior="pool")
    assert drawn.means(system="one") == drawn.means(system="two")
    apart = sample_labels(
        QRELS, runs={"one": {"q1": ["x"]}, "two": {"q1": ["y"]}}, measures="P@1", prior="pool"
    )
    assert apart.means(system="one") != apart.means(system="two")


def test_samples_are_within_the_bounds() -> None:
    drawn = sample_labels(QRELS, RUN, ["nDCG@3", "AP"], prior=PRIOR)
    bounds = gainful.evaluate(QRELS, RUN, ["nDCG@3", "AP"], bounds="cutoff")
    for measure in ("nDCG@3", "AP"):
        summary = bounds.summary(measure)
        means = drawn.means(measure)
        assert summary.lowest <= min(means) < max(means) <= summary.highest
        one = drawn.summary(measure)
        assert min(means) <= one.interval.low <= one.mean <= one.interval.high <= max(means)
        inside = sum(one.interval.low <= mean <= one.interval.high for mean in means)
        assert inside >= 0.95 * len(means)


def test_weights_and_sums() -> None:
    certain = {2: 1.0}
    weights = {"q1": 3.0, "q2": 1.0}
    drawn = sample_labels(QRELS, RUN, "P@2", prior=certain, weights=weights, samples=3)
    labeled = {"q1": {**QRELS["q1"], "x": 2}, "q2": {**QRELS["q2"], "w": 2}}
    expected = gainful.evaluate(labeled, RUN, "P@2", weights=weights).mean()
    assert drawn.means() == pytest.approx([expected] * 3, abs=1e-15)
    counted = sample_labels(QRELS, RUN, "NumRelRet", prior=certain, samples=2)
    assert counted.means() == [6.0, 6.0]
    assert counted.summary().value == 2


def test_the_table_names_the_prior() -> None:
    drawn = sample_labels("qrels.txt", "bm25.run", ["nDCG@10", "AP"], prior={0: 0.9, 3: 0.1})
    assert "with P(grade) 0: 0.9, 3: 0.1" in " ".join(str(drawn).split())
    assert drawn.to_dict()["prior"] == {"0": 0.9, "3": 0.1}
    assert repr(drawn) == "<LabelSamples of bm25: 1000 labelings>"
    assert "<table>" in drawn._repr_html_()


def test_judgments_without_nonrelevant_documents_have_no_prior() -> None:
    qrels = {"q": {"a": 1}}
    with pytest.raises(GradeError, match="no document judged as not relevant"):
        sample_labels(qrels, {"q": ["x", "a"]})
    assert sample_labels(qrels, {"q": ["x", "a"]}, prior={0: 1.0}).means()[0] < 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"prior": "guess"}, "'guess'"),
        ({"prior": {0: 0.5, 1: 0.4}}, "sum to 0.9"),
        ({"prior": {0: -1.0, 1: 2.0}}, "probability"),
        ({"prior": {}}, "probability"),
        ({"samples": 0}, "a whole number of 1 or more"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"weights": {"q1": 1.0}}, "no weight"),
    ],
)
def test_invalid_arguments_are_errors(arguments: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        sample_labels(QRELS, RUN, "P@2", **arguments)


def test_measures_without_bounds_are_errors() -> None:
    with pytest.raises(MeasureError, match="bounds of bpref"):
        sample_labels(QRELS, RUN, "bpref")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed: found -1"),
        ({"seed": 2**64}, "seed: found 18446744073709551616"),
        ({"samples": 2.5}, "samples: found 2.5"),
        ({"samples": 10**9}, "samples: found 1,000,000,000, expected at most 134,217,728"),
    ],
)
def test_invalid_options_are_errors(options: dict, message: str) -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}
    with pytest.raises(ParameterError, match=message):
        gainful.sample_labels(qrels, {"q": ["a", "x"]}, "P@2", **options)
