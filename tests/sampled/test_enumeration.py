"""Estimates from a sample, checked with all samples of a small pool."""

from __future__ import annotations

import json
from itertools import combinations, product
from statistics import pstdev

import pytest

import gainful

GRADES = {
    "a": 2,
    "b": 0,
    "c": 1,
    "d": 0,
    "e": 3,
    "f": 0,
    "g": 1,
    "h": 0,
    "i": 2,
    "j": 0,
    "k": 1,
    "l": 0,
    "m": 0,
}
#: The documents of each stratum, and how many are drawn.
STRATA = (("ab", 2), ("cdefg", 4), ("hijklm", 3))
RANKING = "caeihdjkblmfg"
SHORT = "bhe"
UNBIASED = ("DCG@5", "DCG(gain='exponential')@13", "CG@4", "P@6", "P(rel=2)@3")
RATIOS = ("nDCG@5", "nDCG@13", "AP@13", "R@6")


@pytest.fixture(scope="module")
def enumerated(tmp_path_factory: pytest.TempPathFactory):
    """Return the estimates of a population in which each query is one possible sample."""
    folder = tmp_path_factory.mktemp("samples")
    samples = list(product(*(combinations(names, n) for names, n in STRATA)))
    path = folder / "pool.jsonl"
    qrels: dict[str, dict[str, int]] = {}
    with path.open("w") as file:
        for at, sample in enumerate(samples):
            qrels[f"q{at}"] = {name: GRADES[name] for names in sample for name in names}
            for stratum, drawn in enumerate(sample):
                for name in drawn:
                    row = {"query_id": f"q{at}", "doc_id": name, "stratum": stratum, "depth": 13}
                    chance = len(drawn) / len(STRATA[stratum][0])
                    file.write(json.dumps({**row, "probability": chance}) + "\n")
    runs = {
        name: {query: list(ranking) for query in qrels}
        for name, ranking in (("long", RANKING), ("short", SHORT))
    }
    return gainful.evaluate_sample(qrels, runs, path, [*UNBIASED, *RATIOS])


def truth(measure: str, system: str) -> float:
    ranking = {"long": RANKING, "short": SHORT}[system]
    return gainful.evaluate({"q": GRADES}, {"q": list(ranking)}, measure).mean()


@pytest.mark.parametrize("system", ["long", "short"])
@pytest.mark.parametrize("measure", UNBIASED)
def test_totals_and_their_variances_have_no_bias(enumerated, measure: str, system: str) -> None:
    found = enumerated.estimate(measure, system)
    values = list(enumerated.values[found.measure, system].values())
    expected = truth(measure, system)
    assert found.mean == pytest.approx(expected, rel=1e-12)
    assert found.bias == 0.0
    variance = sum((value - expected) ** 2 for value in values) / len(values)
    assert found.sampling_error**2 * found.n == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("system", ["long", "short"])
@pytest.mark.parametrize("measure", RATIOS)
def test_the_reported_bias_of_ratios_has_the_sign_and_size_of_the_true_one(
    enumerated, measure: str, system: str
) -> None:
    found = enumerated.estimate(measure, system)
    bias = found.mean - truth(measure, system)
    assert abs(bias) > 1e-4
    assert found.bias == pytest.approx(bias, rel=0.4, abs=0.0005)


@pytest.mark.parametrize("measure", RATIOS)
def test_sampling_errors_of_ratios_are_those_over_all_samples(enumerated, measure: str) -> None:
    found = enumerated.estimate(measure, "long")
    values = enumerated.values[found.measure, "long"].values()
    assert found.sampling_error == pytest.approx(pstdev(values) / found.n**0.5, rel=0.25)


@pytest.mark.parametrize("measure", [*UNBIASED, *RATIOS])
def test_a_sample_of_all_documents_is_the_evaluation(measure: str) -> None:
    runs = {"long": {"q": list(RANKING)}, "short": {"q": list(SHORT)}}
    drawn = gainful.pool(runs, "sample", depth=13, budget=100)
    found = gainful.evaluate_sample({"q": GRADES}, runs, drawn, measure)
    for system in runs:
        one = found.estimate(system=system)
        assert one.mean == pytest.approx(truth(measure, system), rel=1e-12)
        assert (one.sampling_error, one.outside) == (0.0, 0)
        assert one.bias == 0.0


def test_a_second_sample_continues_the_first_without_bias(tmp_path) -> None:
    """Every sample of 2 of 5 documents, and then every sample of 1 of the other 3."""
    names = "abcde"
    runs = {"one": {}}
    qrels: dict[str, dict[str, int]] = {}
    path = tmp_path / "second.jsonl"
    with path.open("w") as file:
        for first in combinations(names, 2):
            for second in set(names) - set(first):
                query = "".join((*first, second))
                qrels[query] = {name: GRADES[name] for name in query}
                runs["one"][query] = list(names)
                for name, stratum, chance in (*((n, 0, 1) for n in first), (second, 1, 1 / 3)):
                    row = {"query_id": query, "doc_id": name, "stratum": stratum, "depth": 5}
                    file.write(json.dumps({**row, "probability": chance}) + "\n")
    found = gainful.evaluate_sample(qrels, runs, path, "DCG@5").estimate(system="one")
    expected = gainful.evaluate({"q": GRADES}, {"q": list(names)}, "DCG@5").mean()
    assert found.n == 30
    assert found.mean == pytest.approx(expected, rel=1e-12)
