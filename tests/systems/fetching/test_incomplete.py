"""A run with failed queries is never treated as complete, unless the user declares it."""

from __future__ import annotations

import pickle

import pytest

import gainful
from gainful.errors import MatchError, NoAnswerError, SearchError, SearchWarning
from requirements import need
from searching import Scripted, queries

QRELS = {f"q{number}": {"d1": 1, "d2": 2, "d9": 0} for number in range(10)}


@pytest.fixture
def run() -> gainful.Run:
    def script(query, before):
        if query.id in ("q3", "q4"):
            return ValueError("bad request")
        return KeyError("hits") if query.id == "q7" else ["d2", "d1", "d3"]

    return gainful.search(Scripted(script), queries(10), name="live")


def other() -> gainful.Run:
    return gainful.Run({query: ["d1", "d2"] for query in QRELS}, name="other")


USES = {
    "evaluate": lambda run, _: gainful.evaluate(QRELS, run, "nDCG@10"),
    "evaluate several": lambda run, _: gainful.evaluate(
        QRELS, runs={"a": other(), "b": run}, measures="nDCG@10"
    ),
    "compare": lambda run, _: gainful.compare(QRELS, {"a": other(), "b": run}, "nDCG@10"),
    "explain": lambda run, _: gainful.explain(QRELS, run, "q0", "nDCG@10"),
    "contrast": lambda run, _: gainful.contrast(QRELS, run, "gainful-1", "trec_eval"),
    "reconcile": lambda run, _: gainful.reconcile(QRELS, run, 0.5),
    "unjudged": lambda run, _: gainful.find_unjudged(QRELS, {"a": other(), "b": run}),
    "sample labels": lambda run, _: gainful.sample_labels(QRELS, run, "nDCG@10"),
    "snapshot": lambda run, _: gainful.make_snapshot(QRELS, run, "nDCG@10"),
    "suite": lambda run, _: gainful.evaluate_suite(
        {"one": (QRELS, {"live": run, "other": other()})}, "nDCG@10"
    ),
    "quality": lambda run, _: gainful.assess_judgments(
        {"ann": QRELS, "bob": QRELS}, {"live": run, "other": other()}
    ),
    "measures": lambda run, _: gainful.compare_measures(
        QRELS, {"a": other(), "b": run, "c": other()}, ["nDCG@10", "AP"]
    ),
    "write": lambda run, folder: run.write(folder / "out.run"),
    "to_dict": lambda run, _: run.to_dict(),
    "another run": lambda run, _: gainful.evaluate(QRELS, gainful.Run(run, name="x"), "AP"),
    "top": lambda run, _: gainful.evaluate(QRELS, run.top(2), "AP"),
    "documents renamed": lambda run, _: gainful.evaluate(QRELS, run.rename(documents={}), "AP"),
    "Arrow": lambda run, _: need("pyarrow").table(run),
    "pickled": lambda run, _: gainful.evaluate(QRELS, pickle.loads(pickle.dumps(run)), "AP"),
}


@pytest.mark.parametrize("name", USES)
def test_functions_reject_incomplete_runs(name, run, tmp_path) -> None:
    with pytest.raises(SearchError) as caught:
        USES[name](run, tmp_path)
    assert caught.value.problem == (
        "the run is incomplete: 3 queries failed (ValueError: bad request (2); KeyError: 'hits' "
        "(1))"
    )
    assert "run.as_complete()" in caught.value.hint
    assert not list(tmp_path.iterdir())


def test_three_reasons_are_shown_the_most_frequent_first() -> None:
    reasons = dict(zip(QRELS, "vwwxxxyzz", strict=False))

    def script(query, before):
        return KeyError(reasons[query.id]) if query.id in reasons else ["d1"]

    with pytest.raises(SearchError) as caught:
        gainful.evaluate(QRELS, gainful.search(Scripted(script), queries(10)), "AP")
    shown = "KeyError: 'x' (3); KeyError: 'w' (2); KeyError: 'z' (2); 2 more"
    assert f"9 queries failed ({shown})" in caught.value.problem


@pytest.mark.parametrize("name", USES)
def test_functions_accept_runs_declared_complete(name, run, tmp_path) -> None:
    USES[name](run.as_complete(), tmp_path)


def test_failed_queries_count_as_missing_ones(run) -> None:
    whole = run.as_complete()
    assert (whole.incomplete, whole.failed, len(whole)) == (False, {}, 7)
    measured = gainful.evaluate(QRELS, whole, "RR")
    assert measured.per_query("RR")["q3"] == 0.0
    left_out = gainful.evaluate(QRELS, whole, "RR", convention="trec_eval")
    assert "q3" not in left_out.per_query("RR")
    # The account is still available.
    assert whole.account.failed == run.failed


def test_incomplete_runs_can_be_read(run) -> None:
    assert (len(run), run.rows, run.incomplete) == (7, 21, True)
    assert run["q0"] == [("d2", None), ("d1", None), ("d3", None)]
    assert "q3" not in run
    assert list(run.failed) == ["q3", "q4", "q7"]
    assert repr(run) == "<Run 'live': 7 queries, 21 documents; incomplete: 3 queries failed>"
    assert "incomplete: 3 queries failed" in run._repr_html_()
    assert run.digest == run.as_complete().digest


def test_selected_queries_of_an_incomplete_run(run) -> None:
    assert not run.select(["q0", "q1"]).incomplete
    some = run.select(["q0", "q3"])
    assert (some.keys(), some.failed) == (["q0"], {"q3": "ValueError: bad request"})
    with pytest.raises(MatchError, match="query 'nobody'"):
        run.select(["q0", "nobody"])


def test_failed_queries_are_renamed_with_the_others(run) -> None:
    named = run.rename(queries=lambda query: f"x-{query}")
    assert list(named.failed) == ["x-q3", "x-q4", "x-q7"]
    assert list(run.rename(queries={"q3": "three"}).failed) == ["three", "q4", "q7"]


def test_other_runs_are_complete() -> None:
    assert (other().incomplete, other().failed, other().account) == (False, {}, None)


def test_a_run_whose_queries_all_failed() -> None:
    with pytest.raises(
        NoAnswerError, match=r"'q0'.*no query was answered \(3 failed\): ValueError: no"
    ):
        gainful.search(Scripted(lambda *_: ValueError("no")), queries(3))


def test_failures_and_kept_answers_are_reported(tmp_path) -> None:
    def search(**failing):
        def script(query, before):
            return ValueError("no") if query.id in failing else ["d1"]

        return gainful.search(Scripted(script), queries(3), journal=tmp_path / "kept")

    with pytest.warns(SearchWarning, match="1 of 3 queries failed.*'q1': ValueError: no"):
        search(q1=True)
    with pytest.warns(
        SearchWarning, match="2 of 3 answers came from the journal '.*kept', started"
    ):
        search()
