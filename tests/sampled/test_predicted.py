"""Estimates from a sample of judgments with labels of a model for all documents."""

from __future__ import annotations

import json
import random
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.data.samples import Stratum
from gainful.errors import MeasureError, ParameterError
from gainful.sampled.call import combine, estimate_queries, model_total, model_totals
from gainful.sampled.plans import Documents, documents_of, plan_measure
from gainful.sampled.result import summarize
from json_schema import errors, schema_of

GRADES: dict[str, float] = {"a": 2, "b": 0, "c": 1, "d": 0, "e": 3, "f": 0, "g": 1, "h": 0, "i": 2}
LABELS: dict[str, float] = {"a": 1, "b": 1, "c": 1, "d": 3, "e": 2, "f": 0, "g": 0, "i": 3}
#: The documents of each stratum, and how many are drawn.
STRATA = (("ab", 2), ("cde", 2), ("fghi", 2))
RANKING = list("caeihdbfg")


def samples() -> list[Documents]:
    """Return all possible samples of the query."""
    found = []
    for drawn in product(*(combinations(names, n) for names, n in STRATA)):
        strata = [Stratum(len(names), own) for (names, _), own in zip(STRATA, drawn, strict=True)]
        grades = {each: GRADES[each] for own in drawn for each in own}
        found.append(documents_of(strata, dict.fromkeys(GRADES, 1), grades))
    return found


def plan(measure: str) -> Any:
    known = {*GRADES.values(), *LABELS.values()}
    convention = gainful.conventions.get("gainful-1")
    return plan_measure(gainful.measures.parse_measure(measure), convention, 9, known)


@pytest.mark.parametrize("measure", ["DCG@5", "DCG(gain='exponential')@9", "P(rel=2)@4", "CG@7"])
def test_the_excess_of_the_model_has_the_mean_0_over_all_samples(measure: str) -> None:
    own = plan(measure)
    ranking = RANKING[: own.cutoff]
    totals = [model_total(each, own, ranking, LABELS) for each in samples()]
    expected = gainful.evaluate({"q": LABELS}, {"q": RANKING}, measure).mean()
    assert all(each.whole == pytest.approx(expected) for each in totals)
    assert sum(each.excess for each in totals) / len(totals) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("rate", [0.4, 1.0])
def test_the_estimate_and_its_variance_have_no_bias(
    rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gainful.sampled.call._rates", lambda totals: ([rate] * len(totals), ""))
    # Each query is one of all possible samples.
    documents = {f"q{at:03}": each for at, each in enumerate(samples())}
    run = gainful.Run(dict.fromkeys(documents, RANKING))
    own = plan("DCG@6")
    people = estimate_queries(own, run, documents, {0.0})
    totals = model_totals(own, run, documents, dict.fromkeys(documents, LABELS))
    found, queries = combine(own, summarize(own, "run", people.values()), people, totals)
    truth = gainful.evaluate({"q": GRADES}, {"q": RANKING}, "DCG@6").mean()
    assert found.mean == pytest.approx(truth, rel=1e-12)
    values = [each.point.value or 0.0 for each in queries.values()]
    variance = sum((value - truth) ** 2 for value in values) / len(values)
    assert found.sampling_error is not None
    assert found.sampling_error**2 * found.n == pytest.approx(variance, rel=1e-9)
    assert found.people_mean == pytest.approx(truth, rel=1e-12)
    assert found.model_mean == pytest.approx(
        gainful.evaluate({"q": LABELS}, {"q": RANKING}, "DCG@6").mean()
    )


def test_estimated_rates_have_no_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    """All samples of four queries of one stratum, with rates from the other queries."""
    monkeypatch.setattr("gainful.sampled.call.FEWEST_ERRORS", 0)
    draw = random.Random(2)
    names = "abcd"
    people = [{each: float(draw.randrange(4)) for each in names} for _ in range(4)]
    model = [
        {each: min(3.0, grade + draw.randrange(2)) for each, grade in own.items()} for own in people
    ]
    own = plan("DCG@4")
    possible = [
        [
            documents_of(
                [Stratum(4, pair)], dict.fromkeys(names, 1), {each: grades[each] for each in pair}
            )
            for pair in combinations(names, 2)
        ]
        for grades in people
    ]
    runs = gainful.Run({f"q{at}": list(names) for at in range(4)})
    labels = {f"q{at}": each for at, each in enumerate(model)}
    means, used = [], 0
    for drawn in product(*possible):
        documents = {f"q{at}": each for at, each in enumerate(drawn)}
        alone = estimate_queries(own, runs, documents, {0.0})
        before = summarize(own, "run", alone.values())
        found, _ = combine(own, before, alone, model_totals(own, runs, documents, labels))
        means.append(found.mean)
        used += found.rate != 0.0
    truth = gainful.evaluate({f"q{at}": each for at, each in enumerate(people)}, runs, "DCG@4")
    assert used > 100
    assert sum(means) / len(means) == pytest.approx(truth.mean(), rel=1e-12)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a sample of judgments, labels of a model and two runs of 40 queries."""
    folder = tmp_path_factory.mktemp("sampled")
    draw = random.Random(5)
    true = {f"q{n}": {f"d{m}": draw.choice([0, 0, 1, 2]) for m in range(12)} for n in range(40)}
    runs = {
        name: {
            query: {each: grade + draw.gauss(0, noise) for each, grade in own.items()}
            for query, own in true.items()
        }
        for name, noise in (("good", 1.0), ("poor", 3.0))
    }
    for name, run in runs.items():
        gainful.Run(run).write(folder / f"{name}.run")
    model = {
        query: {e: g if draw.random() < 0.8 else draw.choice([0, 1, 2]) for e, g in own.items()}
        for query, own in true.items()
    }
    gainful.Qrels(model).write(folder / "llm.qrels")
    paths = [folder / f"{name}.run" for name in runs]
    drawn = gainful.pool(paths, "sample", depth=10, budget=160, seed=1)
    drawn.write(folder / "pool.jsonl")
    judged: dict[str, dict[str, int]] = {}
    for query, document in zip(drawn.queries, drawn.documents, strict=True):
        judged.setdefault(query, {})[document] = true[query][document]
    gainful.Qrels(judged).write(folder / "human.qrels")
    gainful.Qrels(true).write(folder / "true.qrels")
    return folder


def estimates(folder: Path, **options: Any) -> Any:
    options = {"predicted": str(folder / "llm.qrels"), **options}
    runs = [folder / "good.run", folder / "poor.run"]
    return gainful.evaluate_sample(folder / "human.qrels", runs, folder / "pool.jsonl", **options)


def test_a_good_model_makes_estimates_more_precise(collection: Path) -> None:
    found = estimates(collection)
    alone = estimates(collection, predicted=None, measures=["DCG@10", "P@10"])
    assert [each.measure for each in found.estimates] == [*("DCG@10", "DCG@10", "P@10", "P@10")]
    for each, other in zip(found.estimates, alone.estimates, strict=True):
        assert (each.people_mean, each.people_interval) == (other.mean, other.interval)
        assert other.people_mean is None
        assert each.reason == ""
        assert 0.3 < each.rate < 1.2
        assert each.worth > 41
        assert each.sampling_error < other.sampling_error
        truth = gainful.evaluate(
            collection / "true.qrels", collection / f"{each.system}.run", each.measure
        ).mean()
        assert each.interval.low < truth < each.interval.high
    assert errors(found.to_dict(), schema_of("sample-evaluation")) == []


def test_labels_of_few_errors_or_without_a_gain_are_not_used(collection: Path) -> None:
    alone = estimates(collection, predicted=None, measures="DCG@10").estimate(system="good")
    exact = estimates(collection, predicted=collection / "true.qrels").estimate("DCG@10", "good")
    assert exact.reason == "few-errors"
    constant = {f"q{n}": {f"d{m}": 0 for m in range(12)} for n in range(40)}
    useless = estimates(collection, predicted=constant).estimate("DCG@10", "good")
    assert useless.reason == "no-gain"
    for each in (exact, useless):
        assert (each.mean, each.interval, each.rate) == (alone.mean, alone.interval, 0)


def test_ratios_and_examples_of_the_prompt_are_refused(collection: Path, tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="sums over documents"):
        estimates(collection, measures="nDCG@10")
    judged = gainful.read_qrels(collection / "human.qrels")
    query, own = next(iter(judged.items()))
    row = {"query_id": query, "doc_id": "other", "grade": 1, "examples": [[query, next(iter(own))]]}
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(ParameterError, match="as an example of its prompt"):
        estimates(collection, predicted=path)


def test_the_command_shows_people_model_and_combined(
    collection: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(collection)
    words = ["evaluate", "human.qrels", "good.run", "poor.run", "--sample", "pool.jsonl"]
    assert main([*words, "--predicted", "llm.qrels"]) == 0
    shown = capsys.readouterr().out
    assert "people only" in shown
    assert "Your 40 queries are worth " in shown
    assert "was fixed without the judgments of the" in shown
    assert main(words) == 0
    assert "people only" not in capsys.readouterr().out
    assert main([*words, "--predicted", "llm.qrels", "--sampled", "random"]) == 2
    assert "--sampled does not work with --sample" in capsys.readouterr().err
