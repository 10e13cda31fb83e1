"""pytrec_eval's names of measures: their meaning, and invalid names."""

from __future__ import annotations

import pytest

import gainful.compat.pytrec_eval as pytrec_eval
from gainful.errors import ArgumentError, MeasureError
from requirements import need

QRELS = {"q": {"a": 1, "b": 0, "c": 2, "d": 1, "e": 1}}
RUN = {"q": {"a": 9.0, "b": 8.0, "x": 7.0, "c": 6.0, "y": 5.0}}


def keys(*measures: str) -> list[str]:
    return list(pytrec_eval.RelevanceEvaluator(QRELS, measures).evaluate(RUN)["q"])


@pytest.mark.parametrize(
    "measures",
    [
        ["ndcg_cut.10"],
        ["ndcg_cut_10"],
        ["ndcg_cut.5,10"],
        ["ndcg_cut_10,5"],
        ["ndcg_cut_20,4", "ndcg_cut.1,4", "ndcg_cut", "ndcg_cut_15"],
        ["P", "P.3"],
        ["P.3.9"],
        ["P"],
        ["recall_5", "map_cut_3", "success.2", "relative_P.3"],
        ["set_F"],
        ["set_F_2"],
        ["set_F.0.5"],
        ["set_F.0"],
        ["iprec_at_recall"],
        ["iprec_at_recall_0.10"],
        ["iprec_at_recall.0.5,1"],
        ["Rprec_mult.0.5,10"],
        ["11pt_avg"],
        ["11pt_avg.0.1,0.5"],
        ["utility.1,2,3,4"],
        ["relstring.5", "num_q"],
        ["official", "ndcg"],
        ["set"],
        ["all_trec", "P.2"],
    ],
)
def test_names_have_the_same_keys_as_in_pytrec_eval(measures: list[str]) -> None:
    theirs = need("pytrec_eval").RelevanceEvaluator(QRELS, measures).evaluate(RUN)
    found = pytrec_eval.RelevanceEvaluator(QRELS, measures).evaluate(RUN)
    theirs["q"].pop("runid", None)
    found["q"].pop("runid", None)
    assert list(found["q"].items()) == list(theirs["q"].items())


def test_parameters_of_several_names_are_merged() -> None:
    assert keys("P_10", "P.5,10", "P", "P_1") == ["P_1", "P_5", "P_10"]


def test_equal_cutoffs_in_other_spellings_are_merged() -> None:
    # pytrec_eval crashes: trec_eval rejects duplicate cutoffs.
    assert keys("P.10,05,5") == ["P_5", "P_10"]
    assert keys("P.2.5,2.7") == ["P_2"]
    assert keys("iprec_at_recall.0.3,0.30") == ["iprec_at_recall_0.30"]


def test_set_f_has_its_key_without_its_parameter() -> None:
    assert keys("set_F_0.5") == ["set_F"]


def test_the_coefficients_of_utility_keep_their_order() -> None:
    # pytrec_eval sorts them, and accepts no negative or repeated ones.
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"utility.1,-1,0,0"})
    # Two relevant documents retrieved, and three that are not relevant.
    assert evaluator.evaluate(RUN) == {"q": {"utility": -1.0}}


@pytest.mark.parametrize("measure", ["map_3", "map.3", "recip_rank_5", "bpref.1", "binG.1"])
def test_parameters_that_trec_eval_ignores_cause_a_warning(measure: str) -> None:
    name = measure[:-2]
    qrels = {"q": {"a": 1, f"other {measure}": 1}}
    with pytest.warns(UserWarning, match=f"{name} has no cutoff"):
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {measure})
    plain = pytrec_eval.RelevanceEvaluator(qrels, {name})
    assert evaluator.evaluate(RUN) == plain.evaluate(RUN)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("foo", "unknown measure 'foo'"),
        ("ndgc_cut_10", "did you mean ndcg_cut"),
        ("", "unknown measure ''"),
        ("nDCG@10", "unknown measure"),
        ("all_trec.3", "unknown measure"),
        # pytrec_eval ignores the rest of these.
        ("ndcg_cut_10abc", "numbers after ndcg_cut, as in ndcg_cut.5"),
        ("P_5_10", "numbers after P"),
        ("P.5,", "numbers after P"),
        ("P_5.", "numbers after P"),
        ("P.", "numbers after P"),
        ("P. 5", "numbers after P"),
        ("P.٥", "numbers after P"),
        ("P.1e1", "numbers after P"),
        # These crash pytrec_eval.
        ("ndcg_cut_0", "cutoffs of 1 or more"),
        ("ndcg_cut.0,5", "cutoffs of 1 or more"),
        ("P.0.5", "cutoffs of 1 or more"),
        ("P.-1", "numbers of 0 or more"),
        ("ndcg.1=3", "ndcg alone.*gainful.evaluate supports gains"),
        ("ndcg.10", "for nDCG@10 write ndcg_cut_10"),
        ("ndcg_10", "for nDCG@10 write ndcg_cut_10"),
        ("G.1", "G alone"),
        ("ndcg_rel.3", "ndcg_rel alone"),
        ("Rndcg.1=2", "Rndcg alone"),
        # With these, pytrec_eval computes something else.
        ("ndcg_cut.99999999999999999999", "cutoffs of 1 or more"),
        ("utility.1", "four numbers"),
        ("utility.1,2,3", "four numbers"),
        ("set_F.0.5,2", "one number"),
        ("prefs_simp", "requires preferences"),
        ("map_avgjg", "requires preferences or groups"),
        ("prefs", "requires preferences"),
        ("all_prefs", "requires preferences"),
        ("qrels_jg", "requires preferences or groups"),
    ],
)
def test_invalid_names_are_errors(measure: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        pytrec_eval.RelevanceEvaluator(QRELS, {measure})


def test_two_weights_of_one_f_are_an_error() -> None:
    with pytest.raises(MeasureError, match="one number"):
        pytrec_eval.RelevanceEvaluator(QRELS, {"set_F.0.5", "set_F.2"})


def test_a_name_instead_of_a_set_is_an_error() -> None:
    with pytest.raises(MeasureError, match=r"the text 'map'.*write \{'map'\}"):
        pytrec_eval.RelevanceEvaluator(QRELS, "map")


@pytest.mark.parametrize("measures", [None, 3, [1], [b"map"], [None], [["map"]]])
def test_other_types_instead_of_a_set_are_errors(measures: object) -> None:
    with pytest.raises(ArgumentError, match="measures: "):
        pytrec_eval.RelevanceEvaluator(QRELS, measures)  # type: ignore[arg-type]
