"""Weights, clusters and slices of the queries in an assessment of judgments."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import gainful
from gainful.demo import annotations_path, annotator_grades
from gainful.errors import ParameterError
from gainful.inference import kendall_tau
from json_schema import errors, schema_of

runs = cache(gainful.demo.runs)
QUERIES = sorted({row.query_id for row in annotator_grades()})
KIND = {query: "even" if at % 2 else "odd" for at, query in enumerate(QUERIES)}
FAST = {"resamples": 200}


@pytest.fixture(scope="module")
def plain() -> gainful.JudgmentQuality:
    return gainful.assess_judgments(annotations_path(), runs(), **FAST)


def test_a_slice_has_the_agreement_of_its_queries() -> None:
    sliced = gainful.assess_judgments(annotations_path(), runs(), by=KIND, **FAST)
    assert list(sliced.slices) == ["even", "odd"]
    for name, part in sliced.slices.items():
        rows = [
            (row.query_id, row.doc_id, row.annotator, row.grade)
            for row in annotator_grades()
            if KIND[row.query_id] == name
        ]
        alone = gainful.assess_judgments(rows, runs(), **FAST)
        assert part.pairs == alone.pairs
        assert part.alphas == alone.alphas
        assert (part.queries, part.documents) == (alone.coverage.queries, alone.coverage.documents)
        assert part.systems is not None
        assert alone.systems is not None
        for system, means in part.systems.means.items():
            assert means == pytest.approx(alone.systems.means[system])
        orders = [[pair.tau for pair in side.systems.taus] for side in (part, alone)]
        assert orders[0] == orders[1]
        assert part.systems.documents == alone.systems.documents
    assert errors(json.loads(json.dumps(sliced.to_dict())), schema_of("judgments")) == []
    assert "Agreement by segment" in str(sliced)


def test_several_attributes_slice_the_agreement() -> None:
    first = set(QUERIES[: len(QUERIES) // 2])
    half = {query: "first" if query in first else "second" for query in QUERIES}
    both = gainful.assess_judgments(
        annotations_path(), runs(), by={"kind": KIND, "half": half}, **FAST
    )
    assert list(both.slices) == ["kind: even", "kind: odd", "half: first", "half: second"]
    alone = gainful.assess_judgments(annotations_path(), runs(), by=half, **FAST)
    for name in ("first", "second"):
        part, other = both.slices[f"half: {name}"], alone.slices[name]
        assert part.pairs == other.pairs
        assert part.systems is not None
        assert other.systems is not None
        assert part.systems.means == other.systems.means
        assert part.systems.documents == other.systems.documents


def test_slices_are_one_family_of_tests() -> None:
    sliced = gainful.assess_judgments(annotations_path(), runs(), by=KIND, baseline="fts5-plain")
    judged = gainful.Ratings(annotations_path())
    ana, ben = judged.grades("ana"), judged.grades("ben")
    common = [pair for pair in judged.pairs if pair in ana and pair in ben]
    expected = gainful.compare(
        judged.of("ana", common), runs(), "nDCG@10", baseline="fts5-plain", by=KIND, bootstrap=0
    )
    for name, part in sliced.slices.items():
        assert part.systems is not None
        verdicts = {each.system: each.verdicts["ana"] for each in part.systems.verdicts}
        assert verdicts == {pair.system: pair.verdict for pair in expected.segments[name]}


def test_weights_of_0_leave_queries_out(plain: gainful.JudgmentQuality) -> None:
    weights = {query: float(KIND[query] == "even") for query in QUERIES}
    weighted = gainful.assess_judgments(annotations_path(), runs(), weights=weights, **FAST)
    rows = [
        (row.query_id, row.doc_id, row.annotator, row.grade)
        for row in annotator_grades()
        if KIND[row.query_id] == "even"
    ]
    alone = gainful.assess_judgments(rows, runs(), **FAST)
    (one,), (two,) = weighted.pairs, alone.pairs
    assert (one.same, one.kappa) == (pytest.approx(two.same), pytest.approx(two.kappa))
    assert one.documents == plain.pairs[0].documents
    assert weighted.rater("ana").bias == pytest.approx(alone.rater("ana").bias)
    assert weighted.systems is not None
    assert alone.systems is not None
    for system, means in weighted.systems.means.items():
        assert means == pytest.approx(alone.systems.means[system])
    assert "weighted by query" in str(weighted)


def test_copies_of_a_query_in_one_cluster_count_once(plain: gainful.JudgmentQuality) -> None:
    rows = [
        (f"{row.query_id} {copy}", row.doc_id, row.annotator, row.grade)
        for row in annotator_grades()
        for copy in range(3)
    ]
    ran = {
        name: {f"{query} {copy}": own for query, own in run.items() for copy in range(3)}
        for name, run in runs().items()
    }
    original = {query: query.split()[0] for query, *_ in rows}
    clustered = gainful.assess_judgments(rows, ran, clusters=original, **FAST)
    naive = gainful.assess_judgments(rows, ran, **FAST)
    for one, two, three in zip(plain.raters, clustered.raters, naive.raters, strict=True):
        assert two.interval == pytest.approx(one.interval)
        assert three.interval != pytest.approx(one.interval)
    assert clustered.pairs[0].kappa == pytest.approx(plain.pairs[0].kappa)
    assert clustered.systems is not None
    assert plain.systems is not None
    for one_verdict, two_verdict in zip(
        plain.systems.verdicts, clustered.systems.verdicts, strict=True
    ):
        assert one_verdict.verdicts == two_verdict.verdicts
    (ours,), (theirs,) = (clustered.systems.taus, plain.systems.taus)
    assert ours.interval == pytest.approx(theirs.interval)
    assert "jackknife over clusters (cluster)" in str(clustered)


def test_tau_has_an_interval(plain: gainful.JudgmentQuality) -> None:
    systems = plain.systems
    assert systems is not None
    orders = [[means[rater] for means in systems.means.values()] for rater in ("ana", "ben")]
    tau = kendall_tau(*orders)
    (order,) = systems.taus
    interval = order.interval
    assert interval is not None
    assert tau is not None
    assert -1 <= interval.low <= tau <= interval.high <= 1
    found = plain.to_dict()["systems"]["taus"][0]  # type: ignore[index]
    assert (found["low"], found["high"]) == interval


def test_a_missing_weight_or_cluster_is_an_error() -> None:
    for name in ("weights", "clusters"):
        with pytest.raises(ParameterError, match=f"a {name[:-1]} is missing"):
            gainful.assess_judgments(annotations_path(), **{name: {"Q01": 1}})


def test_the_command_line(
    tmp_path: Path, output_of: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_bytes(annotations_path().read_bytes())
    rows = [f"{query}\t{kind}\t{query[:2]}" for query, kind in KIND.items()]
    (tmp_path / "kinds.tsv").write_text("\n".join(["query_id\tkind\tuser", *rows]) + "\n")
    (tmp_path / "weights.txt").write_text("".join(f"{query} 2\n" for query in QUERIES))
    words = ["assess-judgments", "labels.csv", "--by", "kinds.tsv:kind", "--resamples", "200"]
    words += ["--clusters", "kinds.tsv:user", "--weights", "weights.txt"]
    found = json.loads(output_of(*words, "--format", "json"))
    assert (found["by"], found["clusters"], found["weighted"]) == ("kind", "user", True)
    assert set(found["slices"]) == {"even", "odd"}
    assert errors(found, schema_of("judgments")) == []
    assert "Agreement by kind" in output_of(*words)
    assert "slice,even,,alpha" in output_of(*words, "--format", "csv")
