"""Comparisons test whether differences are the same in all slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gainful
from gainful.inference import equal_means_test, holm

QUERIES = [f"q{number:02d}" for number in range(40)]
QRELS = {query: {"d": 1} for query in QUERIES}
KIND = {query: "new" if at < 20 else "old" for at, query in enumerate(QUERIES)}
PARITY = {query: str(at % 2) for at, query in enumerate(QUERIES)}


def ranking(place: int) -> list[str]:
    return [f"x{number}" for number in range(place)] + ["d"]


#: "good" gains on new queries only, and "even" on all.
RUNS = {
    "base": {query: ranking(1 + at % 3) for at, query in enumerate(QUERIES)},
    "even": {query: ranking(0) for query in QUERIES},
    "good": {q: ranking(0 if at < 20 else 1 + at % 3) for at, q in enumerate(QUERIES)},
}


def compare(by: Any, **options: Any) -> gainful.Comparison:
    return gainful.compare(QRELS, RUNS, ["RR"], by=by, resamples=500, **options)


def test_the_p_values_are_those_of_the_test() -> None:
    comparison = compare({"kind": KIND, "parity": PARITY}, baseline="base")
    expected = []
    for by in (KIND, PARITY):
        for system in ("even", "good"):
            new, old = (comparison.evaluations[0].per_query("RR", s) for s in (system, "base"))
            differences = [new[query] - old[query] for query in QUERIES]
            expected += equal_means_test(differences, [by[query] for query in QUERIES]) or ()
    tests = comparison.slice_differences
    assert [(test.attribute, test.system, test.baseline) for test in tests] == [
        (attribute, system, "base")
        for attribute in ("kind", "parity")
        for system in RUNS
        if system != "base"
    ]
    assert [test.p for test in tests] == expected
    assert [test.p_adjusted for test in tests] == holm(expected)
    assert comparison.to_dict()["slice_differences"] == [test.to_dict() for test in tests]


def test_the_note_names_the_differences_that_vary() -> None:
    text = " ".join(str(compare({"kind": KIND, "parity": PARITY}, baseline="base")).split())
    assert "RR, slices of kind (permutation test): the difference varies significantly" in text
    assert "between slices for good vs. base (p (Holm) .0008)." in text
    assert "RR, slices of parity (permutation test, smallest p 1.0000)" in text


def test_without_a_family_p_is_not_corrected() -> None:
    runs = {name: RUNS[name] for name in ("base", "good")}
    comparison = gainful.compare(QRELS, runs, ["RR"], by=PARITY, resamples=500)
    (test,) = comparison.slice_differences
    assert test.p_adjusted == test.p
    assert f"test, p {test.p:.4f}".replace(" 0", " ") in " ".join(str(comparison).split())


@pytest.mark.parametrize("baseline", [None, "base"])
def test_queries_of_one_system_and_of_no_slice_are_left_out(baseline: str | None) -> None:
    runs = {**RUNS, "short": {query: RUNS["good"][query] for query in QUERIES[10:]}}
    skip = gainful.conventions.get("gainful-1").replace(missing="skip")
    kind = {query: KIND[query] for query in QUERIES[5:]}
    comparison = gainful.compare(
        QRELS, runs, ["RR"], by=kind, baseline=baseline, convention=skip, resamples=500
    )
    tests = {frozenset((t.system, t.baseline)): t for t in comparison.slice_differences}
    test = tests[frozenset(("short", "base"))]
    differences = [
        1 / len(RUNS["good"][query]) - 1 / len(RUNS["base"][query]) for query in QUERIES[10:]
    ]
    sign = 1 if test.system == "short" else -1
    labels = [KIND[query] for query in QUERIES[10:]]
    assert [test.p] == equal_means_test(sign * np.array(differences), labels)


def test_families_of_all_measures_are_corrected_together() -> None:
    options = {"by": KIND, "baseline": "base", "resamples": 500}
    alone, joint = (
        gainful.compare(QRELS, RUNS, ["RR", "P@1"], family=family, **options).slice_differences
        for family in ("measure", "all")
    )
    assert [test.p for test in alone] == [test.p for test in joint]
    assert [test.p_adjusted for test in joint] == holm([test.p for test in joint])


def test_without_slices_or_with_crossed_clusters_there_is_no_test() -> None:
    assert compare(None).slice_differences == ()
    assert compare(KIND, clusters=PARITY).slice_differences == ()
