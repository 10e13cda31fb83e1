"""Inputs on which other tools are wrong, crash or give arbitrary results; Gainful is correct.

The defects were found by running the tools: ranx 0.3.21, BEIR, trectools, gdeval, ndeval,
scikit-learn. Those of pytrec_eval, ir_measures and trec_eval are tested with each replacement.
"""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import gainful
from gainful.errors import DuplicateError, FormatError, MatchError


def value(qrels, run, measure, **options):
    return gainful.evaluate(qrels, run, measure, **options).mean(measure)


# --- ranx ----------------------------------------------------------------------------------------


def test_queries_are_paired_by_id_and_not_by_position():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    run = {"q2": {"b": 1.0}, "q1": {"a": 1.0}}
    assert value(qrels, run, "nDCG") == 1.0


def test_ties_do_not_depend_on_the_order_of_a_dictionary():
    grades = {"a": 3, "b": 0, "c": 1, "d": 2}
    forth = {"q": dict.fromkeys("abcd", 1.0)}
    back = {"q": dict.fromkeys("dcba", 1.0)}
    assert value({"q": grades}, forth, "nDCG") == value({"q": grades}, back, "nDCG")
    assert round(value({"q": grades}, forth, "nDCG"), 4) == 0.8238


def test_forty_tied_documents_have_one_order():
    documents = [f"d{number:02}" for number in range(40)]
    run = {"q": dict.fromkeys(documents, 1.0)}
    # Descending by id: d19 is at rank 40 - 19.
    assert value({"q": {"d19": 1}}, run, "RR") == 1 / 21


def test_large_integer_ids_stay_distinct():
    large = 2**53
    qrels = {"q": {large: 1, large + 1: 0}}
    run = {"q": {large: 1.0, large + 1: 2.0, large + 2: 3.0}}
    assert value(qrels, run, "nDCG") == 1 / math.log2(4)


def test_fractions_of_grades_count():
    qrels, run = {"q": {"a": 0.7, "b": 0.2}}, {"q": {"b": 2.0, "a": 1.0}}
    right = (0.2 + 0.7 / math.log2(3)) / (0.7 + 0.2 / math.log2(3))
    assert value(qrels, run, "nDCG") == pytest.approx(right, abs=1e-15)


def test_pandas_columns_of_text_are_read_for_all_types():
    pandas = pytest.importorskip("pandas")
    qrels = pandas.DataFrame({"query_id": ["q"], "doc_id": ["a"], "grade": [1]})
    run = pandas.DataFrame({"query_id": ["q", "q"], "doc_id": ["b", "a"], "score": [2.0, 1.0]})
    assert value(qrels, run, "RR") == 0.5


def test_bpref_without_judged_nonrelevant_documents_is_a_number():
    assert value({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, "bpref") == 1.0


def test_bpref_ignores_negative_grades():
    qrels = {"q": {"a": 2, "b": -1, "c": 1, "d": -2, "e": 3}}
    run = {"q": {"b": 9.0, "x": 8.0, "a": 7.0, "d": 6.0, "c": 5.0}}
    assert round(value(qrels, run, "bpref"), 4) == 0.6667


def test_a_document_twice_in_a_file_is_an_error(tmp_path):
    path = tmp_path / "twice.run"
    path.write_text("q Q0 a 1 2.0 r\nq Q0 a 2 1.0 r\n")
    with pytest.raises(DuplicateError) as caught:
        gainful.evaluate({"q": {"a": 1}}, path)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("line", "message"), [("q Q0 a 1", "4 fields"), ("q Q0 a 1 x r", "score 'x'")]
)
def test_a_bad_line_is_named(tmp_path, line, message):
    path = tmp_path / "bad.run"
    path.write_text(f"q Q0 b 1 2.0 r\n{line}\n")
    with pytest.raises(FormatError, match=message) as caught:
        gainful.evaluate({"q": {"a": 1}}, path)
    assert caught.value.line == 2


def test_blank_lines_of_a_run_are_ignored(tmp_path):
    path = tmp_path / "blank.run"
    path.write_text("\nq Q0 a 1 2.0 r\n   \n")
    assert value({"q": {"a": 1}}, path, "RR") == 1.0


def test_a_run_of_empty_rankings_has_scores():
    result = gainful.evaluate({"q": {"a": 1}}, {"q": {}}, ["nDCG", "P@5", "Judged@5"])
    assert [result.mean(measure) for measure in result.measures] == [0.0, 0.0, 0.0]


def test_more_than_26_runs_in_one_call_keep_their_own_rows():
    runs = {f"run {number}": {"q": {"a": 1.0, "b": float(number)}} for number in range(40)}
    result = gainful.evaluate({"q": {"a": 1}}, runs=runs, measures="RR")
    assert len(result.systems) == 40
    assert result.mean("RR", system="run 0") == 1.0
    assert result.mean("RR", system="run 39") == 0.5


def test_inputs_are_not_modified():
    qrels, run = {"q1": {"q1": 1}, "q2": {"b": 1}}, {"q1": {"q1": 2.0, "x": 1.0}, "q9": {"c": 1.0}}
    before = copy.deepcopy((qrels, run))
    convention = gainful.Convention(same_id="drop")
    gainful.evaluate(qrels, run, "nDCG", convention=convention)
    assert (qrels, run) == before


# --- BEIR, trectools, gdeval, ndeval --------------------------------------------------------------


def test_a_document_with_the_id_of_the_query_counts_by_default():
    qrels, run = {"d1": {"d1": 1}}, {"d1": {"d1": 2.0, "x": 1.0}}
    assert value(qrels, run, "nDCG@10") == 1.0
    dropped = gainful.Convention(same_id="drop")
    assert value(qrels, run, "nDCG@10", convention=dropped) == 0.0


def test_one_policy_on_missing_queries_applies_to_all_measures():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    result = gainful.evaluate(qrels, {"q1": {"a": 1.0}}, ["nDCG@10", "RR", "R@10"])
    assert [result.mean(measure) for measure in result.measures] == [0.5, 0.5, 0.5]


def test_no_common_query_is_an_error_and_no_division_by_zero():
    with pytest.raises(MatchError):
        gainful.evaluate({"q1": {"a": 1}}, {"q2": {"a": 1.0}})


def test_a_missing_query_does_not_make_the_mean_nan():
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    assert value(qrels, {"q1": {"a": 1.0}}, "nDCG") == 0.5


def test_grades_above_four_and_alphabetic_query_ids():
    qrels = {"mb-1": {"a": 30, "b": 4, "c": 1}}
    measure = "nDCG(gain='exponential')@20"
    assert value(qrels, {"mb-1": {"a": 3.0, "b": 2.0, "c": 1.0}}, measure) == 1.0


def test_query_ids_keep_the_part_before_a_hyphen():
    qrels = {"wt-1": {"a": 1}, "1": {"b": 1}}
    run = {"wt-1": {"a": 1.0}, "1": {"a": 1.0}}
    result = gainful.evaluate(qrels, run, "nDCG@20")
    assert result.per_query("nDCG@20") == {"1": 0.0, "wt-1": 1.0}


# --- scikit-learn and learning to rank ------------------------------------------------------------


def test_a_list_of_one_document_has_an_ndcg():
    assert gainful.ndcg([3]) == 1.0


def test_a_constant_model_is_not_perfect():
    grades = [3, 0, 1, 2]
    assert gainful.ndcg(grades, scores=[1.0] * 4) < 0.9
    assert gainful.ndcg([0, 3], scores=np.zeros(2)) == pytest.approx((1 + 1 / math.log2(3)) / 2)


def test_scores_of_zero_and_below_count_like_others():
    assert gainful.ndcg([0, 1], scores=[-1.0, 0.0]) == 1.0


def test_a_list_without_a_relevant_document_is_not_perfect():
    assert gainful.ndcg([0, 0]) == 0.0
