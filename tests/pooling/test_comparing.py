"""``compare --pool`` and `compare_pooled`: the labels that are least favorable to a difference."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import FormatError, MeasureError, ParameterError
from gainful.inference import randomization_test
from gainful.pooling import compare_pooled
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

RUNS = ["bm25.run", "dense.run"]
#: Eight queries on which the new system is better, two of them with an unjudged document.
QRELS = {f"q{at}": {"a": 1, "b": 0, **({"c": 0} if at > 1 else {})} for at in range(8)}
OLD = {query: ["b", "c", "a"] for query in QRELS}
NEW = {query: ["a", "c", "b"] for query in QRELS}
SYSTEMS = {"old": OLD, "new": NEW}


@pytest.mark.parametrize("measure", ["P@1", "nDCG@2", "AP@3", "RR@3"])
def test_no_labels_have_a_larger_p(measure: str) -> None:
    new = {**NEW, "q0": ["c", "b", "a"], "q1": ["b", "a", "c"]}
    runs = {"old": {**OLD, "q0": ["a", "b", "c"]}, "new": new}
    pool = gainful.pool(runs, depth=3)
    found = compare_pooled(QRELS, runs, pool, measure, scale=[0, 1, 2]).pairs[0]
    differences, p_values = [], []
    for labels in product((0, 1, 2), repeat=2):
        judged = {query: dict(own) for query, own in QRELS.items()}
        judged["q0"]["c"], judged["q1"]["c"] = labels
        both = gainful.evaluate(judged, runs=runs, measures=measure)
        own = [both.per_query(measure, name) for name in ("new", "old")]
        each = [own[0][query] - own[1][query] for query in QRELS]
        differences.append(sum(each) / len(each))
        p_values.append(randomization_test(each).p)
    assert found.least_difference == pytest.approx(min(differences), abs=1e-12)
    assert found.p == pytest.approx(max(p_values), abs=1e-12)


def test_complete_judgments_have_one_p() -> None:
    complete = {query: {**own, "c": 0} for query, own in QRELS.items()}
    found = compare_pooled(complete, SYSTEMS, gainful.pool(SYSTEMS), "P@1")
    one = found.pairs[0]
    assert one.least_difference == one.difference == 1.0
    assert one.p == found.comparison.pairs[0].p
    assert one.is_settled


def test_labels_that_reverse_the_order_have_p_1() -> None:
    runs = {"old": {"q0": ["a"], "q1": ["b"]}, "new": {"q0": ["c"], "q1": ["a"]}}
    qrels = {"q0": {"b": 1}, "q1": {"a": 1, "b": 0}}
    found = compare_pooled(qrels, runs, gainful.pool(runs), "P@1").pairs[0]
    assert found.difference == 0.5
    assert found.least_difference == 0.0
    assert found.p == 1.0
    assert not found.is_settled


def test_systems_that_were_not_pooled_are_named(capsys) -> None:
    gainful.pool(RUNS, "mtf", depth=3, judged={"q1": {"r01": 1}}).write("first.jsonl")
    Path("other.run").write_text(Path("bm25.run").read_text())
    arguments = ["compare", "qrels.txt", *RUNS, "other.run", "--pool", "first.jsonl"]
    assert main(arguments) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "(mtf) was built to settle bm25 vs. dense, not for other" in text
    assert main([*arguments, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert not errors(document, schema_of("pooled-comparison"))
    assert document["not_pooled"] == ["other"]
    assert [pair["is_built_for"] for pair in document["pairs"]] == [True, False, False]
    Path("first.ranks.tsv").unlink()
    assert main(arguments) == 0
    assert "systems of the pool are not known" in " ".join(capsys.readouterr().out.split())


def test_wrong_arguments_are_errors(capsys) -> None:
    pool = gainful.pool(RUNS)
    with pytest.raises(ParameterError, match="weights or clusters"):
        compare_pooled("qrels.txt", RUNS, pool, clusters={f"q{n}": "x" for n in range(1, 7)})
    with pytest.raises(MeasureError):
        compare_pooled("qrels.txt", RUNS, pool, "bpref")
    for text, message in (
        ('{"query_id": "q1", "doc_id": "a"}\n', "no column 'strategy'"),
        ('{"query_id": "q1", "strategy": "a"}\n{"query_id": "q1", "strategy": "b"}\n', "a and b"),
    ):
        Path("wrong.jsonl").write_text(text)
        with pytest.raises(FormatError, match=message):
            compare_pooled("qrels.txt", RUNS, "wrong.jsonl")
        assert main(["compare", "qrels.txt", *RUNS, "--pool", "wrong.jsonl"]) == 2
        assert message in capsys.readouterr().err
