"""Functions as the gain or the discount of a measure: as the same tables, under their names."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any

import pytest

import gainful
from gainful.backends.sql import query
from gainful.errors import MeasureError
from gainful.measures import AP, CG, DCG, Q, nDCG, parse_measure
from gainful.report import make_report
from random_rankings import draw

QRELS = {"q1": {"a": 2.5, "b": 0, "c": 1, "n": -1}, "q2": {"a": 1, "d": 3}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0, "n": 0.5}, "q2": {"x": 2.0, "a": 1.0}}
GRADES = (-1.0, 0.0, 1.0, 2.0, 2.5, 3.0)


def root(grade: float) -> float:
    """Return a gain that grows slowly."""
    return math.sqrt(grade) if grade >= 0 else -2.0


def zipf(rank: int) -> float:
    return 1 / rank**0.8


def table(grades: tuple[float, ...]) -> dict[float, float]:
    return {grade: root(grade) for grade in grades}


@pytest.mark.parametrize("family", [nDCG, DCG, CG, Q])
@pytest.mark.parametrize("negative", ["zero", "signed", "unjudged"])
@pytest.mark.parametrize("unjudged", ["zero", 2, "condense"])
def test_a_gain_is_the_table_of_its_values(family: Any, negative: str, unjudged: Any) -> None:
    if family is Q and (negative == "signed" or unjudged == 2):
        pytest.skip("Q refuses losses")
    grades = GRADES if negative == "signed" else GRADES[1:]
    measures = [family(gain=root) @ 3, family(gain=table(grades)) @ 3]
    policies: dict[str, Any] = {"negative": negative, "unjudged": unjudged}
    result = gainful.evaluate(QRELS, RUN, measures, **policies)
    function, tabulated = (result.per_query(measure) for measure in measures)
    assert function == tabulated
    for name in QRELS:
        explained = [gainful.explain(QRELS, RUN, name, measure, **policies) for measure in measures]
        assert explained[0].value == explained[1].value == function[name]


@pytest.mark.parametrize("ties", ["doc-id-desc", "expected"])
def test_a_discount_is_the_table_of_its_values(ties: str) -> None:
    qrels, run = draw(seed=7)
    measures = [nDCG(discount=zipf) @ 5, nDCG(discount=[zipf(rank) for rank in range(1, 6)]) @ 5]
    result = gainful.evaluate(qrels, run, measures, ties=ties)
    assert result.per_query(measures[0]) == result.per_query(measures[1])


def test_the_name_is_notation_and_in_results() -> None:
    measure = nDCG(gain=root, discount=zipf) @ 10
    assert repr(measure) == "nDCG(gain='root', discount='zipf')@10"
    assert parse_measure(repr(measure)) == measure
    assert copy.deepcopy(measure) == measure == pickle.loads(pickle.dumps(measure))
    result = gainful.evaluate(QRELS, RUN, measure)
    assert result.mean(repr(measure)) == result.mean()
    assert repr(measure) in json.dumps(result.to_dict())
    assert pickle.loads(pickle.dumps(result)) == result
    assert "root(grade) × zipf(rank)" in result.methods().rendered(None)


def test_comparisons_reports_and_worst_queries_use_the_function(tmp_path: Any) -> None:
    measure = nDCG(gain=root) @ 10
    runs = {"one": RUN, "two": {**RUN, "q1": {"a": 1.0}}}
    pair = gainful.compare(QRELS, runs, measure).pair("two", "one")
    means = gainful.evaluate(QRELS, runs, measure).means()
    assert pair.difference == pytest.approx(
        means["two", repr(measure)] - means["one", repr(measure)], abs=1e-12
    )
    assert gainful.explain(QRELS, RUN, measure=measure).query in QRELS
    page = tmp_path / "report.html"
    make_report(QRELS, runs, [measure]).write(page)
    assert "root" in page.read_text()


def test_two_functions_of_a_name_are_two_measures() -> None:
    def power(exponent: float) -> Any:
        def gain(grade: float) -> float:
            return float(max(grade, 0) ** exponent)

        return gain

    first, second = nDCG(gain=power(0.5)), nDCG(gain=power(3))
    assert first != second
    assert gainful.evaluate(QRELS, RUN, first).mean() != gainful.evaluate(QRELS, RUN, second).mean()


def test_what_has_no_name_or_no_known_grades_is_refused() -> None:
    with pytest.raises(MeasureError, match="define it with def"):
        nDCG(gain=lambda grade: grade)
    with pytest.raises(MeasureError, match="expected a cutoff"):
        gainful.evaluate(QRELS, RUN, nDCG(discount=zipf))
    with pytest.raises(MeasureError, match="judged-uncut"):
        gainful.evaluate(QRELS, RUN, nDCG(discount=zipf, ideal="judged-uncut") @ 10)
    with pytest.raises(MeasureError, match="write the function as a table"):
        query([nDCG(gain=root) @ 10])
    with pytest.raises(MeasureError, match="rel="):
        AP(rel=root)
    with pytest.raises(MeasureError, match="'unknown'"):
        parse_measure("nDCG(gain='unknown')")


def test_errors_of_the_function_name_it() -> None:
    def broken(grade: float) -> float:
        return 1 / grade

    def word(grade: float) -> str:
        return "high"

    with pytest.raises(MeasureError, match="broken raised ZeroDivisionError for 0"):
        gainful.evaluate(QRELS, RUN, nDCG(gain=broken))
    with pytest.raises(MeasureError, match="from the function, expected"):
        gainful.evaluate(QRELS, RUN, nDCG(gain=word))
