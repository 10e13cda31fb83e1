"""Questions without an answer: thresholds, and where they cost the other questions."""

import random

import pytest

import gainful
from gainful import measure_abstention
from gainful.errors import ArgumentError, MatchError

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}}
RUN = {"q1": {"a": 0.9, "x": 0.8}, "q2": {"b": 0.3}, "q3": {"y": 0.6}, "q4": {"z": 0.2}}


def test_thresholds_are_compared_with_their_definition():
    numbers = random.Random(7)
    answered = [f"a{number}" for number in range(30)]
    qrels = {query: {"d1": 1, "d2": 1} for query in answered}
    run = {
        query: {f"d{rank}": numbers.gauss(0.3 * (query in qrels), 1) for rank in range(1, 6)}
        for query in [*answered, *(f"u{number}" for number in range(40))]
    }
    found = measure_abstention(qrels, run, "R@3")
    assert (found.answerable, found.unanswerable) == (30, 40)
    rows = found.systems["run"].rows
    assert [round(row.returned, 2) for row in rows] == [1.0, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.0]
    for row in rows:
        least = float("-inf") if row.threshold is None else row.threshold
        kept = {
            query: {document: score for document, score in ranking.items() if score > least}
            for query, ranking in run.items()
        }
        unanswered = [ranking for query, ranking in kept.items() if query not in qrels]
        assert row.returned == sum(map(bool, unanswered)) / 40
        assert row.mean == gainful.evaluate(qrels, kept, "R@3").mean()
    tops = {query: max(ranking.values()) for query, ranking in run.items()}
    pairs = [(tops[query], tops[other]) for query in qrels for other in tops if other not in qrels]
    share = sum((high > low) + (high == low) / 2 for high, low in pairs) / len(pairs)
    assert found.systems["run"].separation == pytest.approx(share, abs=1e-15)


def test_judged_queries_without_relevant_documents_have_no_answer():
    found = measure_abstention(QRELS, RUN, "R@1")
    assert set(found.queries) == {"q3", "q4"}
    assert [(row.threshold, row.returned, row.mean) for row in found.systems["run"].rows] == [
        (None, 1.0, 1.0),
        (0.2, 0.5, 1.0),
        (0.6, 0.0, 0.5),
    ]


def test_questions_are_named_and_systems_that_return_nothing_are_right():
    runs = {"eager": RUN, "silent": {"q1": {"a": 0.9}, "q2": {"b": 0.3}}}
    found = measure_abstention(QRELS, runs, "R@1", unanswerable=["q4"])
    assert [row.returned for row in found.systems["eager"].rows] == [1.0, 0.0]
    assert [row.returned for row in found.systems["silent"].rows] == [0.0]
    assert found.systems["silent"].separation == 1.0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"unanswerable": ["q1"]}, MatchError, "q1 has relevant documents"),
        ({"unanswerable": []}, MatchError, "0 without"),
        ({"runs": {"q1": ["a"], "q4": ["z"]}}, ArgumentError, "without scores"),
        ({"qrels": {"q3": {"c": 0}}}, MatchError, "0 queries with relevant documents"),
    ],
)
def test_what_has_no_meaning_is_refused(options, error, message):
    arguments = {"qrels": QRELS, "runs": RUN, "measure": "R@1", **options}
    with pytest.raises(error, match=message):
        measure_abstention(**arguments)


def test_golden_sets_leave_out_questions_without_documents():
    golden = [{"question": "soup", "relevant": ["r1"]}, {"question": "cars", "relevant": []}]
    judged = gainful.Qrels(golden)
    assert judged.to_dict() == {"soup": {"r1": 1}}
    assert "1 of 2 questions without relevant documents left out" in judged.note
    run = {"soup": {"r1": 0.9}, "cars": {"r7": 0.5}}
    assert gainful.evaluate(golden, run, "R@1").mean() == 1.0
    assert measure_abstention(golden, run, "R@1").queries == ("cars",)


def test_an_evaluation_of_a_query_without_judgments_prints():
    assert "1 with no relevant documents" in str(gainful.evaluate({"q": {}}, {"q": ["a"]}, "R@1"))
