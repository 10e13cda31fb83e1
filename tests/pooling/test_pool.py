"""``gainful.pool`` and ``gainful pool``: strategies, files and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import FormatError, ParameterError
from gainful.vocabulary import POOLING_STRATEGIES
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

RUNS = ["bm25.run", "dense.run"]


def pairs(found) -> set[tuple[str, str]]:
    return set(zip(found.queries, found.documents, strict=True))


def test_depth_is_the_union_of_first_documents() -> None:
    expected = {
        (query, document)
        for path in RUNS
        for query, ranking in gainful.read_run(path).items()
        for document, _ in ranking[:3]
    }
    assert pairs(gainful.pool(RUNS, depth=3)) == expected
    judged = gainful.read_qrels("qrels.txt")
    new = {(q, d) for q, d in expected if d not in judged[q]}
    assert pairs(gainful.pool(RUNS, depth=3, judged="qrels.txt")) == new


@pytest.mark.parametrize("strategy", POOLING_STRATEGIES)
def test_a_budget_is_never_exceeded_and_the_seed_reproduces_the_pool(strategy: str) -> None:
    for budget in (6, 9, 14):
        found = gainful.pool(RUNS, strategy, budget=budget, seed=4)
        assert 0 < len(found) <= budget
        assert found == gainful.pool(RUNS, strategy, budget=budget, seed=4)
    assert len(pairs(found)) == len(found.documents)


def test_the_order_within_a_query_is_random() -> None:
    orders = {tuple(gainful.pool(RUNS, depth=5, seed=seed).documents) for seed in range(5)}
    assert len(orders) == 5
    assert len({frozenset(order) for order in orders}) == 1


def test_minimal_test_collections_stop_when_no_label_can_change_the_order() -> None:
    settled = {"q": {"a": 1, "b": 0}}
    runs = {"good": {"q": ["a", "b"]}, "bad": {"q": ["b", "a"]}}
    assert len(gainful.pool(runs, "mtc", judged=settled)) == 0
    runs["bad"] = {"q": ["c", "a"]}
    assert pairs(gainful.pool(runs, "mtc", judged=settled)) == {("q", "c")}


@pytest.mark.parametrize("strategy", ["mtf", "maxmean", "mtc"])
def test_adaptive_strategies_stop_when_no_label_can_change_the_order(strategy: str) -> None:
    runs = {"good": {"q": ["a", "b", "c"]}, "bad": {"q": ["b", "a", "d"]}}
    known = {"q": {"a": 1, "b": 0}}
    found = gainful.pool(runs, strategy, judged=known, measure="P@1", depth=3)
    assert len(found) == 0
    assert found.settled == "P@1"
    assert "No labels could change the order of the systems under P@1" in str(found)
    more = gainful.pool(runs, strategy, judged=known, measure="P@3", depth=3)
    assert pairs(more) == {("q", "c"), ("q", "d")}
    assert more.settled is None


def test_overlap_marks_documents_for_two_judges() -> None:
    found = gainful.pool(RUNS, depth=5, overlap=0.2)
    assert found.judges.count(2) == round(0.2 * len(found))
    assert found.hours(36) == pytest.approx((len(found) + found.judges.count(2)) / 100)


def test_json_lines_are_the_rows_of_the_contract() -> None:
    ids = ["plain", 'a "quote"', "tab\tnew\nline", "emoji 🙂", "back\\slash", "not utf-8 \udcff"]
    runs = {"one": {"q é": ids, "q2": ids}, "two": {"q2": ids[::-1]}}
    for found in (gainful.pool(runs, depth=6), gainful.pool(runs, "sample", budget=8, depth=6)):
        found.write("pool.jsonl")
        lines = Path("pool.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line) for line in lines] == found.to_dict()["documents"]


def test_files_keep_systems_apart_from_documents(output_of) -> None:
    plan = output_of("pool", *RUNS, "--strategy", "sample", "--budget", "12", "-o", "pool.jsonl")
    assert "documents to judge" in plan
    text = Path("pool.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert len(rows) == 12
    assert all(0 < row["probability"] <= 1 for row in rows)
    assert "bm25" not in text
    header, *ranks = Path("pool.ranks.tsv").read_text(encoding="utf-8").splitlines()
    assert header.split("\t") == ["query_id", "doc_id", "system", "rank"]
    runs = {path.split(".")[0]: gainful.read_run(path) for path in RUNS}
    pooled = {(row["query_id"], row["doc_id"]) for row in rows}
    for query, document, system, rank in (line.split("\t") for line in ranks):
        assert runs[system][query][int(rank) - 1][0] == document
    # A sample lists all documents that it was drawn from, which its estimates need.
    assert {tuple(line.split("\t")[:2]) for line in ranks} > pooled
    gainful.pool(RUNS, depth=3).write("depth.jsonl")
    lines = Path("depth.jsonl").read_text(encoding="utf-8").splitlines()
    _, *ranks = Path("depth.ranks.tsv").read_text(encoding="utf-8").splitlines()
    pooled = {(row["query_id"], row["doc_id"]) for row in map(json.loads, lines)}
    assert {tuple(line.split("\t")[:2]) for line in ranks} == pooled


def test_trec_formats() -> None:
    found = gainful.pool(RUNS, "sample", budget=20, judged="qrels.txt")
    found.write("out.prels")
    judged = gainful.read_qrels("qrels.txt")
    lines = [line.split() for line in Path("out.prels").read_text().splitlines()]
    assert len(lines) == len(found.documents)
    for query, document, grade, algorithm, probability in lines:
        assert float(grade) == judged[query].get(document, -1)
        assert algorithm == "sample"
        assert 0 < float(probability) <= 1
    found.write("out.pool")
    lines = Path("out.pool").read_text().splitlines()
    assert {tuple(line.split()) for line in lines} == pairs(found)


def test_ids_that_a_format_cannot_represent_are_refused() -> None:
    found = gainful.pool({"a": {"red shoes": ["d1"]}, "b": {"red shoes": ['d"🙂']}})
    with pytest.raises(FormatError, match="without white space"):
        found.write("x.pool")
    assert not Path("x.pool").exists()
    found.write("x.jsonl")
    rows = [json.loads(line) for line in Path("x.jsonl").read_text("utf-8").splitlines()]
    assert {row["doc_id"] for row in rows} == {"d1", 'd"🙂'}
    with pytest.raises(ParameterError, match="prels of the strategy depth"):
        found.write("x.prels")


def test_json_matches_its_schema() -> None:
    found = gainful.pool(RUNS, "sample", budget=12, judged="qrels.txt", overlap=0.5)
    document = json.loads(json.dumps(found.to_dict()))
    assert errors(document, schema_of("pool")) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--strategy", "sample"], "a sample needs a budget"),
        (["--strategy", "sample", "--budget", "2"], "at least one document for each of 6 queries"),
        (["--depth", "0"], "a whole number of 1 or more"),
        (["--budget", "-3"], "a whole number of 1 or more"),
        (["--overlap", "120%"], "a share such as 20% or 0.2"),
        (["--judged", "missing.txt"], "no such file: missing.txt"),
        (["-o", "missing/pool.jsonl"], "the output folder does not exist"),
        (["--format", "prels", "-o", "p"], "prels of the strategy depth"),
    ],
)
def test_bad_options_are_refused(options: list[str], message: str, capsys) -> None:
    assert main(["pool", *RUNS, *options]) == 2
    assert message in capsys.readouterr().err
    assert not list(Path().glob("p*"))
