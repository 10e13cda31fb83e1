"""Arguments and exports in the forms that people write."""

from __future__ import annotations

import pandas
import pytest

import gainful
from gainful.errors import DuplicateError, MatchError, MeasureError, ParameterError
from gainful.evaluation.curves import LEVELS
from gainful.measures import Measure, nDCG

QRELS = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q2": {"d1": 1, "d4": 2}, "q3": {"d9": 1}}
RUNS = {
    "bm25": {"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d4": 1.0, "d7": 3.0}, "q3": {"d9": 1.0}},
    "dense": {"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d4": 1.0, "d7": 3.0}, "q3": {"d8": 1.0}},
}
RUN = RUNS["bm25"]


@pytest.fixture(scope="module")
def result() -> gainful.Evaluation:
    return gainful.evaluate(QRELS, runs=RUNS, measures="nDCG@10 AP")


@pytest.mark.parametrize("measure", ["AP", nDCG @ 3])
def test_explain_picks_the_worst_query(measure: Measure | str) -> None:
    named = gainful.explain(QRELS, RUN, measure=measure)
    values = gainful.evaluate(QRELS, RUN, measure).per_query()
    assert values[named.query] == min(values.values())
    assert gainful.explain(QRELS, RUN, measure).to_dict() == named.to_dict()
    assert gainful.explain(QRELS, RUN, None, measure).to_dict() == named.to_dict()
    assert gainful.explain(QRELS, RUN, "q3", measure).query == "q3"


def test_a_query_with_the_name_of_a_measure_is_a_query() -> None:
    explained = gainful.explain({"AP": {"d1": 1}}, {"AP": {"d1": 1.0}}, "AP")
    assert (explained.query, repr(explained.measure)) == ("AP", "nDCG@10")
    with pytest.raises(MatchError, match="query 'q9'"):
        gainful.explain(QRELS, RUN, "q9")
    worst = gainful.explain(QRELS, RUN, ties="doc-id-asc", measure="RR")
    assert worst.convention.ties == "doc-id-asc"


@pytest.mark.parametrize("measures", ["AP", ["AP"], nDCG @ 10])
def test_measures_after_an_evaluation(
    result: gainful.Evaluation, measures: list[Measure | str] | Measure | str
) -> None:
    named = gainful.compare(result, measures=measures)
    assert gainful.compare(result, measures) == named
    assert len(named.pairs) == 1
    with pytest.raises(ParameterError, match="found RR, expected one of nDCG@10, AP"):
        gainful.compare(result, "RR")


def test_pictures_take_the_measure_by_position(result: gainful.Evaluation) -> None:
    positional = gainful.plots.means(result, "AP").to_dict()
    assert positional == gainful.plots.means(result, measure="AP").to_dict()
    assert positional != gainful.plots.means(result).to_dict()


def test_precision_and_recall(result: gainful.Evaluation) -> None:
    curve = gainful.evaluate(QRELS, RUN, [Measure("IPrec", {"recall": at}) for at in LEVELS])
    drawn = gainful.plots.precision_recall(curve).to_dict()
    assert curve.plot("pr").to_dict() == curve.plot("precision-recall").to_dict() == drawn
    with pytest.raises(ParameterError, match=r"no measures IPrec.*curves\(qrels, runs\)"):
        result.plot("pr")


def test_results_are_rows(result: gainful.Evaluation) -> None:
    for rows in (result, gainful.compare(result)):
        frame = pandas.DataFrame(rows)
        assert frame.equals(pandas.DataFrame(rows.to_pandas().to_dict("records")))
        assert list(frame.columns) == list(rows.records())
    values = result.to_pandas("values")
    assert list(values.columns) == ["system", "query_id", "measure", "value"]
    assert len(values) == 2 * 3 * 2
    restored = gainful.Evaluation.from_values(values)
    assert restored.means() == pytest.approx(result.means())


def test_unions_of_judgments() -> None:
    first = gainful.Qrels({"q1": {"d1": 3, "d2": 0}, "q2": {}})
    second = {"q1": {"d2": 2, "d3": 1}, "q3": {"d1": 1}}
    with pytest.raises(DuplicateError, match="query 'q1': found document 'd2' with the grades 0"):
        first | second
    grades = {
        rule: first.union(second, duplicates=rule).to_dict()["q1"]["d2"]
        for rule in ("first", "last", "max", "mean")
    }
    assert grades == {"first": 0, "last": 2, "max": 2, "mean": 1}
    whole = first.union(second, {"q4": {"d1": 1}}, duplicates="max")
    assert list(whole) == ["q1", "q2", "q3", "q4"]
    assert (first | first) == first
    with pytest.raises(ParameterError, match="expected one of error, first, last, max, mean"):
        first.union(second, duplicates="median")
    nested = gainful.Qrels({"q1": {"a": {"d1": 1}}}, subtopics=True)
    both = nested | gainful.Qrels({"q1": {"b": {"d1": 2}}}, subtopics=True)
    assert both.to_dict() == {"q1": {"a": {"d1": 1}, "b": {"d1": 2}}}


def test_renamed_documents_that_become_one() -> None:
    chunks = gainful.Qrels({"q1": {"d1#1": 1, "d1#2": 3, "d2#1": 0}, "q2": {"d3": 2}})
    document = {"d1#1": "d1", "d1#2": "d1"}
    with pytest.raises(DuplicateError, match="d1"):
        chunks.rename(documents=document)
    expected = {"q1": {"d1": 3, "d2#1": 0}, "q2": {"d3": 2}}
    assert chunks.rename(documents=document, duplicates="max").to_dict() == expected
    renamed = chunks.rename(queries={"q1": "one"}, documents=document, duplicates="mean")
    assert renamed.to_dict()["one"] == {"d1": 2, "d2#1": 0}
    with pytest.raises(ParameterError, match="duplicates"):
        chunks.rename(queries={"q1": "one"}, duplicates="sum")


def test_gains_and_discounts_as_lists_and_functions() -> None:
    grades = [[3, 2, 0], [0, 1, 3]]
    table = {0: 0, 1: 1, 2: 3, 3: 7}
    expected = gainful.ndcg(grades, gain=table)
    assert gainful.ndcg(grades, gain=[0, 1, 3, 7]) == expected
    assert gainful.ndcg(grades, gain=lambda grade: 2**grade - 1) == expected
    halves = gainful.ndcg(grades, discount=[1, 1 / 2, 1 / 3])
    assert gainful.ndcg(grades, discount=lambda rank: 1 / rank) == halves
    # The ideal is longer than the list.
    assert gainful.ndcg([1], ideal=[1, 1, 1], discount=lambda rank: 0.5) == pytest.approx(1 / 3)
    jk = gainful.ndcg(grades, discount="jarvelin-kekalainen")
    assert gainful.ndcg(grades, discount="jk") == jk
    assert repr(nDCG(gain=[0, 1, 3, 7]) @ 10) == "nDCG(gain={0: 0, 1: 1, 2: 3, 3: 7})@10"
    assert nDCG(discount="jk") == nDCG(discount="jarvelin-kekalainen")
    assert gainful.measures.parse_measure("nDCG(gain=[0,1,3,7])@5").params["gain"]
    with pytest.raises(MeasureError, match="write it as a table"):
        nDCG(gain=lambda grade: grade)
    with pytest.raises(ParameterError, match="gain"):
        gainful.ndcg(grades, gain=lambda grade: "many")
