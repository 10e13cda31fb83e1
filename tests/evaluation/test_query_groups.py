"""evaluate(): clusters and slices of queries."""

from __future__ import annotations

import csv
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import gainful
from gainful.errors import FormatError, MatchError, ParameterError
from gainful.inference import Design, mean_interval

MEMORY = Path(__file__).parents[3] / "shared" / "data" / "memory"

QRELS = {f"q{at}": {"a": 1} for at in range(12)}
#: The first clusters fail more often.
RUN = {query: ["b", "a"] if at < 5 else ["a", "b"] for at, query in enumerate(QRELS)}
USERS = {query: f"u{at // 3}" for at, query in enumerate(QRELS)}
KINDS = {query: "even" if at % 2 else "odd" for at, query in enumerate(QRELS) if at < 10}


def evaluated(**options: object) -> gainful.Evaluation:
    return gainful.evaluate(QRELS, {"old": RUN}, ["RR", "P@1"], **options)


def test_ten_conversations_say_less_than_1982_questions() -> None:
    if not MEMORY.exists():
        pytest.skip("the shared data are not here")
    questions = f"{MEMORY / 'questions.tsv'}:conversation"
    paths = str(MEMORY / "qrels.txt"), str(MEMORY / "hybrid.run")
    plain, clustered = (
        gainful.evaluate(*paths, "Success@10", clusters=clusters).summary()
        for clusters in (None, questions)
    )
    assert plain.interval == pytest.approx((0.9144, 0.9374), abs=5e-5)
    # CR1 with t of 9 degrees of freedom has .902 to .951, without the adjustment for the range.
    assert clustered.interval == pytest.approx((0.902, 0.951), abs=0.002)
    assert (clustered.mean, clustered.n, clustered.clusters) == (plain.mean, 1982, 10)
    assert clustered.effective == pytest.approx(599, abs=1)
    with (MEMORY / "questions.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    result = gainful.evaluate(
        *paths, "Success@10", clusters={row["query"]: row["conversation"] for row in rows}
    )
    assert result.summary().interval == clustered.interval


def test_the_interval_is_that_of_the_design() -> None:
    result = evaluated(clusters=USERS)
    values = list(result.per_query("RR").values())
    design = Design(12, clusters=list(USERS.values()))
    deviation, n, df = design.spread(values)
    ends = mean_interval(np.mean(values), deviation, n, low=0.0, high=1.0, df=df)
    summary = result.summary("RR")
    assert summary.interval == pytest.approx(ends)
    assert (summary.clusters, summary.effective) == (4, pytest.approx(n))
    assert design.standard_error(values) == pytest.approx(deviation / n**0.5)


def test_clusters_of_one_query_change_nothing() -> None:
    single = evaluated(clusters={query: query for query in QRELS}).summary("RR")
    assert single.interval == pytest.approx(evaluated().summary("RR").interval)


def test_equal_values_in_few_clusters_leave_doubt() -> None:
    run = {"old": {query: ["a"] for query in QRELS}}
    plain = gainful.evaluate(QRELS, run, "RR").summary()
    few = gainful.evaluate(QRELS, run, "RR", clusters=USERS).summary()
    assert few.interval.high == plain.interval.high == 1.0
    assert few.interval.low < plain.interval.low


def test_a_single_cluster_has_no_interval() -> None:
    result = evaluated(clusters=dict.fromkeys(QRELS, "all"))
    assert result.summary("RR").interval is None
    assert "12 queries in 1 cluster (cluster)." in str(result)


def test_weights_and_clusters_are_combined() -> None:
    weights = {query: 1.0 + at for at, query in enumerate(QRELS)}
    result = evaluated(clusters=USERS, weights=weights)
    values = list(result.per_query("RR").values())
    design = Design(12, weights=list(weights.values()), clusters=list(USERS.values()))
    assert result.mean("RR") == pytest.approx(design.mean(values))
    assert result.summary("RR").effective == pytest.approx(design.spread(values)[1])


def test_few_clusters_are_noted() -> None:
    few = str(evaluated(clusters=USERS))
    assert "12 queries in 4 clusters (cluster). Effective sample size:" in few
    assert "With 4 clusters (cluster), fewer than 20, the result says little about new ones." in few
    qrels = {f"q{at}": {"a": 1} for at in range(20)}
    many = gainful.evaluate(qrels, qrels, "RR", clusters={query: query for query in qrels})
    assert "little about new ones" not in str(many)
    two = gainful.evaluate(QRELS, {"old": RUN, "new": QRELS}, "RR", clusters=USERS)
    assert "little about new ones" in str(gainful.compare(two, resamples=100, bootstrap=0))


def test_each_slice_has_the_summary_of_its_queries() -> None:
    result = evaluated(by=KINDS)
    summaries = {(part.slice, part.measure): part.summary for part in result.slices}
    assert list(summaries) == [
        (name, measure) for name in ("even", "odd", "(none)") for measure in ("RR", "P@1")
    ]
    for name in ("even", "odd"):
        queries = [query for query, kind in KINDS.items() if kind == name]
        alone = gainful.evaluate({q: QRELS[q] for q in queries}, {q: RUN[q] for q in queries}, "RR")
        assert summaries[name, "RR"].to_dict() == alone.summary().to_dict()
    assert summaries["(none)", "RR"].n == 2
    assert result.mean("RR") == evaluated().mean("RR")


def test_slices_are_in_every_output(tmp_path: Path) -> None:
    result = evaluated(by={"kind": KINDS, "user": USERS})
    text = str(result)
    assert "old, by kind" in text
    assert "old, by user" in text
    assert "even" in result.to_markdown(wide=True)
    rows = json.loads(json.dumps(result.to_dict()))["slices"]
    assert (rows[0]["attribute"], rows[0]["slice"], rows[0]["n"]) == ("kind", "even", 5)
    frame = result.to_pandas("summary")
    assert frame.attribute.isna().sum() == 2
    assert set(frame["slice"].dropna()) >= {"even", "odd", "(none)", "u0"}
    assert "slices" not in evaluated().to_dict()


def test_slices_of_several_systems_and_of_skipped_queries() -> None:
    runs = {"old": {query: RUN[query] for query in list(RUN)[:4]}, "new": RUN}
    result = gainful.evaluate(QRELS, runs, "RR", by=KINDS, missing="skip")
    numbers = {(part.slice, part.system): part.summary.n for part in result.slices}
    assert numbers["odd", "old"] == 2
    assert numbers["odd", "new"] == 5
    assert numbers["(none)", "old"] == 0
    assert np.isnan(next(p.summary.mean for p in result.slices if p.summary.n == 0))


def test_compare_takes_the_groups_of_evaluations() -> None:
    runs = {"old": RUN, "new": QRELS}
    options = {"resamples": 500, "bootstrap": 0}
    result = gainful.evaluate(QRELS, runs, "RR", clusters=USERS, by=KINDS)
    direct = gainful.compare(QRELS, runs, "RR", clusters=USERS, by=KINDS, **options)
    assert gainful.compare(result, **options) == direct
    assert gainful.compare(result, clusters={q: q for q in QRELS}, **options) != direct
    other = gainful.evaluate(QRELS, {"x": RUN}, "RR", clusters=USERS)
    with pytest.raises(MatchError, match="the clusters or slices of the queries differ"):
        gainful.compare([result, other])


def test_groups_survive_pickle_and_concat() -> None:
    result = evaluated(clusters=USERS, by=KINDS)
    assert pickle.loads(pickle.dumps(result)) == result
    halves = [list(QRELS)[:6], list(QRELS)[6:]]
    parts = [
        gainful.evaluate(
            {q: QRELS[q] for q in half},
            {"old": {q: RUN[q] for q in half}},
            ["RR", "P@1"],
            clusters={q: USERS[q] for q in half},
            by={q: KINDS[q] for q in half if q in KINDS},
        )
        for half in halves
    ]
    whole = gainful.Evaluation.concat(parts)
    assert whole.summary("RR") == result.summary("RR")
    assert whole.slices == result.slices
    with pytest.raises(MatchError, match="clusters or slices in some parts only"):
        gainful.Evaluation.concat([parts[0], evaluated()])
    renamed = evaluated(by={"other": KINDS})
    with pytest.raises(MatchError, match="other clusters or slices"):
        gainful.Evaluation.concat([parts[0], renamed])


def test_clusters_with_the_judgments_of_a_model() -> None:
    rng = np.random.default_rng(3)
    queries = [f"q{at:02}" for at in range(60)]
    model = {query: {"a": int(rng.random() < 0.6), "b": 1} for query in queries}
    people = {query: model[query] for query in queries[:30]}
    run = {"old": {query: ["a", "b"] for query in queries}}
    users = {query: f"u{at % 10}" for at, query in enumerate(queries)}
    options = {"predicted": model, "sampled": "random"}
    plain = gainful.evaluate(people, run, "P@1", **options)
    clustered = gainful.evaluate(people, run, "P@1", clusters=users, **options)
    assert clustered.estimates[0].interval != plain.estimates[0].interval
    with pytest.raises(gainful.errors.ArgumentError, match="by= cannot be combined with predicted"):
        gainful.evaluate(people, run, "P@1", by=users, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"clusters": {"q1": "a"}}, ParameterError, "a cluster is missing; every query needs one"),
        ({"by": {"x": "a"}}, ParameterError, "by: no query has a value"),
        ({"clusters": "missing.tsv"}, FileNotFoundError, "missing.tsv"),
        ({"by": 3}, TypeError, "by: found int"),
    ],
)
def test_wrong_groups_are_refused(options, error, message) -> None:
    with pytest.raises(error, match=message):
        evaluated(**options)


def test_two_values_of_a_query_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "kinds.tsv"
    file.write_text("query_id\tkind\nq1\ta\nq1\tb\n")
    with pytest.raises(FormatError, match="two values of kind"):
        evaluated(by=str(file))
