"""evaluate() and compare(): some queries, without some documents, under changed policies."""

from __future__ import annotations

import pickle
from pathlib import Path

import pandas
import pytest

import gainful
from gainful.errors import ArgumentError, ConventionError, GainfulError, MatchError, ParameterError
from gainful.policies import POLICIES

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2, "d": 1}, "q3": {"e": 1}}
RUN = {
    "q1": {"x": 3.0, "a": 2.0, "b": 1.0},
    "q2": {"d": 2.0, "c": 1.0},
    "q3": {"e": 1.0},
    "q9": {"e": 1.0},
}


def evaluated(**options: object) -> gainful.Evaluation:
    return gainful.evaluate(QRELS, RUN, ["nDCG@10", "RR"], **options)


def test_an_excluded_document_first_and_the_relevant_one_second() -> None:
    kept, removed = (
        gainful.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, "nDCG@10", exclude=pairs).mean()
        for pairs in (None, {"q": ["x"]})
    )
    assert kept == pytest.approx(0.6309, abs=5e-5)
    assert removed == 1.0


def test_excluded_documents_leave_the_ideal_too() -> None:
    assert evaluated().per_query("nDCG@10")["q2"] < 1
    result = evaluated(exclude={"q2": ["c"]})
    assert result.per_query("nDCG@10")["q2"] == 1.0
    selection = result.selection
    assert (selection.excluded, selection.excluded_judged) == (1, 1)
    assert selection.excluded_retrieved == {"run": 1}
    assert "1 excluded document: 1 judged, 1 retrieved." in str(result)


def test_a_query_without_documents_left_has_nothing_relevant() -> None:
    result = evaluated(exclude={"q3": ["e"]})
    assert result.per_query("RR")["q3"] == 0.0
    assert result.counts()["no_relevant"]["RR"] == 1
    assert "q3" not in evaluated(exclude={"q3": ["e"]}, no_relevant="skip").per_query("RR")


@pytest.mark.parametrize(
    "pairs",
    [
        [("q1", "x"), ("q2", "c")],
        {("q1", "x"), ("q2", "c")},
        {"q1": ["x"], "q2": {"c": 0}},
        gainful.Qrels({"q1": {"x": 0}, "q2": {"c": 1}}),
        pandas.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["x", "c"]}),
    ],
)
def test_pairs_in_memory(pairs) -> None:
    result = evaluated(exclude=pairs)
    assert result.per_query("RR") == {"q1": 1.0, "q2": 1.0, "q3": 1.0}
    assert result.selection.excluded == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "q1\tx\nq2\tc\n"),
        ("a.csv", "query_id,doc_id\nq1,x\nq2,c\n"),
        ("a.jsonl", '{"qid": "q1", "docid": "x"}\n{"qid": "q2", "docid": "c"}\n'),
        ("a.txt", "q1 0 x 0\nq2 0 c 1\n"),
    ],
)
def test_pairs_in_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert evaluated(exclude=tmp_path / name) == evaluated(exclude=[("q1", "x"), ("q2", "c")])


def test_selected_queries_are_as_if_alone(tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    file.write_text("q3\nq1\n\nq1\n")
    alone = gainful.evaluate(
        {query: QRELS[query] for query in ("q1", "q3")},
        {query: RUN[query] for query in ("q1", "q3")},
        ["nDCG@10", "RR"],
    )
    for queries in (["q3", "q1"], str(file), file, "q1,q3", {"q1", "q3"}):
        result = evaluated(queries=queries)
        assert dict(result.per_query("RR")) == dict(alone.per_query("RR"))
        assert result.counts() == alone.counts()
        assert result.summary("nDCG@10") == alone.summary("nDCG@10")
    assert (result.selection.queries, result.selection.judged_queries) == (2, 3)
    assert "2 of 3 judged queries were selected." in str(result)
    assert result.to_dict()["selection"] == {"queries": 2, "judged_queries": 3}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("query_id\nq1\n", ["q1"]),
        ("q1\tlentil soup\nq2\tbread\n", ["q1", "q2"]),
        ("text,qid\nsoup,q2\n", ["q2"]),
        ('{"query_id": "q1", "text": "soup"}\n', ["q1"]),
        ("\ufeffq1\r\nq2\r\n", ["q1", "q2"]),
    ],
)
def test_files_of_queries(tmp_path: Path, text: str, ids: list[str]) -> None:
    file = tmp_path / "ids"
    file.write_text(text, newline="")
    assert list(evaluated(queries=file).per_query("RR")) == ids


def test_policies_do_not_act_on_other_queries() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    run = {"q1": {"a": 1.0, "b": 0.5}, "q2": {"a": 1.0, "b": 1.0}, "q3": {"a": 1.0}}
    strict = {"ties": "error", "extra": "error", "no_relevant": "error"}
    assert gainful.evaluate(qrels, run, "RR", queries=["q1"], **strict).mean() == 1.0
    counted = gainful.evaluate(qrels, run, "RR", queries=["q1"], extra="no-relevant")
    assert counted.per_query() == {"q1": 1.0}


def test_the_order_of_a_run_is_kept() -> None:
    rows = pandas.DataFrame(
        {"query_id": ["q"] * 3, "doc_id": ["x", "b", "a"], "rank": [1, 2, 3], "score": [0, 1, 2]}
    )
    for order in ("given", "rank"):
        result = gainful.evaluate({"q": {"b": 1}}, rows, "RR", exclude={"q": ["x"]}, order=order)
        assert result.mean() == 1.0
    assert gainful.evaluate({"q": {"b": 1}}, rows, "RR", exclude={"q": ["x"]}).mean() == 0.5


def test_integer_ids() -> None:
    qrels, run = {1: {10: 1}, 2: {12: 1}}, {1: [11, 10], 2: [12]}
    result = gainful.evaluate(qrels, run, "RR", queries=[1], exclude={1: [11]})
    assert result.per_query() == {1: 1.0}


def test_subtopics_and_duplicates() -> None:
    rows = [("q", "1", "a", 1), ("q", "2", "a", 1), ("q", "2", "b", 1)]
    result = gainful.evaluate(rows, {"q": ["a", "b"]}, "alpha_nDCG@10", exclude={"q": ["a"]})
    assert result.mean() == 1.0
    assert result.selection.excluded_judged == 2
    twice = {"q": [("x", 3.0), ("a", 2.0), ("a", 1.0)]}
    first = gainful.evaluate(
        {"q": {"a": 1}}, twice, "P@2", exclude={"q": ["x"]}, duplicates="first"
    )
    assert first.mean() == 0.5


def test_compare_selects_and_excludes() -> None:
    runs = {"old": RUN, "new": {query: list(docs)[::-1] for query, docs in RUN.items()}}
    options = {"resamples": 100, "bootstrap": 0}
    result = gainful.compare(
        QRELS, runs, "RR", queries="q1,q2", exclude={"q1": ["x"]}, missing="skip", **options
    )
    assert result.queries == ("q1", "q2")
    assert result.convention.missing == "skip"
    assert result.pair().baseline_mean == 1.0
    with pytest.raises(ArgumentError, match="queries= requires judgments and runs"):
        gainful.compare(result.evaluations[0], queries=["q1"])
    with pytest.raises(ArgumentError, match="missing= requires judgments and runs"):
        gainful.compare(result.evaluations[0], missing="skip")


def test_other_selections_are_not_compared() -> None:
    first = gainful.evaluate(QRELS, {"a": RUN}, "RR", queries="q1,q2")
    other = gainful.evaluate(QRELS, {"b": RUN}, "RR", queries="q1,q3")
    with pytest.raises(MatchError, match="judgments of a differ from those of b"):
        gainful.compare([first, other])


def test_selections_survive_pickle_and_concat() -> None:
    result = evaluated(queries="q1,q2", exclude={"q1": ["x"]})
    assert pickle.loads(pickle.dumps(result)) == result
    qrels = {"q4": {"a": 1}, "q5": {"a": 1}}
    other = gainful.evaluate(
        qrels, qrels, ["nDCG@10", "RR"], queries=["q4"], exclude={"q4": ["a"], "q5": ["a"]}
    )
    whole = gainful.Evaluation.concat([result, other]).selection
    assert (whole.queries, whole.judged_queries) == (3, 5)
    assert (whole.excluded, whole.excluded_judged) == (3, 1)
    assert whole.excluded_retrieved == {"run": 2}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"queries": ["q1", "zz"]}, MatchError, "1 of 2 selected queries has no judgments: zz"),
        ({"queries": []}, ParameterError, "queries: found no query"),
        ({"queries": "nowhere.txt"}, MatchError, "has no judgments: nowhere.txt"),
        ({"queries": Path("nowhere.txt")}, FileNotFoundError, "nowhere.txt"),
        ({"queries": 7}, ArgumentError, "queries: found int"),
        ({"exclude": {}}, ParameterError, "exclude: found no pair"),
        ({"exclude": {"q1": ["zz"]}}, MatchError, "none of the 1 excluded documents was judged"),
        ({"exclude": "nowhere.tsv"}, FileNotFoundError, "nowhere.tsv"),
        ({"no_relevant": "skipp"}, ConventionError, "policy 'no_relevant': found 'skipp'"),
        ({"norelevant": "skip"}, ArgumentError, "did you mean no_relevant"),
        ({"nonsense": 1}, ArgumentError, "exclude, .*no_relevant"),
    ],
)
def test_wrong_selections_are_refused(options, error, message) -> None:
    with pytest.raises(error, match=message):
        evaluated(**options)


def test_a_table_of_other_columns_says_how_pairs_are_written(tmp_path: Path) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text("q1 x\n")
    with pytest.raises(GainfulError, match="two columns, separated by tabs or commas"):
        evaluated(exclude=file)


def test_every_policy_is_a_keyword() -> None:
    for policy in POLICIES:
        value = policy.effective[-1] if policy.effective else policy.default
        convention = gainful.conventions.get("gainful-1", **{policy.name: value})
        result = gainful.evaluate(QRELS, RUN, "RR", **{policy.name: value})
        assert result.convention == convention
