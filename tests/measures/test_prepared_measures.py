"""Names of measures are read once, until one of them gets another meaning."""

from __future__ import annotations

import pytest

import gainful
from gainful.conventions import get
from gainful.errors import MeasureError
from gainful.measures import define, parse_measure
from gainful.measures.catalogue import MEMORY
from gainful.measures.choosing import choose_measures, prepare_measures
from gainful.measures.definitions.cumulated_gain import GAIN

QRELS = {"q": {"a": 4, "b": 1}}
RUN = {"q": ["b", "a"]}


def mean(measure: str, **policies: str) -> float:
    value = gainful.evaluate(QRELS, RUN, measure, **policies).mean()  # type: ignore[arg-type]
    assert isinstance(value, float)
    return value


def test_a_name_is_read_once() -> None:
    convention = get("gainful-1")
    first, second = (choose_measures(["nDCG@10", "AP"], convention) for _ in range(2))
    assert first is second
    assert prepare_measures(first, convention) is prepare_measures(second, convention)


def test_a_measure_that_is_defined_again_has_its_new_values() -> None:
    define("prepared_once", lambda ranking: 0.25)
    assert mean("prepared_once") == 0.25
    define("prepared_once", lambda ranking: 0.75)
    assert mean("prepared_once") == 0.75


def test_an_unknown_name_can_be_defined() -> None:
    with pytest.raises(MeasureError, match="unknown measure 'prepared_later'"):
        mean("prepared_later")
    define("prepared_later", lambda ranking: 0.5)
    assert mean("prepared_later") == 0.5


def test_a_function_that_is_defined_again_has_its_new_gains() -> None:
    def gained(grade: float) -> float:
        return grade

    GAIN.check(gained)
    linear = mean("nDCG(gain='gained')")
    assert linear == mean("nDCG")

    def second(grade: float) -> float:
        return 2.0**grade - 1

    second.__name__ = "gained"
    GAIN.check(second)
    assert mean("nDCG(gain='gained')") == pytest.approx(mean("nDCG(gain='exponential')"))
    assert mean("nDCG(gain='gained')") != linear


def test_a_function_has_the_grades_of_each_call() -> None:
    def doubled(grade: float) -> float:
        return 2 * grade

    measure = parse_measure("DCG")(gain=doubled)
    for grade in (3, 9):
        result = gainful.evaluate({"q": {"a": grade}}, {"q": ["a"]}, measure)
        assert result.mean() == 2 * grade


def test_conventions_differ_by_their_values() -> None:
    plain = get("gainful-1")
    changed = plain.replace(defaults={"nDCG": {"gain": "exponential"}})
    assert mean("nDCG", convention=plain) != mean("nDCG", convention=changed)
    assert mean("nDCG", convention=plain.replace()) == mean("nDCG", convention=plain)


def test_a_changed_specification_is_that_of_the_caller_alone() -> None:
    convention = get("gainful-1")
    before = mean("AP")
    convention.spec()["ties"] = "expected"
    choose_measures("AP", convention)[0].spec(convention)[1]["rel"] = 9.0
    assert mean("AP") == before


def test_few_results_are_kept() -> None:
    for number in range(MEMORY.LIMIT + 10):
        mean(f"RBP(p=0.{number + 1:04d})")
    assert 0 < len(MEMORY.results) <= MEMORY.LIMIT
