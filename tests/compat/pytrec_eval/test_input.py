"""Input on which pytrec_eval crashes, fails or is wrong: right values or clear errors here."""

from __future__ import annotations

import collections
import math
import types

import numpy as np
import pytest

import gainful.compat.pytrec_eval as pytrec_eval
from gainful.errors import ArgumentError, DuplicateError, FormatError, GainfulError

QRELS = {"q": {"a": 1, "b": 0, "c": 2}}
RUN = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}


def value(qrels: object, run: object, measure: str = "ndcg", **options: object) -> float:
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {measure}, **options)  # type: ignore[arg-type]
    (values,) = evaluator.evaluate(run).values()  # type: ignore[arg-type]
    return values[measure]


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.float64, np.float32, float])
def test_grades_of_every_kind_count(kind: type) -> None:
    judged = {"q": {document: kind(grade) for document, grade in QRELS["q"].items()}}
    assert value(judged, RUN) == value(QRELS, RUN)


def test_true_is_grade_1() -> None:
    assert value({"q": {"a": True, "b": False}}, RUN) == value({"q": {"a": 1, "b": 0}}, RUN)


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.float64, np.float32, np.float16, int])
def test_scores_of_every_kind_count(kind: type) -> None:
    run = {"q": {document: kind(score) for document, score in RUN["q"].items()}}
    assert value(QRELS, run) == value(QRELS, RUN)


def test_fractions_of_grades_count() -> None:
    qrels, run = {"q": {"a": 0.7, "b": 0.2}}, {"q": {"b": 2.0, "a": 1.0}}
    right = (0.2 + 0.7 / math.log2(3)) / (0.7 + 0.2 / math.log2(3))
    assert value(qrels, run) == right
    # The caller chooses the relevance level.
    assert value(qrels, run, "map") == 0.0
    assert value(qrels, run, "map", relevance_level=0.5) == 0.5


@pytest.mark.parametrize("grade", [2**31, 2**40, 2**52])
def test_a_large_grade_counts(grade: int) -> None:
    # pytrec_eval returns 0.0 or crashes.
    assert value({"q": {"a": grade, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}) == 1 / math.log2(3)


@pytest.mark.parametrize("grade", [2**62, 2**70, float("nan"), float("inf")])
def test_unusable_grades_are_errors(grade: float) -> None:
    with pytest.raises(FormatError, match=r"query 'q', document 'a'.*expected a grade"):
        value({"q": {"a": grade}}, RUN)


@pytest.mark.parametrize("grade", ["high", None, b"1", [1], 1j])
def test_grades_of_other_types_are_errors(grade: object) -> None:
    with pytest.raises(ArgumentError, match=r"query 'q', document 'a'.*expected a grade"):
        value({"q": {"a": grade}}, RUN)


@pytest.mark.parametrize("score", ["1", None, b"1", [1], 1j, 10**400])
def test_scores_of_other_types_are_errors(score: object) -> None:
    with pytest.raises(ArgumentError, match=r"query 'q', document 'a'.*expected a score"):
        value(QRELS, {"q": {"a": score}})


@pytest.mark.parametrize("score", [float("nan"), np.float32("nan")])
def test_nan_scores_are_errors(score: float) -> None:
    # In pytrec_eval the order depends on the sort.
    with pytest.raises(FormatError, match=r"query 'q', document 'a'.*expected a score"):
        value(QRELS, {"q": {"a": score, "b": 1.0}})


@pytest.mark.parametrize("score", [math.inf, 2**70, 1e300])
def test_infinite_scores_are_ordered(score: float) -> None:
    assert value(QRELS, {"q": {"a": score, "b": 0.0, "c": -score}}, "recip_rank") == 1.0
    assert value(QRELS, {"q": {"a": -score, "b": 0.0, "x": score}}, "recip_rank") == 1 / 3


def test_scores_equal_as_32_bit_floats_are_tied() -> None:
    # Tied documents are in descending order of id.
    run = {"q": {"a": 0.900000001, "b": 0.9}}
    assert value({"q": {"a": 3, "b": 0}}, run, "recip_rank") == 0.5


# --- grades below 0, empty rankings, empty judgments ---------------------------------------------


@pytest.mark.parametrize("grade", [-1, -2, -5])
def test_a_query_with_only_negative_grades_scores_0(grade: int) -> None:
    found = pytrec_eval.RelevanceEvaluator({"q": {"a": grade, "b": grade}}, {"all_trec"})
    values = found.evaluate({"q": {"a": 2.0, "x": 1.0}})["q"]
    assert values["num_ret"] == 2.0
    zero = {"num_rel", "num_rel_ret", "map", "bpref", "infAP", "ndcg", "recip_rank", "P_5"}
    assert {name for name in zero if values[name] == 0.0} == zero


def test_an_empty_ranking_scores_0_and_is_counted() -> None:
    # pytrec_eval returns values of uninitialized memory, even NaN, or crashes.
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"all_trec"})
    values = evaluator.evaluate({"q": {}})["q"]
    assert (values["num_q"], values["num_rel"], values["num_ret"]) == (1.0, 2.0, 0.0)
    assert not any(math.isnan(each) for each in values.values())
    assert values["iprec_at_recall_0.00"] == values["ndcg"] == values["map"] == 0.0
    assert values["gm_map"] == values["gm_bpref"] == math.log(1e-5)


def test_queries_without_judgments_do_not_affect_others() -> None:
    # In pytrec_eval 0.5 the next query has wrong values.
    qrels = {"q0": {}, **QRELS, "q9": {}}
    run = {"q0": {"a": 1.0}, **RUN, "q9": {"a": 1.0}}
    both = [pytrec_eval.RelevanceEvaluator(each, {"map"}).evaluate(run) for each in (qrels, QRELS)]
    assert both[0] == both[1]
    assert list(both[0]) == ["q"]


def test_with_a_level_above_all_grades_nothing_is_relevant() -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"bpref", "map", "num_rel"}, 100)
    assert evaluator.evaluate(RUN) == {"q": {"num_rel": 0.0, "map": 0.0, "bpref": 0.0}}


# --- types ---------------------------------------------------------------------------------------


def test_integers_are_ids() -> None:
    qrels, run = {1: {10: 1, 9: 0}}, {1: {9: 2.0, 10: 1.0}}
    assert pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run) == {1: {"map": 0.5}}
    # The id is the decimal text.
    assert value({"1": {"10": 1}}, {np.int64(1): {np.int32(10): 1.0}}, "map") == 1.0
    # Ties are broken as text: "9" before "10".
    assert value(qrels, {"1": {9: 1.0, 10: 1.0}}, "map") == 0.5


def test_a_query_as_integer_and_as_text_is_a_duplicate() -> None:
    with pytest.raises(DuplicateError, match="duplicate query"):
        pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, {"map"}).evaluate({1: {"a": 1.0}, "1": {}})


def test_a_document_as_integer_and_as_text_is_a_duplicate() -> None:
    with pytest.raises(DuplicateError):
        value({"q": {"1": 1}}, {"q": {1: 1.0, "1": 2.0}})


@pytest.mark.parametrize("query", [1.5, None, ("q",), True])
def test_ids_of_other_types_are_errors(query: object) -> None:
    with pytest.raises(ArgumentError, match="expected text or a whole number"):
        value({query: {"a": 1}}, RUN)
    with pytest.raises(ArgumentError, match="expected text or a whole number"):
        pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate({query: {"a": 1.0}})
    with pytest.raises(ArgumentError, match="query 'q'.*expected text or a whole number"):
        value(QRELS, {"q": {query: 1.0}})


@pytest.mark.parametrize("id", ["with space", "é中\U0001f600", "a\0b", "\udc80", ""])
def test_ids_are_any_text(id: str) -> None:
    # pytrec_eval truncates text at a NUL, and crashes if it is not UTF-8.
    found = pytrec_eval.RelevanceEvaluator({id: {id: 1, id + "x": 0}}, {"map"}).evaluate(
        {id: {id: 1.0, id + "x": 2.0}}
    )
    assert found == {id: {"map": 0.5}}


def test_all_kinds_of_mappings_are_accepted() -> None:
    proxy = types.MappingProxyType
    run = collections.defaultdict(dict, RUN)
    assert value(proxy({"q": proxy(QRELS["q"])}), run) == value(QRELS, RUN)
    assert value(QRELS, proxy({"q": proxy(RUN["q"])})) == value(QRELS, RUN)
    assert "other" not in run


@pytest.mark.parametrize("qrels", [None, [], "q", 3])
def test_judgments_of_other_types_are_errors(qrels: object) -> None:
    with pytest.raises(ArgumentError, match="query_relevance: "):
        pytrec_eval.RelevanceEvaluator(qrels, {"map"})  # type: ignore[arg-type]


@pytest.mark.parametrize("grades", [None, "a", 3])
def test_grades_of_a_query_of_other_types_are_errors(grades: object) -> None:
    with pytest.raises(ArgumentError, match="query 'q'.*a mapping of document ids to grades"):
        value({"q": grades}, RUN)


@pytest.mark.parametrize("run", [["a"], "q", 3, {"q"}])
def test_runs_of_other_types_are_errors(run: object) -> None:
    with pytest.raises(ArgumentError, match="query: {document: score}"):
        pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)  # type: ignore[arg-type]


@pytest.mark.parametrize("ranking", [None, ["a"], "a", 3, {"a"}])
def test_rankings_of_other_types_are_errors(ranking: object) -> None:
    with pytest.raises(ArgumentError, match="query 'q'.*{document: score}"):
        value(QRELS, {"q": ranking})


@pytest.mark.parametrize("level", [0, -1, "1", None, float("nan"), float("inf"), [1]])
def test_invalid_levels_are_errors(level: object) -> None:
    with pytest.raises(ArgumentError, match="relevance_level: .*a grade above 0"):
        value(QRELS, RUN, relevance_level=level)


@pytest.mark.parametrize("level", [2, 2.0, np.int64(2), np.float32(2)])
def test_a_level_is_any_number(level: float) -> None:
    assert value(QRELS, RUN, "num_rel", relevance_level=level) == 1.0


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ("", FormatError, "line 2: found 0 fields, expected 6: query Q0 document rank score tag"),
        ("q Q0 b 1 2.0", FormatError, "line 2: found 5 fields"),
        ("q Q0 b 1 2.0 x y", FormatError, "line 2: found 7 fields"),
        ("q Q0 b 1 high x", FormatError, "line 2: found 'high', expected a score"),
        ("q Q0 a 1 2.0 x", DuplicateError, "line 2, query 'q', document 'a'"),
    ],
)
def test_a_bad_line_of_a_run_is_named(line: str, error: type[GainfulError], message: str) -> None:
    with pytest.raises(error, match=message):
        pytrec_eval.parse_run(["q Q0 a 1 3.0 x\n", line])


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ("", FormatError, "line 2: found 0 fields, expected 4: query iteration document grade"),
        ("q 0 b", FormatError, "line 2: found 3 fields"),
        ("q 0 b relevant", FormatError, "line 2: found 'relevant', expected a grade"),
        ("q 0 a 0", DuplicateError, "line 2, query 'q', document 'a'"),
    ],
)
def test_a_bad_line_of_judgments_is_named(
    line: str, error: type[GainfulError], message: str
) -> None:
    with pytest.raises(error, match=message):
        pytrec_eval.parse_qrel(["q 0 a 1\n", line])


def test_ids_can_contain_non_ascii_spaces() -> None:
    assert pytrec_eval.parse_qrel(["q 0 a\u00a0b 1"]) == {"q": {"a\u00a0b": 1}}


def test_fractions_of_grades_are_read() -> None:
    assert pytrec_eval.parse_qrel(["q 0 a 0.5", "q 0 b 2"]) == {"q": {"a": 0.5, "b": 2}}
