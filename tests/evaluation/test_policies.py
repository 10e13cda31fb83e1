"""The policies of a convention, one by one, and what an evaluation reports."""

from __future__ import annotations

import math

import pytest

import gainful
from gainful.errors import ConventionError, GradeError, MatchError, MeasureError
from gainful.inference import Design, mean_interval
from gainful.measures import parse_measure

QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"a": 0}, "q3": {"z": 2}}
RUN = {"q1": {"x": 4.0, "a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"a": 1.0}, "extra": {"a": 1.0}}


def under(measure: str = "nDCG", run: dict = RUN, qrels: dict = QRELS, **policies: object):
    convention = gainful.conventions["gainful-1"].replace(**policies)
    return gainful.evaluate(qrels, run, measure, convention=convention)


LOG3 = math.log2(3)
Q1 = (3 / LOG3 + 1 / 2) / (3 + 1 / LOG3)


def test_the_default() -> None:
    result = under()
    assert result.per_query() == {"q1": pytest.approx(Q1), "q2": 0.0, "q3": 0.0}
    counts = result.counts()
    assert (counts["judged_queries"], counts["queries"]) == (3, 3)
    assert (counts["missing"], counts["extra"]) == (1, 1)
    assert counts["no_relevant"] == {"nDCG": 1}


def test_missing_queries() -> None:
    assert set(under(missing="skip").per_query()) == {"q1", "q2"}
    with pytest.raises(MatchError, match="'q3'"):
        under(missing="error")


def test_extra_queries() -> None:
    with pytest.raises(MatchError, match="'extra'"):
        under(extra="error")


@pytest.mark.parametrize(("policy", "value"), [(0.0, 0.0), (1.0, 1.0)])
def test_no_relevant_documents_has_a_value(policy: float, value: float) -> None:
    assert under(no_relevant=policy).per_query()["q2"] == value


def test_no_relevant_documents_is_skipped_by_measure() -> None:
    convention = gainful.conventions["gainful-1"].replace(no_relevant="skip")
    result = gainful.evaluate(
        QRELS, RUN, ["nDCG", "AP(rel=2)", "P(rel=3)@1", "NumRet"], convention=convention
    )
    assert [result.summary(m).n for m in result.measures] == [2, 2, 1, 3]
    assert [row["nDCG"] for row in result.rows()][1] is None


def test_no_relevant_documents_is_nan_only_on_request() -> None:
    result = under(no_relevant=math.nan)
    assert math.isnan(result.per_query()["q2"])
    assert math.isnan(result.mean())


def test_no_relevant_documents_is_an_error() -> None:
    with pytest.raises(GradeError, match="query 'q2'"):
        under(no_relevant="error")


def test_unjudged_documents() -> None:
    assert under(unjudged="condense").per_query()["q1"] == pytest.approx(
        (3 + 1 / LOG3) / (3 + 1 / LOG3)
    )
    graded = under(unjudged=2)
    assert graded.per_query()["q1"] == pytest.approx((2 + 3 / LOG3 + 0.5) / (3 + 1 / LOG3))
    assert under("P@2", unjudged=1).per_query()["q1"] == 1.0
    assert under("nDCG(judged_only=True)").per_query()["q1"] == 1.0


NEGATIVE = {"q": {"a": 2, "b": -1, "c": 1, "d": -2, "e": 3}}
RANKED = {"q": ["b", "x", "a", "d", "c"]}


def test_negative_grades() -> None:
    ideal = 3 + 2 / LOG3 + 1 / 2
    gained = 2 / 2 + 1 / math.log2(6)
    assert under(run=RANKED, qrels=NEGATIVE).mean() == pytest.approx(gained / ideal)
    assert under("DCG", RANKED, NEGATIVE, negative="signed").mean() == pytest.approx(
        gained - 1 - 2 / math.log2(5)
    )
    assert under("Judged", RANKED, NEGATIVE).mean() == 0.8
    assert under("Judged", RANKED, NEGATIVE, negative="unjudged").mean() == 0.4
    assert under("bpref", RANKED, NEGATIVE).mean() == pytest.approx(2 / 3)
    dropped = {"q": ["x", "a", "c"]}
    assert (
        under(run=RANKED, qrels=NEGATIVE, negative="drop").mean()
        == under(run=dropped, qrels=NEGATIVE).mean()
    )
    assert under("NumRet", RANKED, NEGATIVE, negative="drop").mean() == 3
    again = {"q": ["b", "x", "b", "a"]}
    assert under("NumRet", again, NEGATIVE, negative="drop", duplicates="count").mean() == 2
    with pytest.raises(GradeError, match=r"query 'q', document 'b'.*-1"):
        under(run=RANKED, qrels=NEGATIVE, negative="error")


def test_fractions_of_grades() -> None:
    qrels = {"q": {"a": 1.7, "b": 1}}
    run = {"q": ["a", "b"]}
    assert under("CG", run, qrels).mean() == pytest.approx(2.7)
    assert under("CG", run, qrels, fractions="truncate").mean() == 2
    with pytest.raises(GradeError, match="1.7"):
        under("CG", run, qrels, fractions="error")


def test_a_document_that_is_the_query() -> None:
    qrels, run = {"d1": {"d1": 1, "d2": 1}}, {"d1": ["d1", "d2"]}
    assert under("NumRet", run, qrels).mean() == 2
    assert under("RR", run, qrels, same_id="drop").mean() == 1.0
    assert under("NumRet", run, qrels, same_id="drop").mean() == 1


def test_rounding() -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}}
    run = {"q1": ["a", "b"], "q2": ["b", "a"]}
    exact = 1 / LOG3
    assert under("DCG", run, qrels, rounding="term:2").per_query()["q1"] == pytest.approx(1.63)
    assert under("nDCG", run, qrels, rounding="query:1").per_query()["q2"] == round(exact, 1)
    assert under("nDCG", run, qrels, rounding="mean:2").mean() == pytest.approx(
        round((1 + exact) / 2, 2)
    )


IDEALS = {
    "judged": 2 + 2 / LOG3,
    "judged-uncut": 2 + 2 / LOG3 + 1 / 2,
    "judged-to-depth": 2 + 2 / LOG3,
    "list": 2 + 1 / LOG3,
    "list-cut": 1,
    "given-order": 1 + 2 / LOG3,
}


@pytest.mark.parametrize("ideal", IDEALS)
def test_the_ideal(ideal: str) -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 2}}
    run = {"q": ["x", "a", "b"]}
    result = gainful.evaluate(qrels, run, f"nDCG(ideal={ideal!r})@2")
    assert result.mean() == pytest.approx((1 / LOG3) / IDEALS[ideal])


def test_weights() -> None:
    result = gainful.evaluate(
        {"q1": {"a": 1}, "q2": {"a": 1}},
        {"q1": ["a"], "q2": ["b", "a"]},
        "RR",
        weights={"q1": 3, "q2": 1},
    )
    assert result.mean() == pytest.approx((3 * 1 + 0.5) / 4)


def test_the_summary() -> None:
    result = gainful.evaluate(
        {f"q{n}": {"a": 1} for n in range(1, 5)},
        {f"q{n}": ["x"] * 0 + [f"x{i}" for i in range(n - 1)] + ["a"] for n in range(1, 5)},
        "RR",
    )
    summary = result.summary()
    values = [1, 1 / 2, 1 / 3, 1 / 4]
    assert summary.mean == pytest.approx(sum(values) / 4)
    assert summary.median == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert (summary.minimum, summary.maximum) == (0.25, 1)
    mean = sum(values) / 4
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / 3)
    assert summary.standard_deviation == pytest.approx(deviation)
    ends = mean_interval(mean, deviation, 4, low=0.0, high=1.0)
    assert summary.interval == pytest.approx(ends)
    assert (summary.interval_method, summary.effective) == ("bounded-t", None)


def test_the_interval_of_a_weighted_mean() -> None:
    weights = {f"q{n}": 1 / n for n in range(1, 21)}
    qrels = {query: {"a": 1} for query in weights}
    runs = {f"q{n}": [f"x{i}" for i in range(n % 4)] + ["a"] for n in range(1, 21)}
    result = gainful.evaluate(qrels, runs, ["RR", "IDCG"], weights=weights)
    values = [1 / (1 + n % 4) for n in range(1, 21)]
    design = Design(20, weights=list(weights.values()))
    deviation, n, df = design.spread(values)
    summary = result.summary("RR")
    assert summary.effective == pytest.approx(n)
    assert summary.mean == pytest.approx(design.mean(values))
    ends = mean_interval(summary.mean, deviation, n, low=0.0, high=1.0, df=df)
    assert summary.interval == pytest.approx(ends)
    assert result.summary("IDCG").interval_method is None
    assert f"Weighted. Effective sample size: {n:.1f}." in str(result)
    assert "not adjusted for IDCG" in str(result)


def test_no_interval_for_one_query() -> None:
    summary = gainful.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP").summary()
    assert summary.interval is None


def test_rows_carry_the_parts_and_the_counts() -> None:
    result = gainful.evaluate(QRELS, RUN, ["nDCG@2", "AP"])
    rows = list(result.rows())
    assert [row["query_id"] for row in rows] == ["q1", "q2", "q3"]
    first = rows[0]
    assert first["nDCG@2"] == first["DCG@2"] / first["IDCG@2"]
    assert (first["retrieved"], first["relevant"], first["judged"]) == (4, 2, 3)
    assert (first["judged@2"], first["unjudged@2"], first["tie@2"]) == (1, 1, False)
    assert tuple(first) == result.columns


def test_the_contract_of_json() -> None:
    import json

    result = gainful.evaluate(QRELS, runs={"one": RUN, "two": RUN}, measures=["nDCG@10", "NumRel"])
    document = json.loads(json.dumps(result.to_dict()))
    assert document["schema"] == "gainful.evaluation/1"
    assert set(document["systems"]) == {"one", "two"}
    assert {"mean", "median", "low", "high", "n"} <= set(document["systems"]["one"]["nDCG@10"])
    assert document["counts"]["one"]["missing"] == 1
    assert document["convention"]["ties"] == "doc-id-desc"
    assert document["measures"]["nDCG@10"].startswith("nDCG(gain='linear'")


def test_the_printed_table_has_data_checks_and_convention() -> None:
    text = " ".join(str(gainful.evaluate(QRELS, RUN, ["nDCG@3"])).split())
    for words in (
        "nDCG@3",
        "3 queries: 1 not in the run (q3; counted as empty), 1 with no relevant documents",
        "1 more in the run without judgments (extra; ignored)",
        "75.0%",
        "gainful-1: gain linear",
    ):
        assert words in text


@pytest.mark.parametrize(
    "measure",
    ["nDCG(ideal='max-grade', max_grade=3)@2", "nDCG(gain={1: 5})", "nDCG(judged_only=True)@1"],
)
def test_every_ndcg_comes_with_its_parts(measure: str) -> None:
    result = gainful.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["x", "a"]}, measure)
    row = next(result.rows())
    dcg, idcg = (row[name] for name in result.columns[3:5])
    assert [name.partition("(")[0].partition("@")[0] for name in result.columns[3:5]] == [
        "DCG",
        "IDCG",
    ]
    assert row[repr(result.measures[0])] == dcg / idcg


# --- policies of other tools --------------------------------------------------------------------

UNRETURNED = {"q": {"a": 2, "b": 1, "y": 0, "z": 3, "neg": -1}}


def test_judged_documents_not_returned_can_be_appended() -> None:
    run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    ideal = 3 + 2 / LOG3 + 1 / 2
    gained = 2 / LOG3 + 1 / 2
    ranks = [1 / math.log2(rank + 1) for rank in (4, 5, 6)]
    z_at = {
        "given": ranks[1],  # after y, in the order of the judgments
        "reverse": ranks[1],
        "doc-id-desc": ranks[0],
        "doc-id-asc": ranks[2],
        "optimistic": ranks[0],
        "pessimistic": ranks[2],
        "expected": sum(ranks) / 3,
        "average-rank": 1 / math.log2(6),
    }
    for ties, weight in z_at.items():
        value = under("nDCG", run, UNRETURNED, unretrieved="last", ties=ties).mean()
        assert value == pytest.approx((gained + 3 * weight) / ideal), ties
    # A document whose grade does not count is unjudged.
    value = under("nDCG", run, UNRETURNED, unretrieved="last", negative="unjudged", ties="given")
    assert value.mean() == pytest.approx((gained + 3 / math.log2(6)) / ideal)


def test_appended_documents_do_not_count_as_returned() -> None:
    run = {"q": ["x", "a", "b"]}
    result = under("nDCG(ideal='list')@4", run, UNRETURNED, unretrieved="last")
    row = next(result.rows())
    assert (row["retrieved"], row["judged"]) == (3, 2)
    assert row["IDCG(ideal='list')@4"] == pytest.approx(3 + 2 / LOG3 + 1 / 2)
    account = gainful.explain(UNRETURNED, run, "q", "nDCG", convention=result.convention)
    assert account.value == under("nDCG", run, UNRETURNED, unretrieved="last").mean()
    assert [rank.document for rank in account.ranks] == ["x", "a", "b", "y", "z", "neg"]


def test_a_missing_query_is_then_a_tie_of_all_documents() -> None:
    values = under(unretrieved="last", ties="expected").per_query()
    assert values["q3"] == 1.0
    account = gainful.explain(
        QRELS, RUN, "q3", convention=gainful.Convention(unretrieved="last", ties="expected")
    )
    assert [rank.document for rank in account.ranks] == ["z"]
    assert under().per_query()["q3"] == 0.0


def test_grades_that_are_too_large() -> None:
    assert under("CG", largest_grade=3).per_query()["q1"] == 4
    with pytest.raises(GradeError, match=r"query 'q1', document 'a'.*grade 3.*2 or less"):
        under("CG", largest_grade=2)


def test_a_ranking_of_one_document() -> None:
    one, two = {"q": ["a"]}, {"q": ["a", "b"]}
    qrels = {"q": {"a": 1}}
    assert under("nDCG", one, qrels).mean() == 1.0
    assert under("nDCG", two, qrels, single="error").mean() == 1.0
    with pytest.raises(ConventionError, match=r"query 'q'.*only one document"):
        under("nDCG", one, qrels, single="error")


def test_no_results_for_no_relevant_documents_can_be_perfect() -> None:
    qrels = {"q1": {"a": 0}, "q2": {"a": 0}, "q3": {"a": 1}, "q4": {"a": 1}}
    run = {"q1": ["a"], "q3": ["a"]}
    values = under("nDCG", run, qrels, no_relevant="agree").per_query()
    assert values == {"q1": 0.0, "q2": 1.0, "q3": 1.0, "q4": 0.0}
    assert under("DCG", run, qrels, no_relevant="agree").per_query()["q2"] == 0.0


def test_documents_at_the_mean_of_their_ranks_without_its_fraction() -> None:
    qrels = {"q": {"a": 0, "b": 1, "c": 3, "d": 2}}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    ideal = 3 + 2 / LOG3 + 1 / 2
    value = under("nDCG@3", run, qrels, ties="average-rank-down").mean()
    assert value == pytest.approx(4 / LOG3 / ideal)
    pair = {"q": {"a": 1.0, "c": 1.0}}
    assert under("DCG@1", pair, qrels, ties="average-rank-down").mean() == 3.0
    assert under("DCG@1", pair, qrels, ties="average-rank").mean() == 0.0
    with pytest.raises(gainful.GainfulError, match="average-rank-down"):
        under("AP", run, qrels, ties="average-rank-down")


def test_terms_and_quotient_rounded_down() -> None:
    qrels = {"q": {"a": 2, "b": 4, "c": 0, "d": 3, "e": 1}}
    run = {"q": ["a", "b", "c", "d", "e"]}
    burges = "nDCG(gain='exponential')@3"
    assert under(burges, run, qrels).mean() == pytest.approx(0.5958903914411471)
    assert under(burges, run, qrels, rounding="term-down:2").mean() == 0.59
    assert under(burges, run, qrels, rounding="term:2").mean() == 0.6
    exact = 3 / LOG3
    assert under("DCG@2", {"q": ["c", "d"]}, qrels, rounding="term-down:2").mean() == (
        math.floor(exact * 100) / 100
    )


def test_duplicates_can_count_as_separate_documents() -> None:
    run = gainful.Run([("q", d, -float(i)) for i, d in enumerate("aabx")], duplicates="count")
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    for ideal in "judged", "judged-to-depth":
        measure = f"nDCG(ideal='{ideal}')"
        counted = under(measure, run, qrels, duplicates="count").mean()
        copied = under(measure, run, qrels, duplicates="copies").mean()
        assert counted == pytest.approx(1.0)
        assert copied == pytest.approx((1 + 1 / LOG3) / (1 + 1 / LOG3 + 1 / 2))
        # Above the cutoff there is no duplicate.
        assert under(measure + "@1", run, qrels, duplicates="copies").mean() == 1.0


def test_duplicates_can_leave_their_ranks_blank() -> None:
    run = gainful.Run([("q", d, -float(i)) for i, d in enumerate("aabx")], duplicates="count")
    qrels = {"q": {"a": 2, "b": 1}}
    result = under("nDCG", run, qrels, duplicates="blank")
    assert result.mean() == pytest.approx((2 + 1 / 2) / (2 + 1 / LOG3))
    assert under("nDCG", run, qrels, duplicates="first").mean() == 1.0
    # It counts like an unjudged document.
    assert under("Judged@3", run, qrels, duplicates="blank").mean() == pytest.approx(2 / 3)
    assert under("nDCG", run, qrels, duplicates="blank", unjudged="condense").mean() == 1.0
    assert result.counts()["duplicates"] == 1


@pytest.mark.parametrize("no_relevant", [0.0, 1.0, "agree", "skip", "error"])
def test_an_empty_ideal_differs_from_no_relevant_documents(
    no_relevant: float | str,
) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    measure = "nDCG(ideal='judged-to-depth')"
    for asked in (measure, measure + "@3"):
        result = under(asked, {"q1": ["a"]}, qrels, no_relevant=no_relevant)
        assert result.per_query() == {"q1": 1.0, "q2": 0.0}
        assert not result.counts()["no_relevant"][asked]


def test_rounded_terms_are_divided_as_decimals() -> None:
    # The terms add up to 5.94 / 11.88, which is 0.49999999999999994 in binary.
    qrels = {"q": {"0": 1, "1": 1, "2": 2, "3": 1, "4": 0, "5": 1, "6": 2, "7": 3}}
    run = {"q": ["5", "3", "7", "0", "1", "x", "y"]}
    measure = "nDCG(gain='exponential')"
    assert under(measure, run, qrels, rounding="term-down:2").mean() == 0.5


@pytest.mark.parametrize("weight", [0.1, 3.0])
def test_queries_without_relevant_documents_can_be_unweighted(weight: float) -> None:
    # Two lists of labels, the second without a relevant document.
    qrels = {"q1": {"a": 2, "b": 4, "c": 0, "d": 3, "e": 1}, "q2": {"a": 0}}
    run = {"q1": ["a", "b", "c", "d", "e"], "q2": ["a"]}
    convention = gainful.Convention(no_relevant=1, unweighted="no-relevant")
    weights = {"q1": 1.0, "q2": weight}
    result = gainful.evaluate(
        qrels, run, "nDCG(gain='exponential')", convention=convention, weights=weights
    )
    assert result.mean() == pytest.approx((0.7432143929694833 + 1) / (1 + weight))
    every = gainful.evaluate(
        qrels, run, result.measures, convention=gainful.Convention(no_relevant=1), weights=weights
    )
    assert every.mean() == pytest.approx((0.7432143929694833 + weight) / (1 + weight))


def test_gains_of_membership() -> None:
    qrels = {"q": {"a": 3, "b": 0, "c": 1, "n": -1}}
    run = {"q": ["x", "b", "a", "n"]}
    assert under("CG(gain='binary')", run, qrels).mean() == 1
    assert under("CG(gain='judged')", run, qrels).mean() == 3
    assert under("nDCG(gain='judged')", run, qrels).mean() == pytest.approx(
        (1 / LOG3 + 1 / 2 + 1 / math.log2(5)) / (1 + 1 / LOG3 + 1 / 2 + 1 / math.log2(5))
    )
    # The ideal counts ones and the gains are grades, so a ranking can exceed it.
    value = under("nDCG(ideal='ones')", {"q": ["a", "c"]}, qrels).mean()
    assert value == pytest.approx((3 + 1 / LOG3) / (1 + 1 / LOG3))
    measure = parse_measure("nDCG(gain='binary', ideal='ones')")
    assert measure.range() == (0.0, 1.0)
    assert parse_measure("nDCG(ideal='ones')").range() == (0.0, None)


def test_the_base_of_the_logarithm_cancels_only_in_quotients() -> None:
    natural, binary = under("nDCG(discount='ln')"), under()
    assert natural.mean() == pytest.approx(binary.mean())
    ratio = under("DCG(discount='ln')").mean() / under("DCG").mean()
    assert ratio == pytest.approx(1 / math.log(2))


def test_a_cutoff_of_the_convention() -> None:
    run = {"q1": ["x", "a", "c", "b"], "q2": ["a"]}
    convention = gainful.Convention(defaults={"nDCG": {"cutoff": 2, "gain": "exponential"}})
    result = gainful.evaluate(QRELS, run, ["nDCG", "nDCG@3", "DCG", "AP"], convention=convention)
    assert [measure.cutoff for measure in result.resolved] == [2, 3, 2, None]
    plain = gainful.evaluate(QRELS, run, "nDCG(gain='exponential')@2")
    assert result.mean("nDCG") == plain.mean()
    assert set(result.counts()["judged_at_cutoff"]) == {"2", "3"}
    assert "judged@2" in next(result.rows())
    assert "cutoff 2" in str(convention)
    assert "nDCG(gain='exponential')@2" in convention.label
    assert gainful.Convention(**convention.to_dict()) == convention
    account = gainful.explain(QRELS, run, "q1", "nDCG", convention=convention)
    assert account.value == result.per_query("nDCG")["q1"]
    assert account.resolved.cutoff == 2
    with pytest.raises(MeasureError, match="cutoff 0"):
        gainful.Convention(defaults={"nDCG": {"cutoff": 0}})
