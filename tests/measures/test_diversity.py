"""Measures of diversity: examples computed by hand, brute force over ties, and errors."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from gainful.errors import ConventionError, GradeError, MeasureError

MEASURES = (
    *("alpha_nDCG@2", "alpha_nDCG", "alpha_DCG@3", "alpha_nDCG(alpha=0.3)@4", "ERR_IA@3"),
    *("nERR_IA", "NRBP", "nNRBP(alpha=0.2, beta=0.8)", "AP_IA", "AP_IA@2", "P_IA@2", "StRecall@2"),
    *("AP_JG", "P_JG@3", "RprecMult_JG(multiple=0.5)", "RprecMult_JG"),
)

# Three documents and two subtopics: a is relevant to both, b and c to the first.
SMALL = {"q": {"1": {"a": 1, "b": 1, "c": 1, "d": 0}, "2": {"a": 1, "b": 0}}}
SECOND = 1 / math.log2(3)
THIRD = 1 / math.log2(4)


def value(measure, order, qrels=SMALL, **policies):
    qrels = gainful.Qrels(qrels, subtopics=True)
    convention = gainful.conventions["gainful-1"].replace(**policies)
    return gainful.evaluate(qrels, {"q": order}, measure, convention=convention).mean()


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # b gains 1 for the first subtopic; a half of that, and 1 for the second.
        ("alpha_nDCG@2", (1 + 1.5 * SECOND) / (2 + 0.5 * SECOND)),
        ("alpha_nDCG@1", 1 / 2),
        ("alpha_nDCG", (1 + 1.5 * SECOND + 0.25 * THIRD) / (2 + 0.5 * SECOND + 0.25 * THIRD)),
        ("alpha_nDCG(alpha=0)@2", (1 + 2 * SECOND) / (2 + SECOND)),
        ("alpha_nDCG(alpha=1)@2", (1 + SECOND) / 2),
        ("alpha_DCG@2", (1 + 1.5 * SECOND) / (2 + SECOND)),
        # Half of what could be gained: ndeval, whose loop begins at the second rank, has 1 here.
        ("alpha_DCG@1", 1 / 2),
        ("ERR_IA@1", 1 / 2),
        ("ERR_IA@2", (1 + 1.5 / 2) / (2 + 1 / 2)),
        ("nERR_IA@2", (1 + 1.5 / 2) / (2 + 0.5 / 2)),
        ("NRBP", (1 + 1.5 / 2 + 0.25 / 4) * (1 - 0.25) / 2),
        ("nNRBP", (1 + 1.5 / 2 + 0.25 / 4) / (2 + 0.5 / 2 + 0.25 / 4)),
        ("NRBP(alpha=0.2, beta=0)", 1 / 2),
        ("AP_IA", (1 + 1 / 2) / 2),
        ("P_IA@2", 3 / 4),
        ("StRecall@1", 1 / 2),
        ("StRecall@2", 1),
        ("AP_JG", (1 + 1 / 2) / 2),
        ("P_JG@2", (1 + 1 / 2) / 2),
        # The depths are 3 and 1.
        ("RprecMult_JG", (1 + 0) / 2),
        # trunc(1.5 + .9) and trunc(.5 + .9).
        ("RprecMult_JG(multiple=0.5)", (1 + 0) / 2),
    ],
)
def test_worked_by_hand(measure, expected):
    assert value(measure, ["b", "a", "c"]) == pytest.approx(expected, rel=1e-15)


def test_six_subtopics_worked_by_hand():
    answers = {"a": "256", "b": "2", "c": "6", "d": "3", "e": "14", "f": "", "g": "6", "h": "2"}
    qrels = {"q": {n: {d: int(n in s) for d, s in answers.items()} for n in "123456"}}
    gains = [3, 0.5, 0.5, 1, 2]
    # a has three new answers, e two, d one; then halves.
    best = [3, 2, 1, 0.5, 0.5]
    dcg, ideal = (
        sum(gain / math.log2(rank + 1) for rank, gain in enumerate(each, 1))
        for each in (gains, best)
    )
    found = value("alpha_nDCG@5", list("abcdefgh"), qrels)
    assert found == pytest.approx(dcg / ideal, rel=1e-15)


@pytest.mark.parametrize(("x", "z", "second"), [("a", "c", 2), ("c", "a", 1.5)])
def test_the_ideal_takes_the_last_of_equal_documents_by_id(x, z, second):
    # x and z both gain 2. After z, b still gains 2; after x no document gains more than 1.5. So
    # where x comes last by id, the ranking z, b gains more than the ideal.
    qrels = {"q": {"1": {x: 1, "b": 1}, "2": {x: 1, z: 1}, "3": {z: 1}, "4": {"b": 1}}}
    found = value("alpha_nDCG@2", [z, "b"], qrels)
    assert found == pytest.approx((2 + 2 * SECOND) / (2 + second * SECOND), rel=1e-15)


def test_a_subtopic_that_no_document_is_about_does_not_count():
    qrels = {"q": {**SMALL["q"], "3": {"a": 0, "x": 0}}}
    for measure in (
        "alpha_nDCG@2",
        "alpha_DCG@2",
        "ERR_IA@2",
        "NRBP",
        "AP_IA",
        "P_IA@2",
        "StRecall@1",
    ):
        assert value(measure, ["b", "a"], qrels) == value(measure, ["b", "a"]), measure
    # A group of assessors that found nothing does.
    assert value("AP_JG", ["b", "a"], qrels) == pytest.approx(value("AP_JG", ["b", "a"]) * 2 / 3)


def test_a_grade_counts_from_rel_on():
    qrels = {"q": {"1": {"a": 1, "b": 2}, "2": {"a": 3, "b": 0}}}
    assert value("StRecall(rel=2)@1", ["b", "a"], qrels) == 1 / 2
    assert value("StRecall(rel=3)@1", ["b", "a"], qrels) == 0
    assert value("StRecall@1", ["a", "b"], qrels) == 1


def test_names_of_subtopics_change_nothing():
    renamed = {"q": {"x y": SMALL["q"]["1"], "": SMALL["q"]["2"]}}
    for measure in MEASURES:
        assert value(measure, ["b", "a", "c"], renamed) == value(measure, ["b", "a", "c"])


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_relevant(measure):
    qrels = {"q": {"1": {"a": 0}, "2": {"b": 0}}}
    assert value(measure, ["a", "b"], qrels) == 0
    assert value(measure, ["a", "b"], qrels, no_relevant=1) == 1


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_retrieved(measure):
    assert value(measure, []) == 0


def test_negative_grades_follow_the_convention():
    qrels = {"q": {"1": {"a": -2, "b": 1}, "2": {"a": 1, "b": -1}}}
    assert value("AP_JG", ["a", "b"], qrels) == (1 / 2 + 1) / 2
    assert value("AP_JG", ["a", "b"], qrels, negative="unjudged", unjudged="condense") == 1
    assert value("StRecall@1", ["a", "b"], qrels, negative="unjudged") == 1 / 2
    with pytest.raises(GradeError, match=r"'a'.*grade -2"):
        value("AP_IA", ["a"], qrels, negative="error")


def test_judged_only_removes_documents_without_any_judgment():
    # d is not judged for the second subtopic. A group of assessors that has not seen it skips it.
    assert value("AP_IA(judged_only=True)", ["x", "d", "a"]) == (1 / 2 / 3 + 1 / 2) / 2
    assert value("AP_JG(judged_only=True)", ["x", "d", "a"]) == (1 / 2 / 3 + 1) / 2
    assert value("StRecall@1", ["x", "a"]) == 0
    assert value("StRecall(judged_only=True)@1", ["x", "a"]) == 1
    # c is judged for the first subtopic, and d is no gain for either.
    assert value("alpha_nDCG(judged_only=True)@2", ["x", "d", "a"]) == value(
        "alpha_nDCG@2", ["d", "a"]
    )


subtopics = st.lists(
    st.tuples(st.frozensets(st.sampled_from("123")), st.sampled_from([3.0, 2.0, 1.0])),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(subtopics)
def test_expected_is_the_mean_over_all_orders(rows):
    qrels = {"q": {n: {"elsewhere": 1} for n in "123"}}
    scores = {}
    for index, (own, score) in enumerate(rows):
        scores[f"d{index}"] = score
        for subtopic in own:
            qrels["q"][subtopic][f"d{index}"] = 1
    groups = [
        [doc for doc in scores if scores[doc] == score]
        for score in sorted({*scores.values()})[::-1]
    ]
    orders = [
        [doc for group in choice for doc in group]
        for choice in itertools.product(*(map(list, itertools.permutations(g)) for g in groups))
    ]
    judged = gainful.Qrels(qrels, subtopics=True)
    convention = gainful.conventions["gainful-1"].replace(ties="expected")
    found = gainful.evaluate(judged, {"q": scores}, MEASURES, convention=convention)
    names = [f"q{number}" for number in range(len(orders))]
    judged = gainful.Qrels(dict.fromkeys(names, qrels["q"]), subtopics=True)
    every = gainful.evaluate(judged, dict(zip(names, orders, strict=True)), MEASURES)
    for measure in MEASURES:
        mean = math.fsum(every.per_query(measure).values()) / len(orders)
        assert found.mean(measure) == pytest.approx(mean, rel=1e-12, abs=1e-12), measure


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.frozensets(st.integers(0, 9)), min_size=1, max_size=40),
    st.sampled_from([0, 0.3, 0.5, 1]),
    st.integers(1, 30),
)
def test_the_ideal_is_the_greedy_order(documents, alpha, depth):
    qrels = {"q": {str(n): {} for n in range(10)}}
    for index, own in enumerate(documents):
        for subtopic in own or {0}:
            qrels["q"][str(subtopic)][f"d{index:02}"] = int(bool(own))
    left = {f"d{index:02}": own for index, own in enumerate(documents)}
    worth = dict.fromkeys(range(10), 1.0)
    best = []
    while left and len(best) < depth:
        gains = {d: math.fsum(sorted(worth[s] for s in own)) for d, own in left.items()}
        best.append(max(left, key=lambda d: (round(gains[d], 9), d)))
        for subtopic in left.pop(best[-1]):
            worth[subtopic] *= 1 - alpha
    found = value(f"alpha_nDCG(alpha={alpha})@{depth}", best, qrels)
    assert found == pytest.approx(1 if any(documents) else 0, rel=1e-9)


@pytest.mark.parametrize("measure", ["alpha_nDCG", "ERR_IA@5", "NRBP", "AP_IA", "AP_JG"])
def test_average_rank_is_refused_where_it_means_nothing(measure):
    with pytest.raises(ConventionError, match=r"average-rank.*ties=expected"):
        value(measure, {"a": 1.0, "b": 1.0}, ties="average-rank")


@pytest.mark.parametrize("measure", MEASURES)
def test_a_grade_for_unjudged_documents_is_refused(measure):
    with pytest.raises(ConventionError, match="subtopics of such a grade"):
        value(measure, ["a"], unjudged=1)


@pytest.mark.parametrize("measure", ["alpha_DCG", "ERR_IA", f"alpha_DCG@{2**53}"])
def test_a_share_of_the_best_list_needs_its_length(measure):
    with pytest.raises(MeasureError, match="a cutoff of at most"):
        value(measure, ["a"])


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "P@5", "RR", "bpref", "NumRel", "ERR"])
def test_measures_of_one_grade_a_document_refuse_several(measure):
    with pytest.raises(MeasureError, match=r"one grade per document.*merged\('max'\)"):
        value(measure, ["a"])
    merged = gainful.Qrels(SMALL, subtopics=True).merged("max")
    assert gainful.evaluate(merged, {"q": ["a"]}, measure).mean() > 0 or measure == "bpref"


def test_measures_of_judged_documents_accept_both_kinds():
    assert value("Judged@2", ["a", "x"]) == 1 / 2
    assert value("NumRet", ["a", "x"]) == 2


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_of_subtopics_refuse_judgments_without(measure):
    qrels = gainful.Qrels({"q": {"a": 1}})
    with pytest.raises(MeasureError, match=r"judgments with subtopics.*subtopics=True"):
        gainful.evaluate(qrels, {"q": ["a"]}, measure)


def test_a_column_that_is_the_same_everywhere_is_no_subtopic(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("q 0 a 1\nq 0 b 0\n")
    with pytest.raises(MeasureError, match="only the subtopic '0'"):
        gainful.evaluate(path, {"q": ["a"]}, "alpha_nDCG@10")
    # Where somebody says so, or for one group of assessors, it is.
    qrels = gainful.read_qrels(path, subtopics=True)
    assert gainful.evaluate(qrels, {"q": ["a"]}, "alpha_nDCG@10").mean() == 1
    assert gainful.evaluate(path, {"q": ["a"]}, "AP_JG").mean() == 1


def test_evaluate_reads_subtopics_where_a_measure_needs_them(tmp_path):
    path = tmp_path / "qrels.txt"
    gainful.Qrels(SMALL, subtopics=True).write(path)
    run = {"q": ["b", "a"]}
    assert gainful.evaluate(path, run, "StRecall@1").mean() == 1 / 2
    assert gainful.evaluate(SMALL, run, ["StRecall@1", "Judged@1"]).mean("Judged@1") == 1


def test_explain_shows_each_rank():
    qrels = gainful.Qrels(SMALL, subtopics=True)
    account = gainful.explain(qrels, {"q": ["b", "x", "a"]}, "q", "alpha_nDCG@3")
    assert account.value == value("alpha_nDCG@3", ["b", "x", "a"])
    assert [each.relevant for each in account.ranks] == [True, False, True]
    assert account.ranks[0].running == value("alpha_nDCG@1", ["b"])
